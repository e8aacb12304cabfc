"""detcheck asks, the Math of a browser answers, through a page that the browser opens:

    detcheck sweep sin --threads 1 --impl 'exec:python3 browser_adapter.py --browser chromium'
    detcheck sweep sin exp --threads 1 --timeout 600 --impl 'exec:python3 browser_adapter.py --port 8017'

With --browser the program of that name, Chromium or one like it, is started without a window. Else the address of the
page is told on standard error, and it waits for somebody to open it. The page serves one worker after the other at the
same address, so with --port it can stay open. --host ADDRESS lets browsers of other machines open it, such as a phone's;
whoever can reach the address can answer then.

The functions are those of javascript_functions.js: fp32 is rounded once from fp64.
"""

import argparse
import http.server
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

from adapter import np, serve

FOLDER = pathlib.Path(__file__).resolve().parent
FILES = {"/": ("browser_adapter.html", "text/html"), "/javascript_functions.js": ("javascript_functions.js", "text/javascript")}
# A browser that nobody looks at: no profile, no first run, nothing that slows hidden pages.
OPTIONS = ["--headless", "--no-first-run", "--disable-gpu", "--disable-extensions", "--disable-background-networking",
           "--disable-background-timer-throttling", "--disable-renderer-backgrounding"]


class Page(http.server.BaseHTTPRequestHandler):
    """Gives the page out, and each answer of it the next question."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm, wbufsize = True, -1  # each answer at once and in one piece: 1 ms instead of 40
    questions, answers = queue.Queue(), queue.Queue()

    def reply(self, status, body=b"", kind="application/octet-stream", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), "Cache-Control": "no-store", **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name, kind = FILES.get(self.path, (None, None))
        self.reply(200, (FOLDER / name).read_bytes(), kind) if name else self.reply(404)

    def do_POST(self):
        # Pages of others may not answer.
        if self.headers.get("Origin", "") != f"http://{self.headers.get('Host')}":
            self.reply(403)
            return
        self.answers.put((self.path, self.rfile.read(int(self.headers.get("Content-Length", 0)))))
        words, body = self.questions.get()
        self.reply(200, body, **words)

    def log_message(self, *_):
        pass


def ask(request, *operands):
    Page.questions.put(({"Operation": request.operation, "Format": request.format, "Operands": len(operands)},
                        b"".join(codes.tobytes() for codes in operands)))
    path, answer = Page.answers.get()
    while path == "/hello":  # the page was loaded again, and knows nothing of the question
        return ask(request, *operands)
    return answer


def start(request, wait):
    none = f"browser_adapter has no {request.operation} in {request.format}, {request.rounding}"
    if request.format not in ("fp32", "fp64") or request.result_format != request.format or request.rounding != "nearest-even":
        return None, none
    try:
        browser = wait()
    except OSError as error:
        return None, f"no browser: {error}"
    # The page answers a question of no inputs with nothing where it has the function, and else with what it says.
    why = ask(request, *[np.zeros(0, np.uint32)] * request.operands)
    if why:
        return None, f"{none}: {why.decode(errors='replace')}"
    rounded = ", rounded once from fp64" if request.format == "fp32" else ""
    return (lambda *codes: [np.frombuffer(ask(request, *codes), f"<u{request.result_bytes}")]), f"Math of {browser}{rounded}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", help="the program to start")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    started = []
    with tempfile.TemporaryDirectory(prefix="detcheck-browser-", ignore_cleanup_errors=True) as profile:

        def wait():
            """The name of the browser that has opened the page."""
            server = http.server.ThreadingHTTPServer((given.host, given.port), Page)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://{given.host}:{server.server_port}/"
            if given.browser:
                sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
                started.append(subprocess.Popen([given.browser, *OPTIONS, *sandbox, f"--user-data-dir={profile}", address],
                                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            else:
                print(f"open {address} in the browser", file=sys.stderr, flush=True)
            return Page.answers.get()[1].decode("ascii", "replace")

        try:
            serve(lambda request: start(request, wait))
        finally:
            for process in started:
                process.kill()
                process.wait()


if __name__ == "__main__":
    main()
