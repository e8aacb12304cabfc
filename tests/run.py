"""Runs a test of Python's unittest for CTest: run.py SCRIPT [WORDS...]. Where all cases pass but some are skipped, it says why
and exits with 77, by which CTest reports the test as skipped; it does not report it as passed.

It runs the methods named test_…; where EXHAUSTIVE is in the environment it runs those named slow_… too, as the label exhaustive
does. TIER and TEST_NAME, which CTest sets, choose among them by slow.txt: TIER=quick leaves out the methods that are listed for
that test, and TIER=slow runs only these. SLOW_TESTS names another file than slow.txt. With SECONDS_TO=FILE it adds the processor
time of each method to FILE, for slow.py."""

import collections
import os
import runpy
import sys
import unittest

SKIPPED = 77
SLOW = os.environ.get("SLOW_TESTS") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow.txt")
reasons = collections.Counter()


def seconds():
    """The processor time of this process and of all that it has waited for."""
    return sum(os.times()[:4])


class Result(unittest.TextTestResult):
    def startTest(self, test):
        self.before = seconds()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        if to := os.environ.get("SECONDS_TO"):
            case, method = test.id().split(".")[-2:]
            with open(to, "a", encoding="utf-8") as file:
                file.write(f"{case}.{method} {seconds() - self.before:.2f}\n")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        reasons[reason] += 1


class Tier:
    """The methods of one tier, chosen as unittest asks for the methods of each class."""

    def __init__(self, tier, name):
        self.is_slow = tier == "slow"
        with open(SLOW, encoding="utf-8") as file:
            rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
        self.listed = {row[1] for row in rows if row[0] == name}
        self.found, self.methods = set(), set()
        self.all_methods = unittest.defaultTestLoader.getTestCaseNames

    def of_class(self, case):
        names = {name: f"{case.__name__}.{name}" for name in self.all_methods(case)}
        self.methods.update(names.values())
        self.found.update(self.listed.intersection(names.values()))
        return [name for name, full in names.items() if (full in self.listed) == self.is_slow]

    def end(self):
        """Says how much of the test this was. A row of slow.txt for a method that is not there would leave out nothing."""
        count = f"{len(self.found)} of {len(self.methods)} methods"
        print(f"{count}, which the default run leaves out" if self.is_slow else f"without {count}, which the label slow runs",
              file=sys.stderr)
        for missing in sorted(self.listed - self.found):
            print(f"{SLOW} lists {missing}, which this test does not have: slow.py measures it again", file=sys.stderr)
        return 1 if self.listed - self.found else 0


def main(script, *words):
    unittest.TextTestRunner.resultclass = Result
    if os.environ.get("EXHAUSTIVE"):
        unittest.defaultTestLoader.testMethodPrefix = ("test", "slow_")
    tier = None
    if os.environ.get("TIER"):
        tier = Tier(os.environ["TIER"], os.environ["TEST_NAME"])
        unittest.defaultTestLoader.getTestCaseNames = tier.of_class
    sys.argv = [script, *words]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code
    for reason, count in reasons.items():
        print(f"skipped, because {reason}" + (f" ({count} cases)" if count > 1 else ""), file=sys.stderr)
    if tier and tier.methods:
        code = code or tier.end()
    sys.exit(SKIPPED if reasons and code in (0, None) else code)


if __name__ == "__main__":
    main(*sys.argv[1:])
