"""Compiles reductions_print.c and compares what it prints with reductions.txt.

reductions_reach.py [--runner COMMAND] COMPILER [OPTION...]

Exit 77 (skipped) where there is no such compiler or runner.
"""

import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main(words):
    runner = []
    if words and words[0] == "--runner":
        runner, words = [words[1]], words[2:]
    for program in runner + words[:1]:
        if not shutil.which(program):
            skip(f"there is no {program}")
    with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
        program = os.path.join(folder, "print")
        subprocess.run([*words, "-I", os.path.join(FOLDER, "..", "..", "src"),
                        os.path.join(FOLDER, "reductions_print.c"), "-o", program, "-lm"], check=True)
        printed = subprocess.run([*runner, program], check=True, stdout=subprocess.PIPE, text=True,
                                 timeout=300).stdout
    with open(os.path.join(FOLDER, "reductions.txt"), encoding="ascii") as stream:
        expected = stream.read()
    for one, other in zip(printed.splitlines(), expected.splitlines()):
        if one != other:
            print(f"is     {one}\nshould {other}")
    return printed != expected


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
