"""lib: against libraries that crash, hang, end the process, change the floating-point environment: each
input that does so is named in the report, all others are judged as if nothing had happened.

Environment: that of library_case.py.
"""

import math
import os
import random
import struct
import unittest

from harness import is_emulated, parse, without_run
from library_case import FAULTY, FIRST, Library, ON_X86, RANGE, X86, bits


class Unwritten(Library):
    """Memory that a function leaves as it was is no answer, whatever it held before."""

    def check_left(self, entry, left, count, first=None):
        self.assertEqual((entry["event_counts"], entry["unanswered"]), ({"not-written": left}, left))
        self.assertEqual((entry["tested"], entry["correctly_rounded"]), (count - left, count - left))
        self.assertEqual(entry["events"][0], {"kind": "not-written", "input": first or bits(FIRST)})

    def test_nothing_is_written_where_0_is_right(self):
        # Each exp there is 0, as memory is that nobody has used; this was "not correctly rounded 0".
        for words in ((), ("--no-isolation",), ("--flags",)):
            with self.subTest(words=words):
                entry = self.entry("--range", "-112:-110", "--impl", "libm", *words, function=":leave_array,array",
                                   operation="exp", code=1)
                self.check_left(entry, 262145, 262145, "0xc2dc0000")

    def test_calls_and_numbers_that_are_left(self):
        # Each call that is judged comes after one that was made again, so that all but the first are left.
        entry = self.entry(*RANGE, "--threads", 1, function=":leave_second_call,array", code=1)
        self.assertEqual(entry["event_counts"]["not-written"], entry["unanswered"])
        self.assertEqual(entry["tested"], entry["correctly_rounded"])
        self.assertGreaterEqual(entry["unanswered"], 1 << 15)
        for words in ((), ("--flags",)):
            entry = self.entry(*RANGE, *words, function=":leave_second_number,array", code=1)
            self.check_left(entry, 1 << 15, 1 << 16, bits(FIRST + 1))
        entry = self.entry("-f", "fp16", "--range", "1:2", function=":leave_second_number,array", code=1)
        self.check_left(entry, 512, 1025, "0x3c01")

    def test_operands_that_are_written_over_are_those_that_were_asked_for(self):
        for words in ((), ("--no-isolation",)):
            with self.subTest(words=words):
                entry = self.entry(*RANGE, *words, function=":overwrite_array,array")
                self.assertEqual((entry["events"], entry["correctly_rounded"]), ([], 1 << 16))

    def test_one_of_two_results(self):
        words = ("--range", "0x9e000000:0x9e0000ff", "--range", "0x1e000000:0x1e0000ff")
        for function in (":leave_cosine", ":leave_cosine --flags"):
            function, *flags = function.split()
            for entry in self.entries(*words[2:], *flags, function=function, operation="sincos"):
                self.assertEqual((entry["events"], entry["correctly_rounded"]), ([], 256))
            for entry in self.entries(*words[:2], *flags, function=function, operation="sincos", code=1):
                self.check_left(entry, 256, 256, "0x9e000000")
        for entry in self.entries("-f", "fp64", "--special", function=":leave_exponent", operation="frexp", code=1):
            self.assertEqual(entry["tested"], entry["correctly_rounded"])
            self.assertGreater(entry["event_counts"]["not-written"], 10)
            self.assertGreater(entry["tested"], 10)

    def test_what_holds_the_pattern_by_itself_was_written(self):
        entry = self.entry(*RANGE, function=":give_pattern,array")
        self.assertEqual((entry["events"], entry["nan_mismatches"]), ([], 1 << 16))


