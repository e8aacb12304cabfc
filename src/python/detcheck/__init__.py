"""detcheck: judge any function of Python on every input of a format.

    import detcheck, numpy
    print(detcheck.sweep("exp", numpy.exp, format="fp32"))

The functions sweep, search, invariance, eval, verify, emit, compare, explain, table, bench, list, env, gate, merge and plan run the
program's commands of the same names. The option --max-ulp of a command is the keyword max_ulp= here, and options("sweep") lists the
options of a command. The manual page detcheck-python(7) describes everything in detail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._options import Option, options
from ._program import CallableError, Error, UsageError, program

__version__ = "0.1.0"

# Where each public name lives. They are imported when they are asked for: a worker needs few of them.
_PLACES = {
    **dict.fromkeys("sweep search invariance eval verify emit compare explain table bench list env gate merge cast plan run".split(),
                    "_commands"),
    **dict.fromkeys("Report Document load".split(), "_results"),
    **dict.fromkeys("assert_max_ulp assert_correctly_rounded assert_same_bits assert_invariant special_inputs hard_inputs"
                    .split(), "_assertions"),
    "survey": "_survey",
    "trace": "_trace",
    **dict.fromkeys("det cr convert quantise dequantise requantise".split(), "_functions"),
}

# Modules that are imported when they are asked for, too.
_MODULES = ("scaled", "dyadic", "kernels", "mx", "order", "packed", "units")

if TYPE_CHECKING:
    from . import dyadic, kernels, mx, order, packed, scaled, units
    from ._assertions import (assert_correctly_rounded, assert_invariant, assert_max_ulp, assert_same_bits, hard_inputs,
                              special_inputs)
    from ._commands import (bench, cast, compare, emit, env, eval, explain, gate, invariance, list, merge, plan, run, search,
                            sweep, table, verify)
    from ._functions import convert, cr, dequantise, det, quantise, requantise
    from ._results import Document, Report, load
    from ._survey import survey
    from ._trace import trace

__all__ = ["CallableError", "Document", "Error", "Option", "Report", "UsageError", "assert_correctly_rounded",
           "assert_invariant", "assert_max_ulp", "assert_same_bits", "bench", "cast", "compare", "convert", "cr",
           "dequantise", "det", "dyadic", "emit", "env", "eval", "explain", "gate", "hard_inputs", "invariance",
           "kernels", "list", "load", "merge", "mx", "options", "order", "packed", "plan", "program", "quantise", "requantise", "run",
           "scaled", "search", "special_inputs", "survey", "sweep", "table", "trace", "units", "verify"]


def __getattr__(name: str) -> Any:
    from importlib import import_module
    if name in _MODULES:
        return import_module(f"detcheck.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'detcheck' has no attribute '{name}'")
    return getattr(import_module(f"detcheck.{_PLACES[name]}"), name)


def __dir__() -> Any:
    return sorted(__all__)
