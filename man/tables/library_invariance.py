#!/usr/bin/env python3
"""Measures the rows of detcheck-library-invariance(7): which properties change the bits of which libraries.

    man/tables/library_invariance.py DETCHECK [--python PYTHON] [--intel FOLDER] [--opencl PROGRAM] [--samples N]
                                [--libraries NAME,...] [FUNCTION...]

PYTHON has numpy and JAX; FOLDER has libimf.so and libsvml.so, such as those of the package intel-cmplr-lib-rt; PROGRAM is
the adapter for OpenCL, compiled. N inputs of each function are tested (4096), or all of up to 16 bits with N = 0. What is
not named keeps its lines.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess

from library_page import ROOT, spelled, versions_of
from measured import Data, placed, this_run

DATA = Data("library-invariance")
FUNCTIONS = "exp log sin tan tanh cbrt".split()
ADAPTERS = pathlib.Path(ROOT) / "src/impl/adapters"


def python(script):
    return lambda given, name: f"exec:{given.python} -B {ADAPTERS / script}" if given.python else None


# How a library's function is called, and the formats. Those that end in None are not there.
LIBRARIES = {
    "det": (lambda given, name: "det", ("fp16", "bf16", "fp32")),
    "cr": (lambda given, name: "cr", ("fp16", "bf16", "fp32")),
    "glibc": (lambda given, name: "libm", ("fp16", "fp32", "fp64")),
    "libmvec": (lambda given, name: "libmvec", ("fp32", "fp64")),
    "SLEEF": (lambda given, name: "sleef", ("fp32", "fp64")),
    "libimf": (lambda given, name: "lib:libimf.so" if given.intel else None, ("fp32", "fp64")),
    "SVML": (lambda given, name: f"lib:libsvml.so:__svml_{name}f16,vector" if given.intel else None, ("fp32",)),
    "numpy": (python("numpy_adapter.py"), ("fp16", "fp32", "fp64")),
    "JAX": (python("jax_adapter.py"), ("bf16", "fp32")),
    "OpenCL": (lambda given, name: f"exec:{given.opencl}" if given.opencl else None, ("fp32", "fp64")),
}


def ask(given, library, name, form):
    """{property: (changed, inputs, first) or the reason why it was not tested}, and what the library says it is; (None, "") where there
    is no such function."""
    implementation = LIBRARIES[library][0](given, name)
    words = [given.program, "invariance", name, "-f", form, "--impl", implementation, "--json", "-"]
    words += ["--samples", str(given.samples)] if given.samples else []
    env = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath(given.intel)} if given.intel else None
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, env=env)
    if not done.stdout:
        return None, ""
    one = json.loads(done.stdout)["results"][0]["implementations"][0]
    if not one["provided"]:
        return None, ""
    return {each["property"]: (each["changed"], each["inputs"], each["first"]) if each["tested"] else each["why"]
            for each in one["invariance"]}, one.get("detail", library)


def order():
    """Properties as the program has them."""
    return placed({"library": list(LIBRARIES)}, {"function": FUNCTIONS}, {"format": sorted(("bf16", "fp16", "fp32", "fp64"))})


def put(library, name, form, found, versions):
    """Writes what was found of a function in a format, and for the library which properties were not tested."""
    tested = {each: outcome for each, outcome in found.items() if isinstance(outcome, tuple)}
    inputs = max((outcome[1] for outcome in tested.values()), default=0)
    changed = [(library, name, form, each, f"{changed:,}", shown(form, first)) for each, (changed, _, first) in tested.items() if changed]
    reasons = [(library, each, re.sub(r"exec:\S+( -B \S+)?", library, outcome)) for each, outcome in found.items() if isinstance(outcome, str)]
    run, same = this_run(versions), (library, name, form)
    DATA.put("changed", changed, run, order(), lambda row: (row["library"], row["function"], row["format"]) == same)
    DATA.put("tested", [(*same, f"{inputs:,}")], run, order())
    DATA.put("untested", reasons, run, placed({"library": list(LIBRARIES)}), lambda row: row["library"] == library)
    return inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--python", default="")
    parser.add_argument("--intel", default="")
    parser.add_argument("--opencl", default="")
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--formats", default="")
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    given.program = os.path.abspath(given.program)
    for library in given.libraries.split(","):
        for name in given.functions:
            for form in given.formats.split(",") if given.formats else LIBRARIES[library][1]:
                found, detail = ask(given, library, name, form) if LIBRARIES[library][0](given, name) else (None, "")
                if not found:
                    continue
                print(library, name, form, put(library, name, form, found, versions_of(given.program, detail)), flush=True)


def shown(form, first):
    at = spelled(first["input"]) if form in ("fp32", "fp64") else first["input"]
    return f"{at if isinstance(at, str) else ' '.join(at)}, {first['where']}"


if __name__ == "__main__":
    main()
