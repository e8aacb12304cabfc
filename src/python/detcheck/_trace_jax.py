"""Functions of JAX for a trace: their jaxpr, evaluated one equation after the other.

A function that jit compiled is recorded operation by operation, so results are those of single operations, not of XLA's fusions.
"""

from __future__ import annotations

import enum
import operator
import re
from typing import Any, Callable, Dict, List, Sequence

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from ._trace import Recording, current, place_of
from ._trace_tensors import type_named
from ._trace_writer import Seen, attributes_text

# Calls whose body is evaluated in their place, and the parameter that has it.
OPENED = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat": "jaxpr", "remat2": "jaxpr",
          "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr"}


def attribute(value: Any) -> Any:
    """A parameter of an equation; None for what says nothing to people."""
    if isinstance(value, np.dtype):
        return type_named(value.name, "jax")
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return [attribute(one) for one in value]
    if isinstance(value, (Jaxpr, ClosedJaxpr)) or callable(value):
        return None
    text = str(value)
    return text if " at 0x" not in text and len(text) <= 200 else None


def source_of(equation: Any) -> str:
    try:
        from jax._src import source_info_util
        frame = source_info_util.user_frame(equation.source_info.traceback)
        return f"{place_of(frame.file_name)}:{frame.start_line}" if frame else ""
    except (ImportError, AttributeError, TypeError):
        return ""  # where another version of JAX has it elsewhere


def has_jaxpr(value: Any) -> bool:
    return isinstance(value, (Jaxpr, ClosedJaxpr)) or (isinstance(value, (tuple, list)) and any(map(has_jaxpr, value)))


def constants_of(value: Any) -> List[Any]:
    """Arrays that an equation's own jaxprs close over; they are operands as its others are."""
    if isinstance(value, ClosedJaxpr):
        return [one for one in value.consts if hasattr(one, "shape")]
    return [found for one in value for found in constants_of(one)] if isinstance(value, (tuple, list)) else []


class Evaluation:
    """Evaluates jaxprs and records each equation."""

    def __init__(self, recording: Recording, whole: bool) -> None:
        self.writer, self.whole = recording.writer, whole

    def closed(self, jaxpr: Any, values: Sequence[Any], path: str) -> List[Any]:
        if isinstance(jaxpr, ClosedJaxpr):
            return self.jaxpr(jaxpr.jaxpr, jaxpr.consts, values, path)
        return self.jaxpr(jaxpr, (), values, path)

    def jaxpr(self, jaxpr: Any, constants: Sequence[Any], values: Sequence[Any], path: str) -> List[Any]:
        known: Dict[Any, Any] = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *values]))

        def read(one: Any) -> Any:
            return one.val if isinstance(one, Literal) else known[one]

        for equation in jaxpr.eqns:
            known.update(zip(equation.outvars, self.equation(equation, [*map(read, equation.invars)], path)))
        return [*map(read, jaxpr.outvars)]

    def equation(self, equation: Any, values: List[Any], path: str) -> List[Any]:
        name, given = equation.primitive.name, equation.params
        own = str(equation.source_info.name_stack)
        path = f"{path}/{own}" if path and own else path or own
        if name in OPENED and not (self.whole and name in ("jit", "pjit")):
            return self.closed(given[OPENED[name]], values, path)
        if name == "cond":
            at = min(max(int(values[0]), 0), len(given["branches"]) - 1)
            return self.closed(given["branches"][at], values[1:], f"{path}/branch{at}".lstrip("/"))
        if name == "scan":
            return self.scan(given, values, path)
        if name == "while":
            return self.loop(given, values, path)
        return self.one(equation, values, path)

    def scan(self, given: Any, values: List[Any], path: str) -> List[Any]:
        constants, carry = given["num_consts"], given["num_carry"]
        fixed, carried, lines = values[:constants], values[constants:constants + carry], values[constants + carry:]
        order = range(given["length"])
        rows: List[Any] = [None] * given["length"]
        for at in reversed(order) if given["reverse"] else order:
            found = self.closed(given["jaxpr"], [*fixed, *carried, *(line[at] for line in lines)], f"{path}/scan{at}".lstrip("/"))
            carried, rows[at] = found[:carry], found[carry:]
        if not rows:
            shapes = given["jaxpr"].out_avals[carry:]
            return [*carried, *(jax.numpy.zeros((0, *one.shape), one.dtype) for one in shapes)]
        return [*carried, *(jax.numpy.stack(column) for column in zip(*rows))]

    def loop(self, given: Any, values: List[Any], path: str) -> List[Any]:
        split, end = given["cond_nconsts"], given["cond_nconsts"] + given["body_nconsts"]
        asked, fixed, carried, at = values[:split], values[split:end], values[end:], 0
        while bool(self.closed(given["cond_jaxpr"], [*asked, *carried], f"{path}/while{at}".lstrip("/"))[0]):
            carried = self.closed(given["body_jaxpr"], [*fixed, *carried], f"{path}/while{at}".lstrip("/"))
            at += 1
        return carried

    def seen(self, value: Any) -> Seen:
        """Keys of random numbers are seen as the integers that they are made of."""
        return self.writer.seen(jax.random.key_data(value) if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key) else value)

    def one(self, equation: Any, values: List[Any], path: str) -> List[Any]:
        inputs = [self.seen(one if hasattr(one, "shape") else np.asarray(one, its.aval.dtype)) for one, its in zip(values, equation.invars)]
        inputs += [self.seen(found) for one in equation.params.values() for found in constants_of(one)]
        if any(has_jaxpr(one) for one in equation.params.values()):
            self.writer.omits(f"what happens inside of {equation.primitive.name}")
        given = equation.primitive.get_bind_params(equation.params)
        functions, given = given if isinstance(given, tuple) else ((), given)  # two of them before JAX 0.10
        with equation.ctx.manager:
            result = equation.primitive.bind(*functions, *values, **given)
        found = [*result] if equation.primitive.multiple_results else [result]
        attributes = {name: attribute(value) for name, value in equation.params.items()}
        self.writer.add(f"jax.{equation.primitive.name}", inputs, [self.seen(one) for one in found],
                        path=re.sub(r"\w+\(|\)", "", path).replace("/", ".").strip("."), source=source_of(equation), backward="transpose(" in path,
                        attributes=attributes_text({name: value for name, value in attributes.items() if value is not None}))
        return found


def traced(function: Callable[..., Any], whole: bool = False) -> Callable[..., Any]:
    def evaluated(*args: Any, **kwargs: Any) -> Any:
        recording = current()
        if recording is None:
            return function(*args, **kwargs)
        recording.writer.joins("jax")
        closed, shapes = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
        found = Evaluation(recording, whole).closed(closed, jax.tree_util.tree_leaves((args, kwargs)), "")
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(shapes), found)
    return evaluated
