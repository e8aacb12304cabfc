"""Compiles NAME_print.c, where NAME is reductions, training or arithmetic, and compares what it prints with NAME.txt.

print_reach.py NAME [--runner COMMAND] COMPILER [OPTION...]

Exit 77 (skipped) where there is no such compiler or runner.
"""

import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(FOLDER, "..", "..", "src")
# Files of the library that a program wants beside the headers, for one instruction set.
BESIDE = {"reductions": (), "training": (),
          "arithmetic": ("scaled_arrays", "scaled_row_kernels", "scaled_dispatch", "dyadic_arrays", "dyadic_dispatch", "overlap")}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main(name, *words):
    runner, words = [], list(words)
    if words and words[0] == "--runner":
        runner, words = [words[1]], words[2:]
    for program in runner + words[:1]:
        if not shutil.which(program):
            skip(f"there is no {program}")
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
        program = os.path.join(folder, "print")
        beside = [os.path.join(SOURCES, "detmath", "library", f"{file}.c") for file in BESIDE[name]]
        subprocess.run([*words, "-DDETMATH_LEVEL=here", "-I", SOURCES, os.path.join(FOLDER, f"{name}_print.c"),
                        *beside, "-o", program, "-lm"], check=True)
        printed = subprocess.run([*runner, program], check=True, stdout=subprocess.PIPE, text=True,
                                 timeout=300).stdout
    with open(os.path.join(FOLDER, f"{name}.txt"), encoding="ascii") as stream:
        expected = stream.read()
    for one, other in zip(printed.splitlines(), expected.splitlines()):
        if one != other:
            print(f"is     {one}\nshould {other}")
    return printed != expected


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
