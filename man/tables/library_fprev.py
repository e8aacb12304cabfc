#!/usr/bin/env python3
"""Measures the tables of detcheck-library-orders-fprev(7): the trees of additions that FPRev and `detcheck reveal` find.

    man/tables/library_fprev.py DETCHECK FPREV [--only numpy|torch] [--versions TEXT]

FPREV is the folder of FPRev's repository, whose own functions are run. PYTHONPATH has detcheck's package; the Python that runs this
has numpy, PyTorch and graphviz. Everything runs in one thread.
"""
import argparse
import importlib
import json
import os
import subprocess
import sys

from measured import NOT_RECORDED, ROOT, Data, placed, this_run

DATA = Data("library-orders")
TERMS = (4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512)  # of FPRev's study of CPUs
LIBRARIES = ("numpy", "torch")
# An operation: the class of FPRev without the name of the library, and how detcheck calls the same function.
OPERATIONS = {
    "sum": ("Sum", "sum", lambda n: ["sum", "--axis", "1", "--shape", f"1x{n}"]),
    "dot product": ("Dot", "dot", lambda n: ["dot", "--axis", "1", "--shape", f"1x{n}"]),
    "vector times matrix": ("GEMV", "gemv", lambda n: ["matmul", "--shape", f"1x{n}x{n}"]),
    "product of matrices": ("GEMM", "matmul", lambda n: ["matmul", "--shape", f"{n}x{n}x{n}"]),
}


def by_fprev(folder, operation, library, terms):
    """The sets of terms below the additions that FPRev finds, and the calls that it makes."""
    sys.path[:0] = [folder, os.path.join(folder, "experiments")]
    try:
        implementation = getattr(importlib.import_module(f"accumimpls.{library}"), library.capitalize() + OPERATIONS[operation][0])(terms)
        find = importlib.import_module("fprev").fprev
    finally:
        del sys.path[:2]
    calls, ask = [], implementation.get_l
    implementation.get_l = lambda: calls.append(None) or ask()
    edges = [tuple(map(int, line.split("->"))) for line in find(implementation).source.splitlines() if "->" in line]
    below = {}
    def leaves(node):
        if node not in below:
            below[node] = frozenset([node]) if node < terms else frozenset().union(*(leaves(one) for one, to in edges if to == node))
        return below[node]
    return {leaves(to) for _, to in edges}, len(calls)


def by_reveal(program, operation, library, terms):
    """The same by detcheck, and the arithmetic of the additions in words."""
    words = OPERATIONS[operation][2](terms)
    done = subprocess.run([program, "reveal", *words, "--impl", f"py:{ROOT}/man/tables/summing_functions.py:{library}_{OPERATIONS[operation][1]}",
                           "--timeout", "100", "-n", "300", "--json", "-"], stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)["results"][0]
    length, = result["lengths"]
    assert length["state"] == "revealed", (operation, library, terms, length)
    sets = []
    for _, *operands in length["tree"]:
        sets.append(frozenset().union(*([one] if one >= 0 else sets[-1 - one] for one in operands if one != "zero")))
    return {one for one in sets if len(one) > 1}, length["calls"]["tree"], result["additions"]


def compared(program, folder, operation, library):
    """The number of equal trees, the arithmetic by the number of terms, and the calls of both."""
    equal, arithmetic, calls = 0, {}, []
    for terms in TERMS:
        sets, asked = by_fprev(folder, operation, library, terms)
        found, made, additions = by_reveal(program, operation, library, terms)
        equal += sets == found
        arithmetic.setdefault("; ".join(additions), []).append(terms)
        calls += [(operation, library, "FPRev", str(terms), f"{asked:,}"), (operation, library, "reveal", str(terms), f"{made:,}")]
    said = [f"{words} ({span[0]} to {span[-1]} terms)" if len(arithmetic) > 1 else words for words, span in arithmetic.items()]
    return (operation, library, f"{equal} of {len(TERMS)}", "; ".join(said)), calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("fprev")
    parser.add_argument("--only", choices=LIBRARIES)
    parser.add_argument("--versions", default=NOT_RECORDED, help="which libraries these are: \"numpy 2.4.6\"")
    given = parser.parse_args()
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    run = {**this_run(given.versions), "command": "PYTHONPATH=build/release/python man/tables/library_fprev.py build/release/detcheck FPREV"}
    order = placed({"operation": list(OPERATIONS), "library": LIBRARIES, "program": ["FPRev", "reveal"], "terms": list(map(str, TERMS))})
    short = placed({"operation": list(OPERATIONS), "library": LIBRARIES})
    for operation in OPERATIONS:
        for library in [given.only] if given.only else LIBRARIES:
            row, calls = compared(os.path.abspath(given.program), os.path.abspath(given.fprev), operation, library)
            DATA.put("fprev", [row], run, short)
            DATA.put("fprev_calls", calls, run, order)
            print(*row[:3], flush=True)


if __name__ == "__main__":
    main()
