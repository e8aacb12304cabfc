#!/usr/bin/env python3
"""Measures the rows of detcheck-units-evidence(7): units, formats, cases and those in which a row is wrong; and the faults that these
cases find, with the results that refute each fault.

    man/tables/units.py UNIT_CASES FOLDER

UNIT_CASES is the test program of that name; FOLDER has the published cases, UNIT_FORMAT.txt.xz (tests/order/units/README).
"""
import os
import sys

from measured import ROOT, Data, placed, this_run

sys.path.insert(0, str(ROOT / "tests/order/units"))
import unit_cases  # noqa: E402

DATA = Data("units")


# The faults of unit_cases that the page shows, in its words.
FAULTS = {"one-bit-more": "a bit more in alignment", "one-bit-less": "a bit less", "alignment-to-nearest": "alignment to nearest",
          "sticky": "a sticky bit", "other-rounding": "the sum rounded the other way", "products-normalised": "products normalised",
          "c-after-the-sum": "c after the sum", "half-a-call": "calls of half as many products",
          "flush-operands": "subnormal operands flushed"}


def main(program, folder):
    os.environ["UNIT_CASES"] = program
    cases = list(unit_cases.published(folder))
    run = this_run("detcheck 0.1.0, the cases of arXiv 2512.07004")
    rows, _ = unit_cases.held(cases)
    DATA.put("cases", [(unit, name, result, f"{count:,}", str(wrong)) for unit, name, result, count, wrong in rows], run, placed(), lambda row: True)
    found = []
    for fault, words in FAULTS.items():
        refuted = [wrong for *_, wrong in unit_cases.held(cases, fault)[0]]
        found.append((words, f"{sum(refuted):,}", str(sum(wrong > 0 for wrong in refuted))))
    DATA.put("faults", found, run, placed({"fault": list(FAULTS.values())}), lambda row: True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
