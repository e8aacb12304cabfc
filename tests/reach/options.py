#!/usr/bin/env python3
"""What becomes of detmath under options that let a compiler change values: never other bits without a word.

    options.py [--cc gcc,clang] [--quick]      prints a table; exit 0: each option has one of the three outcomes below

An option is refused by the headers, with a line that names it; or the bits are those of fingerprints.txt all the same;
or they are not, and detmath_self_check() says so. With DETMATH_UNSHIELDED headers refuse and undo nothing but
-ffast-math, so that every option that changes bits has to be found by the check. --quick tries few functions and options.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import reach

HERE = pathlib.Path(__file__).resolve().parent
# What a row may say of a compiler: it refuses, or knows no such option. The others may turn out to be equal or found.
REFUSED, UNKNOWN, TRIED = "refused", "unknown", "tried"
SANITIZERS = "integer,implicit-conversion,float-cast-overflow,float-divide-by-zero"
OPTIONS = [  # options, gcc, clang
    ("-ffast-math", REFUSED, REFUSED),
    ("-Ofast", REFUSED, REFUSED),
    ("-ffp-model=fast", UNKNOWN, TRIED),
    ("-funsafe-math-optimizations", REFUSED, TRIED),
    ("-fassociative-math -fno-signed-zeros -fno-trapping-math", REFUSED, TRIED),
    ("-ffinite-math-only", REFUSED, REFUSED),
    ("-fno-honor-nans", UNKNOWN, TRIED),
    ("-fno-honor-infinities", UNKNOWN, TRIED),
    ("-fno-signed-zeros", REFUSED, TRIED),
    ("-freciprocal-math", REFUSED, TRIED),
    ("-fsingle-precision-constant", REFUSED, TRIED),
    ("-funsafe-math-optimizations -fno-associative-math -fno-reciprocal-math -fsigned-zeros -ftrapping-math", TRIED, TRIED),
    ("-fapprox-func", UNKNOWN, TRIED),
    ("-ffp-contract=fast", TRIED, TRIED),
    ("-ffp-contract=off -fno-math-errno -DDETMATH_UNCONTRACTED -DDETMATH_HARDWARE_ROUNDING", TRIED, TRIED),
    ("-ffp-contract=fast -DDETMATH_UNCONTRACTED", TRIED, TRIED),
    ("-frounding-math", TRIED, TRIED),
    ("-fno-math-errno -fno-trapping-math", TRIED, TRIED),
    ("-x c++ -std=c++11", REFUSED, TRIED),
    ("-x c++ -std=gnu++11", TRIED, TRIED),
    (f"-fsanitize={SANITIZERS} -fno-sanitize-recover=all", UNKNOWN, TRIED),
]
QUICK = {"-ffast-math", "-funsafe-math-optimizations", "-ffinite-math-only", "-fno-signed-zeros", "-fsingle-precision-constant",
         "-x c++ -std=c++11"}
WORDS = {REFUSED: "refused", UNKNOWN: "not known", "equal": "bits equal", "found": "found by the check",
         "wrong": "OTHER BITS, NOT FOUND"}
LINE = "detmath needs "  # how every refusal begins; behind it stands an option's name
SMALL = """#include <stdio.h>
#include "detmath/self_check.h"
int main(void) {
    return detmath_self_check_log1p();
}
"""


def outcome(compiler, options, folder, quick):
    """What becomes of the headers with these options: a key of WORDS, and what the compiler said."""
    program = pathlib.Path(folder) / "program"
    source = HERE / "fingerprint.c"
    quick = quick or "-fsanitize" in options or "-x c++" in options  # for which fingerprint.c itself is not written
    if quick:
        source = pathlib.Path(folder) / "small.c"
        source.write_text(SMALL, encoding="utf-8")
    done = subprocess.run([compiler, "-std=c11", "-O1" if quick else "-O2", "-Wfatal-errors", *reach.native([compiler]), *options.split(),
                           f"-I{HERE.parent.parent / 'src'}", f"-I{HERE}", "-o", str(program), str(source)], capture_output=True, text=True)
    if done.returncode:
        names = ["-ffast-math", *(word.split("=")[0] for word in options.split() if word.startswith("-"))]
        refused = any("error: " in line and LINE in line and any(name in line for name in names)
                      for line in done.stderr.splitlines())
        return REFUSED if refused else UNKNOWN, done.stderr
    if quick:
        return "found" if subprocess.run([program]).returncode else "equal", done.stderr
    want = {key: value for key, value in reach.parse(reach.EXPECTED.read_text(encoding="utf-8")).items() if key[0] == "quick"}
    if reach.parse(reach.run_once([str(program), "quick"])) == want:
        return "equal", done.stderr
    failed = subprocess.run([program, "--self-check"], stdout=subprocess.DEVNULL).returncode
    return "found" if failed else "wrong", done.stderr


def faults(options, compiler, expected, found, unshielded):
    """Lines of what is wrong with an outcome."""
    where = f"{compiler} {options}"
    wrong = [f"{where}: {WORDS[found[0]]}, should be refused"] * (expected == REFUSED and found[0] != REFUSED)
    if expected == TRIED and found[0] == UNKNOWN:
        wrong.append(f"{where}: {found[1].strip()}")
    for each in (found, unshielded):
        if each and each[0] == "wrong":
            wrong.append(f"{where}: other bits, and detmath_self_check() does not find them")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--cc", default="gcc,clang", help="compilers, by commas")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    compilers = [one for one in args.cc.split(",") if shutil.which(one)]
    if not compilers:
        reach.skip(f"there is none of {args.cc}")
    wrong, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        for options, *expected in OPTIONS:
            if args.quick and options not in QUICK:
                continue
            cells = []
            for compiler in compilers:
                want = expected["clang" in compiler]
                if want == UNKNOWN:
                    cells.append(WORDS[UNKNOWN])
                    continue
                found = outcome(compiler, options, folder, args.quick)
                naked = found[0] == REFUSED and not args.quick and outcome(
                    compiler, f"{options} -DDETMATH_UNSHIELDED", folder, False)
                wrong += faults(options, compiler, want, found, naked)
                cells.append(WORDS[found[0]])
            rows.append(f"| `{options}` | " + " | ".join(cells) + " |")
    head = ["| options | " + " | ".join(compilers) + " |", "| --- |" + " --- |" * len(compilers)]
    print("\n".join([*head, *rows, *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
