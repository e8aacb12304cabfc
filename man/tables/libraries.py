#!/usr/bin/env python3
"""Measures the rows of detcheck-libraries(7): the largest errors that `detcheck search` finds of mathematical
libraries in fp64.

    man/tables/libraries.py DETCHECK [--intel FOLDER] [--seconds S] [FUNCTION...]

FOLDER has libsvml.so and libimf.so, such as those of the package intel-cmplr-lib-rt. Each function is searched for S
seconds (20) of each library that has it. A library that is not there leaves its column as it is, and so do functions
that are not named. musl-gcc compiles the adapter for musl. The data file is written after each function, and a search that
fails leaves its lines as they are: the command can run alone for hours, and be ended at any time.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from library_page import NONE, answer, make_musl, shown, spelled, versions_of
from measured import Data, placed, this_run

DATA = Data("libraries")
# Every operation of the table that one of the libraries has, but arithmetic.
EXACT = """rint nearbyint roundeven round trunc ceil floor lrint llrint lround llround logb ilogb frexp modf nextup nextdown
fmod remainder fmin fmax fmaximum fminimum fmaximum_num fminimum_num""".split()
FUNCTIONS = """exp exp2 exp10 expm1 exp2m1 log log2 log10 log1p log2p1 sin cos tan sincos asin acos atan sinpi cospi tanpi
asinpi acospi atanpi sinh cosh tanh asinh acosh atanh sqrt cbrt rsqrt erf erfc erfcx erfinv ndtr tgamma lgamma j0 j1 y0 y1
pow powr atan2 atan2pi hypot jn yn fdim fma""".split() + EXACT
INTEL = {"rsqrt": "invsqrt", "ndtr": "cdfnorm"}
# For which SLEEF's documentation gives a bound of the error, where not for all numbers; and bounds other than 1 ulp.
SLEEF_RANGES = {"sinpi": "-1e9:1e9", "cospi": "-1e9:1e9", "sinh": "-709:709", "cosh": "-709:709", "log1p": "-1:1e307",
                "asinh": "-1.34e154:1.34e154", "acosh": "1:1.34e154", "erfc": "-30:26.2", "lgamma": "0x1p-1022:2e305"}
SLEEF_BOUNDS = {"exp10": 1.09, "sinpi": 0.506, "cospi": 0.506, "erfc": 1.5, "hypot": 0.5001}


def svml(accuracy):
    return lambda name: f"lib:libsvml.so:__svml_{INTEL.get(name, name)}8{accuracy},vector"


# The column, how the library's function is called, and the bound that its documentation gives.
COLUMNS = {
    "libm": (lambda name: "libm", None),
    "musl": (lambda name: "exec:./musl", None),
    "u10": (lambda name: "sleef", 1.0),
    "u35": (lambda name: f"lib:libsleef.so.3:Sleef_{name}d8_u35avx512f,vector", 3.5),
    "libmvec": (lambda name: "libmvec", 4.0),
    "libimf": (lambda name: f"lib:libimf.so:{INTEL.get(name, name)}", None),
    "ha": (svml("_ha"), 1.0),
    "la": (svml(""), 4.0),
    "br": (svml("_br"), None),
    "cr": (svml("_cr"), 0.5),
}


def bound(column, name):
    return SLEEF_BOUNDS.get(name, 1.0) if column == "u10" else COLUMNS[column][1]


def order():
    return placed({"function": FUNCTIONS}, {"library": list(COLUMNS)})


def by_library():
    return placed({"library": list(COLUMNS)}, {"function": FUNCTIONS})


def put(name, column, text, where, versions):
    """Writes a cell, and the line of what is beyond its bound."""
    DATA.put("errors", [(name, column, text)], this_run(versions), order())
    is_beyond = text != NONE and bound(column, name) and float(text) > bound(column, name)
    DATA.put("beyond", [(name, column, f"{text} ulp", where)] if is_beyond else [], this_run(versions), by_library(),
             lambda row: (row["function"], row["library"]) == (name, column))


def search(program, name, columns, seconds, **options):
    """{column: (text, input, what the library says it is)}"""
    sleef = {"u10", "u35"} & set(columns)
    if name in SLEEF_RANGES and sleef and sleef != set(columns):
        return {**search(program, name, [column for column in columns if column in sleef], seconds, **options),
                **search(program, name, [column for column in columns if column not in sleef], seconds, **options)}
    found = {column: COLUMNS[column][0](name) for column in columns}
    ranges = ["--range", SLEEF_RANGES[name]] if name in SLEEF_RANGES and sleef else []
    told = {column: answer(program, name, words, "fp64", **options) for column, words in found.items()}
    found = {column: words for column, words in found.items() if told[column]}
    if not found:
        return {}
    words = [part for words in found.values() for part in ("--impl", words)]
    done = subprocess.run([program, "search", name, "-f", "fp64", "--seconds", str(seconds * len(found)), *words, *ranges,
                           "--json", "-"], stdout=subprocess.PIPE, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"the search for {name} ended with {done.returncode}")
    results = [result["implementations"] for result in json.loads(done.stdout)["results"]]  # two of sincos
    worst = [max((one["max_ulp"] or {"error": 0, "input": []} for one in ones), key=lambda one: one["error"])
             for ones in zip(*results)]
    return {column: (shown(one["error"]), spelled(one["input"]), told[column].get("detail", column)) for column, one in zip(found, worst)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--intel", default="")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--columns", default="", help="of these columns alone, separated by commas")
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    program = os.path.abspath(given.program)
    columns = [column for column in COLUMNS if given.intel or not re.search("libimf|libsvml", COLUMNS[column][0]("exp"))]
    columns = [column for column in columns if column in given.columns.split(",") or not given.columns]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        make_musl(folder)
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath(given.intel)} if given.intel else None
        for name in given.functions:
            try:
                found = search(program, name, columns, given.seconds, cwd=folder, env=env)
            except RuntimeError as error:
                failed.append(str(error))
                print(error, flush=True)
                continue
            for column in columns:
                text, where, detail = found.get(column, (NONE, "", column))
                put(name, column, text, where, versions_of(program, detail))
            print(name, found, flush=True)
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    main()
