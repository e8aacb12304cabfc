"""Chromium without a window, driven by its DevTools protocol through a pipe: what a person at a page
would press and see."""

import base64
import json
import os
import select
import signal
import subprocess
import tempfile
import time


class Chromium:
    """A browser with one page; `complaints` has what the page's console and errors said."""

    def __init__(self, width=1200, height=900):
        self.profile = tempfile.TemporaryDirectory(prefix="detcheck-test-", ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def place():  # the browser reads descriptor 3 and writes descriptor 4
            reader, writer = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}",
             "--remote-debugging-pipe", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place,
            start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.complaints, self.session = b"", 0, [], [], None
        target, = (one for one in self.call("Target.getTargets")["targetInfos"]
                   if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        # Without a window the system may take the focus away at any time, and then the tabulator reaches nothing.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)  # its children write to the profile, too
        self.process.wait()
        os.close(self.into)
        os.close(self.out)
        self.profile.cleanup()

    def message(self, seconds):
        """The next message of the browser."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            more = os.read(self.into, 1 << 20)
            if not more:
                raise EOFError("Chromium has ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def keep(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown" or method == "Log.entryAdded" \
                or method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(parameters)[:500])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message(60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.keep(answer)

    def open(self, path, scheme="light"):
        """Opens a file; returns the seconds until it was laid out and its scripts had run."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.keep(self.message(60))
        self.run("document.body.offsetHeight")
        return time.monotonic() - start

    def run(self, expression):
        """The value of an expression of JavaScript."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def press(self, key, code=None, text=None, modifiers=0):
        """One key, down and up."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowDown": 40}
        common = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes.get(key, 0),
                  "modifiers": modifiers}
        text = {"Enter": "\r", " ": " "}.get(key, text)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                  **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path, **options):
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def pdf(self, path):
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(
                self.call("Page.printToPDF", printBackground=False)["data"]))
