"""Assertions for tests. A failure names the worst inputs, and the line that shows them again."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Sequence, Tuple, Union

from ._codes import OF_RESULTS, decimal, format_of_result
from ._commands import Implementation, Operations, as_text, emit, gate, in_order, invariance, listed, sweep
from ._commands import list as list_command
from ._options import options as known_options, words
from ._results import Document, Report

SHOWN = 5
WHICH_INPUTS = ("all", "samples", "range", "inputs", "special")
OF_ARRAYS = ("arrays", "kernels", "scaled", "dyadic", "mx", "onnx", "packed", "decimal", "requantise", "p3109_blocks")  # families
BYTES = [name for name, codes in OF_RESULTS.items() if codes == "uint8"]  # which are right or wrong: several make one number
OF_ONE_RESULT = ("operation", "format", "rounding", "parameters")
FEW = 256  # of assert_invariant; all inputs of 16 bits take minutes


def name_of(implementation: Implementation) -> str:
    if isinstance(implementation, str):
        return implementation
    from ._callables import name_of as name_of_function
    return name_of_function(implementation)


def is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def spelled(function: Any) -> str:
    """The name by which Python finds it: numpy.exp, and jax.nn.softmax rather than one of a private module; its own name where
    none leads to it; nothing for one that has no name."""
    name, home = getattr(function, "__name__", None), getattr(function, "__module__", None)
    found = [module for module in (home, "numpy", "scipy.special", "math")
             if name and module not in (None, "__main__") and getattr(sys.modules.get(module), name, None) is function]
    if found and not is_public(found[0]):
        package = found[0].partition(".")[0]
        public = [module for module in sys.modules if module.partition(".")[0] == package and is_public(module) and
                  getattr(sys.modules[module], "__dict__", {}).get(name) is function]  # asks no module that loads what it is asked for
        found = sorted(public, key=lambda module: (module.count("."), module)) + found
    if found:
        return f"{found[0]}.{name}"
    return name if name and name.isidentifier() else ""


def defined_at(function: Any) -> str:
    """ of test.py, line 12"""
    code = getattr(function, "__code__", None)
    return f" of {os.path.basename(code.co_filename)}, line {code.co_firstlineno}" if code else ""


def again(implementations: Sequence[Implementation], command: str, operation: str, inputs: Any, options: Dict[str, Any]) -> str:
    """A line that shows one input again: of the shell where names of the program say what runs, else of this Python. A lambda
    is called f there, or g, and a comment says which one it is."""
    if isinstance(inputs, dict):  # a place in a call on arrays, which is drawn again
        is_drawn = "element" in inputs and options.get("distribution")
        options = {**options, **inputs, "shape": tuple(inputs["shape"])} if is_drawn else options
        command, inputs = "eval" if is_drawn else "sweep", None
    bits = inputs if isinstance(inputs, list) else [inputs] if inputs is not None else []
    taken = {name: value for name, value in options.items() if name in known_options(command) and value is not None and
             not (bits and name in WHICH_INPUTS)}
    if all(isinstance(one, str) and not as_text(one).startswith("py:") for one in implementations):
        return " ".join(["detcheck", command, operation, *bits, *words(command, taken),
                         *(f"--impl={as_text(str(one))}" for one in implementations)])
    named, comments = [], ""
    for letter, one in zip("fgh", implementations):
        name = repr(one) if isinstance(one, str) else spelled(one)
        named.append(name or letter)
        comments += "" if name else f"  # {letter} is {getattr(one, '__name__', type(one).__name__)}{defined_at(one)}"
    given = "".join(f", {name}={value!r}" for name, value in {**options, **taken}.items()
                    if name in taken or name in ("scalar", "library"))
    return f"detcheck.{command}({', '.join(map(repr, [operation, *bits]))}{given}, impl=[{', '.join(named)}]){comments}"


def family_of(result: Dict[str, Any]) -> str:
    """, distribution zeros: for operations on arrays, which have a result for each."""
    family = result.get("parameters", {}).get("distribution")
    return f", distribution {family}" if family else ""


def options_of(result: Dict[str, Any], options: Dict[str, Any]) -> Dict[str, Any]:
    """The options that give this result alone."""
    family = result.get("parameters", {}).get("distribution")
    return {**options, "format": result["format"], **({"distribution": family} if family else {})}


def place(at: Any, result: Dict[str, Any]) -> str:
    return f"    {'at' if isinstance(at, dict) else 'x ='} {decimal(at, result['format'])}"


def shown(inputs: List[Dict[str, Any]], result: Dict[str, Any]) -> List[str]:
    codes = format_of_result(result)
    return [f"{place(one['input'], result)}  got {decimal(one['got'], codes)}  want {decimal(one['want'], codes)}" +
            (f"  {one['error']} ulp" if "error" in one and result["operation"] not in BYTES else "") for one in inputs[:SHOWN]]


def fail(message: str, lines: Sequence[str], line: str) -> None:
    __tracebackhide__ = True
    raise AssertionError("\n".join([message, *lines, f"    again: {line}"]))


def failures(report: Report, **rule: Any) -> List[Dict[str, Any]]:
    """What fails the gate by one rule about everything: the limits, and what goes with them (detcheck-policy(7)), which is
    that all is provided, every input has an answer, and no call crashes or hangs."""
    policy = {"schema": "detcheck/policy/1", "rules": [{"require_provided": True, **rule}]}
    return [check for check in gate(report, policy=policy).to_dict()["checks"] if check["status"] == "failed"]


def operation_of(name: str, asked: Operations) -> str:
    """What commands call it: sincos, where the result is sincos.sin."""
    return next((one for one in listed(asked) if name.startswith(one + ".")), name)


def refuse_nothing(implementations: Sequence[Implementation], report: Report, asked: Operations, options: Dict[str, Any]) -> None:
    """Fails where no implementation has answered for any input: such a report is none for a gate."""
    __tracebackhide__ = True
    results = report.to_dict()["results"]
    entries = [(result, entry) for result in results for entry in result["implementations"]]
    if any(entry.get("tested") or not entry["provided"] for _, entry in entries):
        return
    for result, entry in entries:
        event, = entry.get("events", [])[:1] or [{}]
        said = f"; {event['kind']} at {decimal(event.get('input'), result['format'])}" if event else ""
        fail(f"{result['operation']} in {result['format']} by {entry['name']}{family_of(result)}: no answer for any of {result['inputs']['count']:,} inputs{said}",
             [], again(implementations, "sweep", operation_of(result["operation"], asked), None, options_of(result, options)))


def judged_by(report: Report, check: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The result and its implementation that a check is about."""
    for result in report.to_dict()["results"]:
        for entry in result["implementations"]:
            if all(check.get(name) == result.get(name) for name in OF_ONE_RESULT) and check["implementation"] == entry["name"]:
                return result, entry
    return check, {}


