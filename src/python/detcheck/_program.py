"""The program underneath: where it is, how it is run, and what becomes of it whatever happens here."""

from __future__ import annotations

import fcntl
import os
import re
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Dict, List, NamedTuple, Optional, Sequence

if TYPE_CHECKING:
    from ._serving import Server

__tracebackhide__ = True  # pytest shows the line that called, not these
FOLDER = Path(os.path.abspath(__file__)).parent
GRACE = 5.0  # seconds for the program to end by itself once it is interrupted


def readable(text: str) -> str:
    """A message without the middle of words that nobody reads, such as an input of 10,000 digits, as base/error.h of the program
    shortens them; and cut where it is still too long."""
    words = re.sub(r"\S{301,}", lambda found: f"{found[0][:160]}...{found[0][-100:]}", text)
    return words if len(words) <= 1500 else words[:1497] + "..."


class Error(Exception):
    """The program could not do what was asked; its own sentence."""

    def __init__(self, text: str = "") -> None:
        super().__init__(readable(text))


class UsageError(Error, ValueError):
    """An argument is wrong."""


class CallableError(Error):
    """A function under test raised, hung, or returned something else than numbers in the wanted shape and type."""


class Done(NamedTuple):
    status: int
    text: str
    messages: str


def program() -> str:
    """The path of the program detcheck: the package's own, or that of DETCHECK_PROGRAM."""
    named = os.environ.get("DETCHECK_PROGRAM")
    own = FOLDER / "bin" / "detcheck"
    found = named or (str(own) if own.exists() else shutil.which("detcheck"))
    if not found:
        raise Error("the program detcheck is neither in the package nor on the PATH")
    return found


def environment() -> Dict[str, str]:
    """For a program whose workers of py: are to find this package."""
    paths = [str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "DETCHECK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(paths)}


def shows_progress() -> bool:
    """Whether somebody looks: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Run:
    """One run of the program. Standard error is a terminal's other end where progress is wanted, and is passed on as it
    comes; else it is kept."""

    def __init__(self, words: Sequence[str], server: Optional[Server], progress: bool) -> None:
        self.server, self.output, self.messages = server, bytearray(), bytearray()
        self.selector = selectors.DefaultSelector()
        variables = {**environment(), "DETCHECK_PARENT": str(os.getpid())}
        if server:
            variables.update(server.variables())
        if not progress:
            variables["DETCHECK_PROGRESS"] = "0"
        read_from, write_to = os.openpty() if progress else os.pipe()
        if progress:
            variables.setdefault("TERM", "xterm")
            columns, lines = os.get_terminal_size(sys.stderr.fileno()) if sys.stderr.isatty() else (100, 25)
            fcntl.ioctl(write_to, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
        self.errors, self.progress = read_from, progress
        try:
            self.process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=write_to, env=variables, start_new_session=True)
        finally:
            os.close(write_to)

    def read_errors(self) -> bool:
        try:
            data = os.read(self.errors, 1 << 16)
        except OSError:
            data = b""  # the other end of the terminal is closed
        if data and self.progress:
            text = data.decode(errors="replace")  # a notebook knows the return to the beginning of a line, but not what clears it
            sys.stderr.write(text if sys.stderr.isatty() else text.replace("\x1b[K", " " * 99 + "\r"))
            sys.stderr.flush()
        self.messages += data
        return bool(data)

    def read_output(self) -> bool:
        assert self.process.stdout
        data = os.read(self.process.stdout.fileno(), 1 << 20)
        self.output += data
        return bool(data)

    def attend(self) -> None:
        """Until both ends are closed: reads what comes, and lets the server take its workers."""
        assert self.process.stdout
        open_ends = {self.process.stdout.fileno(): self.read_output, self.errors: self.read_errors}
        for end in open_ends:
            self.selector.register(end, selectors.EVENT_READ)
        if self.server:
            self.server.register(self.selector)
        while open_ends:
            for key, _ in self.selector.select(1.0):
                read = open_ends.get(key.fd)
                if read and not read():
                    self.selector.unregister(key.fd)
                    del open_ends[key.fd]
                elif not read and self.server:
                    self.server.attend(key)
            if self.server:
                self.server.check()
        self.process.wait()

    def end(self) -> None:
        """End the program and all its processes, in any case."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            until = time.monotonic() + GRACE
            while self.process.poll() is None and time.monotonic() < until:
                self.drain()
                time.sleep(0.01)
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
        if self.server:
            self.server.close()
        assert self.process.stdout
        self.process.stdout.close()
        os.close(self.errors)
        self.selector.close()

    def drain(self) -> None:
        assert self.process.stdout
        ends = selectors.DefaultSelector()
        for end in (self.process.stdout.fileno(), self.errors):
            ends.register(end, selectors.EVENT_READ)
        for key, _ in ends.select(0):
            (self.read_output if key.fd != self.errors else self.read_errors)()
        ends.close()


def complaints(messages: str) -> List[str]:
    """The program's messages of errors: its lines without its name, progress and notes."""
    lines = [line.split("\r")[-1].replace("\x1b[K", "").strip() for line in messages.splitlines()]
    own = [line[len("detcheck: "):] for line in lines if line.startswith("detcheck: ")]
    return [line for line in own if not line.startswith("note: ")] or [line for line in lines if line][-1:]


def run_program(words: Sequence[str], server: Optional[Server] = None, progress: bool = False, bare: Callable[[str], str] = str) -> Done:
    """Runs the program to its end. A status of 2 is an exception, and so is what went wrong in a function under test. `bare`
    takes names of temporary files out of what it has said."""
    try:
        running = Run(words, server, progress)
    except BaseException:
        if server:
            server.close()
        raise
    try:
        running.attend()
        if server:
            server.check()
    finally:
        running.end()
    messages = running.messages.decode(errors="replace")
    status = running.process.returncode
    if status == 130:
        raise KeyboardInterrupt
    if status not in (0, 1):
        said = bare("; ".join(complaints(messages))) or f"the program ended with status {status}"
        raise (UsageError if status == 2 else Error)(said)
    if messages and not progress:
        notes = [line for line in messages.splitlines() if line.strip()]
        if notes:
            print(bare("\n".join(notes)), file=sys.stderr)
    return Done(status, bare(running.output.decode(errors="replace")), messages)
