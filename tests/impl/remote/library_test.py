"""lib: against libraries that crash, hang, end the process, change the floating-point environment: each
input that does so is named in the report, all others are judged as if nothing had happened.

Environment: DETCHECK; FAULTY_LIBRARY and FLUSHING_LIBRARY, of faulty_library.c; SANITIZE, the sanitizers
that detcheck is built with.
"""

import json
import os
import platform
import random
import resource
import signal
import subprocess
import time
import unittest

from harness import PROGRAM, Case, parse, without_run

FAULTY = os.environ["FAULTY_LIBRARY"]
FLUSHING = os.environ["FLUSHING_LIBRARY"]
ADDRESS = "address" in os.environ["SANITIZE"]
X86 = platform.machine() in ("x86_64", "AMD64")
FIRST = 0x3F800000
RANGE = ("--range", "0x3f800000:0x3f80ffff")  # 2^16 inputs from 1 on
LOST = {"crash": "crash", "abort": "crash", "exit": "exit", "hang": "hang", "once": "crash"}
CHANGED = {"up": "rounding-changed", "flush": "flushing-changed", "x87": "precision-changed",
           "traps": "traps-changed", "stack": "registers-changed", "down": "direction-changed"}
ON_X86 = ("flush", "x87", "traps", "stack", "down")


def bits(code):
    return f"0x{code:08x}"


class Library(Case):
    def sweep(self, *words, function="", operation="sqrt", faults=(), code=None, timeout=0.6):
        """The report of a sweep; `faults` are pairs of a kind and a code."""
        listed = ",".join(f"{kind}@{at:x}" for kind, at in faults)
        env = {"FAULTS": listed, "FAULTS_FILE": os.path.join(self.path, "once")}
        done = self.run_program("sweep", operation, "--impl", f"lib:{FAULTY}{function}",
                                "--timeout", timeout, "--json", "-", *words, env=env)
        if code is None:
            code = 1 if faults else 0
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def entries(self, *words, **options):
        return [one["implementations"][0] for one in parse(self.sweep(*words, **options))["results"]]

    def entry(self, *words, **options):
        found, = self.entries(*words, **options)
        return found

    def check(self, entry, faults, count=1 << 16):
        """The report names these faults and no others, and judges all other inputs right."""
        expected = [{"kind": {**LOST, **CHANGED}[kind], "input": bits(at)}
                    for kind, at in sorted(faults, key=lambda fault: fault[1])]
        self.assertEqual(entry["events"], expected[:16])
        kinds = [event["kind"] for event in expected]
        self.assertEqual(entry["event_counts"], {kind: kinds.count(kind) for kind in kinds})
        lost = sum(kind in LOST for kind, _ in faults)
        self.assertEqual(entry["unanswered"], lost)
        self.assertEqual(entry["tested"], count - lost)
        self.assertEqual(entry["correctly_rounded"], count - lost)
        self.assertEqual(entry["fingerprint"] is None, lost > 0)


