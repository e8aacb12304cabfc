#!/usr/bin/env python3
"""Writes hard-fp64.txt: inputs of fp64 whose exact results lie near where rounding changes, as searches find them.

    vectors/hard.py build/release/detcheck [FUNCTION...]       of all functions, or of these

A function takes some ten seconds. Inputs that are there stay where no harder ones are found. make.py takes the inputs
into the vectors.
"""
import json
import os
import subprocess
import sys

import make

# Where searches for hard inputs of fp64 look: between these powers of two, of both signs; of a second operand, from
# 1.25 to 4. HARD_KEPT are kept of each function.
HARD_BINADES = ((-10, -4), (-4, 0), (0, 3), (3, 6))
HARD_SECOND = ("0x3ff4000000000000:0x400fffffffffffff", "0xbff4000000000000:0xc00fffffffffffff")
HARD_EVALUATIONS, HARD_KEPT, ALIKE = 1 << 22, 16, 2.0 ** -12


def run(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)


def binades(low, high, sign):
    first, last = ((power + 1023 << 52) | sign << 63 for power in (low, high))
    return f"{first:#018x}:{last - 1:#018x}"


def any_function(row):
    """Something of the operation's signature to be called: what is asked is the exact result."""
    return "lib:libm.so.6:" + ("sincos" if row["results"] == 2 else ("exp", "pow")[row["operands"] - 1])


def distance(program, row, codes):
    done = run(program, "eval", row["name"], *(f"{code:#018x}" for code in codes), "-f", "fp64", "--impl",
               any_function(row), "--json", "-")
    return min(one.get("boundary_distance", 1) for one in json.loads(done.stdout)["results"])


def is_alike(program, row, codes):
    """Whether neighbours lie as near to where rounding changes: then nearness is no feat."""
    return any(distance(program, row, (*codes[:i], codes[i] + step, *codes[i + 1:])) < ALIKE
               for i in range(len(codes)) for step in (-1, 1))


def search_hard(program, row, known):
    """Lines of the inputs whose exact results lie nearest to where rounding changes, `known` ones among them."""
    found = {codes: distance(program, row, codes) for codes in known}
    for low, high in HARD_BINADES:
        for sign in (0, 1):
            ranges = ["--range", binades(low, high, sign)]
            if row["operands"] == 2:
                ranges = ["--range", binades(low, high, 0), "--range", HARD_SECOND[sign]]
            done = run(program, "search", row["name"], "-f", "fp64", "--for", "boundary", "--evaluations",
                       str(HARD_EVALUATIONS), *ranges, "--impl", any_function(row), "--json", "-")
            for result in json.loads(done.stdout or '{"results": []}')["results"]:
                for part in result["inputs"]["search"]["parts"]:
                    for best in part["best"]:
                        codes = [best["input"]] if row["operands"] == 1 else best["input"]
                        found[tuple(int(code, 16) for code in codes)] = best["distance"]
    lines, fractions = [], set()
    for codes in sorted(found, key=lambda codes: (found[codes], codes)):
        fraction = tuple(code % 2 ** 52 for code in codes)  # of an odd function, or a quotient
        if fraction not in fractions and 0 < found[codes] < ALIKE and not is_alike(program, row, codes):
            lines.append(" ".join(f"{code:#018x}" for code in codes))
            fractions.add(fraction)
        if len(lines) == HARD_KEPT:
            break
    return lines


def main(program, *only):
    program = os.path.abspath(program)
    known = make.hard_inputs()
    found = known if only else {}
    for row in json.loads(run(program, "list", "operations", "--json", "-").stdout)["operations"]:
        if not row["parameters"] and row["operands"] <= 2 and (not only or row["name"] in only):
            inputs = [tuple(int(code, 16) for code in line.split()) for line in known.get(row["name"], ())]
            found[row["name"]] = search_hard(program, row, inputs)
            print(row["name"], len(found[row["name"]]), flush=True)
    with open(make.HARD, "w", encoding="ascii") as stream:
        stream.write("# Inputs of fp64 whose exact results lie near where rounding changes: hard.py finds them.\n")
        stream.writelines(f"{name} {line}\n" for name, lines in found.items() for line in lines)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
