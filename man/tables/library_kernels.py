#!/usr/bin/env python3
"""Writes the table of detcheck-library-kernels(7): errors, forms and properties of kernels of transformers as libraries have them on
the CPU.

    PYTHONPATH=BUILD/python man/tables/library_kernels.py [LIBRARY[:OPERATION...]...]

is run by a Python that has the libraries (torch, jax, onnxruntime); libraries and operations that are not named keep their lines. A form
is one that gives every bit of all calls, by one of the ways of adding, as `detcheck explain` finds it.
"""
import re
import sys

import detcheck
from detcheck import _callables, library_names
from library_page import Page

PAGE = Page("detcheck-library-kernels.7", "library_kernels.py")
LIBRARIES = ("torch", "jax", "onnxruntime")
FORMATS = {"torch": ("fp32", "bf16"), "jax": ("fp32", "bf16"), "onnxruntime": ("fp32", "fp16")}
CALLS, TIMEOUT = 8, 300  # JAX compiles for each shape
OPERATIONS = [("rms_norm", {"affine": "weight", "shape": "4x300"}), ("layer_norm", {"affine": "bias", "shape": "4x300"}),
              ("group_norm", {"affine": "bias", "groups": 2, "shape": "2x4x75"}), ("batch_norm", {"affine": "bias", "shape": "3x4x75"}),
              ("l2_norm", {"shape": "4x300"}), ("softmax", {"shape": "4x300", "axis": -1}), ("log_softmax", {"shape": "4x300"}),
              ("cross_entropy", {"shape": "32x40"}), ("silu_mul", {"shape": "1200"}), ("gelu_mul", {"shape": "1200"}),
              ("rope", {"shape": "8x64"}), ("attention", {"shape": "1x2x9x70x32"}), ("convolution", {"shape": "1x8x12x12"}),
              ("average_pool", {"shape": "1x4x17x17", "window": 3}), ("embedding_bag", {"shape": "8x9x40x16"}), ("sgd", {"shape": "1200"}),
              ("adam", {"shape": "1200"}), ("cumsum", {"shape": "4x300", "axis": -1}), ("sort", {"shape": "4x300"}),
              ("top_k", {"shape": "4x300"}), ("argmax", {"shape": "4x300"})]
# Ways of adding, as `explain` says them and as --impl form:NAME:SUMS names them; behind them may stand "fused products".
WAYS = {"exact sums, rounded once": "", "sums from the left": ", left", "sums of neighbours, then of those": ", pairs",
        "sums as torch.sum": ", torch", **{f"sums in {n} lanes, folded": f", lanes-{n}" for n in (4, 8, 16, 32)}}
PROPERTIES = ("repetition", "batch", "blocking", "equal-elements", "thread-count")


def results_of(operation, implementations, format_, options):
    report = detcheck.sweep(operation, *implementations, format=format_, samples=CALLS, distribution="normal", timeout=TIMEOUT,
                            progress=False, **options)
    return report.to_dict()["results"][0]["implementations"]


def form_of(operation, library, format_, options):
    """What `explain` names: a form that gives every bit, and the way of adding where it is not that of exact sums."""
    try:
        found = detcheck.explain(operation, impl=[_callables.by_name(library)], format=format_, samples=CALLS, distribution="normal",
                                 progress=False, **options).to_dict()
    except detcheck.Error:
        return "-"  # explain knows no causes of it
    rows = found["results"][0]["implementations"][0]["explanation"]["explanations"]
    named = [re.search(r"\(form ([^,)]+)(?:, (.*))?\)$", one["says"]) for one in rows if one["verdict"] == "all"]
    named = [one for one in named if one]
    if not named:
        return "-"
    sums, fused, _ = (named[0][2] or "").partition(", fused products")
    return named[0][1] + (WAYS[sums] if sums else "") + fused.replace(", fused products", "-fused")


def kept(operation, served, format_, options):
    report = detcheck.invariance(operation, served, format=format_, samples=2, distribution="normal", timeout=TIMEOUT,
                                 progress=False, **options)
    rows = [row for entry in report.entries() for row in entry.to_dict()["invariance"]]
    told = {row["property"]: not row["changed"] for row in rows if row.get("inputs") and row["property"] in PROPERTIES}
    broken = [name for name, is_kept in told.items() if not is_kept]
    return f"{len(told) - len(broken)} of {len(told)}" + ("" if not broken else ", not " + " ".join(broken))


def line_of(library, operation, format_, options):
    one = results_of(operation, [_callables.by_name(library)], format_, options)[0]
    if not one["provided"] or not one["tested"] or one["unanswered"]:
        return None
    largest = one["max_ulp"]["error"] if one["max_ulp"] else 0
    form = "rounded once" if not one["incorrectly_rounded"] else form_of(operation, library, format_, options)
    cells = [operation, format_, f"{largest:.4g}", f"{one['mean_ulp']:.3g}", form,
             kept(operation, _callables.by_name(library), format_, options)]
    return ".It " + " Ta ".join(cells) + "\n"


def lines_of(library, wanted, known):
    """The library's part of the page; lines of operations that are not wanted stay."""
    module, lines = library_names.load_module(library), []
    for operation, options in OPERATIONS:
        for format_ in FORMATS[library]:
            if wanted and operation not in wanted:
                lines += re.findall(rf"^\.It {operation} Ta {format_} .*\n", known, flags=re.M)
                continue
            if not library_names.function_of(module, library, operation):
                continue
            try:
                line = line_of(library, operation, format_, options)
            except detcheck.Error as error:
                line = None
                print(f"{library} {operation} {format_}: {error}", file=sys.stderr)
            lines += [line] if line else []
            print(line or f"{library} has no {operation} in {format_}\n", end="", file=sys.stderr, flush=True)
    return f".Ss {library} {module.__version__}\n.Bl -column embedding_bag fp32x 0.000e+00x 0.0000x hugging-facexxxxxx properties\n" + \
        ".It operation Ta format Ta largest Ta mean Ta form Ta kept\n" + "".join(lines) + ".El\n"


def main():
    for name in sys.argv[1:] or LIBRARIES:
        library, *wanted = name.split(":")
        made = lines_of(library, wanted, parts().get(library, ""))
        known = {**parts(), library: made}  # others may have been written meanwhile
        PAGE.write("".join(known[one] for one in LIBRARIES if one in known))


def parts():
    return {text.split()[0]: ".Ss " + text for text in re.split(r"^\.Ss ", PAGE.read(), flags=re.M)[1:]}


if __name__ == "__main__":
    sys.exit(main())
