"""Runs tests of unittest and writes a value a line for each to the file that is the first argument.

The other arguments name tests by their dotted names; without any all of the project are run.
"""
import json
import os
import sys
import time
import traceback
import unittest

report = open(sys.argv[1], "w", encoding="utf-8")
sys.path.insert(0, os.getcwd())


class Result(unittest.TestResult):
    has_failed = False

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def tell(self, test, status, error=None, message=None, part=None):
        said = {"name": getattr(test, "_testMethodName", str(test)), "suite": type(test).__qualname__}
        said.update(status=status, ms=(time.monotonic() - getattr(self, "begun", time.monotonic())) * 1000)
        said["selector"] = test.id().split(" ")[0]
        said["output"] = "".join(stream.getvalue() for stream in (sys.stdout, sys.stderr) if hasattr(stream, "getvalue"))
        if part:
            said["name"] += " " + part
        # Stand-ins of unittest for a module that cannot be imported and for what is around tests.
        if type(test).__module__ == "unittest.loader":
            said["suite"] = ""
            message = str(error[1]).strip().splitlines()[-1] if error else message
        elif type(test).__name__ == "_ErrorHolder":
            said["suite"] = test.id().partition("(")[2].rstrip(")")
        if message is None and error is not None:
            message = "".join(traceback.format_exception_only(error[0], error[1])).strip()
        if message is not None:
            said["message"] = message
        if error is not None:
            said["stack"] = "".join(traceback.format_exception(*error))
            frames = [frame for frame in traceback.extract_tb(error[2]) if frame.filename.startswith(os.getcwd())]
            if frames:
                said["file"], said["line"] = frames[-1].filename, frames[-1].lineno
        self.has_failed |= status in ("failed", "error")
        report.write(json.dumps(said) + "\n")
        report.flush()

    def addSuccess(self, test):
        self.tell(test, "passed")

    def addFailure(self, test, error):
        self.tell(test, "failed", error)

    def addError(self, test, error):
        self.tell(test, "error", error)

    def addSkip(self, test, reason):
        self.tell(test, "skipped", message=reason)

    def addExpectedFailure(self, test, error):
        self.tell(test, "passed")

    def addUnexpectedSuccess(self, test):
        self.tell(test, "failed", message="it was expected to fail and passed")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            status = "failed" if issubclass(error[0], test.failureException) else "error"
            self.tell(test, status, error, part=subtest._subDescription())


loader = unittest.TestLoader()
result = Result()
result.buffer = True
suite = loader.loadTestsFromNames(sys.argv[2:])
suite.run(result)
report.close()
sys.exit(result.has_failed)
