#!/usr/bin/env python3
"""Measures the rows of detcheck-units-evidence(7): units, formats, cases and those in which a row is wrong.

    man/tables/units.py UNIT_CASES FOLDER

UNIT_CASES is the test program of that name; FOLDER has the published cases, UNIT_FORMAT.txt.xz (tests/order/units/README).
"""
import os
import sys

from measured import ROOT, Data, placed, this_run

sys.path.insert(0, str(ROOT / "tests/order/units"))
import unit_cases  # noqa: E402

DATA = Data("units")


def main(program, folder):
    os.environ["UNIT_CASES"] = program
    rows, _ = unit_cases.held(list(unit_cases.published(folder)))
    run = this_run("cases of arXiv 2512.07004")
    DATA.put("cases", [(unit, name, result, f"{cases:,}", str(wrong)) for unit, name, result, cases, wrong in rows], run, placed(), lambda row: True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
