#!/usr/bin/env python3
"""Writes the table of detcheck-wrong-roundings(7): the faults of tests/cmd/wrong_roundings.py, and what finds them.

    man/tables/faults.py DETCHECK LIBRARY

LIBRARY is tests/programs/libmisrounding_library.so of a build folder. One thread at a time, for some minutes.
"""
import re
import sys

from library_page import ROOT, Page

sys.path.append(str(ROOT / "tests/cmd"))
from wrong_roundings import FAULTS, cause_of, found_in_a_second, measure  # noqa: E402  # pylint: disable=wrong-import-position

PAGE = Page("detcheck-wrong-roundings.7", "faults.py")
HEAD = f"{'fault':<28} {'operation':<15} {'built':>6} {'special':>7} {'drawn':>6} search cause"


def operation_of(fault):
    """"fma fp32", "fp64 to fp16": without what fits on no line."""
    format_ = re.search(r"-f (\S+)", fault.options)[1]
    to = re.search(r"--to (\S+)", fault.options)
    return f"{format_} to {to[1].removeprefix('fp8_')}" if to else f"{fault.operation} {format_}"


def spelled(seconds):
    return "none" if seconds is None else f"{seconds:.3f}"


def main():
    program, library = sys.argv[1:]
    lines, most, unmet, late = [], {}, 0, []
    for fault in FAULTS:
        times = dict(zip(("built", "special", "drawn"), measure(program, library, fault)))
        found = found_in_a_second(program, library, fault)
        for kind in times:
            most[kind] = max(most.get(kind, 0), times[kind] or 0)
        unmet += times["drawn"] is None
        if times["built"] is None or times["built"] >= 10:
            late.append(fault.function)
        lines.append(f"{fault.function:<28} {operation_of(fault):<15} {spelled(times['built']):>6} {spelled(times['special']):>7} "
                     f"{spelled(times['drawn']):>6} {'sweep' if found is None else 'yes' if found else 'no':<6} "
                     f"{cause_of(fault)}")
        print(lines[-1], flush=True)
    causes = [cause_of(fault) for fault in FAULTS]
    PAGE.write(f".Bd -literal\n{HEAD}\n" + "\n".join(lines) + "\n.Ed\n.Pp\n"
               f"A million samples do not meet {unmet} of the {len(FAULTS)}.\n.Nm detcheck Cm explain\n"
               f"names the cause of {causes.count('yes')}, and of {causes.count('place')} the interval that all differences lie in.\n"
               + ("By built inputs these are not found in ten seconds: " + ", ".join(late) + ".\n" if late else
                  f"By built inputs each is found in {most['built']:.1f} seconds at most, by special ones in\n{most['special']:.1f}.\n"))


if __name__ == "__main__":
    main()
