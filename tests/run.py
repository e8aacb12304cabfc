"""Runs a test of Python's unittest for CTest: run.py SCRIPT [WORDS...]. Where all cases pass but some are skipped, it says why
and exits with 77, by which CTest reports the test as skipped; it does not report it as passed.

It runs the methods named test_…; where EXHAUSTIVE is in the environment it runs those named slow_… too, as the label exhaustive
does."""

import collections
import os
import runpy
import sys
import unittest

SKIPPED = 77
reasons = collections.Counter()


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        reasons[reason] += 1


def main(script, *words):
    unittest.TextTestRunner.resultclass = Result
    if os.environ.get("EXHAUSTIVE"):
        unittest.defaultTestLoader.testMethodPrefix = ("test", "slow_")
    sys.argv = [script, *words]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code
    for reason, count in reasons.items():
        print(f"skipped, because {reason}" + (f" ({count} cases)" if count > 1 else ""), file=sys.stderr)
    sys.exit(SKIPPED if reasons and code in (0, None) else code)


if __name__ == "__main__":
    main(*sys.argv[1:])
