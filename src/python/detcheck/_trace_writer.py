"""A trace on disk (detcheck-trace(7)): trace.json, which is a whole document after each write, and tensors that are kept."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import math
import os
import re
import sys
import threading
from typing import Any, Callable, Collection, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from . import _trace_environment
from ._program import UsageError
from ._trace_tensors import SAFETENSORS, Elements, LeftOut, copied, digests, elements_of, write_safetensors

SCHEMA = "detcheck/trace/1"
OVERWRITTEN = "overwritten"  # why an input is left out whose old elements do not matter
HEAD = f'{{"schema":"{SCHEMA}",\n"operations":['


class Known:
    """A tensor as trace.json says it, and the file that has it, if one does. Others may know it by the same object."""

    __slots__ = ("text", "key", "kept")

    def __init__(self, text: str, key: Optional[str], kept: str = "") -> None:
        self.text, self.key, self.kept = text, key, kept


class Seen(NamedTuple):
    """A tensor of an operation: its parameter's name, what is said of it, and its elements where they are to be kept."""

    name: str
    known: Known
    elements: Optional[Callable[[], Elements]]


_LONE = re.compile("[\ud800-\udfff\ufffd]")  # of UTF-16, of which half stands for nothing; and the mark that stands for one
MOST_SHORT = 1 << 62
MOST_DIGITS = 62  # of an integer, which with its sign are as many characters as every reader takes


def readable(text: str) -> str:
    """With U+FFFD and four hexadecimal digits for what UTF-8 does not have, and for U+FFFD itself."""
    return _LONE.sub(lambda found: f"\ufffd{ord(found[0]):04X}", text) if not text.isascii() else text


@functools.lru_cache(maxsize=1 << 16)
def quoted(text: str) -> str:
    return json.dumps(readable(text))


@functools.lru_cache(maxsize=1 << 12)
def named(name: str) -> str:
    """The beginning of the text of a tensor."""
    return f'{{"name":{quoted(name)},' if name else "{"


@functools.lru_cache(maxsize=1 << 12)
def placed(name: str, path: str, source: str, thread: int, backward: bool) -> str:
    """The beginning of the text of an operation."""
    return (f'\n{{"name":{quoted(name)}' + (f',"path":{quoted(path)}' if path else "") + (f',"source":{quoted(source)}' if source else "")
            + (f',"thread":{thread}' if thread else "") + (',"phase":"backward"' if backward else ""))


