"""exec: against a worker that crashes, hangs, ends, answers too little, too much or something else.

Environment: DETCHECK; DETCHECK_ALTERED, the same with made-up operations; the worker is faulty_worker.py beside this file.
"""

import os
import shlex
import subprocess
import sys
import time
import unittest

from harness import NO_LIMIT, PROGRAM, Case, is_emulated, parse, without_run

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_worker.py")
COMMAND = f"exec:{shlex.quote(sys.executable)} -E -s -S {shlex.quote(WORKER)}"  # quick to start
FIRST = 0x3F800000
RANGE = ("--range", "0x3f800000:0x3f8000ff")  # 2^8 inputs from 1 on


def bits(code):
    return f"0x{code:08x}"


class Exec(Case):
    def sweep(self, *words, faults=(), code=None, operation="sqrt", command=COMMAND, timeout=60,
              program=PROGRAM, **settings):
        env = {"FAULTS": ",".join(f"{kind}@{at:x}" for kind, at in faults), **settings}
        done = self.run_program("sweep", operation, "--impl", command, "--timeout", timeout, "--json",
                                "-", *words, env=env, program=program)
        self.assertEqual(done.returncode, (1 if faults else 0) if code is None else code, done.stderr)
        return done

    def entries(self, *words, **options):
        """One for each result."""
        results = parse(self.sweep(*words, **options).stdout.decode())["results"]
        return [result["implementations"][0] for result in results]

    def entry(self, *words, **options):
        found, = self.entries(*words, **options)
        return found

    def complaint(self, *words, **options):
        done = self.sweep(*words, code=2, **options)
        own = [line for line in done.stderr.decode().splitlines() if line.startswith("detcheck: ")]
        self.assertEqual(len(own), 1, done.stderr)
        self.assertEqual(done.stdout, b"")
        return own[0]

    def lines(self, *words, **options):
        """What the worker was asked, on one thread."""
        path = os.path.join(self.path, "record")
        self.entries(*words, "--threads", 1, RECORD=path, **options)
        with open(path, encoding="ascii") as stream:
            return stream.read().splitlines()


class Protocol(Exec):
    def test_consecutive_inputs_are_asked_for_as_a_range(self):
        lines = self.lines(*RANGE)
        self.assertEqual(lines, ["1 1 1 4 4 sqrt fp32 fp32 nearest-even gaps=1", f"range 256 {FIRST}"])

    def test_scattered_inputs_are_asked_for_as_a_block(self):
        lines = self.lines("-n", 500, "-f", "fp64", "-r", "down")
        self.assertEqual(lines, ["1 1 1 8 8 sqrt fp64 fp64 down gaps=1", "block 500 0"])

    def test_two_operands(self):
        lines = self.lines("--range", "1:1.0000001", "--range", "2:2", operation="add")
        self.assertEqual(lines, ["1 2 1 4 4 add fp32 fp32 nearest-even gaps=1", "block 2 0"])
        entry = self.entry("--range", "1:1.000001", "--range", "2:2.000001", operation="add")
        self.assertEqual((entry["tested"], entry["incorrectly_rounded"]), (9 * 5, 0))

    def test_two_results(self):
        sine, cosine = self.entries("--range", "0x20000000:0x200000ff", operation="sincos")
        for entry in (sine, cosine):
            self.assertEqual((entry["tested"], entry["correctly_rounded"]), (256, 256))

    def test_parameters_and_results_in_another_format(self):
        options = {"operation": "narrow", "program": os.environ["DETCHECK_ALTERED"]}
        words = ("-f", "fp64", "--to", "fp32", "--range", "1:2", "-n", 500)
        lines = self.lines(*words, **options)
        self.assertEqual(lines, ["1 1 1 8 4 narrow fp64 fp32 nearest-even to=fp32 gaps=1", "block 500 0"])
        entry = self.entry(*words, **options)
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (500, 500))

    def test_a_right_worker_is_right_at_special_values(self):
        entry = self.entry("--special")
        self.assertEqual((entry["incorrectly_rounded"], entry["nan_mismatches"]), (0, 0))
        self.assertEqual(entry["detail"], "test")

    def test_requests_in_succession_are_never_of_one_size(self):
        # Or a second answer to the one would be taken for the answer to the other.
        for words in (("-n", 40000), ("--range", "1:1.5")):
            counts = [int(line.split()[1]) for line in self.lines(*words)[1:]]
            os.remove(os.path.join(self.path, "record"))
            self.assertGreater(len(counts), 8)
            self.assertLessEqual(max(counts), 32768)
            for one, other in zip(counts, counts[1:]):
                self.assertNotEqual(one, other)

    def test_one_process_for_each_thread(self):
        path = os.path.join(self.path, "record")
        self.entries("-n", 20000, "--threads", 3, RECORD=path)
        with open(path, encoding="ascii") as stream:
            self.assertEqual(stream.read().count("sqrt"), 3)

    def test_a_name_that_is_no_text(self):
        self.assertEqual(self.entry(*RANGE, STARTS="bytes")["detail"], "te?")

    def test_eval(self):
        text = self.succeed("eval", "sqrt", "2", "--impl", COMMAND)
        self.assertIn("0x3fb504f3\n            0.2030314441 ulp, correctly rounded", text)

    def test_the_shell_runs_it(self):
        entry = self.entry(*RANGE, command=f"exec:true && {COMMAND[5:]} 2>&1 | cat")
        self.assertEqual(entry["correctly_rounded"], 256)


