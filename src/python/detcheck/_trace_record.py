"""detcheck trace record -o FOLDER -- python script.py: the script in its own interpreter, with a recording around it.

The first half runs in the Python of the package and gives way to the second, `python -m detcheck._trace_record`, in the Python that
the command names. So whatever ends the script, its exit status is what the caller sees.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import sys
import types
from typing import Any, List, NoReturn, Optional, Sequence, Tuple

from ._program import Error, UsageError, environment

USAGE = "detcheck trace record -o FOLDER [--keep digests|all|names=NAME,...|differing=TRACE] [--replace] -- python script.py [ARGUMENT]..."
OF_VALUE = ("-W", "-X", "--check-hash-based-pycs")  # options of Python whose value is the next word
FRAMEWORKS = ("torch",)  # that are recorded as soon as the script imports them


def parse(words: Sequence[str]) -> Tuple[str, str, bool, List[str]]:
    """The folder, what to keep, whether a trace of before may be replaced, and the command."""
    from ._trace_writer import Keep
    folder, keep, replace, rest = "", "digests", False, [*words]
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.pop(0).partition("=")
        if option == "--":
            break
        if option in ("-h", "--help"):
            print(f"usage: {USAGE}")
            raise SystemExit(0)
        if option == "--replace" and not equals:
            replace = True
            continue
        if option not in ("-o", "--output", "--keep"):
            raise UsageError(f"trace record has no option {option}; usage: {USAGE}")
        if not equals:
            if not rest:
                raise UsageError(f"{option} needs a value")
            value = rest.pop(0)
        if option == "--keep":
            keep = value
        else:
            folder = value
    if not folder or not rest:
        raise UsageError(f"usage: {USAGE}")
    Keep(keep)
    return folder, keep, replace, rest


def command_of(words: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The interpreter with its options, and what it is to run: a script, -m MODULE or -c TEXT, and arguments."""
    found = shutil.which(words[0])
    if not found:
        raise UsageError(f"{words[0]}: no such command")
    if not re.fullmatch(r"(python|pypy)[\d.]*t?d?", os.path.basename(words[0])):
        with open(found, "rb") as file:
            first = re.match(rb"#! *([^\n]*python[^\n]*)", file.read(256))
        if not first:
            raise UsageError(f"{words[0]} is not a Python: trace record runs 'python script.py' and scripts of Python")
        return first[1].decode().split(), [found, *words[1:]]
    options, rest = [words[0]], [*words[1:]]
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "-m", "-c"):
        options.append(rest.pop(0))
        if options[-1] in OF_VALUE and rest:
            options.append(rest.pop(0))
    if not rest or rest[0] == "-" or (rest[0] in ("-m", "-c") and not rest[1:]):
        raise UsageError("trace record needs a script, -m MODULE or -c TEXT behind python")
    if rest[0][0] != "-" and not os.path.isfile(rest[0]):
        raise UsageError(f"{rest[0]}: no such script")
    return options, rest


def main(words: Sequence[str]) -> int:
    try:
        folder, keep, replace, command = parse(words)
        interpreter, rest = command_of(command)
        sys.stdout.flush()
        os.execvpe(interpreter[0], [*interpreter, "-m", "detcheck._trace_record", folder, keep, str(int(replace)), *rest], environment())
    except (Error, OSError) as error:
        print(f"detcheck: {error}", file=sys.stderr)
        return 2


def run(rest: Sequence[str]) -> None:
    """As python runs what stands behind its options."""
    module = types.ModuleType("__main__")
    space = module.__dict__
    space["__builtins__"] = __builtins__
    if rest[0] == "-m":
        import runpy
        sys.path[0], sys.argv[:] = os.getcwd(), rest[1:]
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return
    sys.modules["__main__"] = module
    if rest[0] == "-c":
        sys.path[0], sys.argv[:] = "", ["-c", *rest[2:]]
        text: Any = rest[1]
        name = "<string>"
    else:
        name = os.path.abspath(rest[0])
        sys.path[0], sys.argv[:] = os.path.dirname(name), [*rest]
        space["__file__"] = name
        with open(name, "rb") as file:
            text = file.read()
    exec(compile(text, name, "exec"), space)  # pylint: disable=exec-used


def shown(error: BaseException) -> None:
    """As Python shows what nobody has caught, without the frames of this file."""
    trace: Optional[types.TracebackType] = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in (__file__, "<frozen runpy>"):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def say_of_nothing(recording: Any) -> None:
    """Says that a trace has no operations, and why that may be."""
    why = ("PyTorch computed nothing in this process; what processes do that the script starts is not recorded" if "torch" in recording.attached
           else "the script did not import PyTorch, and numpy, JAX and onnxruntime are recorded through detcheck.trace in the script alone")
    print(f"detcheck: {recording.writer.folder}: no operation was seen: {why} (detcheck-trace(1))", file=sys.stderr)


def ends(recording: Any) -> None:
    """The exit status of a script that went well tells that the trace of it does not reach its end, or has nothing."""
    if not recording.writer.count and not recording.writer.is_cut:
        say_of_nothing(recording)
        sys.exit(2)
    if recording.writer.is_cut:
        sys.exit(2)


def record(folder: str, keep: str, replace: bool, rest: Sequence[str]) -> NoReturn:
    from ._trace import Recording
    from ._trace_imports import OnImport
    recording = Recording(folder, keep, replace)
    recording.__enter__()
    sys.meta_path.insert(0, OnImport(FRAMEWORKS, recording.attach))
    atexit.register(recording.close)
    try:
        run(rest)
    except SystemExit as end:
        if end.code in (None, 0):
            ends(recording)
        raise
    except BaseException as error:
        atexit.unregister(recording.close)  # so the trace says that the run died
        shown(error)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        sys.exit(1)
    ends(recording)
    sys.exit(0)


if __name__ == "__main__":
    try:
        record(sys.argv[1], sys.argv[2], sys.argv[3] == "1", sys.argv[4:])
    except (Error, OSError) as trouble:
        print(f"detcheck: {trouble}", file=sys.stderr)
        sys.exit(2)