class Faults(Library):
    def test_a_right_library_has_no_events(self):
        self.check(self.entry(*RANGE), [])

    def test_each_alone_wherever_it_is(self):
        places = [FIRST, FIRST + 1, FIRST + 4095, FIRST + 4096, FIRST + 0xFFFF]
        for kind, most in (("crash", 5), ("abort", 1), ("exit", 3), ("hang", 2), ("up", 3), ("flush", 2),
                           ("x87", 2), ("traps", 2), ("stack", 2), ("down", 2)):
            for at in places[:most] if X86 or kind not in ON_X86 else ():
                with self.subTest(kind=kind, at=at):
                    self.check(self.entry(*RANGE, faults=[(kind, at)]), [(kind, at)])

    def test_many_at_once(self):
        draw = random.Random(6)
        kinds = ["crash", "abort", "exit", "up"] + list(ON_X86) * X86
        codes = draw.sample(range(FIRST, FIRST + 0x10000), 24)
        faults = [(draw.choice(kinds), at) for at in codes] + [("hang", FIRST + 77)]
        faults += [("crash", FIRST + 5000 + i) for i in range(10)]
        faults = list({at: (kind, at) for kind, at in faults}.values())
        self.check(self.entry(*RANGE, faults=faults), faults)

    def test_arrays_are_divided_until_the_input_is_found(self):
        faults = [("crash", FIRST), ("exit", FIRST + 4095), ("hang", FIRST + 7000),
                  ("crash", FIRST + 7001), ("up", FIRST + 30000)]
        self.check(self.entry(*RANGE, function=":sqrt_array,array", faults=faults), faults)

    def test_verify(self):
        path = os.path.join(self.path, "v.json")
        self.succeed("emit", "sqrt", "--count", 20, "-o", path)
        began = time.monotonic()
        for kind in ("hang", "crash", "exit"):
            done = self.run_program("verify", path, "--impl", "lib:" + FAULTY, "--timeout", 0.5,
                                    env={"FAULTS": f"{kind}@{FIRST:x}"})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stdout.decode(), rf"test \d+: {kind}\n +x +1 ")
        self.assertLess(time.monotonic() - began, 9)  # and not the ten seconds that are the default
        self.succeed("verify", path, "--impl", "lib:" + FAULTY, "--no-isolation")
        if not ADDRESS:  # which tells of the crash itself
            done = self.run_program("verify", path, "--impl", "lib:" + FAULTY, "--no-isolation",
                                    env={"FAULTS": f"crash@{FIRST:x}"})
            self.assertIn(b"crashed, most likely in the implementation under test", done.stderr)
        self.refuse("verify", path, "--impl", "lib:" + FAULTY, "--timeout", "soon")

    def test_compare(self):
        faults = {"FAULTS": f"crash@{FIRST + 9:x},hang@{FIRST + 3:x},up@{FIRST + 1:x}"}
        words = ("compare", "sqrt", "--impl", "lib:" + FAULTY, "--impl", "libm", *RANGE, "--timeout", 0.5)
        done = self.run_program(*words, env=faults)
        self.assertEqual(done.returncode, 1, done.stderr)
        text = done.stdout.decode()
        self.assertIn("they differ\n", text)
        self.assertIn("  A 1 crash, 1 hang, 1 rounding-changed; the first at input 1, rounding-changed\n", text)
        self.assertIn("  2 inputs without an answer are not compared\n  0 of 65,534 inputs have other bits\n", text)
        done = self.run_program(*words, "--json", "-", env=faults)
        row, = parse(done.stdout)["comparisons"]
        self.assertEqual((row["equal"], row["tested"], row["differ"], row["unanswered"]), (False, 65534, 0, 2))
        self.assertEqual(row["a_events"], {"crash": 1, "hang": 1, "rounding-changed": 1, "first": [bits(FIRST + 1)]})
        self.assertNotIn("b_events", row)
        self.assertIn(": equal\n", self.succeed(*words))
        # Of files too.
        for name, library in (("a", "lib:" + FAULTY), ("b", "libm")):
            self.succeed("sweep", "sqrt", "--impl", library, "--fingerprints", name, *RANGE)
        self.refuse("compare", "a", "b", "--timeout", "soon")

    def test_interrupted_while_an_input_hangs(self):
        path = os.path.join(self.path, "v.json")
        self.succeed("emit", "sqrt", "--count", 20, "-o", path)
        library = ("--impl", "lib:" + FAULTY, "--timeout", "60")
        for words in (("compare", "sqrt", *library, "--impl", "libm", "--range", "1:1.0001"),
                      ("verify", path, *library), ("verify", path, path, *library)):
            with self.subTest(words=words):
                process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           env={**os.environ, "FAULTS": f"hang@{FIRST:x}"})
                time.sleep(1)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130, err)
                self.assertIn(b"interrupted", err)
                self.assertNotIn(b"want", out)

    def test_of_two_operands(self):
        words = ("--range", "0x3f800000:0x3f8000ff", "--range", "0x3f800000:0x3f800009")
        for function in (":add_them", ":add_array,array"):
            with self.subTest(function=function):
                entry = self.entry(*words, function=function, operation="add",
                                   faults=[("crash", FIRST + 9)])
                self.assertEqual(entry["event_counts"], {"crash": 10})
                self.assertEqual([event["input"] for event in entry["events"]],
                                 [[bits(FIRST + 9), bits(FIRST + i)] for i in range(10)])
                self.assertEqual((entry["tested"], entry["correctly_rounded"]), (2550, 2550))

    def test_of_three_operands(self):
        entry = self.entry("-n", 1000, function=":multiply_add", operation="fma")
        self.assertEqual((entry["tested"], entry["incorrectly_rounded"]), (1000, 0))

    def test_of_two_results(self):
        small = 0x20000000
        words = ("--range", f"{small:#x}:{small + 999:#x}")
        for function in (":sine_and_cosine", ":sincos_array,array"):
            with self.subTest(function=function):
                found = self.entries(*words, function=function, operation="sincos",
                                     faults=[("crash", small + 5)])
                self.assertEqual(len(found), 2)
                for entry in found:
                    self.assertEqual(entry["events"], [{"kind": "crash", "input": bits(small + 5)}])
                    self.assertEqual((entry["tested"], entry["correctly_rounded"]), (999, 999))

    def test_a_crash_in_fp64_is_named(self):
        at = 0x3FF0000000000123
        entry = self.entry("-f", "fp64", "--range", "0x3ff0000000000000:0x3ff00000000003ff",
                           faults=[("crash", at)])
        self.assertEqual(entry["events"], [{"kind": "crash", "input": f"0x{at:016x}"}])
        self.assertEqual(entry["correctly_rounded"], 1023)

    def test_in_a_narrow_format(self):
        entry = self.entry("-f", "fp16", faults=[("hang", FIRST)])
        self.assertEqual(entry["events"], [{"kind": "hang", "input": "0x3c00"}])
        self.assertEqual((entry["tested"], entry["unanswered"]), (65535, 1))

    def test_in_another_rounding(self):
        entry = self.entry(*RANGE, "--rounding", "down", faults=[("up", FIRST + 3)])
        self.check(entry, [("up", FIRST + 3)])

    def test_a_crash_by_chance_is_told_and_loses_nothing(self):
        entry = self.entry(*RANGE, faults=[("once", FIRST + 100)], function=":sqrt_array,array")
        self.assertEqual(entry["event_counts"], {"crash": 1})
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (1 << 16, 1 << 16))
        self.assertIsNotNone(entry["fingerprint"])

    def test_every_input_crashes(self):
        # After 16 in succession 16 are passed over, then 32 ...; until one is answered.
        words = ("--range", "0x3f800000:0x3f801fff")
        faults = [("crash", FIRST + i) for i in range(40)]
        entry = self.entry(*words, faults=faults)
        self.assertEqual(entry["event_counts"], {"crash": 17})
        self.assertEqual((entry["unanswered"], entry["tested"]), (65, 8192 - 65))

    def test_a_copy_of_the_process_answers_nothing(self):
        faults = [("fork", FIRST + 5), ("fork", FIRST + 4096), ("fork", FIRST + 60000)]
        for function in ("", ":sqrt_array,array"):
            entry = self.entry(*RANGE, faults=faults, function=function)
            self.assertEqual((entry["tested"], entry["correctly_rounded"]), (1 << 16, 1 << 16))
            self.assertEqual(entry["event_counts"], {"answered-twice": 3})
            if not function:
                self.assertEqual([event["input"] for event in entry["events"]], [bits(at) for _, at in faults])
        done = self.sweep(*RANGE, "--no-isolation", faults=faults, code=0)
        self.assertEqual(parse(done)["results"][0]["implementations"][0]["correctly_rounded"], 1 << 16)

    def test_a_jump_into_an_earlier_call_is_no_progress(self):
        entry = self.entry(*RANGE, faults=[("jump", FIRST + 700)], function=":jumping", timeout=5)
        self.assertEqual(entry["events"], [{"kind": "answered-twice", "input": bits(FIRST + 700)}])
        self.assertEqual((entry["unanswered"], entry["correctly_rounded"]), (1, 65535))

    def test_an_answer_that_the_library_makes_up(self):
        entry = self.entry("--range", f"{FIRST:#x}:{FIRST + 255:#x}", faults=[("answer", FIRST + 9)])
        self.assertEqual(entry["event_counts"], {"answered-twice": 1})
        self.assertEqual(entry["correctly_rounded"], entry["tested"])

    @unittest.skipUnless(platform.system() == "Linux", "memory is sealed on Linux")
    def test_shared_memory_cannot_be_cut_off(self):
        entry = self.entry(*RANGE, faults=[("cut", FIRST + 9)], code=0)
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (1 << 16, 1 << 16))

    @unittest.skipIf(ADDRESS, "AddressSanitizer takes much memory for itself")
    def test_more_memory_than_it_may_take(self):
        entry = self.entry(*RANGE, "--memory", "512", faults=[("grow", FIRST + 9)])
        self.assertEqual(entry["events"], [{"kind": "crash", "input": bits(FIRST + 9)}])
        self.assertEqual(entry["correctly_rounded"], 65535)
        self.assertEqual(self.entry(*RANGE, faults=[("grow", FIRST + 9)], code=0)["unanswered"], 0)

    def test_what_always_hangs_is_given_up(self):
        # 8 hang in a row; then the rest of the slice of 4096 is passed over, and the next one; then
        # one input hangs again, and the two next are passed over ...
        faults = [("hang", FIRST + i) for i in range(32)] + [("hang", FIRST + 4096 * k) for k in range(1, 16)]
        began = time.monotonic()
        entry = self.entry(*RANGE, "--threads", 1, faults=faults, timeout=0.2)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(entry["event_counts"], {"hang": 8 + 3, "given-up": 16})
        self.assertEqual((entry["unanswered"], entry["tested"]), (1 << 16, 0))
        given_up = [event["input"] for event in entry["events"] if event["kind"] == "given-up"]
        self.assertEqual(given_up[:2], [bits(FIRST + 8), bits(FIRST + 4096)])

    def test_an_answer_ends_the_giving_up(self):
        faults = [("hang", FIRST + i) for i in range(32)]
        entry = self.entry(*RANGE, "--threads", 1, faults=faults, timeout=0.2)
        self.assertEqual(entry["event_counts"], {"hang": 8, "given-up": 2})
        self.assertEqual((entry["unanswered"], entry["correctly_rounded"]), (8192, 65536 - 8192))

    def test_threads_do_not_change_the_report(self):
        faults = [("crash", FIRST + 0x1234), ("exit", FIRST + 0x8000), ("up", FIRST + 0x9000)]
        texts = {without_run(self.sweep(*RANGE, "--threads", threads, faults=faults))
                 for threads in (1, 2, 3)}
        self.assertEqual(len(texts), 1)

    def test_beside_others_only_answers_are_compared(self):
        report = parse(self.sweep(*RANGE, "--impl", "libm", "--impl", "cr",
                                  faults=[("crash", FIRST + 8)]))
        result, = report["results"]
        self.assertEqual([pair["count"] for pair in result["differences"]], [0, 0, 0])
        tested = [one["tested"] for one in result["implementations"]]
        self.assertEqual(tested, [65535, 65536, 65536])

    def test_what_it_prints_disturbs_nothing(self):
        self.check(self.entry(*RANGE, faults=[("stray", FIRST + 5)], code=0), [])

    def test_badly_wrong_is_told_long_before_the_end(self):
        # Its expf is x + 1. All of fp32 would take minutes.
        self.assertRegex(self.first_note("sweep", "exp", "--impl", "libm", "--impl", "lib:" + FAULTY),
                         r"^detcheck: note: lib:.*: [0-9,]+ of the first [0-9,]+ outputs of exp are off by more than 4 "
                         r"ulps, NaN or of the wrong sign, as for 0x[0-9a-f]{8}; the sweep goes on$")

    def test_the_gate_judges_crashes(self):
        self.run_program("sweep", "sqrt", *RANGE, "--impl", "lib:" + FAULTY, "--json", "r.json",
                         env={"FAULTS": f"crash@{FIRST + 16:x}"})
        for allowed, code in ((1, 0), (0, 1)):
            with open(os.path.join(self.path, "p.json"), "w", encoding="ascii") as stream:
                stream.write('{"schema": "detcheck/policy/1", "rules": [{"max_events": %d}]}' % allowed)
            done = self.run_program("gate", "r.json", "--policy", "p.json")
            self.assertEqual(done.returncode, code, done.stderr)

    @unittest.skipIf(ADDRESS, "AddressSanitizer tells of the signal itself")
    def test_abort_in_our_own_process_is_told(self):
        done = self.run_program("sweep", "sqrt", *RANGE, "--no-isolation", "--impl", "lib:" + FAULTY,
                                env={"FAULTS": f"abort@{FIRST:x}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"crashed, most likely in the implementation under test", done.stderr)

    def test_text_says_so(self):
        done = self.run_program("sweep", "sqrt", *RANGE, "--impl", "lib:" + FAULTY,
                                env={"FAULTS": f"crash@{FIRST + 16:x}"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"(?s)no answer +1\n.*crash +1\n +first +x = 1\.0000019 ")

    def test_eval_says_so(self):
        done = self.run_program("eval", "sqrt", "2", "--impl", "lib:" + FAULTY,
                                env={"FAULTS": "crash@40000000"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no answer: crash", done.stdout.decode())


class Inside(Library):
    @unittest.skipIf(ADDRESS, "AddressSanitizer does not let a library keep its calls inside")
    def test_its_calls_of_its_own_functions_stay_inside(self):
        # Its expm1f calls its own expf (x + 1) and scalbnf (n), which glibc has, too.
        for words in ((), ("--no-isolation",)):
            with self.subTest(words=words):
                entry = self.entry("--range", "1:1", *words, operation="expm1")
                self.assertEqual(entry["max_ulp"]["got"], "0x40800000")  # 1 + 1 + 2

    @unittest.skipUnless(X86, "FTZ is set by an instruction of x86-64")
    def test_flushing_set_on_loading_is_undone_and_told(self):
        for words in ((), ("--no-isolation",)):
            with self.subTest(words=words):
                done = self.succeed("sweep", "sqrt", "--special", "--impl", "lib:" + FLUSHING,
                                    "--json", "-", *words)
                entry, = parse(done)["results"][0]["implementations"]
                self.assertEqual(entry["incorrectly_rounded"], 0)
                if not words:
                    self.assertIn("changes the floating-point environment", entry["detail"])


class Installed(Library):
    def test_a_function_of_sleef_is_swept(self):
        name = "lib:libsleef.so.3:Sleef_expf_u10"
        if self.run_program("eval", "exp", "1", "--impl", name).returncode:
            self.skipTest("SLEEF is not installed: apt-get install libsleef3")
        entry, = self.results("exp", *RANGE, "--impl", name)[0]["implementations"]
        self.assertEqual(entry["tested"], 1 << 16)
        self.assertGreater(entry["incorrectly_rounded"], 0)
        self.assertLess(entry["max_ulp"]["error"], 1)

    def test_the_platforms_libm_gives_its_own_bits(self):
        if self.run_program("eval", "exp", "1", "--impl", "lib:libm.so.6").returncode:
            self.skipTest("there is no libm.so.6")
        for operation, words in (("exp", RANGE), ("sincos", RANGE), ("pow", ("-n", 5000)),
                                 ("log", ("-f", "fp64", "-n", 5000)), ("tanh", ("-f", "bf16"))):
            with self.subTest(operation=operation):
                for result in self.results(operation, *words, "--impl", "lib:libm.so.6", "--impl", "libm"):
                    self.assertEqual(result["differences"][0]["count"], 0)


class InThisProcess(Library):
    def test_the_report_is_the_same_in_this_process(self):
        inside = without_run(self.sweep(*RANGE, "--no-isolation"))
        self.assertEqual(inside, without_run(self.sweep(*RANGE)))

    def test_changes_are_found(self):
        faults = [(kind, FIRST + 5 + i) for i, kind in enumerate(("up",) + ON_X86 * X86)]
        self.check(self.entry(*RANGE, "--no-isolation", faults=faults), faults)

    @unittest.skipIf(ADDRESS, "AddressSanitizer tells of the crash itself")
    def test_a_crash_ends_the_run(self):
        done = self.run_program("sweep", "sqrt", *RANGE, "--no-isolation", "--impl", "lib:" + FAULTY,
                                env={"FAULTS": f"crash@{FIRST:x}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"crashed", done.stderr)


def without_processes():
    """No further process or thread, which does not hold for root."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    if os.getuid() == 0:
        user = 60000 + os.getpid() % 5000
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


@unittest.skipUnless(platform.system() == "Linux", "the limit is Linux's")
class NoRoom(Library):
    """What the system refuses is not the implementation's fault."""

    def setUp(self):
        super().setUp()
        try:
            subprocess.run([PROGRAM, "--version"], preexec_fn=without_processes, check=True,
                           stdout=subprocess.DEVNULL)
        except (PermissionError, subprocess.SubprocessError):
            self.skipTest("another user cannot run the program here")

    def test_for_threads(self):
        two = ("--threads", 2)
        for words in (("sweep", "exp", "-f", "fp16", *two), ("sweep", "sum", *two),
                      ("compare", "exp", "--impl", "det", "--impl", "cr", "-f", "fp16", *two),
                      ("emit", "exp", "-f", "fp16", "-o", "-", *two)):
            with self.subTest(words=words):
                complaint = self.refuse(*words, preexec_fn=without_processes)
                self.assertIn("cannot start 2 threads", complaint)

    def test_for_processes(self):
        for name in ("lib:libm.so.6", "exec:true"):
            with self.subTest(name=name):
                complaint = self.refuse("sweep", "exp", "-f", "fp16", "--threads", 1, "--impl", name,
                                        preexec_fn=without_processes)
                self.assertIn("cannot start", complaint)


class NoMemory(Library):
    @unittest.skipUnless(os.environ.get("FAILING_ALLOCATION"), "the C library's malloc cannot be put behind another")
    def test_where_an_implementation_is_bound(self):
        # All that is bound is bound before the first oracle allocates; what fails later is not asked here.
        words = ("sweep", "sqrt", "--range", "0x3f800000:0x3f800040", "--threads", 1, "--impl", "lib:libm.so.6",
                 "--impl", "det", "--impl", "libm", "--json", "-")
        refused = 0
        for number in range(60, 130):
            env = {"LD_PRELOAD": os.environ["FAILING_ALLOCATION"], "FAIL_AT": str(number)}
            done = self.run_program(*words, env=env)
            if done.returncode == 0:
                for result in json.loads(done.stdout).get("results", []):
                    provided = [one["provided"] for one in result["implementations"]]
                    self.assertEqual(provided, [True] * 3, number)
            refused += b": out of memory for " in done.stderr and done.returncode == 2
        self.assertGreaterEqual(refused, 3)  # one for each implementation


class Names(Library):
    def refuse_library(self, name, *words):
        return self.refuse("sweep", "sqrt", "--impl", name, *words)

    def test_a_missing_library_is_named(self):
        self.assertIn("no-such-library.so", self.refuse_library("lib:./no-such-library.so"))
        self.assertIn("no-such-library.so", self.refuse_library("lib:no-such-library.so:f,array"))

    def test_not_a_library(self):
        path = self.file("text.so", "this is no library\n")
        self.assertIn("text.so", self.refuse_library("lib:" + path))

    def test_missing_symbol_names_the_nearest(self):
        for words in ((), ("--no-isolation",)):
            complaint = self.refuse_library(f"lib:{FAULTY}:sqrt_arry,array", *words)
            self.assertIn("it has sqrt_array", complaint)
        self.assertIn("add_them", self.refuse_library(f"lib:{FAULTY}:add_thm"))

    def test_operation_that_the_library_has_not(self):
        complaint = self.refuse("sweep", "sinh", "--impl", "lib:" + FAULTY)
        self.assertIn("has no sinhf", complaint)
        complaint = self.refuse("sweep", "sigmoid", "--impl", "lib:" + FAULTY)
        self.assertIn("lib:PATH:SYMBOL", complaint)

    def test_nothing_after_the_colon(self):
        for name in ("lib::sqrtf", f"lib:{FAULTY}:", "lib:,array"):
            with self.subTest(name=name):
                self.refuse_library(name)

    def test_malformed_timeouts_are_refused(self):
        for text in ("0", "-1", "x", "1s", "nan", "inf", ""):
            with self.subTest(timeout=text):
                complaint = self.refuse("sweep", "sqrt", "--impl", "lib:" + FAULTY, f"--timeout={text}")
                self.assertIn("--timeout wants seconds", complaint)

    def test_nearest_away_is_not_provided(self):
        self.assertIn("nearest-away", self.refuse_library("lib:" + FAULTY, "-r", "nearest-away"))


if __name__ == "__main__":
    unittest.main()
