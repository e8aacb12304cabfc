#!/usr/bin/env python3
"""Measures the rows of detcheck-decimal(7): how many of the built texts libraries read and write wrongly.

    man/tables/library_texts.py DETCHECK [--inputs N] [--rows WORD] [LIBRARY...]

Each row sweeps at least N texts or numbers (10,000,000), as many from each family, by one thread. Libraries that are not named
keep their lines, and so do operations without the WORD. musl-gcc compiles texts_lines.c for musl, and c++ texts_functions.cpp for
C++; ADAPTER_PYTHON names a Python with numpy.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from library_page import versions_of
from measured import ROOT, Data, this_run

DATA = Data("library-texts")
ADAPTERS = ROOT / "src/impl/adapters"
ADAPTER = f"exec:{os.environ.get('ADAPTER_PYTHON', sys.executable)} -B {ADAPTERS}/texts_adapter.py"
MUSL = ["musl-gcc", "-O2", "-static", ADAPTERS / "texts_lines.c", "-o", "texts_lines", "-lm"]
CPLUSPLUS = ["c++", "-std=c++17", "-O2", "-shared", "-fPIC", ROOT / "man/tables/texts_functions.cpp", "-o", "texts_functions.so"]
BUILDS = {"musl": MUSL, "C++": CPLUSPLUS}
MUSL_LOADER = "/lib/ld-musl-x86_64.so.1"
# Neither libc.so.6, nor a program that was compiled here, nor node says whose functions it calls.
CALLED = {"glibc": lambda: os.confstr("CS_GNU_LIBC_VERSION"),
          "musl": lambda: "musl " + re.search(r"Version (\S+)", subprocess.run([MUSL_LOADER], stderr=subprocess.PIPE, text=True).stderr)[1],
          "C++": lambda: "libstdc++ of gcc " + subprocess.check_output(["c++", "-dumpfullversion"], text=True).strip(),
          "node": lambda: "V8 in node " + subprocess.check_output(["node", "--version"], text=True).strip().removeprefix("v")}
READ, READ32 = ["from_decimal"], ["from_decimal", "--to", "fp32"]
SCAN = [*READ, "--grammar", "scanf"]
CHARS, CHARS32 = [*READ, "--grammar", "from_chars"], [*READ32, "--grammar", "from_chars"]
PYTHON = [*READ, "--grammar", "python"]
NUMBER, PARSE = [*READ, "--grammar", "javascript"], [*READ, "--grammar", "parse-float"]
SHORTEST, EXPONENT = ["to_decimal"], ["to_decimal", "--style", "exponent", "--digits", "16"]
LONG, FIXED = ["to_decimal", "--style", "exponent", "--digits", "40"], ["to_decimal", "--style", "fixed", "--digits", "3"]
# By strtod's grammar others than C are given decimal texts only.
DECIMAL = ["normal", "halfway", "ends", "fractions", "powers", "zeros"]
WRITTEN = ["normal", "ties", "near-ties", "powers", "ends"]
TEXTS, NUMBERS = 2048 + 512 + 32, 1024  # of the shapes that one of -n stands for
ALL = DECIMAL + ["hexadecimal", "words"]
# Each library: the commands that say which it is, how it is called, and what it reads and writes.
ROWS = {
    "glibc": ("lib:libc.so.6:{}", ALL, [(READ, "strtod"), (READ32, "strtof"), (EXPONENT, "snprintf"), (LONG, "snprintf"),
                                        (FIXED, "snprintf"), (SCAN, "sscanf")]),
    "C++": ("lib:./texts_functions.so:{}", DECIMAL, [(CHARS, "from_chars_fp64"), (CHARS32, "from_chars_fp32"),
                                                    (EXPONENT, "to_chars_fp64"), (LONG, "to_chars_fp64"), (FIXED, "to_chars_fp64")]),
    "musl": ("exec-text:./texts_lines", ALL, [(words, "") for words in (READ, READ32, EXPONENT, LONG, FIXED, SCAN)]),
    "Python": (ADAPTER + " python", DECIMAL, [(READ, ""), (PYTHON, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, ""), (FIXED, "")]),
    "numpy": (ADAPTER + " numpy", DECIMAL, [(READ, ""), (READ32, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, ""), (FIXED, "")]),
    "node": (ADAPTER + " node", DECIMAL, [(READ, ""), (NUMBER, ""), (PARSE, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, "")]),
}


def sweep(program, words, families, implementation, inputs, folder):
    """{family: (inputs, wrong ones, or wrong characters of written texts)}, and what the implementation says of itself."""
    found, detail, reads = {}, None, words[0] == "from_decimal"
    families = (ALL if "--grammar" in words else families) if reads else WRITTEN
    for family in families:
        shapes = TEXTS if reads else NUMBERS
        calls = -(-inputs // (len(families) * shapes))
        command = [program, "sweep", *words, "-n", str(calls), "--threads", "1", "--timeout", "600", "--impl", implementation,
                   "--json", "-", "--distribution", family]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
        result = json.loads(done.stdout)["results"][0]
        one = result["implementations"][0]
        if not one["provided"]:
            raise SystemExit(f"{implementation}: {one['reason']}")
        detail = one.get("detail")
        found[family] = calls * shapes, one["incorrectly_rounded"] + one["nan_mismatches"]
    return found, detail


def row(program, library, words, name, inputs, folder):
    form, families, _ = ROWS[library]
    found, detail = sweep(program, words, families, form.format(name), inputs, folder)
    tried, wrong = map(sum, zip(*found.values()))
    where = ", ".join(f"{family} {count:,}" for family, (_, count) in found.items() if count) or "none"
    return (library, " ".join(words), f"{tried:,}", f"{wrong:,}", where), detail


def order():
    place = {(library, " ".join(words)): at for at, (library, words) in
             enumerate((library, words) for library, (_, _, rows) in ROWS.items() for words, _ in rows)}
    return lambda row: place[row["library"], row["operation"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--inputs", type=int, default=10000000)
    parser.add_argument("--rows", default="")
    parser.add_argument("libraries", nargs="*", default=list(ROWS))
    given = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        for library in given.libraries:
            if library in BUILDS:
                subprocess.run(BUILDS[library], cwd=folder, check=True)
            called = CALLED[library]() if library in CALLED else None
            for words, name in (row for row in ROWS[library][2] if given.rows in " ".join(row[0])):
                cells, detail = row(given.program, library, words, name, given.inputs, folder)
                print(detail, *cells, flush=True)
                DATA.put("texts", [cells], this_run(versions_of(given.program, called or detail or library)), order())


if __name__ == "__main__":
    main()
