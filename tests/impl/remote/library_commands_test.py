"""What the commands besides sweep make of a library that crashes or hangs, and what people are told of it.

Environment: that of library_case.py.
"""

import os
import time
import unittest

from harness import parse
from library_case import ADDRESS, FAULTY, FIRST, Library, RANGE, bits


class Commands(Library):
    def test_verify(self):
        path = os.path.join(self.path, "v.json")
        self.succeed("emit", "sqrt", "-f", "fp16", "--count", 20, "-o", path)
        for kind in ("hang", "crash", "exit"):
            began = time.monotonic()
            done = self.run_program("verify", path, "--impl", "lib:" + FAULTY, "--timeout", 1.5,
                                    env={"FAULTS": f"{kind}@{FIRST:x}"})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stdout.decode(), rf"test \d+: {kind}\n +x +1 ")
            self.assertLess(time.monotonic() - began, 10)  # which are the default
        self.succeed("verify", path, "--impl", "lib:" + FAULTY, "--no-isolation")
        if not ADDRESS:  # which tells of the crash itself
            done = self.run_program("verify", path, "--impl", "lib:" + FAULTY, "--no-isolation",
                                    env={"FAULTS": f"crash@{FIRST:x}"})
            self.assertIn(b"crashed, most likely in the implementation under test", done.stderr)
        self.refuse("verify", path, "--impl", "lib:" + FAULTY, "--timeout", "soon")

    def test_compare(self):
        faults = {"FAULTS": f"crash@{FIRST + 9:x},hang@{FIRST + 3:x},up@{FIRST + 1:x}"}
        words = ("compare", "sqrt", "--impl", "lib:" + FAULTY, "--impl", "libm", *RANGE, "--timeout", 1.5)
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
        self.assertIn(" equal", self.succeed(*words))
        # Of files too.
        for name, library in (("a", "lib:" + FAULTY), ("b", "libm")):
            self.succeed("sweep", "sqrt", "--impl", library, "--fingerprints", name, *RANGE)
        self.refuse("compare", "a", "b", "--timeout", "soon")

    def test_interrupted_while_an_input_hangs(self):
        path = os.path.join(self.path, "v.json")
        self.succeed("emit", "sqrt", "-f", "fp16", "--count", 20, "-o", path)
        library = ("--impl", "lib:" + FAULTY, "--timeout", "600")
        hangs = os.path.join(self.path, "hangs")
        for words in (("compare", "sqrt", *library, "--impl", "libm", "--range", "1:1.0001"),
                      ("verify", path, *library), ("verify", path, path, *library)):
            with self.subTest(words=words):
                process = self.start(*words, env={"FAULTS": f"hang@{FIRST:x}", "HANGS_FILE": hangs})
                self.wait_until(lambda: os.path.exists(hangs), process)
                code, out, complaint = self.stop(process)
                self.assertEqual(code, 130, complaint)
                self.assertIn("interrupted", complaint)
                self.assertNotIn("want", out)
                os.remove(hangs)

    def test_the_gate_judges_crashes(self):
        self.run_program("sweep", "sqrt", *RANGE, "--impl", "lib:" + FAULTY, "--json", "r.json",
                         env={"FAULTS": f"crash@{FIRST + 16:x}"})
        for allowed, code in ((1, 0), (0, 1)):
            with open(os.path.join(self.path, "p.json"), "w", encoding="ascii") as stream:
                stream.write('{"schema": "detcheck/policy/1", "rules": [{"max_events": %d}]}' % allowed)
            done = self.run_program("gate", "r.json", "--policy", "p.json")
            self.assertEqual(done.returncode, code, done.stderr)

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

    def test_badly_wrong_is_told_long_before_the_end(self):
        # Its expf is x + 1, which is right for small x. All of fp32 would take minutes.
        words = ("sweep", "exp", "--range", "0x3f800000:0xffffffff")
        self.assertRegex(self.first_note(*words, "--impl", "libm", "--impl", "lib:" + FAULTY),
                         r"^detcheck: note: lib:.*: [0-9,]+ of the first [0-9,]+ outputs of exp are off by more than 4 "
                         r"ulps, NaN or of the wrong sign, as for 0x[0-9a-f]{8}; the sweep goes on$")


if __name__ == "__main__":
    unittest.main()