class Flags(Exec):
    """What a worker tells of exception flags and errno."""

    def eval(self, *words, code=0, **env):
        done = self.run_program("eval", "sqrt", "-1", "--impl", COMMAND, "--json", "-", *words, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        return parse(done.stdout.decode())["results"][0]["implementations"][0] if not code else done.stderr.decode()

    def test_they_are_told_where_they_are_asked_for(self):
        path = os.path.join(self.path, "record")
        answer = self.eval("--flags", "--errno", TELLS="6,17,2,1", RECORD=path)
        self.assertEqual(answer["flags"], {"promised": True, "raised": ["invalid", "inexact"], "missing": [],
                                           "spurious": ["inexact"], "cleared": ["divide-by-zero"]})
        self.assertEqual(answer["errno"], {"got": "EDOM", "right": True})
        with open(path, encoding="ascii") as stream:
            self.assertIn(" flags=1 errno=1\n", stream.readline())

    def test_one_without_the_other(self):
        answer = self.eval("--flags", "--errno", TELLS="4,0,0,0")
        self.assertEqual(answer["flags"]["missing"], ["invalid"])
        self.assertNotIn("errno", answer)
        answer = self.eval("--flags", "--errno", TELLS="5,0,0,0")
        self.assertEqual(answer["errno"], {"got": "none", "right": False})
        self.assertNotIn("flags", answer)

    def test_a_worker_that_does_not_know_of_them_goes_on(self):
        path = os.path.join(self.path, "record")
        self.assertNotIn("flags", self.eval("--flags", "--errno"))
        self.eval(RECORD=path)
        with open(path, encoding="ascii") as stream:
            self.assertNotIn("flags", stream.read())

    def test_what_is_told_has_to_be_right(self):
        for tells in ("4,32,0,0", "4,0,255,0", "5,0,0,4"):
            self.assertIn("is not an answer", self.eval("--flags", "--errno", code=2, TELLS=tells))
        self.assertIn("replied with the status 4", self.eval(code=2, TELLS="4,0,0,0"))
        self.assertIn("replied with the status 6", self.eval("--flags", code=2, TELLS="6,0,0,0"))
        self.assertIn("replied with the status 7", self.eval("--flags", "--errno", code=2, TELLS="7,0,0,0"))

    def test_requests_of_one_size_in_succession(self):
        lines = self.file("lines", "3F800000 3F800000 01\n" * 32769)
        words = ("verify", lines, "--as", "testfloat", "--operation", "sqrt", "--flags", "--impl", COMMAND)
        done = self.run_program(*words, env={"TELLS": "4,16,0,0"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = self.run_program(*words, env={"TELLS": "4,0,16,0"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"32,769 of 32,769 tests fail, 32,769 by their flags", done.stdout)


class Events(Exec):
    def check(self, *faults, kind, timeout=60, count=256, words=()):
        words += ("--range", f"{FIRST:#x}:{FIRST + count - 1:#x}")
        entry = self.entry(*words, faults=faults, timeout=timeout)
        codes = sorted(at for _, at in faults)
        self.assertEqual(entry["events"], [{"kind": kind, "input": bits(at)} for at in codes])
        lost = len(faults)
        self.assertEqual((entry["unanswered"], entry["tested"], entry["correctly_rounded"]),
                         (lost, count - lost, count - lost))
        self.assertIsNone(entry["fingerprint"])

    def test_every_crash_is_named(self):
        self.check(("crash", FIRST), ("crash", FIRST + 170), kind="crash")

    def test_crash_below_a_shell(self):
        faults = [("crash", FIRST + 2)]
        entry = self.entry(*RANGE, faults=faults, command=f"exec:true; {COMMAND[5:]}; exit $?")
        self.assertEqual(entry["events"], [{"kind": "crash", "input": bits(FIRST + 2)}])

    def test_every_exit_is_named(self):
        self.check(("exit", FIRST + 1), ("exit", FIRST + 255), kind="exit")

    def test_a_hang_is_named(self):
        self.check(("hang", FIRST + 99), kind="hang", timeout=2)

    def test_short_answer_then_the_end(self):
        self.check(("short", FIRST + 5), kind="exit")

    def test_short_answer_then_nothing(self):
        self.check(("stall", FIRST + 128), kind="hang", timeout=2)

    def test_bytes_that_trickle_are_no_progress(self):
        self.check(("trickle", FIRST + 3), kind="hang", timeout=1.5, count=8)

    def test_a_second_answer_is_never_taken_for_another(self):
        # 4 blocks of 4096; the second answer comes before the next request, after it, or after the one that follows: then
        # 4,096 outputs were judged that were those of other inputs.
        words = ("--range", "0x3f800000:0x3f803fff", "--threads", 1)
        for kind in ("twice", "late", "later"):
            for at in (FIRST, FIRST + 5000):
                with self.subTest(kind=kind, at=at):
                    entry = self.entry(*words, faults=[(kind, at)])
                    self.assertEqual(entry["event_counts"], {"answered-twice": 1})
                    self.assertEqual((entry["tested"], entry["correctly_rounded"]), (16384, 16384))

    def test_no_second_answer_is_judged(self):
        entry = self.entry("-n", 20000, faults=[("twice", FIRST)], EACH="twice")
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (20000, 20000))
        self.assertGreater(entry["event_counts"]["answered-twice"], 0)

    @unittest.skipIf(is_emulated(), NO_LIMIT)
    def test_the_limit_of_memory_ends_a_worker(self):
        self.check(("grow", FIRST + 3), kind="exit", count=16, words=("--memory", "512"))
        entry = self.entry(*RANGE, faults=[("grow", FIRST + 3)], code=0)
        self.assertEqual(entry["correctly_rounded"], 256)

    def test_a_closed_output_is_named(self):
        self.check(("close", FIRST + 6), kind="exit", count=8)

    def test_slow_is_no_event(self):
        # 10 ms for each input of a block is more than the time for 256, and not for one.
        entry = self.entry(*RANGE, faults=[("slow", FIRST + 3)], timeout=2, code=0)
        self.assertEqual((entry["events"], entry["unanswered"]), ([], 0))
        self.assertEqual(entry["correctly_rounded"], 256)

    def test_threads_do_not_change_the_report(self):
        faults = [("crash", FIRST + 4099), ("exit", FIRST + 9000)]
        words = ("--range", "0x3f800000:0x3f802fff")
        texts = {without_run(self.sweep(*words, "--threads", threads, faults=faults).stdout.decode())
                 for threads in (1, 3)}
        self.assertEqual(len(texts), 1)


class AskedAgain(Exec):
    """The first process sends half of its answer and is lost. What had come of it was wrong, what the next one says is right."""

    FAULT = f"short@{FIRST + 200:x}"
    HALF = 127  # the codes in (8 + 4 * 256 + 4) // 2 bytes

    def ask(self, *words, code=1, **env):
        record = os.path.join(self.path, "record")
        if os.path.exists(record):
            os.remove(record)
        done = self.run_program(*words, "--impl", COMMAND, "--threads", 1, "--json", "-",
                                env={"FAULTS": self.FAULT, "STARTS": "wrong", "RECORD": record, **env})
        self.assertEqual(done.returncode, code, done.stderr)
        return parse(done.stdout.decode())

    def test_sweep(self):
        entry = self.ask("sweep", "sqrt", *RANGE)["results"][0]["implementations"][0]
        self.assertEqual(entry["event_counts"], {"exit": 1, "answers-differ": 1})
        self.assertEqual((entry["incorrectly_rounded"], entry["unanswered"]), (self.HALF, 1))
        self.assertIn(entry["max_ulp"]["got"], [f"0x{FIRST + 0x800000 + i:08x}" for i in range(self.HALF)])

    def test_two_results(self):
        # All of the first result comes before the second: there is no whole answer in the first half.
        document = self.ask("sweep", "sincos", "--range", "0x20000000:0x200000ff", FAULTS="short@20000020")
        for result in document["results"]:
            entry = result["implementations"][0]
            self.assertEqual((entry["event_counts"], entry["incorrectly_rounded"]), ({"exit": 1}, 0))

    def test_compare(self):
        row = self.ask("compare", "sqrt", *RANGE, "--impl", "libm")["comparisons"][0]
        self.assertEqual((row["differ"], row["tested"]), (self.HALF, 255))

    def test_search(self):
        words = ("search", "sqrt", "-f", "fp64", "--evaluations", 9000, "--range", "1:2", "--threads", 1)
        result, = self.ask(*words, FAULTS="short@3ff0000000000000")["results"]
        self.assertGreater(result["inputs"]["search"]["parts"][0]["best"][0]["error"], 1e12)
        done = self.run_program(*words, "--impl", COMMAND, env={"FAULTS": "short@3ff0000000000000", "STARTS": "wrong",
                                                                "RECORD": os.path.join(self.path, "another")})
        self.assertIn(f"{COMMAND} gave another answer when it was judged: 6.36e+15 ulp off at  ", done.stdout.decode())


class Idle(Exec):
    """Of a command of several phases: each binds, and takes the workers of the phase before.

    The asin of this worker is right at tiny numbers only: explain sees that it is no library's without a million samples."""

    def explain(self, *words, command=COMMAND, **env):
        """What explain says of the worker, and how often it was started."""
        record = os.path.join(self.path, "record")
        if os.path.exists(record):
            os.remove(record)
        done = self.run_program("explain", "asin", "--range", "0x20000000:0x200000ff", "--impl", "cr", "--impl", command, "--json",
                                "-", *words, env={"RECORD": record, **env})
        with open(record, encoding="ascii") as stream:
            starts = sum("asin" in line for line in stream)
        row = parse(done.stdout.decode())["results"][0]["implementations"][0]["explanation"]
        self.assertEqual((row["tested"], row["differ"]), (256, 0))
        return row["b"].get("event_counts", {}), starts

    def test_phases_share_workers(self):
        for threads in (1, 2):
            self.assertEqual(self.explain("--threads", threads), ({}, threads))

    def test_what_one_writes_while_it_waits_is_told(self):
        # The phase ends with the answer, and the second one is there when the next phase begins.
        events, starts = self.explain("--threads", 1, FAULTS="twice@20000000")
        self.assertEqual(set(events), {"answered-twice"})
        self.assertGreater(starts, 1)

    def test_one_that_has_ended_serves_no_more(self):
        events, starts = self.explain("--threads", 1, FAULTS="leave@20000000")
        self.assertEqual(events, {})
        self.assertGreater(starts, 1)

    def test_a_command_that_is_replaced_is_started_again(self):
        with open(WORKER, encoding="utf-8") as stream:
            path = self.file("replaced.py", stream.read().encode())
        command = f"exec:{shlex.quote(sys.executable)} -s -S {path}"
        environment = {"STARTS": "replace", "PYTHONPATH": os.path.dirname(WORKER)}
        self.assertEqual(self.explain("--threads", 1, command=command, **environment), ({}, 2))

    def test_other_headers_want_other_workers(self):
        path = os.path.join(self.path, "record")
        self.run_program("explain", "asin", "-f", "fp32,fp64", "--range", "0x1p-70:0x1.1p-70", "-n", 300, "--threads", 1,
                         "--impl", "libm", "--impl", COMMAND, env={"RECORD": path})
        with open(path, encoding="ascii") as stream:
            formats = [line.split()[6] for line in stream if "asin" in line]
        self.assertEqual(formats, ["fp32", "fp64"])


class Flaky(Exec):
    """A worker that hangs at about one of so many inputs, at others each time."""

    def test_it_is_given_up(self):
        # Each phase searched for the input each time: this took minutes.
        record = os.path.join(self.path, "record")
        done = self.run_program("explain", "asin", "--range", "0x20000000:0x20000063", "--timeout", 0.3, "--threads", 1, "--impl",
                                "cr", "--impl", COMMAND, "--json", "-", env={"FLAKY": "10", "RECORD": record})
        self.assertEqual(done.returncode, 1, done.stderr)
        row = parse(done.stdout.decode())["results"][0]["implementations"][0]["explanation"]
        self.assertGreater(row["b"]["event_counts"]["given-up"], 0)
        self.assertGreater(row["b"]["event_counts"]["hang"], 0)
        self.assertEqual(row["differ"], 0)
        with open(record, encoding="ascii") as stream:
            self.assertLess(sum("asin" in line for line in stream), 100)

    def test_what_is_known_of_its_hangs_serves_the_next_phase(self):
        # A slow worker: the second phase asks for no more inputs at a time than the first one found to be quick enough.
        record = os.path.join(self.path, "record")
        done = self.run_program("explain", "asin", "--range", "0x20000000:0x200000ff", "--timeout", 1, "--threads", 1, "--impl", "cr",
                                "--impl", COMMAND, "--json", "-", env={"FAULTS": "slow@20000000", "RECORD": record})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(record, encoding="ascii") as stream:
            counts = [int(line.split()[1]) for line in stream if line[0] in "br"]
        self.assertEqual(counts.count(256), 1)


class Errors(Exec):
    def test_an_answer_that_is_none_ends_the_run(self):
        for kind in ("junk", "long", "count"):
            with self.subTest(kind=kind):
                complaint = self.complaint(*RANGE, faults=[(kind, FIRST + 3)])
                self.assertIn("detcheck-exec(7)", complaint)

    def test_no_such_command(self):
        for command, where in (("./no-such-command", ""), ("no-such-command -x 'y'", " in PATH")):
            done = self.sweep(*RANGE, command="exec:" + command, code=2)
            self.assertEqual(done.stderr.decode(), f"detcheck: exec:{command} cannot be started: there is no program "
                                                   f"{command.split()[0]}{where}\n")
        done = self.sweep(*RANGE, command="exec:./no-such-command,det", code=2)
        self.assertEqual(done.stderr.decode(), "detcheck: exec:./no-such-command,det cannot be started: there is no program ./no-such-command,det; "
                         "exec: takes all of the rest as its command, commas too: for another implementation give --impl again\n")
        done = self.sweep(*RANGE, command="exec:(./no-such-command)", code=2)
        self.assertIn(b"not found", done.stderr)  # the shell's own words
        self.assertIn(b"ended with status 127 before it reported that it is ready", done.stderr)

    def test_dead_at_once(self):
        done = self.sweep(*RANGE, STARTS="dead", code=2)
        self.assertIn(b"this worker does not work", done.stderr)
        self.assertIn(b"ended with status 1 before", done.stderr)

    def test_text_in_place_of_a_reply(self):
        self.assertIn("began with 'Hello, w'", self.complaint(*RANGE, STARTS="junk"))
        self.assertIn("began with", self.complaint(*RANGE, command="exec:yes"))

    def test_others_that_are_no_workers(self):
        self.assertIn("before it reported", self.complaint(*RANGE, command="exec:true"))
        self.assertIn("began with 'detcheck'", self.complaint(*RANGE, command="exec:cat"))

    def test_the_reason_of_a_refusal_is_printed(self):
        complaint = self.complaint(*RANGE, STARTS="refuse")
        self.assertIn("nothing was tested: it does not feel like it", complaint)

    def test_unknown_status(self):
        self.assertIn("it does not say why", self.complaint(*RANGE, STARTS="mute"))
        complaint = self.complaint(*RANGE, "-t", 1, STARTS="later", faults=[("crash", FIRST)],
                                   RECORD=os.path.join(self.path, "record"))
        self.assertIn("replied with another status when it was started again", complaint)
        complaint = self.complaint(*RANGE, STARTS="status")
        self.assertIn("replied with the status 9, where detcheck-exec(7) has 0 for ready", complaint)

    @unittest.skipIf(is_emulated(), NO_LIMIT)
    def test_no_memory_to_run_in(self):
        self.assertIn("before it reported", self.complaint(*RANGE, "--memory", "1"))
        for text in ("0", "x", "-1", "1G"):
            self.assertIn("--memory", self.refuse("sweep", "sqrt", "--impl", COMMAND, f"--memory={text}"))

    def test_nothing_after_the_colon(self):
        self.assertIn("exec:", self.refuse("sweep", "sqrt", "--impl", "exec:"))


class Ends(Exec):
    def left(self):
        """Processes of the worker that are still there."""
        listed = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, text=True, check=True)
        return [line for line in listed.stdout.splitlines() if self.mark in line]

    def run_until(self, count, env, *words, before="", after=""):
        """Starts a sweep and waits until so many workers were asked."""
        record = os.path.join(self.path, "record")
        command = f"exec:{before}{COMMAND[5:]} {self.mark}{after}"
        program = self.start("sweep", "sqrt", "--threads", "2", "--impl", command, "--timeout", "600", *words,
                             env={"RECORD": record, **env})

        def are_asked():
            if not os.path.exists(record):
                return False
            with open(record, encoding="ascii") as stream:
                return stream.read().count("range") >= count

        self.wait_until(are_asked, program)
        return program

    def setUp(self):
        super().setUp()
        self.mark = f"mark-{os.getpid()}-{id(self)}"

    def test_interrupted_while_a_worker_hangs(self):
        program = self.run_until(2, {"FAULTS": "hang@3f800000,hang@3f801000"}, "--range",
                                 "0x3f800000:0x3f801fff")
        code, _, complaint = self.stop(program)
        self.assertEqual(code, 130, complaint)
        self.assertEqual(self.left(), [])

    def test_killed_while_a_worker_hangs(self):
        # The command takes the shell's place, or it is below a shell that waits for it.
        for before, after in (("", ""), ("true && ", " | cat")):
            with self.subTest(after=after):
                program = self.run_until(2, {"FAULTS": "hang@3f800000,hang@3f801000"}, "--range",
                                         "0x3f800000:0x3f801fff", before=before, after=after)
                program.kill()
                program.communicate(timeout=240)
                end = time.monotonic() + 60
                while self.left() and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertEqual(self.left(), [])
                os.remove(os.path.join(self.path, "record"))

    def test_nothing_is_left_behind(self):
        self.sweep(*RANGE, faults=[("hang", FIRST + 9)], timeout=1.5, command=f"{COMMAND} {self.mark}")
        self.assertEqual(self.left(), [])
        self.run_program("explain", "sqrt", *RANGE, "--impl", "libm", "--impl", f"{COMMAND} {self.mark}")
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
