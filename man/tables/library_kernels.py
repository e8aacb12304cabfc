#!/usr/bin/env python3
"""Measures the rows of detcheck-library-kernels(7): errors, forms and properties of kernels of transformers as libraries have them on
the CPU.

    PYTHONPATH=BUILD/python man/tables/library_kernels.py [LIBRARY[:OPERATION...]...]

is run by a Python that has the libraries (torch, jax, onnxruntime); libraries and operations that are not named keep their lines. Behind
an operation may stand an option ("cross_entropy weighted"). A form is one that gives every bit of all calls, by one of the ways of
adding, as `detcheck explain` finds it.
"""
import functools
import os
import re
import sys

import detcheck
from detcheck import _callables, library_names
from detcheck._kernel_calls import OPERATIONS
from measured import Data, this_run

DATA = Data("library-kernels")
LIBRARIES = ("torch", "jax", "onnxruntime")
FORMATS = {"torch": ("fp32", "bf16"), "jax": ("fp32", "bf16"), "onnxruntime": ("fp32", "fp16")}
CALLS, TIMEOUT = 8, 300
SIZES = {"jax": "2,3,64"}  # of batches, where not all: JAX compiles for each shape
# Ways of adding, as `explain` says them and as --impl form:NAME:SUMS names them; behind them may stand "fused products".
WAYS = {"exact sums, rounded once": "", "sums from the left": ", left", "sums of neighbours, then of those": ", pairs",
        "sums as torch.sum": ", torch", "sums as PyTorch's vectors of 512 bits": ", torch-vectors",
        "sums as PyTorch's vectors of 256 bits": ", torch-vectors-256",
        "sums as PyTorch's vectors for any processor": ", torch-vectors-any",
        "sums as numpy.sum": ", numpy", "sums as XLA's on the CPU": ", xla",
        "sums as Eigen's by vectors of 8": ", eigen", **{f"sums in {n} lanes, folded": f", lanes-{n}" for n in (4, 8, 16, 32)}}
FUNCTIONS = {"functions as in PyTorch's vectors": ", functions torch", "functions as XLA's on the CPU": ", functions xla"}
PROPERTIES = ("repetition", "batch", "blocking", "equal-elements", "thread-count")


def results_of(operation, implementations, format_, options):
    report = detcheck.sweep(operation, *implementations, format=format_, samples=CALLS, distribution="normal", timeout=TIMEOUT,
                            progress=False, **options)
    return report.to_dict()["results"]


def forms_of(operation, library, format_, options):
    """What `explain` names of each result: a form that gives every bit, and the way of adding where it is not that of exact sums."""
    try:
        found = detcheck.explain(operation, impl=[_callables.by_name(library)], format=format_, samples=CALLS, distribution="normal",
                                 progress=False, **options).to_dict()
    except detcheck.Error as error:
        print(f"explain: {error}", file=sys.stderr)
        return {}  # it knows no causes of it
    return {one["operation"]: form_of(one["implementations"][0]["explanation"]["explanations"]) for one in found["results"]}


def form_of(rows):
    named = [re.search(r"\(form ([^,)]+)(?:, (.*))?\)$", one["says"]) for one in rows if one["verdict"] == "all"]
    named = [one for one in named if one]
    if not named:
        return "-"
    said, by = (named[0][2] or "").replace(", in windows of 32", ""), ""
    for functions, word in FUNCTIONS.items():
        if said.endswith(functions):
            said, by = said.removesuffix(functions).removesuffix(", "), word
    sums, fused, _ = said.partition(", fused products")
    return named[0][1] + (WAYS[sums] if sums else "") + fused.replace(", fused products", "-fused") + by


def kept(operation, library, format_, options):
    report = detcheck.invariance(operation, _callables.by_name(library), sizes=SIZES.get(library), format=format_, samples=2, distribution="normal", timeout=TIMEOUT,
                                 property=[*PROPERTIES], progress=False, **options)
    rows = [row for entry in report.entries() for row in entry.to_dict()["invariance"]]
    told = {row["property"]: not row["changed"] for row in rows if row.get("inputs")}
    broken = [name for name, is_kept in told.items() if not is_kept]
    return f"{len(told) - len(broken)} of {len(told)}" + ("" if not broken else ", not " + " ".join(broken))


def shown(name, words=()):
    """An operation or a result as the table names it: a prime for a gradient, behind it of what, then the options."""
    of = re.sub(r"_weight_gradient(\.bias)?(\.weight)?$", r"'\1\2", name)
    of = of + ".weight" if name.endswith("_weight_gradient") else of
    return " ".join([of.replace("_gradient", "'"), *words])


@functools.lru_cache(maxsize=None)
def all_results():
    return {one["name"]: one["results"] for one in detcheck.list("operations").to_dict()["operations"]}


def names_of(row):
    """What the rows of an operation are called, or of each of its results."""
    operation, *words = row.split()
    return list(dict.fromkeys(shown(one, words) for one in (operation, *all_results()[operation])))


def order():
    """Rows of an operation stand together, in the order in which kernels are measured."""
    places = {name: at for at, (row, _) in enumerate(OPERATIONS) for name in names_of(row)}
    return lambda row: (LIBRARIES.index(row["library"]), places[row["operation"]])


def lines_of_one(library, operation, format_, options, words):
    """A line for each result."""
    results = results_of(operation, [_callables.by_name(library)], format_, options)
    found = [one["implementations"][0] for one in results]
    if not all(one["provided"] for one in found):
        return []
    if any(one["unanswered"] for one in found):
        raise detcheck.Error("calls without an answer")
    is_exact = not any(one["incorrectly_rounded"] for one in found)
    forms = {} if is_exact else forms_of(operation, library, format_, options)
    keeps = kept(operation, library, format_, options)
    lines = []
    for result, one in zip(results, found):
        largest = one["max_ulp"]["error"] if one["max_ulp"] else 0
        form = forms.get(result["operation"], "-") if one["incorrectly_rounded"] else "rounded once"
        cells = [shown(result["operation"], words), format_, f"{largest:.4g}", f"{one['mean_ulp']:.3g}", form, keeps]
        lines.append(cells)
    return lines


def lines_of(library, module, row, options):
    """In each format: its lines, or one that says that the library has none, or why it was not tried."""
    operation, *words = row.split()
    options = {**options, **{word: True for word in words}}
    lines = []
    for format_ in FORMATS[library]:
        instead = ("has none", "-")
        try:
            made = lines_of_one(library, operation, format_, options, words) if library_names.function_of(module, library, operation) else []
        except detcheck.Error as error:
            made, instead = [], ("not tried", " ".join(str(error).split()))
        made = made or [(shown(operation, words), format_, "-", "-", *instead)]
        lines += made
        for cells in made:
            print(*cells, sep=", ", file=sys.stderr, flush=True)
    return lines


def main():
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1",
                      XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    for name in sys.argv[1:] or LIBRARIES:
        library, *wanted = name.split(":")
        module = library_names.load_module(library)
        for row, options in OPERATIONS:
            if not wanted or row in wanted:
                put(library, module, row, lines_of(library, module, row, options))


def put(library, module, row, made):
    """Writes a row's lines in the place of those that are there."""
    run = this_run(f"{library} {module.__version__}, one thread")
    DATA.put("kernels", [(library, *cells) for cells in made], run, order(), lambda old: old["library"] == library and old["operation"] in names_of(row))


if __name__ == "__main__":
    sys.exit(main())
