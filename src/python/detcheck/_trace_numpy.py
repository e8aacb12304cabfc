"""Calls of numpy for a trace, by a class of arrays whose ufuncs and functions are seen (NEP 13 and NEP 18)."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from ._trace import current, source_line
from ._trace_writer import Seen, Writer, attributes_text

# Methods of ufuncs that functions have names for.
NAMES = {"add.reduce": "sum", "multiply.reduce": "prod", "maximum.reduce": "max", "minimum.reduce": "min", "add.accumulate": "cumsum",
         "multiply.accumulate": "cumprod", "amax": "max", "amin": "min"}
# Of functions that do not say so themselves.
PARAMETERS = {"concatenate": ("arrays", "axis"), "dot": ("a", "b"), "inner": ("a", "b"), "vdot": ("a", "b"), "where": ("condition", "x", "y"),
              "einsum": ("subscripts",)}
# Methods of arrays that numpy would do without asking the class.
METHODS = ("all any argmax argmin argpartition argsort clip cumprod cumsum diagonal dot max mean min prod round std sum trace var"
           .split())
RECORDED = (np.ndarray, np.generic)


def bare(value: Any) -> Any:
    """Without the class, which would be asked again."""
    if isinstance(value, Traced):
        return value.view(np.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)(map(bare, value)) if type(value) in (list, tuple) else value
    return {name: bare(one) for name, one in value.items()} if type(value) is dict else value


def arrays_in(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    """Arrays of an argument, with their names."""
    if isinstance(value, RECORDED):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for at, one in enumerate(value):
            yield from arrays_in(f"{name}[{at}]" if name else "", one)


def attribute(value: Any) -> Any:
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    return value


def returned(result: Any) -> Any:
    """A result, traced."""
    if type(result) is np.ndarray:
        return result.view(Traced)
    if isinstance(result, tuple) and type(result) is not tuple:  # with names
        return type(result)(*map(returned, result))
    return type(result)(map(returned, result)) if type(result) in (list, tuple) else result


class Call:
    """One call, whose arguments have names."""

    def __init__(self, writer: Writer, name: str, named: List[Tuple[str, Any]], written: Tuple[Any, ...], outs: Tuple[Any, ...]) -> None:
        self.writer, self.name, self.written = writer, name, written
        self.inputs: List[Seen] = []
        self.attributes: Dict[str, Any] = {}
        self.in_place: List[int] = []
        for argument, value in named:
            found = [*arrays_in(argument, value)]
            if not found and value is not None and value is not np._NoValue:
                self.attributes[argument] = attribute(value)
            for label, array in found:
                is_written = any(array is one for one in written)
                if is_written:
                    self.in_place.append(len(self.inputs))
                shares = is_written or any(np.may_share_memory(array, one) for one in outs if one is not None)
                self.inputs.append(writer.seen(bare(array), label, shares))

    def outputs(self, result: Any, error: str = "") -> None:
        found = [one for _, one in arrays_in("", result)]
        found += [one for one in self.written if all(one is not each for each in found)]
        if found or error:
            self.writer.add(self.name, self.inputs, [self.writer.seen(bare(one)) for one in found], source=source_line(4),
                            attributes=attributes_text(self.attributes), in_place=self.in_place, error=error)


def recorded(name: str, named: List[Tuple[str, Any]], compute: Callable[[], Any], written: Tuple[Any, ...] = (),
             outs: Tuple[Any, ...] = ()) -> Any:
    """The result of compute(), recorded if a recording is open. It writes to outs, and to inputs that are among written."""
    recording = current()
    if recording is None:
        return compute()
    recording.writer.joins("numpy")
    call = Call(recording.writer, name, named, written, outs)
    try:
        result = compute()
    except Exception as error:
        call.outputs((), f"{type(error).__name__}: {error}")
        raise
    call.outputs(result)
    return result


@functools.lru_cache(maxsize=None)
def parameters(function: Any) -> Tuple[str, ...]:
    """Names of those that have a place."""
    if function.__name__ in PARAMETERS:
        return PARAMETERS[function.__name__]
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(one.name for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD))


def named_arguments(function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[Tuple[str, Any]]:
    names = parameters(function)
    return [(names[at] if at < len(names) else f"operands[{at - len(names)}]", one) for at, one in enumerate(args)] + [*kwargs.items()]


class Traced(np.ndarray):
    """An array whose operations are recorded. Indexing, reshaping and copying are none."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        full = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        labels = (["x"] if ufunc.nin == 1 else [f"x{at + 1}" for at in range(ufunc.nin)]) if method == "__call__" else ["array"]
        named = [(labels[at] if at < len(labels) else f"argument{at}", one) for at, one in enumerate(inputs)]
        named += [(name, one) for name, one in kwargs.items() if name != "out"]
        written = tuple(inputs[:1]) if method == "at" else ()
        # An operand that is out= as well is overwritten; any other array of out= is a result alone.
        written += tuple(one for one in out if one is not None and any(one is each for each in inputs))
        if "where" in kwargs:  # what is not computed stays
            named += [("out", one) for one in out if one is not None and all(one is not each for each in inputs)]
            written += tuple(one for one in out if one is not None)
        plain = {name: bare(one) for name, one in kwargs.items()}

        def compute() -> Any:
            result = getattr(ufunc, method)(*bare(inputs), **plain)
            return (out[0] if len(out) == 1 else out) if out else result
        result = recorded(f"numpy.{NAMES.get(full, full)}", named, compute, written, out)
        return result if out else returned(result)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        out = kwargs.get("out")
        plain_args, plain = bare(tuple(args)), {name: bare(one) for name, one in kwargs.items()}
        if func is np.empty_like:  # nobody has computed what lies there
            return returned(func(*plain_args, **plain))
        module = func.__module__ or "numpy"
        named = [one for one in named_arguments(func, args, kwargs) if one[0] != "out"]
        written = tuple(one for one in (out,) if out is not None and any(out is each for each in args))
        name = NAMES.get(func.__name__, func.__name__)

        def compute() -> Any:
            result = func(*plain_args, **plain)
            return result if out is None else out
        result = recorded(f"{module}.{name}", named, compute, written, written)
        return returned(result) if out is None else result

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        plain = self.view(np.ndarray)
        return returned(recorded("numpy.astype", [("x", self), ("dtype", np.dtype(dtype))], lambda: plain.astype(dtype, *args, **kwargs)))