def in_order_of_place(inputs: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    return sorted(inputs, key=lambda one: (one["input"]["shape"], one["input"]["draw"], one["input"]["element"]))


def others(check: Dict[str, Any], failed: Sequence[Dict[str, Any]]) -> List[str]:
    """A line about the other distributions that fail the same check, each with its figure."""
    same = [one for one in failed if one is not check and all(one[name] == check[name] for name in (*OF_ONE_RESULT[:3], "check", "implementation"))]
    each = [one["parameters"]["distribution"] + ("" if check["operation"] in BYTES else f" ({one['found']})") for one in same if family_of(one)]
    return [f"    other distributions that fail: {', '.join(each)}"] if each else []


def refuse(implementations: Sequence[Implementation], report: Report, asked: Operations, options: Dict[str, Any], **rule: Any) -> None:
    """Fails where the gate does, with the worst inputs of the first check that failed."""
    __tracebackhide__ = True
    refuse_nothing(implementations, report, asked, options)
    failed = failures(report, **rule)
    for check in failed:
        result, entry = judged_by(report, check)
        event, = entry.get("events", [])[:1] or [{}]
        largest = entry.get("max_ulp")  # the only one where all outputs are correctly rounded
        worst = [*(entry.get("first_mismatches") or []), *(entry.get("worst") or [])] or [largest] * bool(largest)
        worst = sorted(worst, key=lambda one: "error" in one) if "mismatches" in check["check"] else sorted(worst, key=lambda one: "error" not in one)
        said = f"{check['what']}: {check['found']}, beyond {check['allowed']}"
        if check["operation"] in BYTES and check["check"] in ("max_ulp", "require_correct"):
            worst = in_order_of_place(worst)
            said = f"{entry['incorrectly_rounded']:,} of {entry['tested']:,} bytes are wrong"
        lines = shown(worst, result) if not event else []
        said += (f"; {event['kind']} at {decimal(event.get('input'), check['format'])}" if event else "")
        at = event.get("input") or (worst[0]["input"] if worst else None)
        by = [one for one in implementations if name_of(one) in (check["implementation"], check["implementation"].removeprefix("py:"))]
        fail(f"{check['operation']} in {check['format']} by {check['implementation']}{family_of(result)}: {said}", [*lines, *others(check, failed)],
             again(by or implementations, "eval" if at else "sweep", operation_of(check["operation"], asked), at, options_of(result, options)))


def assert_max_ulp(f: Implementation, operation: Operations, *, max_ulp: float, **options: Any) -> Report:
    """Fails unless the error of each output of f is at most max_ulp units in the last place, NaNs are where they should be, and zeros
    have the right sign. f has to provide every operation and to answer for every input. Options are those of sweep: format="bf16",
    range=, samples=, library=, scalar=."""
    __tracebackhide__ = True
    operation, (f,) = in_order(operation, [f])
    report = sweep(operation, f, **options)
    refuse([f], report, operation, options, max_ulp=max_ulp)
    return report


def assert_correctly_rounded(f: Implementation, operation: Operations, **options: Any) -> Report:
    """Fails unless every output of f is the rounded exact result. f has to provide every operation and to answer for every input."""
    __tracebackhide__ = True
    operation, (f,) = in_order(operation, [f])
    report = sweep(operation, f, **options)
    refuse([f], report, operation, options, require_correct=True)
    return report


def assert_same_bits(f: Implementation, g: Implementation, operation: Operations, **options: Any) -> Report:
    """Fails unless f and g return the same bits for every input; all NaNs count as equal."""
    __tracebackhide__ = True
    if callable(operation):  # the operation's name stands first, or between the functions
        operation, (f, g) = in_order(*((f, [g, operation]) if not callable(f) else (g, [f, operation])))
    report = sweep(operation, f, g, **options)
    refuse([f, g], report, operation, options)
    for result in report.to_dict()["results"]:
        for pair in result["differences"]:
            if pair["count"]:
                codes = format_of_result(result)
                lines = [f"{place(one['input'], result)}  {name_of(f)} {decimal(one['a'], codes)}  {name_of(g)} {decimal(one['b'], codes)}" for one in pair["first"][:SHOWN]]
                fail(f"{result['operation']} in {result['format']}{family_of(result)}: {name_of(f)} and {name_of(g)} give different bits for "
                     f"{pair['count']:,} inputs", lines,
                     again([f, g], "eval", operation_of(result["operation"], operation), pair["first"][0]["input"], options_of(result, options)))
    return report


def on_arrays(asked: Operations) -> bool:
    """Whether an operation is one on arrays, of which a sample is a draw of each shape and distribution."""
    rows = list_command("operations").to_dict()["operations"]
    named = {name for row in rows if row["family"] in OF_ARRAYS for name in (row["name"], *row["aliases"])}
    return any(one in named for one in listed(asked))


def assert_invariant(f: Implementation, operation: Operations, *, property: Union[str, List[str], None] = None, **options: Any) -> Report:
    """Fails unless the same input always gives the same bits: at every place in an array, for every length, beside any neighbours, and
    so on (detcheck-invariance(1)). property= selects some of these properties; then each of them has to be tested. For functions of
    numbers 256 samples are tried unless options select other inputs; all=True tries the whole format, which takes minutes in 16 bits."""
    __tracebackhide__ = True
    operation, (f,) = in_order(operation, [f])
    if all(options.get(name) is None or options[name] is False for name in WHICH_INPUTS) and not on_arrays(operation):
        options["samples"] = FEW
    report = invariance(operation, f, property=property, **options)
    named = property.split(",") if isinstance(property, str) else property or []
    names = [name.strip().lower().replace("_", "-") for name in named]
    tested = 0
    for result in report.to_dict()["results"]:
        for found in [found for entry in result["implementations"] for found in entry.get("invariance", [])]:
            line = again([f], "invariance", operation_of(result["operation"], operation), None,
                         {**options_of(result, options), "property": found["property"]})
            where = f"{result['operation']} in {result['format']} by {name_of(f)}{family_of(result)}"
            tested += bool(found.get("inputs"))
            if not found["tested"] and found["property"] in names:
                fail(f"{where}: {found['property']} was not tested: {found['why']}", [], line)
            if found.get("changed"):
                first = found.get("first") or {}
                fail(f"{where}: {found['changed']:,} of {found['inputs']:,} inputs change bits by {found['property']}",
                     [f"    {', '.join(f'{name} {value}' for name, value in first.items())}"], line)
    if not tested:
        raise AssertionError(f"{operation} by {name_of(f)}: no property could be tested")
    refuse([f], report, operation, options)
    return report


def inputs_of(operation: str, format_: str, flag: str) -> Any:
    """The first operands of test vectors with that flag."""
    import numpy as np
    from ._functions import dtype_of
    vectors = emit(operation, format=format_)
    assert isinstance(vectors, Document)
    found = {test["in"][0]: None for group in vectors.to_dict()["testGroups"] for test in group["tests"] if flag in test["flags"]}
    kind = dtype_of(format_)
    return np.array([int(one, 16) for one in found], f"<u{kind.itemsize}").view(kind)


def special_inputs(format: str = "fp32", operation: str = "exp") -> Any:
    """Zeros, infinities, NaNs, limits of the format and special inputs of the operation, as an array."""
    return inputs_of(operation, format, "special")


def hard_inputs(operation: str, format: str = "fp32") -> Any:
    """Inputs whose exact results are nearest to a number at which the rounding changes, as an array."""
    return inputs_of(operation, format, "hard")
