#!/usr/bin/env python3
"""Measures the rows of detcheck-wrong-roundings(7): the faults of tests/cmd/wrong_roundings.py, and what finds them.

    man/tables/faults.py DETCHECK LIBRARY

LIBRARY is tests/programs/libmisrounding_library.so of a build folder. One thread at a time, for some minutes.
"""
import re
import sys

from library_page import versions_of
from measured import ROOT, Data, placed, this_run

sys.path.append(str(ROOT / "tests/cmd"))
from wrong_roundings import FAULTS, cause_of, found_in_a_second, measure  # noqa: E402  # pylint: disable=wrong-import-position

DATA = Data("faults")


def operation_of(fault):
    """"fma fp32", "fp64 to fp16": without what fits on no line."""
    format_ = re.search(r"-f (\S+)", fault.options)[1]
    to = re.search(r"--to (\S+)", fault.options)
    return f"{format_} to {to[1].removeprefix('fp8_')}" if to else f"{fault.operation} {format_}"


def spelled(seconds):
    return "none" if seconds is None else f"{seconds:.3f}"


def main():
    program, library = sys.argv[1:]
    rows, most, unmet, late = [], {}, 0, []
    for fault in FAULTS:
        times = dict(zip(("built", "special", "drawn"), measure(program, library, fault)))
        found = found_in_a_second(program, library, fault)
        for kind in times:
            most[kind] = max(most.get(kind, 0), times[kind] or 0)
        unmet += times["drawn"] is None
        if times["built"] is None or times["built"] >= 10:
            late.append(fault.function)
        rows.append((fault.function, operation_of(fault), *map(spelled, times.values()), "sweep" if found is None else "yes" if found else "no",
                     cause_of(fault)))
        print(*rows[-1], flush=True)
    causes = [cause_of(fault) for fault in FAULTS]
    told = [f"A million samples show no wrong output of {unmet} of the {len(FAULTS)} faults.",
            f"explain names the cause of {causes.count('yes')} faults, and for {causes.count('place')} the interval that contains all differences.",
            "Built inputs do not show these faults in ten seconds: " + ", ".join(late) + "." if late else
            f"Built inputs show each fault in {most['built']:.1f} seconds at most, special inputs in {most['special']:.1f}."]
    run = this_run(versions_of(program, f"the faults of {len(FAULTS)} functions"))
    DATA.put("faults", rows, run, placed(), lambda row: True)
    DATA.put("names", [(fault.function, operation_of(fault), fault.published) for fault in FAULTS], run, placed(), lambda row: True)
    DATA.put("findings", [("all", "\n".join(told))], run, placed(), lambda row: True)


if __name__ == "__main__":
    main()
