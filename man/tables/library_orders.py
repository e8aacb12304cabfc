#!/usr/bin/env python3
"""Measures the rows of detcheck-library-orders(7): in which order libraries sum, as `detcheck reveal` finds it.

    man/tables/library_orders.py DETCHECK [--only NAME,...] [--versions TEXT] [--keep FOLDER [--kept]]

PYTHONPATH has detcheck's package; the Python that runs this has the libraries. OPENBLAS, BLIS and MKL name libraries with functions
of CBLAS (OPENBLAS_PREFIX and OPENBLAS_SUFFIX what stands before and behind their names, as in numpy's own wheels, where integers
have 64 bits); EIGEN is the folder of Eigen's headers. A library that is not there leaves its rows as they are. What reveal says is
kept in a folder, if one is named, and the data file is written after each row; with --kept it is written from that folder alone.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from measured import NOT_RECORDED, ROOT, Data, placed, this_run

DATA = Data("library-orders")
LIBRARIES = ("OPENBLAS", "BLIS", "MKL", "EIGEN")  # environment variables that name them
PYTHON = f"py:{ROOT}/man/tables/summing_functions.py:"
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
EIGEN = """
#include <Eigen/Core>
template <class T> using Line = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T> using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#define FUNCTIONS(NUMBER, T)                                                                                          \\
    extern "C" NUMBER T##sum(const NUMBER *x, size_t n) {                                                        \\
        Line<NUMBER> line = Eigen::Map<const Line<NUMBER>>(x, n);                                                \\
        return line.sum();                                                                                       \\
    }                                                                                                            \\
    extern "C" NUMBER T##dot(const NUMBER *x, const NUMBER *y, size_t n) {                                       \\
        Line<NUMBER> a = Eigen::Map<const Line<NUMBER>>(x, n), b = Eigen::Map<const Line<NUMBER>>(y, n);         \\
        return a.dot(b);                                                                                         \\
    }                                                                                                            \\
    extern "C" void T##gemm(NUMBER *z, const NUMBER *x, const NUMBER *y, size_t m, size_t k, size_t n) {         \\
        Eigen::Map<Matrix<NUMBER>>(z, m, n).noalias() =                                                          \\
            Eigen::Map<const Matrix<NUMBER>>(x, m, k) * Eigen::Map<const Matrix<NUMBER>>(y, k, n);               \\
    }
