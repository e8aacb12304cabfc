"""Functions of this process, fed by the program: it starts a relay for each of its threads (_relay.py), which hands its
pipes over. A thread here answers on them, so nothing is copied on the way."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from . import adapter
from ._callables import Served
from ._program import CallableError

__tracebackhide__ = True  # pytest shows the line that called, not these
RELAY = Path(__file__).with_name("_relay.py")


class Session:
    """A worker: its connection to the relay, and whether its thread has ended by itself."""

    def __init__(self, connection: socket.socket, served: Served) -> None:
        self.connection, self.served = connection, served
        self.thread: Optional[threading.Thread] = None
        self.is_done = False


class Server:
    """`functions` are by the names that the program knows them by."""

    def __init__(self, functions: Sequence[Served], timeout: float = 10.0) -> None:
        self.functions: Dict[str, Served] = {one.name: one for one in functions}
        self.timeout = timeout
        self.failure: Optional[BaseException] = None
        self.sessions: List[Session] = []
        self.folder = tempfile.mkdtemp(prefix="detcheck-")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.folder, "s"))
        self.listener.listen(64)
        self.wake, self.waker = os.pipe()
        self.selector: Optional[selectors.BaseSelector] = None

    def variables(self) -> Dict[str, str]:
        return {"DETCHECK_SOCKET": os.path.join(self.folder, "s"), "DETCHECK_PYTHON_WORKER": str(RELAY),
                "DETCHECK_SERVED": " ".join(self.functions)}

    def register(self, selector: selectors.BaseSelector) -> None:
        self.selector = selector
        selector.register(self.listener, selectors.EVENT_READ)
        selector.register(self.wake, selectors.EVENT_READ)

    def attend(self, key: selectors.SelectorKey) -> None:
        if key.fileobj is self.listener:
            self.accept()
        elif key.fd == self.wake:
            os.read(self.wake, 1)
        elif isinstance(key.data, Session):
            self.lose(key.data)

    def accept(self) -> None:
        assert self.selector
        connection, _ = self.listener.accept()
        connection.settimeout(10)
        try:
            name, ends, _, _ = socket.recv_fds(connection, 256, 2)
        except OSError:
            connection.close()
            return
        served = self.functions.get(name.decode(errors="replace"))
        if not served or len(ends) != 2:
            for end in ends:
                os.close(end)
            connection.close()
            return
        session = Session(connection, served)
        self.sessions.append(session)
        self.selector.register(connection, selectors.EVENT_READ, session)
        # A daemon, lest a function that never returns keep Python from ending.
        session.thread = threading.Thread(target=self.work, args=(session, *ends), daemon=True, name=f"detcheck {served.name}")
        session.thread.start()

    def work(self, session: Session, source: int, sink: int) -> None:
        served = session.served
        try:
            adapter.serve(served.start, arrays=True, conditions=served.conditions(), stream=adapter.Stream(source, sink))
        except (BrokenPipeError, EOFError):
            pass
        except BaseException as error:  # what a function under test raises is told by the thread that asked for it
            if not self.failure:
                self.failure = error
        finally:
            session.is_done = True
            os.close(source)
            os.close(sink)
            with contextlib.suppress(OSError):
                session.connection.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                os.write(self.waker, b"!")

    def lose(self, session: Session) -> None:
        """The relay is gone: since its work is done, or since the program has waited for long enough."""
        assert self.selector
        self.selector.unregister(session.connection)
        session.connection.close()
        busy = list(session.served.busy.values())
        if not session.is_done and busy and not self.failure:
            self.failure = CallableError(f"{session.served.name} did not return within {self.timeout:g} s for {busy[0]}")

    def check(self) -> None:
        """Raises what went wrong in a function under test."""
        if self.failure:
            raise self.failure

    def close(self) -> None:
        self.listener.close()
        for session in self.sessions:
            with contextlib.suppress(OSError):
                session.connection.shutdown(socket.SHUT_RDWR)
            session.connection.close()
        for session in self.sessions:
            if session.thread and session.is_done:
                session.thread.join(1)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.wake)
        waker, self.waker = self.waker, -1
        os.close(waker)
