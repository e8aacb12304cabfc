"""Assertions for tests. A failure names the worst inputs, and the line that shows them again."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from ._commands import Implementation, as_text, emit, invariance, sweep
from ._options import options as known_options, words
from ._results import Document, Report

SHOWN = 5


def name_of(implementation: Implementation) -> str:
    if isinstance(implementation, str):
        return implementation
    from ._callables import name_of as name_of_function
    return name_of_function(implementation)


def again(implementations: Sequence[Implementation], command: str, operation: str, inputs: Any, options: Dict[str, Any]) -> str:
    """A line that shows one input again: of the shell where names say what runs, else of Python."""
    bits = inputs if isinstance(inputs, list) else [inputs] if inputs is not None else []
    taken = {name: value for name, value in options.items() if name in known_options(command) and value is not None}
    if all(isinstance(one, str) for one in implementations):
        return " ".join(["detcheck", command, operation, *bits, *words(command, taken),
                         *(f"--impl={as_text(str(one))}" for one in implementations)])
    named = ", ".join(getattr(one, "__name__", repr(one)) for one in implementations)
    given = "".join(f", {name}={value!r}" for name, value in {**options, **taken}.items()
                    if name in taken or name in ("scalar", "library"))
    return f"detcheck.{command}({', '.join(map(repr, [operation, *bits]))}{given}, impl=[{named}])"


def decimal(bits: Any, format_: str) -> str:
    """The number beside its bits, where numpy has the type."""
    import numpy as np
    from ._functions import dtype_of
    each = bits if isinstance(bits, list) else [bits]
    try:
        kind = dtype_of(format_)
        numbers = [np.array([int(one, 16)], f"<u{kind.itemsize}").view(kind)[0] for one in each]
    except (TypeError, ValueError):
        return ", ".join(each)
    return ", ".join(f"{one} ({number!s})" for one, number in zip(each, numbers))


def shown(inputs: List[Dict[str, Any]], format_: str) -> List[str]:
    return [f"    x = {decimal(one['input'], format_)}  got {decimal(one['got'], format_)}  want {decimal(one['want'], format_)}" +
            (f"  {one['error']} ulp" if "error" in one else "") for one in inputs[:SHOWN]]


def fail(message: str, lines: Sequence[str], line: str) -> None:
    __tracebackhide__ = True
    raise AssertionError("\n".join([message, *lines, f"    again: {line}"]))


def judged(f: Implementation, operation: str, options: Dict[str, Any], wrong: Callable[[Dict[str, Any]], Optional[str]]) -> Report:
    """Sweeps; fails where `wrong` finds something to say of an entry."""
    __tracebackhide__ = True
    report = sweep(operation, f, **options)
    report._first()  # nothing tested is no success
    for entry in report.entries():
        found = entry.to_dict()
        if found["events"]:
            fail(f"{operation} in {entry.format} by {name_of(f)}: {found['events'][0]['kind']} at {found['events'][0].get('input')}", [],
                 again([f], "eval", operation, found["events"][0].get("input"), {**options, "format": entry.format}))
        said = wrong(found)
        worst = found["worst"] if found["worst"] else found["first_mismatches"]
        if said:
            if found["nan_mismatches"] + found["sign_mismatches"] and found.get("first_mismatches"):
                worst = found["first_mismatches"] + worst
            fail(f"{operation} in {entry.format} by {name_of(f)}: {said}", shown(worst, entry.format),
                 again([f], "eval", operation, worst[0]["input"] if worst else None, {**options, "format": entry.format}))
    return report


def assert_max_ulp(f: Implementation, operation: str, *, max_ulp: float, **options: Any) -> Report:
    """No output of f is further from the exact result than max_ulp units in the last place, none is a NaN that should be
    a number, nor the reverse. Options are those of sweep: format="bf16", range=, samples=, library=, scalar=."""
    __tracebackhide__ = True

    def wrong(entry: Dict[str, Any]) -> Optional[str]:
        if entry["nan_mismatches"]:
            return f"{entry['nan_mismatches']:,} NaNs where there is a number, or the reverse"
        largest = entry["max_ulp"]["error"] if entry["max_ulp"] else 0.0
        return None if largest <= max_ulp else f"the largest error is {largest} ulp, beyond {max_ulp}"

    return judged(f, operation, options, wrong)


def assert_correctly_rounded(f: Implementation, operation: str, **options: Any) -> Report:
    """Every output of f is the exact result, rounded."""
    __tracebackhide__ = True
    return judged(f, operation, options, lambda entry: f"{entry['incorrectly_rounded']:,} outputs are not correctly rounded"
                  if entry["incorrectly_rounded"] else None)


def assert_same_bits(f: Implementation, g: Implementation, operation: str, **options: Any) -> Report:
    """f and g give the same bits for every input; one NaN is as good as another."""
    __tracebackhide__ = True
    report = sweep(operation, f, g, **options)
    for result in report.to_dict()["results"]:
        lacking = [entry for entry in result["implementations"] if not entry.get("provided", True) or not entry["tested"]]
        if lacking:
            fail(f"{operation} in {result['format']}: {lacking[0]['name']} was not tested: {lacking[0].get('reason', '')}", [],
                 again([f, g], "sweep", operation, None, options))
        for pair in result["differences"]:
            if pair["count"]:
                lines = [f"    x = {decimal(one['input'], result['format'])}  {name_of(f)} {decimal(one['a'], result['format'])}  "
                         f"{name_of(g)} {decimal(one['b'], result['format'])}" for one in pair["first"][:SHOWN]]
                fail(f"{operation} in {result['format']}: {name_of(f)} and {name_of(g)} give different bits for {pair['count']:,} inputs",
                     lines, again([f, g], "eval", operation, pair["first"][0]["input"], {**options, "format": result["format"]}))
    return report


def assert_invariant(f: Implementation, operation: str, *, property: Union[str, List[str], None] = None, **options: Any) -> Report:
    """The same input always gives the same bits: at every place in an array, for every length, beside any neighbours, and
    so on (detcheck-invariance(1)); property= says which of these."""
    __tracebackhide__ = True
    report = invariance(operation, f, property=property, **options)
    tested = 0
    for entry in report.entries():
        for found in entry.to_dict()["invariance"]:
            tested += bool(found.get("inputs"))
            if found.get("changed"):
                first = found.get("first") or [{}]
                first = first[0] if isinstance(first, list) else first
                fail(f"{operation} in {entry.format} by {name_of(f)}: {found['changed']:,} of {found['inputs']:,} inputs change bits by "
                     f"{found['property']}", [f"    {', '.join(f'{name} {value}' for name, value in first.items())}"],
                     again([f], "invariance", operation, None, {**options, "format": entry.format, "property": found["property"]}))
    if not tested:
        raise AssertionError(f"{operation} by {name_of(f)}: no property could be tested")
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
    """Zeros, infinities, NaNs, limits of the format and landmarks of the operation, as an array."""
    return inputs_of(operation, format, "special")


def hard_inputs(operation: str, format: str = "fp32") -> Any:
    """Inputs whose exact results lie next to where the rounding changes, as an array."""
    return inputs_of(operation, format, "hard")