def _method(name: str) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)
    call.__name__ = name
    return call


for _name in METHODS:
    setattr(Traced, _name, _method(_name))


# What makes an ndarray of any array; libraries call it on what they are given.
KEPT = ("array", "asarray", "ascontiguousarray", "asfortranarray")


def keeps_class(make: Any) -> Any:
    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("a", kwargs.get("object"))
        if not isinstance(given, Traced) or current() is None:
            return make(*args, **kwargs)
        view = bare(given)
        plain = make(view, *args[1:], **kwargs) if args else make(**{name: view if one is given else one for name, one in kwargs.items()})
        if plain is view:
            return given
        return returned(plain if plain.dtype == given.dtype else
                        recorded("numpy.astype", [("x", given), ("dtype", plain.dtype)], lambda: plain))
    return made


@contextlib.contextmanager
def recorder(writer: Writer) -> Iterator[None]:
    """While it lasts, arrays that are traced stay so where a library, such as scikit-learn, calls numpy.asarray on them."""
    writer.joins("numpy")
    before = {name: getattr(np, name) for name in KEPT}
    for name, make in before.items():
        setattr(np, name, keeps_class(make))
    try:
        yield
    finally:
        for name, make in before.items():
            setattr(np, name, make)
        compiled = sorted(name for name in ("scipy", "sklearn") if name in sys.modules)
        if compiled:
            writer.omits(f"what compiled code of {' and '.join(compiled)} does, and numpy of arrays that come out of it")


def traced(array: Any) -> Any:
    recording = current()
    if recording is not None and "numpy" not in recording.attached:
        recording.attach("numpy")
    return np.asarray(array).view(Traced)
