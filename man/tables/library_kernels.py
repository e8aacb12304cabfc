#!/usr/bin/env python3
"""Writes the table of detcheck-library-kernels(7): errors, forms and properties of kernels of transformers as libraries have them on
the CPU.

    PYTHONPATH=BUILD/python man/tables/library_kernels.py [LIBRARY...]

is run by a Python that has the libraries (torch, jax, onnxruntime); those that are not named keep their lines. A form is one
that gives every bit of all calls, by one of the ways of adding.
"""
import re
import sys

import detcheck
from detcheck import _callables, library_names
from library_page import Page

PAGE = Page("detcheck-library-kernels.7", "library_kernels.py")
LIBRARIES = ("torch", "jax", "onnxruntime")
FORMATS = {"torch": ("fp32", "bf16"), "jax": ("fp32", "bf16"), "onnxruntime": ("fp32", "fp16")}
CALLS = 8
OPERATIONS = [("rms_norm", {"affine": "weight", "shape": "4x300"}), ("layer_norm", {"affine": "bias", "shape": "4x300"}),
              ("l2_norm", {"shape": "4x300"}), ("softmax", {"shape": "4x300", "axis": -1}), ("silu_mul", {"shape": "1200"}),
              ("gelu_mul", {"shape": "1200"}), ("rope", {"shape": "8x64"}), ("attention", {"shape": "1x2x9x70x32"})]
SUMS = ("exact", "left", "left-fused", "lanes-8", "lanes-8-fused", "lanes-16", "lanes-16-fused", "torch")
AT_ONCE = 12
FORMS = ("fp32 torch hugging-face vllm liger onnx jax flash-2 scale-and-shift one-pass narrow gemma").split()
PROPERTIES = ("repetition", "batch", "blocking", "equal-elements", "thread-count")


def results_of(operation, implementations, format_, options):
    report = detcheck.sweep(operation, *implementations, format=format_, samples=CALLS, distribution="normal", progress=False, **options)
    return report.to_dict()["results"][0]["implementations"]


def form_of(operation, format_, options, fingerprint):
    """The first form, and way of adding, whose outputs have that fingerprint."""
    for sums in SUMS:
        for at in range(0, len(FORMS), AT_ONCE):
            names = [f"form:{name}:{sums}" for name in FORMS[at:at + AT_ONCE]]
            for one in results_of(operation, ["det", *names], format_, options):
                if one.get("fingerprint") == fingerprint and one["name"].startswith("form:"):
                    _, name, way = one["name"].split(":")
                    return name if way == "exact" else f"{name}, {way}"
    return "-"


def kept(operation, served, format_, options):
    report = detcheck.invariance(operation, served, format=format_, samples=2, distribution="normal", progress=False, **options)
    rows = [row for entry in report.entries() for row in entry.to_dict()["invariance"]]
    told = {row["property"]: not row["changed"] for row in rows if row.get("inputs") and row["property"] in PROPERTIES}
    broken = [name for name, is_kept in told.items() if not is_kept]
    return f"{len(told) - len(broken)} of {len(told)}" + ("" if not broken else ", not " + " ".join(broken))


def line_of(library, operation, format_, options):
    served = _callables.by_name(library)
    one = results_of(operation, [served], format_, options)[0]
    if not one["provided"] or not one["tested"] or one["unanswered"]:
        return None
    largest = one["max_ulp"]["error"] if one["max_ulp"] else 0
    form = "rounded once" if not one["incorrectly_rounded"] else form_of(operation, format_, options, one["fingerprint"])
    cells = [operation, format_, f"{largest:.4g}", f"{one['mean_ulp']:.3g}", form,
             kept(operation, _callables.by_name(library), format_, options)]
    return ".It " + " Ta ".join(cells) + "\n"


def lines_of(library):
    module, lines = library_names.load_module(library), []
    for operation, options in OPERATIONS:
        for format_ in FORMATS[library]:
            if not library_names.function_of(module, library, operation):
                continue
            try:
                line = line_of(library, operation, format_, options)
            except detcheck.Error as error:
                line = None
                print(f"{library} {operation} {format_}: {error}", file=sys.stderr)
            lines += [line] if line else []
            print(line or f"{library} has no {operation} in {format_}\n", end="", file=sys.stderr, flush=True)
    return f".Ss {library} {module.__version__}\n.Bl -column layer_norm fp32x 0.000e+00x 0.0000x hugging-facexxxxxx properties\n" + \
        ".It operation Ta format Ta largest Ta mean Ta form Ta kept\n" + "".join(lines) + ".El\n"


def main():
    named = sys.argv[1:] or LIBRARIES
    known = {text.split()[0]: ".Ss " + text for text in re.split(r"^\.Ss ", PAGE.read(), flags=re.M)[1:]}
    for library in named:
        known[library] = lines_of(library)
        PAGE.write("".join(known[one] for one in LIBRARIES if one in known))


if __name__ == "__main__":
    sys.exit(main())
