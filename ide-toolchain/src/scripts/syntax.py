"""Parses files and compiles them in memory; the names come in a line each, on standard input."""
import json
import sys

failed = False

for name in sys.stdin.read().splitlines():
    try:
        with open(name, "rb") as file:
            compile(file.read(), name, "exec", dont_inherit=True)
    except SyntaxError as error:
        failed = True
        said = {"file": name, "line": error.lineno or 1, "column": error.offset or 0, "message": error.msg}
        print(json.dumps(said))
    except (OSError, ValueError) as error:
        failed = True
        print(json.dumps({"file": name, "line": 1, "message": str(error)}))
print(json.dumps({"done": True}))
sys.exit(failed)