class AskedAgain(Library):
    """What inputs gave before they were asked again, after an event, is judged too: the worse of both counts."""

    def test_what_followed_a_change_of_the_rounding_mode(self):
        words = ("--range", f"{FIRST:#x}:{FIRST + 1023:#x}")
        entry = self.entry(*words, "--flags", faults=[("up", FIRST + 100)])  # which sets the flags' register for each call
        self.assertEqual((entry["event_counts"], entry["incorrectly_rounded"]), ({"rounding-changed": 1}, 0))
        for more in ((), ("--no-isolation",)):
            with self.subTest(more=more):
                # Upward, half of the results after the call are others; those of one at a time are right.
                entry = self.entry(*words, *more, faults=[("up", FIRST + 100)])
                self.assertEqual(entry["event_counts"], {"rounding-changed": 1, "answers-differ": 1})
                self.assertEqual([event["kind"] for event in entry["events"]], ["rounding-changed", "answers-differ"])
                self.assertEqual((entry["incorrectly_rounded"], entry["over_1_ulp"]), (462, 0))

    def test_what_came_before_a_process_was_lost(self):
        # The first process is wrong at 101 inputs and is lost; the one that is asked again is right.
        words = ("--range", f"{FIRST:#x}:{FIRST + 1023:#x}", "--threads", 1)
        entry = self.entry(*words, function=":wrong_at_first", faults=[("crash", FIRST + 400)])
        self.assertEqual(entry["event_counts"], {"crash": 1, "answers-differ": 1})
        self.assertEqual((entry["incorrectly_rounded"], entry["unanswered"]), (101, 1))
        self.assertEqual(entry["events"][0], {"kind": "answers-differ", "input": bits(FIRST)})

    def ask(self, *words, faults=(("crash", FIRST + 400),)):
        path = os.path.join(self.path, "once")
        if os.path.exists(path):
            os.remove(path)
        env = {"FAULTS": ",".join(f"{kind}@{at:x}" for kind, at in faults), "FAULTS_FILE": path}
        return self.run_program(*words, "--impl", f"lib:{FAULTY}:wrong_at_first", "--json", "-", env=env)

    def test_by_compare_and_verify(self):
        done = self.ask("compare", "sqrt", "--range", f"{FIRST:#x}:{FIRST + 1023:#x}", "--threads", 1, "--impl", "libm")
        row, = parse(done.stdout.decode())["comparisons"]
        self.assertEqual((row["differ"], row["tested"]), (101, 1023))
        codes = [FIRST + i for i in range(1024)]
        roots = [struct.unpack("<I", struct.pack("<f", math.sqrt(struct.unpack("<f", struct.pack("<I", code))[0])))[0] for code in codes]
        lines = "".join(f"{code:08x} {root:08x} 00\n" for code, root in zip(codes, roots))
        done = self.ask("verify", self.file("lines", lines.encode()), "--as", "testfloat", "--operation", "sqrt")
        group, = parse(done.stdout.decode())["results"]
        # Two of them by their events: the crash, and the first of those that differ.
        self.assertEqual((group["tests"], group["mismatches"]), (1024, 102))

    def explained(self, done):
        self.assertEqual(done.returncode, 1, done.stderr)
        result, = parse(done.stdout.decode())["results"]
        row = result["implementations"][0]["explanation"]
        return row, next(one for one in row["explanations"] if one.get("cause") == 1)

    def test_by_explain(self):
        words = ("explain", "sqrt", "--range", f"{FIRST:#x}:{FIRST + 1023:#x}", "--threads", 1, "--impl", "libm")
        # What a process did that was lost, though none does so again.
        row, cause = self.explained(self.ask(*words))
        side = next(row[name] for name in "ab" if "event_counts" in row[name])
        self.assertEqual((row["differ"], row["tested"]), (101, 1023))
        self.assertEqual(side["event_counts"], {"crash": 1, "answers-differ": 1})
        self.assertEqual((cause["hypothesis"], cause["adds"]), ("repetition", 101))
        # What each call in that place does.
        done = self.run_program(*words, "--impl", f"lib:{FAULTY}", "--json", "-", env={"FAULTS": f"up@{FIRST + 100:x}"})
        row, cause = self.explained(done)
        self.assertEqual((row["differ"], row["tested"], cause["hypothesis"]), (462, 1024, "repetition"))


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
            if not function and not is_emulated():  # qemu-user has no memory that a copy finds empty: then the call is named
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


if __name__ == "__main__":
    unittest.main()
