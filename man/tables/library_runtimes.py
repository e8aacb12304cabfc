#!/usr/bin/env python3
"""Measures the rows of detcheck-library-runtimes(7): the largest errors of other languages' functions beside libm's, among
samples of fp64 and of fp32.

    man/tables/library_runtimes.py DETCHECK [--samples N] [--columns NAME,...] [FUNCTION...]

A runtime that is not there leaves its column as it is, and so do functions that are not named. The data file is
written after each row. The columns Chromium and wasmtime want a Python with numpy and wasmtime, which ADAPTER_PYTHON names, and
Rust-libm wants Debian's package librust-libm-dev.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

from library_page import NONE, ROOT, rust_libm, shown, versions_of
from measured import Data, placed, this_run

DATA = Data("library-runtimes")
ADAPTERS = ROOT / "src/impl/adapters"
FUNCTIONS = """exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf tgamma lgamma
    pow atan2 hypot""".split()
FORMATS = ("fp64", "fp32")
PYTHON = os.environ.get("ADAPTER_PYTHON", sys.executable)
# The column: the commands that make its worker in a folder, of which the first words have to be there, and how that is called.
JAVA = [["javac", "-d", ".", ADAPTERS / "JavaAdapter.java"]]
WASM = [["clang", "--target=wasm32-wasi", "-O2", "-nostartfiles", "-Wl,--no-entry",
         *(f"-Wl,--export={name}{suffix}" for name in FUNCTIONS for suffix in ("", "f")), "-x", "c", os.devnull, "-o", "libm.wasm",
         "-lm"]]
COLUMNS = {
    "libm": ([["true"]], "libm"),
    "node": ([["node", "--version"]], f"exec:node {ADAPTERS}/node_adapter.js"),
    "Chromium": ([["chromium", "--version"]], f"exec:{PYTHON} -B {ADAPTERS}/browser_adapter.py --browser chromium"),
    "Math": (JAVA, "exec:java -cp . JavaAdapter"),
    "StrictMath": (JAVA, "exec:java -cp . JavaAdapter java.lang.StrictMath"),
    "Go": ([["go", "build", "-o", "go_worker", ADAPTERS / "go_adapter.go"]], "exec:./go_worker"),
    "Rust": ([["rustc", "-O", ADAPTERS / "rust_adapter.rs", "-o", "rust_worker"]], "exec:./rust_worker"),
    "Rust-libm": (rust_libm(), "exec:./libm_worker"),
    "wasm": (WASM, f"exec:node {ADAPTERS}/node_adapter.js libm.wasm"),
    "wasmtime": (WASM, f"exec:{PYTHON} -B {ADAPTERS}/wasmtime_adapter.py libm.wasm"),
}


def order():
    return placed({"format": FORMATS}, {"function": FUNCTIONS}, {"library": list(COLUMNS)})


def cell(entry):
    """The largest error, cut; a star where a result is a NaN that should be none, or the reverse."""
    error = (entry["max_ulp"] or {"error": 0})["error"]
    return shown(error) + ("*" if entry["nan_mismatches"] else "")


def sweep(program, name, form, columns, samples, folder):
    """[(column, error, what the runtime says it is)]"""
    words = [word for column in columns for word in ("--impl", COLUMNS[column][1])]
    done = subprocess.run([program, "sweep", name, "-f", form, "-n", str(samples), "--threads", "1", "--timeout", "100", *words,
                           "--json", "-"], cwd=folder, stdout=subprocess.PIPE, check=True)
    entries = json.loads(done.stdout)["results"][0]["implementations"]
    return [(column, cell(entry) if entry["provided"] else NONE, entry.get("detail", column)) for column, entry in zip(columns, entries)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--columns", default=",".join(COLUMNS))
    parser.add_argument("functions", nargs="*", default=FUNCTIONS)
    given = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        columns = []
        for column in given.columns.split(","):
            made = COLUMNS[column][0]
            if made and all(shutil.which(words[0]) for words in made):
                for words in made:
                    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
                columns.append(column)
        for name in given.functions:
            for form in FORMATS:
                for column, error, detail in sweep(given.program, name, form, columns, given.samples, folder):
                    DATA.put("errors", [(form, name, column, error)], this_run(versions_of(given.program, detail)), order())
            print(name, flush=True)


if __name__ == "__main__":
    main()