def plain(value: Any) -> Any:
    """An attribute in JSON: what JSON has not is a text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, int):
        return int(value) if abs(int(value)) < 10 ** MOST_DIGITS else f"{int(value):#x}"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {readable(str(name)): plain(one) for name, one in value.items()}
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return plain(value.item())
    return readable(re.sub(r" at 0x[0-9a-f]+", "", str(value))[:200])  # addresses differ between any two runs


def value_text(value: Any, simpler: Callable[[Any], Any]) -> str:
    """An attribute as text of JSON; what is neither a number nor a text nor a list goes through simpler() first."""
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int and -MOST_SHORT < value < MOST_SHORT:
        return str(value)
    if kind is str:
        return quoted(value)
    if kind is float and math.isfinite(value):
        return repr(value)
    if kind is list or kind is tuple:
        return f"[{','.join([value_text(one, simpler) for one in value])}]"
    return json.dumps(plain(simpler(value)), separators=(",", ":"))


def attributes_text(attributes: Dict[str, Any]) -> str:
    return json.dumps(plain(attributes), separators=(",", ":")) if attributes else ""


@functools.lru_cache(maxsize=1 << 12)
def _begin(type_: str, shape: Tuple[int, ...]) -> Tuple[str, str]:
    sides = ",".join(map(str, shape))
    return f'"type":"{type_}","shape":[{sides}],"digest":"', f" {type_} {sides}"


def said(type_: str, shape: Tuple[int, ...], digests_: Tuple[str, str]) -> Tuple[str, str]:
    """What trace.json says of a tensor, without a name; and what tells it from others."""
    digest, canonical = digests_
    begin, kind = _begin(type_, shape)
    return (f'{begin}{digest}"' if canonical == digest else f'{begin}{digest}","canonical":"{canonical}"'), digest + kind


def left_out(value: Any, why: str, type_: str = "") -> Known:
    """A tensor whose elements cannot be had."""
    try:
        shape = ",".join(str(int(one)) for one in value.shape)
    except (AttributeError, RuntimeError, TypeError, ValueError):
        shape = ""
    type_ = type_ or str(getattr(value, "dtype", type(value).__name__))
    return Known(f'"type":{quoted(type_)},"shape":[{shape}],"left_out":{quoted(why)}', None)


class Keep:
    """Which tensors go into files: digests, all, names=NAME,... and differing=TRACE."""

    def __init__(self, text: str) -> None:
        kind, _, value = text.partition("=")
        self.text, self.kind = text, kind
        self.names: Collection[str] = [name for name in value.split(",") if name]
        self.other: Dict[Tuple[str, str], List[Set[str]]] = {}
        if kind not in ("digests", "all", "names", "differing") or bool(value) != (kind in ("names", "differing")):
            raise UsageError(f"--keep is digests, all, names=NAME,... or differing=TRACE, not '{text}'")
        if kind == "differing":
            self.read(value)
        self.may = kind != "digests"

    def read(self, path: str) -> None:
        from ._trace_reader import operations
        for one in operations(path):
            tensors = [*one.get("inputs", ()), *one.get("outputs", ())]
            self.other.setdefault((one["name"], one.get("path", "")), []).append({each.get("digest", "") for each in tensors})

    def named(self, number: int, name: str, path: str) -> bool:
        """By its number, its path or its name, or where these begin with what is asked for, up to a point."""
        return any(text == f"{number}" or whole == text or whole.startswith(f"{text}.")
                   for text in self.names for whole in (path, name))

    def wants(self, number: int, count: int, name: str, path: str, found: Iterable[Seen]) -> bool:
        """Whether to keep the tensors of operation `number`, the count-th of its name and path: all of them, if one of them differs
        from that of the other trace."""
        if self.kind != "differing":
            return self.kind == "all" or (self.kind == "names" and self.named(number, name, path))
        others = self.other.get((name, path), [])
        has = others[count] if count < len(others) else set()
        return any(one.known.key is not None and one.known.key.split(" ")[0] not in has for one in found)


class Local(threading.local):
    """What each thread has of its own: its number, which is no number of Python, as that is given again; and what was set at its last
    operation."""

    def __init__(self) -> None:
        self.number = -1
        self.settings: List[Any] = []


class Writer:
    """Adds operations to a trace, from any thread. If the disk is full, it stops, says so, and lets the program continue."""

    def __init__(self, folder: str, keep: str = "digests", replace: bool = False) -> None:
        self.folder, self.keep, self.lock = os.fspath(folder), Keep(keep), threading.RLock()
        self.place = os.path.abspath(self.folder)  # a program may change its directory later
        self.count, self.recorders, self.omitted = 0, [], {}  # type: int, List[str], Dict[str, int]
        self.places: Dict[str, str] = {}  # where a tensor is kept, by its key
        self.counts: Dict[Tuple[str, str], int] = {}
        self.local, self.threads = Local(), 1
        self.local.number = 0
        self.settings = _trace_environment.Settings()
        self.first: List[Any] = self.settings.now()  # what `environment` says of settings
        self.process, self.stopped, self.is_cut, self.end, self.tail_text = os.getpid(), False, False, len(HEAD), ""
        self.environment = _trace_environment.of_machine()
        self.descriptor = self.opened(replace)
        self.write(HEAD + self.tail(), 0)

    def opened(self, replace: bool) -> int:
        """trace.json. A trace of before is written anew if `replace` says so; one that is being written, or any other folder with
        something in it, is not touched."""
        if os.path.isdir(self.place):
            there = set(os.listdir(self.place))
            if there and not ("trace.json" in there and there <= {"trace.json", "tensors"}):
                raise UsageError(f"{self.folder}: this folder is not empty, and no trace")
            for name in there:
                if os.path.islink(os.path.join(self.place, name)):
                    raise UsageError(f"{self.folder}: {name} is a link; a trace is written anew where its files are its own")
            if there and not self.is_trace():
                raise UsageError(f"{self.folder}: trace.json is not a trace, and stays as it is")
        elif os.path.lexists(self.place):
            raise UsageError(f"{self.folder}: this is not a folder")
        os.makedirs(self.place, exist_ok=True)
        descriptor = os.open(os.path.join(self.place, "trace.json"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise UsageError(f"{self.folder}: another recording is writing this trace") from None
        except OSError:
            pass  # a file system without locks
        if not replace and os.fstat(descriptor).st_size:
            os.close(descriptor)
            raise UsageError(f"{self.folder}: this folder has a trace already; name another folder, or ask to replace it: --replace, in Python "
                             "replace=True")
        tensors = os.path.join(self.place, "tensors")
        os.makedirs(tensors, exist_ok=True)
        os.ftruncate(descriptor, 0)
        for name in os.listdir(tensors):
            if name.endswith((".safetensors", ".safetensors.part")):
                os.unlink(os.path.join(tensors, name))
        return descriptor

    def is_trace(self) -> bool:
        """Whether trace.json is of a trace, or empty."""
        with open(os.path.join(self.place, "trace.json"), encoding="utf-8", errors="replace") as stream:
            begin = stream.read(80)
        return not begin or "".join(begin.split()).startswith(f'{{"schema":"{SCHEMA}"')

    def tail(self, complete: bool = False) -> str:
        from . import __version__
        members = {"recorder": "+".join(self.recorders) or "calls", "program": f"detcheck {__version__}", "keep": self.keep.text,
                   "environment": self.environment,
                   "left_out": [{"what": what, "count": count} for what, count in self.omitted.items()]}
        texts = [f"{json.dumps(name)}:{json.dumps(plain(value), separators=(',', ':'))}" for name, value in members.items()]
        return "\n],\n" + ",\n".join(texts) + f',\n"complete":{"true" if complete else "false"}}}\n'

    def tail_now(self) -> str:
        if not self.tail_text:
            self.tail_text = self.tail()
        return self.tail_text

    def write(self, text: str, at: int) -> None:
        data = text.encode()
        done = os.pwrite(self.descriptor, data, at)
        while done < len(data):
            done += os.pwrite(self.descriptor, data[done:], at + done)
        self.size = at + len(data)

    def joins(self, recorder: str) -> None:
        """A framework takes part from here on."""
        with self.lock:
            if recorder not in self.recorders:
                self.recorders.append(recorder)
                self.settings.add(_trace_environment.getters(recorder))
                self.first += self.settings.now()[len(self.first):]
            self.environment.update(_trace_environment.of_framework(recorder))
            self.tail_text = ""

    def settle(self, environment: Dict[str, str]) -> None:
        """Set the environment from here on."""
        if environment != self.environment:
            self.environment, self.tail_text = environment, ""

    def omits(self, what: str, count: int = 1) -> None:
        with self.lock:
            self.omitted[what] = self.omitted.get(what, 0) + count
            self.tail_text = ""

    def seen(self, value: Any, name: str = "", is_overwritten: bool = False) -> Seen:
        """An array of any library, as a recorder hands it to add()."""
        try:
            elements = elements_of(value)
        except LeftOut as why:
            return Seen(name, left_out(value, str(why)), None)
        known = Known(*said(elements.type, elements.shape, digests(elements)))
        if not self.keep.may:
            return Seen(name, known, None)
        kept = copied(elements) if is_overwritten else elements
        return Seen(name, known, lambda: kept)

    def tensor_text(self, one: Seen) -> str:
        name, known, _ = one
        if known.key is None:
            why = json.loads(f"{{{known.text}}}")["left_out"]
            if why != OVERWRITTEN:
                self.omits(f"tensors: {why}")
        return f"{named(name)}{known.text}{known.kept}}}"

    def save(self, operation: Sequence[Tuple[str, Seen]]) -> None:
        """Puts tensors of an operation that no file has yet into one of its own."""
        new: List[Tuple[str, Elements]] = []
        for name, one in operation:
            key = one.known.key
            if key is None or one.known.kept:
                continue
            if key not in self.places and one.elements is not None and key.split(" ")[1] in SAFETENSORS:
                new.append((name, one.elements()))
                self.places[key] = f',"kept":"{self.count}:{name}"'
            one.known.kept = self.places.get(key, "")
        if new:
            write_safetensors(os.path.join(self.place, "tensors", f"{self.count}.safetensors"), new)

    def add(self, name: str, inputs: Sequence[Seen], outputs: Sequence[Seen], *, path: str = "", source: str = "", backward: bool = False,
            attributes: str = "", random: bool = False, in_place: Sequence[int] = (), error: str = "") -> None:
        """One operation. `attributes` is text of JSON."""
        if self.stopped or os.getpid() != self.process:
            return
        with self.lock:
            if self.stopped:
                return
            try:
                self.add_locked(name, inputs, outputs, path, source, backward, attributes, random, in_place, error)
            except OSError as trouble:
                self.give_up(trouble)

    def add_locked(self, name: str, inputs: Sequence[Seen], outputs: Sequence[Seen], path: str, source: str, backward: bool,
                   attributes: str, random: bool, in_place: Sequence[int], error: str) -> None:
        if self.keep.may:
            count = self.counts[name, path] = self.counts.get((name, path), -1) + 1
            named = [*((f"input.{at}", one) for at, one in enumerate(inputs)), *((f"output.{at}", one) for at, one in enumerate(outputs))]
            if self.keep.wants(self.count, count, name, path, (one for _, one in named)):
                self.save(named)
        if not self.count:
            self.settle(_trace_environment.now(self.recorders))
            self.first = self.settings.now()
        local = self.local
        if local.number < 0:
            local.number = self.threads
            self.threads += 1
        settings = self.settings.now()
        changes = self.changes(local, settings) if settings != local.settings else ""
        inputs_text, outputs_text = ",".join([*map(self.tensor_text, inputs)]), ",".join([*map(self.tensor_text, outputs)])
        line = (f'{"," if self.count else ""}{placed(name, path, source, local.number, backward)}{changes}'
                + (f',"attributes":{attributes}' if attributes else "") + (',"random":true' if random else "")
                + (f',"in_place":[{",".join(map(str, in_place))}]' if in_place else "")
                + f',"inputs":[{inputs_text}],"outputs":[{outputs_text}]'
                + (f',"error":{json.dumps(readable(error[:400]))}' if error else "") + "}")
        self.write(line + self.tail_now(), self.end)
        self.end += len(line)  # which is ASCII, as json.dumps writes it
        self.count += 1

    def changes(self, local: Local, settings: List[Any]) -> str:
        """The settings that changed since the thread's previous operation; for its first, those that differ from the environment."""
        before = local.settings + self.first[len(local.settings):]
        local.settings = settings
        changed = self.settings.changed(before, settings)
        return f',"settings":{json.dumps(plain(changed), separators=(",", ":"))}' if changed else ""

    def give_up(self, trouble: OSError) -> None:
        self.stopped = self.is_cut = True
        print(f"detcheck: {self.folder}: {trouble.strerror}; operations from {self.count} on are not in the trace", file=sys.stderr)
        try:
            self.omits("operations after an error of the disk")
            os.ftruncate(self.descriptor, self.end)
            self.write(self.tail(), self.end)
        except OSError:
            pass  # a reader takes whole lines

    def close(self, complete: bool = True) -> None:
        """Complete: the run came to its end."""
        if os.getpid() != self.process or self.descriptor < 0:
            return
        with self.lock:
            try:
                if not self.stopped:
                    now = _trace_environment.now(self.recorders)
                    if self.count:  # changes of settings stand with the operations that they are of
                        now.update({name: value for name, value in self.environment.items() if name in self.settings.names})
                    self.settle(_trace_environment.with_changes(self.environment, now) if self.count else now)
                    self.write(self.tail(complete), self.end)
                    os.ftruncate(self.descriptor, self.size)
            except OSError as trouble:
                self.give_up(trouble)
            with contextlib.suppress(OSError):
                fcntl.flock(self.descriptor, fcntl.LOCK_UN)  # which processes that were forked would hold else
            os.close(self.descriptor)
            self.descriptor, self.stopped = -1, True
