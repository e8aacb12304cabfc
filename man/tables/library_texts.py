#!/usr/bin/env python3
"""Writes the table of detcheck-decimal(7): how many of the built texts libraries read and write wrongly.

    man/tables/library_texts.py DETCHECK [--seconds S] [LIBRARY...]

Each row sweeps as many inputs as take about S seconds (60) of one thread, by a count that a short run gives. Libraries that are
not named keep their lines. musl-gcc compiles texts_lines.c for musl; ADAPTER_PYTHON names a Python with numpy.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from library_page import ROOT, Page

PAGE = Page("detcheck-decimal.7.in", "library_texts.py")
ADAPTERS = ROOT / "src/impl/adapters"
ADAPTER = f"exec:{os.environ.get('ADAPTER_PYTHON', sys.executable)} -B {ADAPTERS}/texts_adapter.py"
MUSL = ["musl-gcc", "-O2", "-static", ADAPTERS / "texts_lines.c", "-o", "texts_lines"]
READ, READ32 = ["from_decimal"], ["from_decimal", "--to", "fp32"]
SHORTEST, EXPONENT = ["to_decimal"], ["to_decimal", "--style", "exponent", "--digits", "16"]
LONG, FIXED = ["to_decimal", "--style", "exponent", "--digits", "40"], ["to_decimal", "--style", "fixed", "--digits", "3"]
# What else than C takes hexadecimal texts for, and what is no number, is a matter of its own.
DECIMAL = ["normal", "halfway", "ends", "fractions", "powers", "zeros"]
ALL = DECIMAL + ["hexadecimal", "words"]
# Each library: the commands that say which it is, how it is called, and what it reads and writes.
ROWS = {
    "glibc": ("lib:libc.so.6:{}", ALL, [(READ, "strtod"), (READ32, "strtof"), (EXPONENT, "snprintf"), (LONG, "snprintf"),
                                        (FIXED, "snprintf")]),
    "musl": (ADAPTER + " ./texts_lines {}", ALL, [(READ, "read"), (READ32, "read32"), (EXPONENT, "%.16e"), (LONG, "%.40e"),
                                                   (FIXED, "%.3f")]),
    "Python": (ADAPTER + " python", DECIMAL, [(READ, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, ""), (FIXED, "")]),
    "numpy": (ADAPTER + " numpy", DECIMAL, [(READ, ""), (READ32, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, ""), (FIXED, "")]),
    "node": (ADAPTER + " node", DECIMAL, [(READ, ""), (SHORTEST, ""), (EXPONENT, ""), (LONG, "")]),
}


def sweep(program, words, families, implementation, calls, folder):
    """{family: (texts or characters tried, wrong)} of a sweep, and what the implementation says of itself."""
    found, detail = {}, None
    for family in families if words[0] == "from_decimal" else [None]:
        command = [program, "sweep", *words, "-n", str(calls), "--threads", "1", "--timeout", "100", "--impl", implementation,
                   "--json", "-", *(["--distribution", family] if family else [])]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
        for result in json.loads(done.stdout)["results"]:
            one = result["implementations"][0]
            if not one["provided"]:
                raise SystemExit(f"{implementation}: {one['reason']}")
            family, detail = result["parameters"]["distribution"], one.get("detail")
            tried, wrong = found.get(family, (0, 0))
            found[family] = (tried + one["tested"], wrong + one["incorrectly_rounded"])
    return found, detail


def row(program, library, words, name, seconds, folder):
    form, families, _ = ROWS[library]
    implementation, calls, begun = form.format(name), 40, time.monotonic()
    sweep(program, words, families, implementation, calls, folder)
    calls = max(calls, int(calls * seconds / (time.monotonic() - begun)))
    found, detail = sweep(program, words, families, implementation, calls, folder)
    tried, wrong = map(sum, zip(*found.values()))
    where = ", ".join(f"{family} {count:,}" for family, (_, count) in found.items() if count) or "none"
    return f"{library:7} {' '.join(words):45} {tried:>11,} {wrong:>9,}  {where}", detail


def read_lines():
    """{library: its lines} as the page has them."""
    lines = {}
    for line in PAGE.read().splitlines():
        if line and line.split()[0] in ROWS:
            lines.setdefault(line.split()[0], []).append(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("libraries", nargs="*", default=list(ROWS))
    given = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        for library in given.libraries:
            if library == "musl":
                subprocess.run(MUSL, cwd=folder, check=True)
            found = [row(given.program, library, words, name, given.seconds, folder) for words, name in ROWS[library][2]]
            print(library, found[0][1], *[line for line, _ in found], sep="\n", flush=True)
            have = read_lines() | {library: [line for line, _ in found]}  # read anew: others may run at once
            heading = f"{'library':7} {'operation':45} {'tried':>11} {'wrong':>9}  of which families"
            PAGE.write(".Bd -literal\n" + "\n".join([heading, *(line for name in ROWS for line in have.get(name, []))]) + "\n.Ed\n")


if __name__ == "__main__":
    main()