FUNCTIONS(float, s)
FUNCTIONS(double, d)
"""
# Lengths that are revealed: all of them and some long ones, or some.
EVERY, SOME = ("1:512", (1024, 4096)), ("1:512:37", (1024,))
LINES, MATRICES = ("--axis", "1"), ("--shape", "8x1x8")
# A row: the operation, its options, the implementation, the lengths, the environment.
ROWS = {
    "numpy sum fp32": (["sum", *LINES], PYTHON + "numpy_sum", EVERY, {}),
    "OpenBLAS sgemm 8xNx8": (["matmul", *MATRICES], "OPENBLAS:sgemm", EVERY, {}),
    "OpenBLAS sdot": (["dot", *LINES], "OPENBLAS:sdot", EVERY, {}),
    "OpenBLAS dgemm 8xNx8": (["matmul", "-f", "fp64", *MATRICES], "OPENBLAS:dgemm", EVERY, {}),
    "det sum fp32": (["sum"], "det", EVERY, {}),
    "torch sum fp32": (["sum", *LINES], PYTHON + "torch_sum", EVERY, {}),
    "torch matmul 8xNx8 fp32": (["matmul", *MATRICES], PYTHON + "torch_matmul", EVERY, {}),
    "torch matmul 8x4096x8 fp32": (["matmul", *MATRICES], PYTHON + "torch_matmul", ("4096", ()), {}),
    "numpy sum fp64": (["sum", "-f", "fp64", *LINES], PYTHON + "numpy_sum", SOME, {}),
    "numpy sum fp16": (["sum", "-f", "fp16", *LINES], PYTHON + "numpy_sum", SOME, {}),
    "numpy sum fp32, strided": (["sum", *LINES], PYTHON + "numpy_sum_strided", SOME, {}),
    "numpy sum fp32, axis 0 of Nx8": (["sum", "--shape", "1x8", "--axis", "0"], "py:numpy", SOME, {}),
    "numpy mean fp32": (["mean", *LINES], PYTHON + "numpy_mean", SOME, {}),
    "numpy mean fp64": (["mean", "-f", "fp64", *LINES], PYTHON + "numpy_mean", SOME, {}),
    "numpy mean fp16": (["mean", "-f", "fp16", *LINES], PYTHON + "numpy_mean", SOME, {}),
    "numpy cumsum fp32": (["cumsum"], "py:numpy", SOME, {}),
    "numpy dot fp16": (["dot", "-f", "fp16", *LINES], PYTHON + "numpy_dot", SOME, {}),
    "numpy dot fp32, strided": (["dot", *LINES], PYTHON + "numpy_dot_strided", SOME, {}),
    "numpy dot fp64": (["dot", "-f", "fp64", *LINES], PYTHON + "numpy_dot", SOME, {}),
    "numpy einsum sum fp32": (["sum", *LINES], PYTHON + "numpy_einsum", SOME, {}),
    "numpy einsum dot fp32": (["dot", *LINES], PYTHON + "numpy_einsum_dot", SOME, {}),
    "numpy einsum dot fp64": (["dot", "-f", "fp64", *LINES], PYTHON + "numpy_einsum_dot", SOME, {}),
    "numpy einsum matmul 8xNx8 fp32": (["matmul", *MATRICES], PYTHON + "numpy_einsum_matmul", SOME, {}),
    "numpy matmul 8xNx8 fp16": (["matmul", "-f", "fp16", *MATRICES], PYTHON + "numpy_matmul", SOME, {}),
    "numpy matmul 8xNx8 fp64": (["matmul", "-f", "fp64", *MATRICES], PYTHON + "numpy_matmul", SOME, {}),
    "OpenBLAS sdot, 12288 terms": (["dot", *LINES], "OPENBLAS:sdot", ("12288", ()), {}),
    "OpenBLAS ddot, 12288 terms": (["dot", "-f", "fp64", *LINES], "OPENBLAS:ddot", ("12288", ()), {}),
    "OpenBLAS ddot": (["dot", "-f", "fp64", *LINES], "OPENBLAS:ddot", SOME, {}),
    "OpenBLAS sdot, Haswell": (["dot", *LINES], "OPENBLAS:sdot", EVERY, {"OPENBLAS_CORETYPE": "Haswell"}),
    "OpenBLAS sgemm 8xNx8, Haswell": (["matmul", *MATRICES], "OPENBLAS:sgemm", EVERY, {"OPENBLAS_CORETYPE": "Haswell"}),
    "OpenBLAS dgemm 8xNx8, Haswell": (["matmul", "-f", "fp64", *MATRICES], "OPENBLAS:dgemm", EVERY, {"OPENBLAS_CORETYPE": "Haswell"}),
    "OpenBLAS sdot, Nehalem": (["dot", *LINES], "OPENBLAS:sdot", EVERY, {"OPENBLAS_CORETYPE": "Nehalem"}),
    "OpenBLAS sgemm 8xNx8, Nehalem": (["matmul", *MATRICES], "OPENBLAS:sgemm", EVERY, {"OPENBLAS_CORETYPE": "Nehalem"}),
    "OpenBLAS dgemm 8xNx8, Nehalem": (["matmul", "-f", "fp64", *MATRICES], "OPENBLAS:dgemm", EVERY, {"OPENBLAS_CORETYPE": "Nehalem"}),
    "OpenBLAS sdot, Prescott": (["dot", *LINES], "OPENBLAS:sdot", EVERY, {"OPENBLAS_CORETYPE": "Prescott"}),
    "OpenBLAS sgemm 8xNx8, Prescott": (["matmul", *MATRICES], "OPENBLAS:sgemm", EVERY, {"OPENBLAS_CORETYPE": "Prescott"}),
    "OpenBLAS dgemm 8xNx8, Prescott": (["matmul", "-f", "fp64", *MATRICES], "OPENBLAS:dgemm", SOME, {"OPENBLAS_CORETYPE": "Prescott"}),
    "BLIS sdot": (["dot", *LINES], "BLIS:sdot", SOME, {}),
    "BLIS ddot": (["dot", "-f", "fp64", *LINES], "BLIS:ddot", SOME, {}),
    "BLIS sgemm 8xNx8": (["matmul", *MATRICES], "BLIS:sgemm", SOME, {}),
    "BLIS dgemm 8xNx8": (["matmul", "-f", "fp64", *MATRICES], "BLIS:dgemm", SOME, {}),
    "MKL sdot": (["dot", *LINES], "MKL:sdot", SOME, {}),
    "MKL sgemm 8xNx8": (["matmul", *MATRICES], "MKL:sgemm", SOME, {}),
    "MKL dgemm 8xNx8": (["matmul", "-f", "fp64", *MATRICES], "MKL:dgemm", SOME, {}),
    "MKL sdot, reproducible": (["dot", *LINES], "MKL:sdot", SOME, {"MKL_CBWR": "COMPATIBLE"}),
    "MKL sgemm 8xNx8, reproducible": (["matmul", *MATRICES], "MKL:sgemm", SOME, {"MKL_CBWR": "COMPATIBLE"}),
    "Eigen sum fp32": (["sum", *LINES], "EIGEN:ssum", SOME, {}),
    "Eigen dot fp32": (["dot", *LINES], "EIGEN:sdot", SOME, {}),
    "Eigen matmul 8xNx8 fp32": (["matmul", *MATRICES], "EIGEN:sgemm", SOME, {}),
    "SciPy sdot": (["dot", *LINES], PYTHON + "scipy_dot", SOME, {}),
    "torch mean fp32": (["mean", *LINES], PYTHON + "torch_mean", SOME, {}),
    "torch sum bf16": (["sum", "-f", "bf16", *LINES], PYTHON + "torch_sum", SOME, {}),
    "torch softmax fp32": (["softmax", *LINES], "py:torch", ("3:100:16", (512,)), {}),
    "torch layer_norm fp32, its mean": (["mean", *LINES], PYTHON + "torch_norm_mean", ("5", ()), {}),
    "torch dot fp32": (["dot", *LINES], PYTHON + "torch_dot", SOME, {}),
    "torch matmul 8xNx8 bf16": (["matmul", "-f", "bf16", *MATRICES], PYTHON + "torch_matmul", SOME, {}),
    "JAX sum fp32": (["sum", *LINES], PYTHON + "jax_sum", SOME, {}),
    "JAX dot fp32": (["dot", *LINES], PYTHON + "jax_dot", SOME, {}),
    "JAX matmul 8xNx8 fp32": (["matmul", *MATRICES], PYTHON + "jax_matmul", SOME, {}),
    "onnxruntime ReduceSum fp32": (["sum", *LINES], PYTHON + "onnx_sum", SOME, {}),
    "onnxruntime ReduceMean fp32": (["mean", *LINES], PYTHON + "onnx_mean", SOME, {}),
    "onnxruntime MatMul 8xNx8 fp32": (["matmul", *MATRICES], PYTHON + "onnx_matmul", SOME, {}),
    "onnxruntime MatMulInteger 8xNx8, of fp6_e2m3fn": (["matmul", "-f", "fp6_e2m3fn", *MATRICES], PYTHON + "onnx_matmul_integer",
                                                       ("1:256:37", ()), {}),
    "det dot fp32": (["dot"], "det", EVERY, {}),
}


def order():
    """Parts of a row as they were found."""
    return placed({"row": list(ROWS)})


def put(name, parts, versions):
    """Writes a row: a part to a paragraph."""
    words = ["PYTHONPATH=build/release/python", *(f"{one}=FILE" for one in LIBRARIES if one == name.split()[0].upper()),
             "man/tables/library_orders.py", "build/release/detcheck", "--only", "ROW"]
    DATA.put("orders", [(name.split()[0], name, *part) for part in parts.items()], {**this_run(versions), "command": " ".join(words)}, order(),
             lambda row: row["row"] == name)


def wrap(folder, name):
    """The functions of a library as one that lib: calls; None where it is not there."""
    library = os.environ.get(name)
    if not library or not os.path.exists(library):
        return None
    if name == "EIGEN":
        with open(f"{folder}/{name}.cc", "w", encoding="ascii") as file:
            file.write(EIGEN)
        command = ["g++", "-O2", "-march=x86-64-v3", f"-I{library}", f"{folder}/{name}.cc"]
    else:
        words = {part: os.environ.get(f"{name}_{part}", "") for part in ("PREFIX", "SUFFIX")}
        with open(f"{folder}/{name}.c", "w", encoding="ascii") as file:
            file.write(WRAPPER)
        integer = "int64_t" if "64" in words["SUFFIX"] else "int"
        command = ["gcc", "-O2", *(f"-D{part}={word}" for part, word in words.items()), f"-DINT={integer}", f"{folder}/{name}.c", library,
                   f"-Wl,-rpath,{os.path.dirname(library)}"]
    subprocess.run([*command, "-shared", "-fPIC", "-o", f"{folder}/{name}.so"], check=True)
    return f"lib:{folder}/{name}.so"


def shape_of(words, least):
    """Many lines to a call, but not where all are long."""
    return [*words, "--shape", f"{64 if least <= 512 else 16}x1"] if "--axis" in words and "--shape" not in words else words


def reveal(program, row, lengths, threads, arrays, folder):
    """The first entry of the results; None where the implementation is not there."""
    words, implementation, _, added = row
    counts = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                              "ORT_THREADS")}
    limit = ["--timeout", "100"] if ":" in implementation else []
    done = subprocess.run([program, "reveal", *shape_of(words, int(lengths.split(":")[0])), "--lengths", lengths, "--impl", implementation,
                           *limit, "-n", str(arrays), "--json", "-"], cwd=folder,
                          env={**os.environ, **counts, "MKL_THREADING_LAYER": "INTEL", **added}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if not done.stdout:
        print(done.stderr.decode()[:300], file=sys.stderr)
    return json.loads(done.stdout)["results"][0] if done.stdout else None


def said(result):
    """The rule and the arithmetic, two lists of sentences."""
    rule = result.get("rule", "each length has its own tree; no rule was found")
    breaks = [str(length["terms"]) for length in result["lengths"] if length.get("breaks_rule")] if "rule" in result else []
    text = f"This is {result['known']}: " if "known" in result else ""
    text += re.sub(r"^(n < \d+) ", r"for \1: ", rule) + "."
    rules, additions = [text[0].upper() + text[1:]], []
    if breaks:
        rules.append(f"Lengths for which the rule does not hold: {', '.join(breaks[:6])}{' and more' * (len(breaks) > 6)}.")
    if result.get("additions"):
        additions.append(f"Additions: {'; '.join(result['additions'])}.")
    by = {"divided": "sum", "multiplied": "rounded 1 / sum"}
    if "shares" in result:
        additions.append(f"Exponentials, {result['shares']} by the {by[result['shares']]}.")
    if "scale" in result:
        additions.append(f"The mean: {result['scale']}.")
    return rules, additions


def parts_of(results, spans, threads):
    """What the manual says of the runs over lengths and of the long ones, and of some in one thread and in two: {part: sentences}."""
    every = [length for one in results for length in one["lengths"]]
    revealed = [length for length in every if length["state"] == "revealed"]
    rules, measured = said(results[0]) if revealed else ([], [])
    parts = {"order": rules}
    for one in results[1:]:
        rule = one.get("rule", "a tree for which no rule was found")
        if one["lengths"][0]["state"] == "revealed" and not all(part in results[0].get("rule", "") for part in rule.split("; ")):
            parts[f"{one['lengths'][0]['terms']} terms"] = [f"{one['lengths'][0]['terms']} terms: {rule}."]
    replayed = sum(length["replayed"] for length in revealed)
    measured.append(f"Revealed: {len(revealed)} of {len(every)} lengths ({spans[0].replace(':', ' to ', 1).replace(':', ', every ')}" + "".join(
        f"; {one['lengths'][0]['terms']}" for one in results[1:]) + ")" + (f"; 0 of {replayed:,} arrays differ." if revealed else "."))
    others = [length for length in every if length["state"] != "revealed"]
    if others:
        first = others[0]
        measured.append(f"Not revealed: {first['terms']} terms ({first['state']}" + (
            f", {first['different']:,} of {first['replayed']:,} arrays differ" if "different" in first else "") + f"): {first.get('why', '')}.")
    other = []
    if threads and revealed:  # the hash is of the rule, of the trees of lengths that break it, and of the arithmetic
        one, two = threads
        if said(one) == said(two):
            measured.append(f"In two threads: the same{'' if one.get('order_hash') == two.get('order_hash') else ' rule and additions'}.")
        else:
            both = [sentence for half in said(two) for sentence in half]
            other = [f"In two threads: {both[0]}", *both[1:]]
    calls = results[-1]["lengths"][-1]
    parts["measured"] = [*measured, f"Calls for the tree of {calls['terms']} terms: {calls['calls']['tree']:,}."]
    parts["two threads"] = other
    return {part: "\n".join(text).replace("…", "...") for part, text in parts.items() if text}


def measure(program, row, folder):
    """What reveal says of a row; None where the implementation is not there."""
    spans = row[2]
    results = [reveal(program, row, lengths, 1, 10000, folder) for lengths in (spans[0], *map(str, spans[1]))]
    if not all(results):
        return None
    some = SOME[0] if spans == EVERY else spans[0]
    threads = [reveal(program, row, some, 1, 300, folder) if spans == EVERY else results[0], reveal(program, row, some, 2, 300, folder)]
    is_in_one = row[1] == "det" or "EIGEN:" in row[1] or "jax_" in row[1]  # whatever the environment says
    return {"results": results, "threads": None if is_in_one else threads}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--versions", default=NOT_RECORDED, help="which libraries these are: \"numpy 2.4.6\"")
    parser.add_argument("--keep", default="")
    parser.add_argument("--kept", action="store_true")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    with tempfile.TemporaryDirectory() as folder:
        wrapped = {} if given.kept else {name: wrap(folder, name) for name in LIBRARIES}
        for name, row in ROWS.items():
            library, _, symbol = row[1].partition(":")
            if library in wrapped:
                row = (row[0], wrapped[library] and f"{wrapped[library]}:{symbol}", *row[2:])
            file = pathlib.Path(given.keep, f"{name.replace(' ', '_')}.json")
            if not row[1] or (given.only and name.replace(",", ";") not in given.only) or (given.kept and not file.exists()):
                continue
            found = json.loads(file.read_text(encoding="ascii")) if given.kept else measure(program, row, folder)
            if found:
                if given.keep:
                    file.write_text(json.dumps(found), encoding="ascii")
                put(name, parts_of(found["results"], row[2], found["threads"]), given.versions)
                print(name, flush=True)


if __name__ == "__main__":
    main()
