"""Ctrl-C ends a sweep soon, and what it leaves says that it is incomplete. And what a terminal gets
that a pipe does not: the progress bar and colours."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from harness import PROGRAM, Case, environment, parse
from report_checks import check_document, check_result

LONG = ("sweep", "tgamma", "--threads", "1")  # 2^32 inputs: minutes at the least
ESCAPE = b"\x1b"
FAULTY = "lib:" + os.environ["FAULTY_LIBRARY"]


class Interrupt(Case):
    def interrupt(self, *words, lines=0, by=signal.SIGINT, env=None, after=0.4):
        """Starts the program, lets it work for a while (after it has printed that many lines), and
        signals it. Returns (exit code, stdout, stderr)."""
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                                   env=environment(env))
        self.addCleanup(process.kill)
        before = b"".join(process.stdout.readline() for _ in range(lines))
        time.sleep(after)
        self.assertIsNone(process.poll(), "the program ended before the signal came")
        process.send_signal(by)
        start = time.monotonic()
        out, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - start, 3)
        return process.returncode, (before + out).decode(), err.decode()

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
        code, out, complaint = self.interrupt(*LONG, "--json", "r")
        self.check_stopped(code, complaint)
        self.assertRegex(out, r"\nINCOMPLETE: stopped after [0-9,]+ inputs\n")
        self.assertNotIn("fingerprint", out)
        self.assertEqual(os.listdir(self.path), ["r"])
        with open(self.path + "/r", encoding="utf-8") as stream:
            self.check_report(stream.read())

    def test_report_on_stdout(self):
        code, out, complaint = self.interrupt(*LONG, "--json", "-", "--threads", "3")
        self.check_stopped(code, complaint)
        self.check_report(out)

    def test_termination_is_the_same(self):
        code, out, complaint = self.interrupt(*LONG, by=signal.SIGTERM)
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
        hangs = {"FAULTS": "hang@3f800000,hang@1"}
        for operation, library in (("sqrt", FAULTY), ("sum", FAULTY + ":sum")):
            for json in ((), ("--json", "r"), ("--json", "-")):
                code, out, complaint = self.interrupt("eval", operation, "1", "--impl", library,
                                                      *json, env=hangs)
                self.check_stopped(code, complaint)
                self.assertNotIn("ulp,", out)
                self.assertNotIn("got", out)
                self.assertEqual(os.listdir(self.path), [])

    def test_commands_that_run_nothing_of_others(self):
        for after, words in ((0.4, ("bench", "tgamma", "--exhaustive")),
                             (0.4, ("emit", "tgamma", "-n", "200000", "-o", "r")),
                             (0.2, ("table", "mish", "--format", "bf16", "--output", "r"))):  # takes a second
            code, _, complaint = self.interrupt(*words, after=after)
            self.check_stopped(code, complaint)
            self.assertEqual(os.listdir(self.path), [])

    def test_a_pipe_that_nobody_writes_to(self):
        os.mkfifo(os.path.join(self.path, "pipe"))
        for words in (("gate", "pipe", "--max-ulp", "1"), ("report", "pipe"), ("merge", "pipe"),
                      ("compare", "pipe", "pipe"), ("verify", "pipe"),
                      ("emit", "exp", "--worst-of", "pipe"), ("sweep", "exp", "--inputs", "pipe")):
            code, out, complaint = self.interrupt(*words)
            self.check_stopped(code, complaint)
            self.assertEqual(out, "", words)
            self.assertEqual(os.listdir(self.path), ["pipe"])

    def test_a_worker_that_starts_for_ever(self):
        for words in (("sweep", "exp", "-f", "fp16"), ("eval", "exp", "1"),
                      ("compare", "exp", "-f", "fp16", "--impl", "det")):
            code, _, complaint = self.interrupt(*words, "--impl", "exec:sleep 60", "--timeout", "60")
            self.check_stopped(code, complaint)

    def test_second_signal_ends_it_at_once(self):
        process = subprocess.Popen([PROGRAM, *LONG], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment())
        self.addCleanup(process.kill)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(timeout=3), (130, -signal.SIGINT))


class Terminal(Case):
    """Runs with stdout, stderr or both on a pseudo-terminal."""

    def on_terminal(self, *words, which, env=None, stop=None, columns=0):
        """(bytes that the terminal got, bytes that the pipe got). `stop` interrupts the program: a
        function of what the terminal got and of the seconds since the start."""
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
            if stop and not stopped and stop(shown, time.monotonic() - start):
                process.send_signal(signal.SIGINT)
                stopped = True
            self.assertLess(time.monotonic() - start, 60, "the program hangs")
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
        piped = b"".join(process.communicate(timeout=60)[i] or b"" for i in (0, 1))
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
        for columns in (20, 60, 79, 133):
            shown, _ = self.on_terminal(*LONG, which="stderr", columns=columns,
                                        stop=lambda shown, _: shown.count(b"%") >= 3)
            for bar in shown.split(b"\r\x1b[K")[1:3]:
                self.assertLessEqual(len(bar), columns - 1)
                if columns >= 79:
                    self.assertEqual(len(bar), columns - 1)
                    self.assertRegex(bar, rb"^tgamma +\[#*\.*\] +[0-9.]+ %  .* left$")

    def test_no_progress_elsewhere(self):
        def after_a_while(_, seconds):
            return seconds > 1.5
        shown, _ = self.on_terminal(*LONG, which="stderr", env={"TERM": "dumb"}, stop=after_a_while)
        self.assertRegex(shown, rb"^detcheck: interrupted[^\r\n]*\r\n$")
        _, piped = self.on_terminal(*LONG, which="stdout", stop=after_a_while)
        self.assertRegex(piped, rb"^detcheck: interrupted[^\r\n]*\n$")

    def test_short_runs_show_none(self):
        shown, _ = self.on_terminal("sweep", "exp", "--format", "fp8_e5m2", which="stderr")
        self.assertEqual(shown, b"")

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
