"""Ctrl-C ends a sweep soon, and what it leaves says that it is incomplete. And what a terminal gets
that a pipe does not: the progress bar and colours."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

from harness import PROGRAM, Case, environment, handles, parse, seconds_used
from report_checks import check_document, check_result

LONG = ("sweep", "tgamma", "--threads", "1")  # 2^32 inputs: minutes at the least
ESCAPE = b"\x1b"
F_SETPIPE_SZ = 1031  # of Linux
FAULTY = "lib:" + os.environ["FAULTY_LIBRARY"]


class Interrupt(Case):
    def interrupt(self, *words, lines=0, by=signal.SIGINT, env=None, work=0.2, event=None):
        """Starts the program, lets it work for so many seconds of CPU time (after it has printed that
        many lines) or until the event, and signals it. Returns (exit code, stdout, stderr)."""
        process = self.start(*words, env=env)
        before = b"".join(process.stdout.readline() for _ in range(lines))
        worked = work + seconds_used(process)
        self.wait_until(lambda: handles(process, by), process)
        self.wait_until(event or (lambda: seconds_used(process) >= worked), process)
        code, out, complaint = self.stop(process, by)
        return code, before.decode() + out, complaint

    def interrupt_once_judged(self, *words, **options):
        """Of a sweep that has judged some inputs, for all that it is slow: its checkpoint says so."""
        with tempfile.TemporaryDirectory(prefix="detcheck-test-") as folder:
            kept = os.path.join(folder, "kept")
            return self.interrupt(*words, "--checkpoint", kept, "--checkpoint-every", "0", event=lambda: os.path.exists(kept), **options)

    def check_stopped(self, code, complaint):
        self.assertEqual(code, 130, complaint)
        self.assertRegex(complaint, r"\Adetcheck: interrupted.*\n\Z")

    def check_report(self, text):
        document = parse(text)
        check_document(self, document)
        self.assertIs(document["complete"], False)
        result, = document["results"]
        check_result(self, result, complete=False)
        self.assertEqual(result["inputs"]["count"], 1 << 32)
        self.assertGreater(result["inputs"]["covered"], 0)
        self.assertEqual(result["implementations"][0]["fingerprint"], None)

    def test_report_and_text(self):
        code, out, complaint = self.interrupt_once_judged(*LONG, "--json", "r")
        self.check_stopped(code, complaint)
        self.assertRegex(out, r"\nINCOMPLETE: stopped after [0-9,]+ inputs\n")
        self.assertNotIn("fingerprint", out)
        self.assertEqual(os.listdir(self.path), ["r"])
        with open(self.path + "/r", encoding="utf-8") as stream:
            self.check_report(stream.read())

    def test_report_on_stdout(self):
        code, out, complaint = self.interrupt_once_judged(*LONG, "--json", "-", "--threads", "3")
        self.check_stopped(code, complaint)
        self.check_report(out)

    def test_termination_is_the_same(self):
        code, out, complaint = self.interrupt_once_judged(*LONG, by=signal.SIGTERM)
        self.check_stopped(code, complaint)
        self.assertIn("INCOMPLETE", out)

    def test_in_the_second_of_several(self):
        words = ("sweep", "sqrt", "tgamma", "lgamma", "--impl", "libm", "--format", "fp16,fp32",
                 "--json", "r")
        # The heading, and a row for each operation in fp16.
        code, out, complaint = self.interrupt(*words, lines=4)
        self.check_stopped(code, complaint)
        marked = [line for line in out.splitlines() if "INCOMPLETE" in line]
        self.assertEqual(len(marked), 1, out)
        with open(self.path + "/r", encoding="utf-8") as stream:
            document = parse(stream.read())
        self.assertIs(document["complete"], False)
        # fp16 is done with; the one of fp32 that was running stopped, and none began after it.
        done, stopped = document["results"][:-1], document["results"][-1]
        self.assertEqual([one["format"] for one in done[:3]], ["fp16"] * 3)
        for result in done:
            check_result(self, result)
        check_result(self, stopped, complete=False)

    def test_cases_that_are_incomplete_are_not_counted_as_the_same_without_a_word(self):
        code, out, complaint = self.interrupt("sweep", "sqrt", "tgamma", "--impl", "cr,det", "--format", "fp16,fp32", lines=5)
        self.check_stopped(code, complaint)
        self.assertRegex(out, r"  the same bits in \d of \d cases; 1 of these is incomplete\n")

    def test_slow_function_of_a_wide_format(self):
        words = ("sweep", "tgamma", "--format", "fp64", "--samples", "9000000", "--run-length", "1")
        code, _, complaint = self.interrupt(*words)
        self.check_stopped(code, complaint)

    def test_where_a_single_input_takes_long(self):
        # erfc near its underflow takes MPFR a fifth of a millisecond.
        words = ("sweep", "erfc", "--range", "0x411f0000:0x7f7fffff", "--oracle", "exact")
        code, _, complaint = self.interrupt(*words)
        self.check_stopped(code, complaint)

    def test_eval_invents_no_output(self):
        hangs = {"FAULTS": "hang@3f800000,hang@1", "HANGS_FILE": "hangs"}
        at = os.path.join(self.path, "hangs")
        for operation, library in (("sqrt", FAULTY), ("sum", FAULTY + ":sum")):
            for json in ((), ("--json", "r"), ("--json", "-")):
                code, out, complaint = self.interrupt("eval", operation, "1", "--impl", library, "--timeout", "600",
                                                      *json, env=hangs, event=lambda: os.path.exists(at))
                self.check_stopped(code, complaint)
                self.assertNotIn("ulp,", out)
                self.assertNotIn("got", out)
                self.assertEqual(os.listdir(self.path), ["hangs"])
                os.remove(at)

    def test_commands_that_run_nothing_of_others(self):
        slow = " + ".join(f"tgamma(exp(sin(exp(erf(tgamma({k}*x))))))" for k in range(1, 9))  # of which a table takes half a minute
        for words in (("bench", "tgamma", "--exhaustive"), ("emit", "tgamma", "-n", "2000000", "-o", "r"),
                      ("table", slow, "--format", "bf16", "--output", "r")):
            code, _, complaint = self.interrupt(*words, work=0.1)
            self.check_stopped(code, complaint)
            self.assertEqual(os.listdir(self.path), [])

    def test_a_pipe_that_nobody_writes_to(self):
        pipe = os.path.join(self.path, "pipe")
        os.mkfifo(pipe)
        writers = []
        self.addCleanup(lambda: [os.close(writer) for writer in writers])

        def is_opened():  # as a writer can then open it too, which from then on writes nothing
            try:
                writers.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                return False
            return True

        for words in (("gate", "pipe", "--max-ulp", "1"), ("report", "pipe"), ("merge", "pipe"),
                      ("compare", "pipe", "pipe"), ("verify", "pipe"), ("verify", "pipe", "--as", "testfloat", "--operation", "exp"),
                      ("emit", "exp", "--worst-of", "pipe"), ("sweep", "exp", "--inputs", "pipe"),
                      ("compare", "exp", "--impl", "det", "--impl", "libm", "--inputs", "pipe"),
                      ("search", "exp", "--start", "pipe")):
            # The signal may come at any time: before the call that waits, too.
            for event in (is_opened, lambda: True):
                with self.subTest(words=words, event=event):
                    code, out, complaint = self.interrupt(*words, event=event)
                    self.check_stopped(code, complaint)
                    self.assertEqual(out, "")
                    self.assertEqual(os.listdir(self.path), ["pipe"])
                while writers:
                    os.close(writers.pop())

    def write_reports(self):
        """Two of 400 results, of which none is the same."""
        entry, = self.document("sweep", "exp", "-f", "fp16", "--range", "1:1.01", "--impl", "libm", notes=True)["results"]
        one, = entry["implementations"]
        for name, fingerprint in (("a", one["fingerprint"]), ("b", "xxh3-128:" + 32 * "0")):
            results = [{**entry, "inputs": {**entry["inputs"], "description": f"range {i}"},
                        "implementations": [{**one, "fingerprint": fingerprint}]} for i in range(400)]
            self.file(name, json.dumps({**self.document("sweep", "exp", "-f", "fp8_e5m2"), "results": results}))

    def until_full(self, *words, lines=False):
        """The program, which has filled the pipe that it prints to, and waits for a reader. Where it prints some lines at a time
        the pipe is made short, and has no room for four more."""
        process = self.start(*words)
        room = fcntl.fcntl(process.stdout, fcntl.F_GETPIPE_SZ)
        if lines:
            room = fcntl.fcntl(process.stdout, F_SETPIPE_SZ, 4096)
        def is_full():
            return struct.unpack("i", fcntl.ioctl(process.stdout, termios.FIONREAD, bytes(4)))[0] >= room - 320 * lines
        self.wait_until(is_full, process)
        return process

    def test_a_reader_that_takes_no_more(self):
        self.write_reports()
        there = sorted(os.listdir(self.path))
        for words in (("compare", "a", "b"), ("compare", "a", "b", "--json", "-"), ("explain", "a", "b"), ("explain", "a", "b", "--json", "-"),
                      ("gate", "a", "--max-ulp", "0", "--json", "-"), ("report", "a", "-o", "-"),
                      ("merge", "a", "-o", "-"), ("emit", "exp", "-f", "fp32"),
                      ("table", "exp", "-f", "fp16")):
            with self.subTest(words=words):
                process = self.until_full(*words)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=240), 130)
                self.assertEqual(process.stderr.read(), b"detcheck: interrupted\n")  # after ten seconds it says more
                self.assertEqual(sorted(os.listdir(self.path)), there)

    def test_a_report_that_nobody_reads(self):
        words = ("sweep", "unary", "-f", "fp8_e5m2,fp8_e4m3fn", "--impl", "libm,det", "--json")
        for name in ("-", "part.json"):
            with self.subTest(json=name):
                process = self.until_full(*words, name, lines=name != "-")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=240), 130)
                self.assertEqual(process.stderr.read(), b"detcheck: interrupted; the results above are incomplete\n")
        with open(os.path.join(self.path, "part.json"), encoding="utf-8") as stream:  # which has what was done
            self.assertIs(json.load(stream)["complete"], False)

    def test_a_worker_that_starts_for_ever(self):
        started = os.path.join(self.path, "started")
        for words in (("sweep", "exp", "-f", "fp16"), ("eval", "exp", "1"),
                      ("compare", "exp", "-f", "fp16", "--impl", "det")):
            code, _, complaint = self.interrupt(*words, "--impl", "exec:touch started; sleep 600", "--timeout", "600",
                                                event=lambda: os.path.exists(started))
            self.check_stopped(code, complaint)
            os.remove(started)

    def test_second_signal_ends_it_at_once(self):
        process = self.start(*LONG)
        self.wait_until(lambda: handles(process), process)
        process.send_signal(signal.SIGINT)
        self.assertIn(self.stop(process)[0], (130, -signal.SIGINT))


class Terminal(Case):
    """Runs with stdout, stderr or both on a pseudo-terminal."""

    def on_terminal(self, *words, which, env=None, stop=None, columns=0):
        """(bytes that the terminal got, bytes that the pipe got). `stop` interrupts the program: a
        function of what the terminal got and of the seconds that the program has worked."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        other = subprocess.PIPE
        ends = {"stdout": slave if which == "stdout" else other,
                "stderr": slave if which == "stderr" else other}
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, cwd=self.path,
                                   env=environment({"TERM": "xterm", **(env or {})}), **ends)
        self.addCleanup(process.kill)
        os.close(slave)
        start, shown, stopped = time.monotonic(), b"", False
        while True:  # until the last writer has closed its end
            if stop and not stopped and process.poll() is None and stop(shown, seconds_used(process)):
                process.send_signal(signal.SIGINT)
                stopped = True
            self.assertLess(time.monotonic() - start, 240, "the program hangs")
            if not select.select([master], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(master, 4096)
            except OSError:  # how Linux says so
                part = b""
            if not part:
                break
            shown += part
        os.close(master)
        piped = b"".join(process.communicate(timeout=240)[i] or b"" for i in (0, 1))
        self.assertEqual(process.returncode, 130 if stopped else 0)
        return shown, piped

    def test_progress_on_a_terminal(self):
        bars = 4
        shown, piped = self.on_terminal(*LONG, which="stderr",
                                        stop=lambda shown, _: shown.count(b"%") >= bars)
        drawn = shown.split(b"\r\x1b[K")
        for bar in drawn[1:bars]:
            self.assertRegex(bar, rb"^tgamma +\[#*\.*\] +[0-9.]+ %  .*/s  .* left$")
        shares = [float(bar.split(b"]")[1].split()[0]) for bar in drawn[1:bars]]
        self.assertEqual(shares, sorted(shares))
        # The bar is gone before anything else is said.
        self.assertRegex(drawn[-1], rb"^detcheck: interrupted[^\r\n]*\r\n$")
        self.assertNotIn(ESCAPE, piped)

    def test_progress_is_as_wide_as_the_terminal(self):
        for columns in (20, 79, 133):
            shown, _ = self.on_terminal(*LONG, which="stderr", columns=columns,
                                        stop=lambda shown, _: shown.count(b"%") >= 3)
            for bar in shown.split(b"\r\x1b[K")[1:3]:
                self.assertLessEqual(len(bar), columns - 1)
                if columns >= 79:
                    self.assertEqual(len(bar), columns - 1)
                    self.assertRegex(bar, rb"^tgamma +\[#*\.*\] +[0-9.]+ %  .* left$")

    def test_no_progress_elsewhere(self):
        def after_a_while(_, seconds):
            return seconds > 1.2
        shown, _ = self.on_terminal(*LONG, which="stderr", env={"TERM": "dumb"}, stop=after_a_while)
        self.assertRegex(shown, rb"^detcheck: interrupted[^\r\n]*\r\n$")
        _, piped = self.on_terminal(*LONG, which="stdout", stop=after_a_while)
        self.assertRegex(piped, rb"^detcheck: interrupted[^\r\n]*\n$")

    def test_lines_where_there_is_no_terminal(self):
        def after_a_while(_, seconds):
            return seconds > 2.5
        env = {"DETCHECK_PROGRESS": "0.25"}
        _, piped = self.on_terminal(*LONG, which="stdout", env=env, stop=after_a_while)
        *lines, last = piped.decode().splitlines()
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^detcheck: tgamma: +[0-9.]+ %  [0-9.]+ \S*/s  .* left$")
        self.assertRegex(last, "^detcheck: interrupted")
        _, piped = self.on_terminal(*LONG, "--quiet", which="stdout", env=env, stop=after_a_while)
        self.assertRegex(piped, rb"^detcheck: interrupted[^\r\n]*\n$")
        for text in ("", "x", "-1", "1e9", "nan"):
            self.assertIn(f"DETCHECK_PROGRESS is '{text}'; it should be the number of seconds",
                          self.refuse("list", "formats", env={"DETCHECK_PROGRESS": text}))

    def test_short_runs_show_none(self):
        for _ in range(20):
            start = time.monotonic()
            shown, _ = self.on_terminal("sweep", "exp", "--format", "fp8_e5m2", which="stderr")
            if time.monotonic() - start < 0.5:
                self.assertEqual(shown, b"")
                return
        self.skipTest("nothing is short here")

    QUICK = ("sweep", "exp", "--format", "fp8_e5m2")
    TABLE = ("sweep", "exp", "sin", "--format", "fp8_e5m2")

    def test_colours_on_a_terminal_only(self):
        shown, _ = self.on_terminal(*self.QUICK, which="stdout")
        self.assertIn(b"\x1b[1mexp\x1b[0m", shown)
        plain = self.run_program(*self.QUICK).stdout
        self.assertNotIn(ESCAPE, plain)

        def without_time(text):  # the last line has the seconds and the rate
            return text.rsplit(b"\n", 2)[0]

        bare = shown.replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b"").replace(b"\r\n", b"\n")
        self.assertEqual(without_time(bare), without_time(plain))

    def test_no_color(self):
        for words in (self.QUICK, self.TABLE, ("list",), ("env",), ("eval", "exp", "1")):
            shown, _ = self.on_terminal(*words, which="stdout", env={"NO_COLOR": "1"})
            self.assertNotIn(ESCAPE, shown, words)

    def test_dumb_terminal(self):
        for words in (self.QUICK, self.TABLE):
            shown, _ = self.on_terminal(*words, which="stdout", env={"TERM": "dumb"})
            self.assertNotIn(ESCAPE, shown, words)

    def test_json_has_no_colour(self):
        shown, _ = self.on_terminal(*self.QUICK, "--json", "-", which="stdout")
        parse(shown.decode())


if __name__ == "__main__":
    unittest.main()
