#!/usr/bin/env python3
"""Writes hard-fp64.txt and hard-fp32.txt: inputs whose exact results lie near where rounding changes, as searches find them.

    vectors/hard.py build/release/detcheck FORMAT [FUNCTION...]       of all functions, or of these

A function takes some ten seconds in fp64, and up to three minutes in fp32, where only those of two operands are
searched: of one operand make.py sees all inputs. Inputs that are there stay where no harder ones are found. make.py
takes the inputs into the vectors.
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
HARD_EVALUATIONS, ALIKE = 1 << 22, 2.0 ** -12
HARD_KEPT = {"fp64": 16, "fp32": 24}
FRACTION = {"fp64": 52, "fp32": 23}

# In fp32 everywhere, by these seeds; of functions of an integer, by each of these.
PAIR_EVALUATIONS, PAIR_SEEDS = 1 << 20, range(1, 5)
INTEGER_EVALUATIONS, INTEGERS = 1 << 18, (-25, -7, -5, -3, -2, 2, 3, 4, 5, 7, 9, 12, 17, 25, 33, 101, 365, 1000)


def run(program, *words):
    return subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)


def code_text(code, form):
    return f"{code:#0{make.CODE_DIGITS[form] + 2}x}"


def binades(low, high, sign):
    first, last = ((power + 1023 << 52) | sign << 63 for power in (low, high))
    return f"{first:#018x}:{last - 1:#018x}"


def any_function(row):
    """Something of the operation's signature to be called: what is asked is the exact result."""
    return "lib:libm.so.6:" + ("sincos" if row["results"] == 2 else ("exp", "pow")[row["operands"] - 1])


def implementation(row, form):
    return any_function(row) if form == "fp64" else "cr"


def distance(program, row, form, codes):
    done = run(program, "eval", row["name"], *(code_text(code, form) for code in codes), "-f", form, "--impl",
               implementation(row, form), "--json", "-")
    return min(one.get("boundary_distance", 1) for one in json.loads(done.stdout)["results"])


def is_alike(program, row, form, codes):
    """Whether neighbours lie as near to where rounding changes: then nearness is no feat. Of an integer there are none."""
    moved = range(1 if row["name"] in make.OF_INTEGERS else len(codes))
    return any(distance(program, row, form, (*codes[:i], codes[i] + step, *codes[i + 1:])) < ALIKE
               for i in moved for step in (-1, 1))


def searches(row, form):
    """The options of each search of a function."""
    if form == "fp32" and row["name"] in make.OF_INTEGERS:
        for integer in INTEGERS:
            yield ["--range", "0x00000001:0x7f7fffff", "--range", f"{integer}:{integer}", "--evaluations",
                   str(INTEGER_EVALUATIONS)]
    elif form == "fp32":
        for seed in PAIR_SEEDS:
            yield ["--seed", str(seed), "--evaluations", str(PAIR_EVALUATIONS)]
    else:
        for low, high in HARD_BINADES:
            for sign in (0, 1):
                ranges = ["--range", binades(low, high, sign)]
                if row["operands"] == 2:
                    ranges = ["--range", binades(low, high, 0), "--range", HARD_SECOND[sign]]
                yield [*ranges, "--evaluations", str(HARD_EVALUATIONS)]


def search_hard(program, row, form, known):
    """Lines of the inputs whose exact results lie nearest to where rounding changes, `known` ones among them."""
    found = {codes: distance(program, row, form, codes) for codes in known}
    for options in searches(row, form):
        done = run(program, "search", row["name"], "-f", form, "--for", "boundary", *options, "--impl",
                   implementation(row, form), "--json", "-")
        for result in json.loads(done.stdout or '{"results": []}')["results"]:
            for part in result["inputs"]["search"]["parts"]:
                for best in part["best"]:
                    codes = [best["input"]] if row["operands"] == 1 else best["input"]
                    found[tuple(int(code, 16) for code in codes)] = best["distance"]
    lines, fractions = [], set()
    for codes in sorted(found, key=lambda codes: (found[codes], codes)):
        fraction = tuple(code % 2 ** FRACTION[form] for code in codes)  # of an odd function, or a quotient
        if fraction not in fractions and 0 < found[codes] < ALIKE and not is_alike(program, row, form, codes):
            lines.append(" ".join(code_text(code, form) for code in codes))
            fractions.add(fraction)
        if len(lines) == HARD_KEPT[form]:
            break
    return lines


def main(program, form, *only):
    program = os.path.abspath(program)
    known = make.hard_inputs(make.HARD[form])
    found = known if only else {}
    for row in json.loads(run(program, "list", "operations", "--json", "-").stdout)["operations"]:
        searched = row["name"] in make.HARD_PAIRS if form == "fp32" else row["operands"] <= 2
        if not row["parameters"] and searched and (not only or row["name"] in only):
            inputs = [tuple(int(code, 16) for code in line.split()) for line in known.get(row["name"], ())]
            found[row["name"]] = search_hard(program, row, form, inputs)
            print(row["name"], len(found[row["name"]]), flush=True)
    with open(make.HARD[form], "w", encoding="ascii") as stream:
        stream.write(f"# Inputs of {form} whose exact results lie near where rounding changes: hard.py finds them.\n")
        stream.writelines(f"{name} {line}\n" for name, lines in found.items() for line in lines)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[2] not in make.HARD:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
