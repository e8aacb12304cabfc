"""Says which bars of speed the functions of fp64 miss: det, cr and the scalars of both beside SVML, SLEEF, CORE-MATH and libm.

    python3 tests/bench/bars_f64.py build/release/detcheck [FUNCTION...] [--instructions avx2] [--core-math LIBRARY] [--runs 3]

runs `detcheck bench` for each function, instruction set and run, and prints a table for each instruction set: the median of
the ratios of time of all runs, and the least and the largest of them. Missed bars have stars, and stand by name below. The bars:

- det at most 1.0 of SVML's ha where that is off by 0.8 ulp or more, and of its br, and of SLEEF's best;
- cr at most 4 times det, log at most 1.0 of SVML's cr, exp at most 0.2 of it, and every other at most 0.2 of CORE-MATH's;
- det and cr of one number at most 1.0 of libm's.

A bar is missed where the median is above it. A library that is not there makes no bar, which a line on stderr says; nor does one
without the function. LD_LIBRARY_PATH may say where libsvml.so is. --core-math takes a shared library of CORE-MATH's functions,
cr_NAME, which whoever measures has compiled. Exit status 1 where a bar is missed, 2 where nothing was measured.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROWS = pathlib.Path(__file__).resolve().parents[2] / "src/detmath/functions_f64.inc"
UNIT, POSITIVE = (-1, 1), (0, 8)
RANGES = {"asin": UNIT, "acos": UNIT, "asinpi": UNIT, "acospi": UNIT, "atanh": UNIT, "acosh": (1, 8), "log": POSITIVE,
          "log2": POSITIVE, "log10": POSITIVE, "log1p": POSITIVE, "log2p1": POSITIVE, "log10p1": POSITIVE, "rsqrt": POSITIVE,
          "sqrt": POSITIVE, "powr": POSITIVE}
ELEMENTS = 65536  # of 4,096 one that needs cr's last phase would double the time of all, as it did for atan
HA_COUNTS, HA_ERRORS = 0.8, {"hypot": 0.93}  # ulp; those that longer searches found
HA_ERROR = "ulp of ha"  # the largest error of a run, beside its ratios; det's, which is below 0.8, where there is no ha
SVML_CR = {"exp": 0.2, "log": 1.0}  # the functions whose cr has the bar of SVML's in place of CORE-MATH's

# A column of the table: its head, whose time over whose, and the most that the ratio may be.
COLUMNS = [
    ("det/ha", ("det", "array"), ("svml:ha", "array"), 1.0),
    ("det/br", ("det", "array"), ("svml:br", "array"), 1.0),
    ("det/SLEEF", ("det", "array"), ("sleef", "array"), 1.0),
    ("cr/det", ("cr", "array"), ("det", "array"), 4.0),
    ("cr/SVML cr", ("cr", "array"), ("svml:cr", "array"), None),
    ("cr/CORE-MATH", ("cr", "array"), ("core-math", "scalar"), 0.2),
    ("one: det/libm", ("det", "scalar"), ("libm", "scalar"), 1.0),
    ("one: cr/libm", ("cr", "scalar"), ("libm", "scalar"), 1.0),
]


def all_functions():
    return re.findall(r"^DETMATH_(?:UNARY|BINARY|PAIR)_F64\((\w+)", ROWS.read_text(encoding="utf-8"), re.MULTILINE)


def bench(detcheck, function, implementations, options):
    """The rows of `detcheck bench`, or its message, a string."""
    command = [detcheck, "bench", function, "-f", "fp64", *options, "--json", "-"]
    for name in implementations:
        command += ["--impl", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr.strip() if done.returncode else json.loads(done.stdout)["results"][0]["implementations"]


def those_there(args):
    """The implementations that can be had here, as names of `detcheck bench` by names of COLUMNS."""
    named = {name: name for name in ("det", "cr", "svml:ha", "svml:br", "svml:cr", "sleef", "libm")}
    for name in list(named):
        rows = bench(args.detcheck, "exp", [name], ["--rounds", "1", "--seconds", "1"])
        if isinstance(rows, str):
            print(f"no bars of {name}: {rows}", file=sys.stderr)
            del named[name]
    return named


def measure(args, function, instructions, named):
    """The ratios of one run, by column."""
    low, high = RANGES.get(function, (-8, 8))
    options = [f"--range={low}:{high}", "--elements", str(ELEMENTS), "--rounds", str(args.rounds), "--seconds", "1", "--threads", "1"]
    if instructions:
        options += ["--instructions", instructions]
    if args.core_math:
        named = {**named, "core-math": f"lib:{args.core_math}:cr_{function}"}
    rows = bench(args.detcheck, function, named.values(), options)
    if isinstance(rows, str) and named.pop("core-math", None):  # which has no function of the name
        rows = bench(args.detcheck, function, named.values(), options)
    if isinstance(rows, str):
        sys.exit(f"bench of {function}: {rows}")
    names = {given: name for name, given in named.items()}
    times = {(names[row["name"]], row["form"]): row["nanoseconds"] for row in rows if row.get("nanoseconds")}
    ratios = {column: times[ours] / times[theirs] for column, ours, theirs, _ in COLUMNS if times.get(ours) and times.get(theirs)}
    ratios[HA_ERROR] = max(row.get("max_ulp") or 0.0 for row in rows if names[row["name"]] in ("svml:ha", "det"))
    return ratios


def limit_of(function, column, runs):
    """The most that the ratio may be; None where there is no such bar."""
    if column == "det/ha" and max(HA_ERRORS.get(function, 0.0), *(run[HA_ERROR] for run in runs)) < HA_COUNTS:
        return None
    if column == "cr/SVML cr":
        return SVML_CR.get(function)
    if column == "cr/CORE-MATH" and function in SVML_CR:
        return None
    return next(limit for head, _, _, limit in COLUMNS if head == column)


def show(title, table):
    """Prints the table of one instruction set, {function: [the ratios of a run, ...]}; returns how many bars, and the missed."""
    heads = [head for head, *_ in COLUMNS if any(head in run for runs in table.values() for run in runs)]
    print(f"\n{title}\n\n| function | {' | '.join(heads)} |\n| {' | '.join('---' for _ in ['', *heads])} |")
    bars, missed = 0, []
    for function, runs in table.items():
        cells = []
        for head in heads:
            ratios = [run[head] for run in runs if head in run]
            if not ratios:
                cells.append("")
                continue
            middle, limit = statistics.median(ratios), limit_of(function, head, runs)
            cells.append(f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
            bars += limit is not None
            if limit is not None and middle > limit:
                missed.append(f"{title}: {function} {head} {cells[-1]}, at most {limit}")
                cells[-1] += " *"
        print(f"| {function} | {' | '.join(cells)} |")
    return bars, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("detcheck")
    parser.add_argument("functions", nargs="*", default=[], help="all of fp64 where none is named")
    parser.add_argument("--instructions", action="append", help="avx2 or avx512; may be repeated (the best there are)")
    parser.add_argument("--core-math", metavar="LIBRARY")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    named, sets = those_there(args), args.instructions or [None]
    tables = {each: {function: [] for function in args.functions or all_functions()} for each in sets}
    for run in range(args.runs):
        for each, table in tables.items():
            for function, runs in table.items():
                runs.append(measure(args, function, each, named))
                print(f"run {run + 1} {each or 'best'} {function} {json.dumps(runs[-1])}", file=sys.stderr, flush=True)
    bars, missed = 0, []
    for each, table in tables.items():
        more, these = show(each or "best instructions", table)
        bars, missed = bars + more, missed + these
    print(f"\n{len(missed)} of {bars} bars missed, by the median of {args.runs} runs", *missed, sep="\n")
    return 2 if not bars else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
