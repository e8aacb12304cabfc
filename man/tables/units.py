#!/usr/bin/env python3
"""Writes the table of detcheck-units-evidence(7): units, formats, cases and those in which a row is wrong.

    man/tables/units.py UNIT_CASES FOLDER

UNIT_CASES is the test program of that name; FOLDER has the published cases, UNIT_FORMAT.txt.xz (tests/order/units/README).
"""
import os
import sys

from library_page import ROOT, Page

sys.path.insert(0, str(ROOT / "tests/order/units"))
import unit_cases  # noqa: E402

PAGE = Page("detcheck-units-evidence.7", "units.py")


def main(program, folder):
    os.environ["UNIT_CASES"] = program
    rows, _ = unit_cases.held(list(unit_cases.published(folder)))
    text = ['.Bl -column "v100" "fp8_e4m3fn" "result" "cases" "wrong"',
            ".It Em unit Ta Em format Ta Em result Ta Em cases Ta Em wrong"]
    text += [f".It {unit} Ta {name} Ta {result} Ta {cases:,} Ta {wrong}" for unit, name, result, cases, wrong in rows]
    PAGE.write("\n".join(text) + "\n.El\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
