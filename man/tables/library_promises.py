#!/usr/bin/env python3
"""Measures the rows of detcheck-library-promises(7): mathematical libraries in fp32, held to what their makers say of them.

    man/tables/library_promises.py DETCHECK [--intel FOLDER] [--samples N] [--columns NAME,...] [FUNCTION...]

FOLDER has libsvml.so, such as that of the package intel-cmplr-lib-rt. Functions of one number are swept over all of fp32,
or with --samples over N of its numbers, and functions of two over N pairs (1,000,000). A library that is not there leaves
its column as it is, and so do functions that are not named. The data file is written after each row: the command can run
alone for hours, and be ended at any time. PoCL's device wants a compiler and the headers of OpenCL.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from library_page import NONE, ROOT, UNKNOWN, shown, spelled, versions_of
from measured import Data, placed, this_run

DATA = Data("library-promises")
PAIRS = "pow atan2 hypot".split()
FUNCTIONS = """exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    sqrt cbrt rsqrt erf erfc tgamma lgamma""".split() + PAIRS
ADAPTER = ["gcc", "-O2", "-std=c11", ROOT / "src/impl/adapters/opencl_adapter.c", "-o", "opencl_worker", "-lOpenCL", "-lm"]
# The column, how it is called, and the published policy that has what its makers say.
COLUMNS = {
    "glibc": ("libm", "glibc_2_36"),
    "SLEEF": ("sleef", "sleef"),
    "libmvec": ("libmvec", "libmvec"),
    "ha": ("svml:ha", "intel_ha"),
    "la": ("svml:la", "intel_la"),
    "ep": ("svml:ep", "intel_ep"),
    "PoCL": ("exec:./opencl_worker", "opencl_3_0_full"),
}


def order():
    return placed({"function": FUNCTIONS}, {"library": list(COLUMNS)})


def by_library():
    return placed({"library": list(COLUMNS)}, {"function": FUNCTIONS})


def judge(program, name, column, inputs, **options):
    """The cell of a column; what was broken, (how many outputs, the worst), or None; what the library says it is."""
    implementation, policy = COLUMNS[column]
    done = subprocess.run([program, "sweep", name, "-f", "fp32", *inputs, "--impl", implementation, "--policy", policy,
                           *(["--timeout", "100"] if implementation.startswith("exec:") else []), "--json", "-"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if b"has no promise" in done.stderr or b"nothing was tested" in done.stderr:
        return NONE, None, column
    if done.returncode not in (0, 1):
        print(f"{name} of {column}:", done.stderr.decode().strip(), flush=True)
        return UNKNOWN, None, column
    one = json.loads(done.stdout)["results"][0]["implementations"][0]
    if not one["provided"] or "promise" not in one:
        return NONE, None, column
    promise, text = one["promise"], shown((one["max_ulp"] or {"error": 0})["error"])
    if not promise["violations"]:
        return text, None, one.get("detail", column)
    worst = promise["worst"]
    error = "a NaN or a zero that is wrong" if worst["error"] is None else f"{shown(worst['error'])} ulp"
    allowed = "" if worst["error"] is None or worst["limit"] is None else f" where {worst['limit']:g} are allowed"
    broken = (f"{promise['violations']:,} of {one['tested']:,}", f"{error}{allowed}, at {spelled(worst['input'])}")
    return text + "!", broken, one.get("detail", column)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--intel", type=os.path.abspath)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--columns", default=",".join(COLUMNS))
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    columns = [name for name in given.columns.split(",") if given.intel or not COLUMNS[name][0].startswith("svml:")]
    env = {**os.environ, "LD_LIBRARY_PATH": given.intel or ""}
    with tempfile.TemporaryDirectory() as folder:
        if "PoCL" in columns and subprocess.run(ADAPTER, cwd=folder, check=False, stderr=subprocess.DEVNULL).returncode:
            columns.remove("PoCL")
        for name in given.functions:
            samples = 1_000_000 if name in PAIRS and not given.samples else given.samples
            for column in columns:
                cell, broken, detail = judge(given.program, name, column, ["-n", str(samples)] if samples else [], cwd=folder, env=env)
                run = this_run(versions_of(given.program, detail))
                DATA.put("errors", [(name, column, str(samples) if samples else "all", cell)], run, order())
                DATA.put("broken", [(name, column, *broken)] if broken else [], run, by_library(),
                         lambda row, key=(name, column): (row["function"], row["library"]) == key)
                print(name, column, cell, broken or "", flush=True)


if __name__ == "__main__":
    sys.exit(main())
