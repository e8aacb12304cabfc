#!/usr/bin/env python3
"""Writes the table of detcheck-library-orders(7): in which order libraries sum, as `detcheck reveal` finds it.

    man/tables/library_orders.py DETCHECK [--lengths A:B:STEP] [--long N] [--only NAME,...]

OPENBLAS and MKL name libraries with functions of CBLAS (OPENBLAS_PREFIX and OPENBLAS_SUFFIX what stands before and behind their
names, as in numpy's own wheels, where integers have 64 bits), PYTHONPATH has detcheck's package, numpy and JAX. A library that is
not there leaves its rows as they are. One thread is used. The page is written after each row.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

from library_page import ROOT, Page

PAGE = Page("detcheck-library-orders.7", "library_orders.py")
JAX = f"exec:{sys.executable} -B {ROOT}/src/impl/adapters/jax_adapter.py"
# Functions of CBLAS as lib: calls them.
WRAPPER = """
#include <stddef.h>
#include <stdint.h>
#define NAME(name) JOIN(PREFIX, name, SUFFIX)
#define JOIN(a, b, c) JOIN_AGAIN(a, b, c)
#define JOIN_AGAIN(a, b, c) a##b##c
#define BLAS(NUMBER, T)                                                                                          \\
    NUMBER NAME(cblas_##T##dot)(INT, const NUMBER *, INT, const NUMBER *, INT);                                  \\
    void NAME(cblas_##T##gemm)(int, int, int, INT, INT, INT, NUMBER, const NUMBER *, INT, const NUMBER *, INT,   \\
                               NUMBER, NUMBER *, INT);                                                           \\
    NUMBER T##dot(const NUMBER *x, const NUMBER *y, size_t n) {                                                  \\
        return NAME(cblas_##T##dot)((INT)n, x, 1, y, 1);                                                         \\
    }                                                                                                            \\
    void T##gemm(NUMBER *z, const NUMBER *x, const NUMBER *y, size_t m, size_t k, size_t n) {                    \\
        NAME(cblas_##T##gemm)(101, 111, 111, (INT)m, (INT)n, (INT)k, 1, x, (INT)k, y, (INT)n, 0, z, (INT)n);     \\
    }
BLAS(float, s)
BLAS(double, d)
"""
# A row: the operation, its options, the implementation.
ROWS = {
    "numpy sum fp32": (["sum"], "py:numpy"),
    "numpy sum fp64": (["sum", "-f", "fp64"], "py:numpy"),
    "numpy sum fp16": (["sum", "-f", "fp16"], "py:numpy"),
    "numpy sum fp32, axis 0 of Nx8": (["sum", "--shape", "1x8", "--axis", "0"], "py:numpy"),
    "numpy mean fp32": (["mean"], "py:numpy"),
    "numpy cumsum fp32": (["cumsum"], "py:numpy"),
    "OpenBLAS sdot": (["dot"], "OPENBLAS:sdot"),
    "OpenBLAS ddot": (["dot", "-f", "fp64"], "OPENBLAS:ddot"),
    "OpenBLAS sgemm 8xNx8": (["matmul", "--shape", "8x1x8"], "OPENBLAS:sgemm"),
    "OpenBLAS dgemm 8xNx8": (["matmul", "-f", "fp64", "--shape", "8x1x8"], "OPENBLAS:dgemm"),
    "MKL sdot": (["dot"], "MKL:sdot"),
    "MKL sgemm 8xNx8": (["matmul", "--shape", "8x1x8"], "MKL:sgemm"),
    "JAX sum fp32": (["sum"], JAX),
    "JAX matmul 8xNx8 fp32": (["matmul", "--shape", "8x1x8"], JAX),
    "det sum fp32": (["sum"], "det"),
    "det dot fp32": (["dot"], "det"),
}


def read_rows():
    """{row: lines} as the page has it."""
    parts = re.split(r"(?m)^\.It (.+)\n", PAGE.read())
    return {name: text.split("\n.El")[0] for name, text in zip(parts[1::2], parts[2::2])}


def write_rows(rows):
    text = ".Bl -tag -width Ds\n" + "".join(f".It {name}\n{grouped(rows[name])}\n" for name in ROWS if name in rows) + ".El\n"
    PAGE.write(re.sub(r"\n\n+", "\n", text))


def wrap(folder, name):
    """The functions of a BLAS as a library of the folder; None where it is not there."""
    library = os.environ.get(name)
    if not library or not os.path.exists(library):
        return None
    words = {part: os.environ.get(f"{name}_{part}", "") for part in ("PREFIX", "SUFFIX")}
    with open(f"{folder}/{name}.c", "w", encoding="ascii") as file:
        file.write(WRAPPER)
    integer = "int64_t" if "64" in words["SUFFIX"] else "int"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", *(f"-D{part}={word}" for part, word in words.items()), f"-DINT={integer}", "-o",
                    f"{folder}/{name}.so", f"{folder}/{name}.c", library, f"-Wl,-rpath,{os.path.dirname(library)}"], check=True)
    return f"lib:{folder}/{name}.so"


def reveal(program, words, implementation, lengths, folder):
    """The first entry of the results; None where the implementation is not there."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    limit = ["--timeout", "60"] if ":" in implementation else []
    done = subprocess.run([program, "reveal", *words, "--lengths", lengths, "--impl", implementation, *limit, "--json", "-"],
                          cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)["results"][0] if done.stdout else None


def grouped(text):
    """Lines of a page, one sentence after the other."""
    text = " ".join(text.replace("…", "...").split())
    return "\n".join(line for sentence in re.split(r"(?<=\.) (?=[A-Z])", text) for line in textwrap.wrap(sentence, 78))


def lines_of(results, lengths):
    """What the table says of the runs over lengths and of the long one."""
    every = [length for one in results for length in one["lengths"]]
    revealed = [length for length in every if length["state"] == "revealed"]
    replayed = sum(length["replayed"] for length in revealed)
    first = results[0]
    rule = first.get("rule", "a tree for each length, by no rule")
    breaks = [str(length["terms"]) for length in first["lengths"] if length.get("breaks_rule")] if "rule" in first else []
    text = f"Where {rule}. " if rule.startswith("n <") else f"{rule[0].upper()}{rule[1:]}. "
    if breaks:
        text += f"Lengths that break it: {len(breaks)} of {len(first['lengths'])}. "
    text += f"Additions: {'; '.join(first['additions'])}. " if first.get("additions") else ""
    text += f"The mean: {first['scale']}. " if "scale" in first else ""
    text += f"Revealed: {len(revealed)} of {len(every)} lengths"
    text += f" ({lengths.replace(':', ' to ', 1).replace(':', ', every ')}" + "".join(
        f"; {one['lengths'][0]['terms']}" for one in results[1:]) + f"); 0 of {replayed:,} arrays differ. "
    others = [length for length in every if length["state"] != "revealed"]
    if others:
        text += f"Not so: {others[0]['terms']} ({others[0]['state']}). "
    calls = results[-1]["lengths"][0]
    return (text + f"Of {calls['terms']} terms the tree took {calls['calls']['tree']:,} calls.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--lengths", default="1:512:13")
    parser.add_argument("--long", type=int, default=4096)
    parser.add_argument("--only", type=lambda text: text.split(","))
    given = parser.parse_args()
    program, rows = os.path.abspath(given.program), read_rows()
    with tempfile.TemporaryDirectory() as folder:
        blas = {name: wrap(folder, name) for name in ("OPENBLAS", "MKL")}
        for name, (words, implementation) in ROWS.items():
            library, _, symbol = implementation.partition(":")
            if library in blas:
                implementation = blas[library] and f"{blas[library]}:{symbol}"
            if not implementation or (given.only and name not in given.only):
                continue
            results = [reveal(program, words, implementation, lengths, folder) for lengths in (given.lengths, str(given.long))]
            if all(results):
                rows[name] = lines_of(results, given.lengths)
                write_rows(rows)
                print(name, flush=True)
    write_rows(rows)


if __name__ == "__main__":
    main()
