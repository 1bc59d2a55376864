"""Prints each path of a list whose file Python refuses."""

import sys
import warnings

warnings.simplefilter("ignore")
for path in open(sys.argv[1]).read().splitlines():
    try:
        compile(open(path, "rb").read(), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        print(path)
