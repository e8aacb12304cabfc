"""Says which bars of speed the functions of fp64 miss: det, cr and the scalars of both beside SVML, SLEEF and the platform's libm.

    python3 tests/bench/bars_f64.py build/release/detcheck [FUNCTION...] [--instructions avx2] [--core-math LIBRARY]

runs `detcheck bench` once for each function and instruction set, and prints a line for each bar: the ratio of times, what it may
be at most, and "missed" where it is more. The bars:

- det at most 1.0 of SVML's ha where that is off by 0.8 ulp or more, and of its br, and of SLEEF's best;
- cr at most 4 times det, log at most 1.0 of SVML's cr, exp at most 0.2 of it, and every function at most 0.2 of CORE-MATH's;
- det and cr of one number at most 1.0 of libm's.

A library that is not there makes no bar. --core-math takes a shared library of CORE-MATH's functions, cr_NAME, which whoever measures
has compiled: they are called one by one here. Exit status 1 where a bar is missed, 2 where nothing was measured.
"""

import argparse
import ctypes
import json
import random
import subprocess
import sys
import tempfile
import time

FUNCTIONS = ("exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan atan asin acos atan2 cbrt rsqrt hypot pow sinh cosh tanh "
             "asinh acosh atanh").split()
TWO = {"atan2", "hypot", "pow"}
RANGES = {"asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1), "acosh": (1, 8), "log": (0, 8), "log2": (0, 8), "log10": (0, 8),
          "log1p": (0, 8), "rsqrt": (0, 8)}
IMPLEMENTATIONS = ["det", "cr", "svml:ha", "svml:br", "svml:cr", "sleef", "libm"]
HA_COUNTS, HA_ERRORS = 0.8, {"hypot": 0.93}  # ulp; those that longer searches found


def measure(detcheck, function, instructions, rounds):
    """Times by name and form, and the largest errors by name."""
    low, high = RANGES.get(function, (-8, 8))
    command = [detcheck, "bench", function, "-f", "fp64", f"--range={low}:{high}", "--rounds", str(rounds), "--seconds", "2",
               "--json", "-"]
    if instructions:
        command += ["--instructions", instructions]
    for name in IMPLEMENTATIONS:
        command += ["--impl", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    rows = json.loads(done.stdout)["results"][0]["implementations"]
    return ({(row["name"], row["form"]): row["nanoseconds"] for row in rows if row.get("nanoseconds")},
            {row["name"]: row.get("max_ulp", 0.0) for row in rows})


class CoreMath:
    """CORE-MATH's functions, called by a loop in C: one of Python would time Python."""

    LOOP = """
double loop1(double (*f)(double), const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = f(x[i]); return y[0]; }
double loop2(double (*f)(double, double), const double *x, const double *u, double *y, int n)
{ for (int i = 0; i < n; i++) y[i] = f(x[i], u[i]); return y[0]; }
"""

    def __init__(self, path, folder):
        self.library = ctypes.CDLL(path)
        source, loop = f"{folder}/loop.c", f"{folder}/loop.so"
        with open(source, "w", encoding="utf-8") as file:
            file.write(self.LOOP)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", loop], check=True)
        self.loop = ctypes.CDLL(loop)

    def nanoseconds(self, function):
        """None where the library has none of the name."""
        call = getattr(self.library, f"cr_{function}", None)
        if call is None:
            return None
        count, (low, high) = 65536, RANGES.get(function, (-8, 8))  # as many as `detcheck bench` takes
        draw, array = random.Random(64), ctypes.c_double * count
        x, u, y = array(*(draw.uniform(low, high) for _ in range(count))), array(*(draw.uniform(-8, 8) for _ in range(count))), array()
        best = float("inf")
        for _ in range(60):
            begin = time.thread_time_ns()
            if function in TWO:
                self.loop.loop2(call, x, u, y, count)
            else:
                self.loop.loop1(call, x, y, count)
            best = min(best, (time.thread_time_ns() - begin) / count)
        return best


def bars(function, times, errors, core_math):
    """(what, ratio, limit) of each bar that there is."""
    det, cr = times.get(("det", "array")), times.get(("cr", "array"))
    found = []

    def bar(what, ours, theirs, limit):
        if ours and theirs:
            found.append((what, ours / theirs, limit))
    if max(errors.get("svml:ha", 0.0), HA_ERRORS.get(function, 0.0)) >= HA_COUNTS:
        bar("det/svml:ha", det, times.get(("svml:ha", "array")), 1.0)
    bar("det/svml:br", det, times.get(("svml:br", "array")), 1.0)
    bar("det/sleef", det, times.get(("sleef", "array")), 1.0)
    bar("cr/det", cr, det, 4.0)
    bar("cr/svml:cr", cr, times.get(("svml:cr", "array")), {"exp": 0.2}.get(function, 1.0))
    bar("cr/CORE-MATH", cr, core_math, 0.2)
    bar("det/libm, one number", times.get(("det", "scalar")), times.get(("libm", "scalar")), 1.0)
    bar("cr/libm, one number", times.get(("cr", "scalar")), times.get(("libm", "scalar")), 1.0)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("detcheck")
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    parser.add_argument("--instructions", action="append", help="avx2 or avx512; may be repeated (the best there are)")
    parser.add_argument("--core-math", metavar="LIBRARY")
    parser.add_argument("--rounds", type=int, default=31)
    args = parser.parse_args()
    measured, missed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        core_math = CoreMath(args.core_math, folder) if args.core_math else None
        for instructions in args.instructions or [None]:
            for function in args.functions or FUNCTIONS:
                times, errors = measure(args.detcheck, function, instructions, args.rounds)
                for what, ratio, limit in bars(function, times, errors, core_math and core_math.nanoseconds(function)):
                    line = f"{function:6} {instructions or 'best':7} {what:21} {ratio:5.2f} of {limit:.1f}"
                    measured += 1
                    if ratio > limit:
                        missed.append(line)
                    print(line + ("  missed" if ratio > limit else ""), flush=True)
    print(f"{len(missed)} of {measured} bars missed")
    return 2 if not measured else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
