"""Formulas of up to 100,000 characters, wherever a formula goes: the right value, or one line, within seconds."""

import importlib.util
import json
import math
import os
import random
import re
import sys
import unittest
from fractions import Fraction

from formats import FP16, FP64
from harness import Case

MOST = 100000
CHOICE = random.Random(3)
TERMS = ["".join(CHOICE.choice("0123456789") for _ in range(96)) for _ in range(990)]
LONG = "+".join(f"x*0.{digits}" for digits in TERMS)
FACTOR = sum(Fraction(int(digits), 10 ** 96) for digits in TERMS)
KERNEL = "import numpy\ndef kernel(x):\n    return x * numpy.float16(%s)\n" % float(FACTOR)
WORKER = f"""import sys
sys.path.insert(0, {os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "impl", "adapters")!r})
"""

# What no formula may be, however long: the first characters behind the place.
REFUSED = [
    ("+".join(["x"] * 50000), "more than 1000 operations that each need the one before"), ("*".join(["x"] * 50000), "more than 1000 operations"),
    ("x+" + "+".join(map(str, range(2, 18000))), "more than 1000 operations"), ("(" * 49999 + "x" + ")" * 49999, "more than 48 parentheses"),
    ("x" + "^x" * 49999, "more than 48 parentheses"), ("sin(" * 19999 + "x" + ")" * 19999, "more than 48 parentheses"),
    ("|" * 99999, "more than 48 parentheses"), ("x*-" * 33333, "more than 1000 operations"), ("0+" + "-" * 99900 + "x", "more than 48 parentheses"),
    ("x+0." + "0" * 99000, "a number of at most 400 digits"), ("let a = x in " * 7000 + "a", "more than 64 names"),
    ("select(x < 1, " * 7000 + "x", "more than 48 parentheses"), ("f(x) = x" + "; f(0) = 1" * 9000, "more than 16 special values"),
    ("x" * 99999, "unknown"), ("+".join(f"({'+'.join(f'x*{i * 1000 + j}' for j in range(900))})" for i in range(8)), "more than 4096 operations"),
    (LONG + "+" * 20, f"is longer than {MOST} characters"),
]


def bells(count):
    return "+".join(f"exp(-((x-{i}/100)^2))" for i in range(count))


class Long(Case):
    def test_48_parentheses_stand_in_each_other(self):
        for before, behind in (("(", ")"), ("-(", ")"), ("sin(", ")*0+x"), ("|", "|")):
            for count in (24, 48) if before in ("(", "sin(") else (24,):
                with self.subTest(before=before, count=count):
                    self.assertIn("exact", self.document("eval", f"f(x) = {before * count}x{behind * count}", "1")["results"][0])
        self.assertIn("more than 48 parentheses", self.refuse("eval", "(" * 49 + "x" + ")" * 49, "1"))
        lets = "".join(f"let a{i} = {f'a{i - 1}' if i else 'x'} + 1 in " for i in range(64))
        self.assertEqual(self.document("eval", lets + "a63", "1")["results"][0]["exact"], "65")
        self.assertIn("more than 64 names", self.refuse("eval", lets + "let b = a63 in b", "1"))

    def test_how_long_the_filter_will_take_is_said_beforehand(self):
        """It bounds each step of so long a formula for each run of inputs."""
        text = bells(450)
        for impl, count, by in (("steps:x", "1000000000", "filter"), ("steps:" + text, "300000000", "calls of the implementation")):
            line = self.first_note("sweep", text, "-n", count, "--threads", "1", "--impl", impl)
            self.assertRegex(line, r"note: judging exp\(.{96}\.\.\. will take about .*, mostly in the " + by)
            self.assertLess(len(line), 300)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is missing")
    def test_calls_of_others_are_counted(self):
        """20,000,000 inputs at 20 microseconds each, by a function that waits for so long."""
        path = self.file("waits.py", "import numpy, time\ndef waits(x):\n    time.sleep(len(x) * 2e-5)\n    return (1 / numpy.cosh(x.astype(float))**2).astype(x.dtype)\n")
        line = self.first_note("sweep", "1/cosh(x)^2", "-f", "fp32", "-n", "20000000", "--threads", "1", "--impl", f"py:{path}:waits",
                               env={"PYTHONPATH": os.path.join(os.path.dirname(os.environ["DETCHECK"]), "python"), "DETCHECK_PYTHON": sys.executable})
        said = re.search(r"about (?:(\d+) min )?(\d+) s, mostly in the calls of the implementation", line)
        self.assertLess(abs(math.log(400 / (60 * int(said[1] or 0) + int(said[2])))), math.log(2.5))

    def slow_the_time_that_is_said_is_about_that_of_a_run(self):
        """Processor time of shorter runs, by which of two a start and the blocks of the filter fall out."""
        text, seconds = bells(45), []
        words = ("sweep", text, "-f", "fp32", "--threads", "1", "--impl", "steps:" + text, "-n")
        for count in ("250000", "1000000"):
            before = os.times()
            self.run_program(*words, count)
            seconds.append(os.times().children_user - before.children_user)
        want = (seconds[1] - seconds[0]) / 75e4 * 200e6
        said = re.search(r"about (?:(\d+) min )?(\d+) s", self.first_note(*words, "200000000"))
        self.assertLess(abs(math.log(want / (60 * int(said[1] or 0) + int(said[2])))), math.log(3))

    def test_the_value_is_that_of_fractions(self):
        self.assertGreater(len(LONG), MOST - 100)
        for x in (1.5, -0.0078125):
            found = self.document("eval", LONG, repr(x), "-f", "fp64", "-r", "nearest-even,up,down")["results"]
            for one, rounding in zip(found, ("nearest-even", "up", "down"), strict=True):
                self.assertEqual(int(one["want"], 16), FP64.encode(Fraction(x) * FACTOR, rounding))
        self.assertEqual(self.document("eval", "x +" + " " * (MOST - 4) + "1", "1", "-f", "fp64")["results"][0]["exact"], "2")

    def test_others_are_one_line(self):
        for formula, said in REFUSED:
            with self.subTest(formula=formula[:40]), self.within(20):
                self.assertIn(said, self.refuse("eval", "--", formula, "1") if formula[0] == "-" else self.refuse("eval", formula, "1"))
        self.assertIn("longer than", self.refuse("sweep", "exp", "-f", "fp16", "--impl", "steps:" + LONG + "+x" * 1000))

    def test_every_command_takes_it(self):
        steps, few = "steps:" + LONG, ("-f", "fp16", "-n", 40)
        self.succeed("sweep", LONG, *few, "--impl", steps, "--show", "all", "--json", "report.json", "--checkpoint", "kept")
        with open(os.path.join(self.path, "report.json"), encoding="utf-8") as stream:
            result = json.load(stream)["results"][0]
        self.assertEqual((result["operation"], result["implementations"][0]["name"]), (LONG, steps))
        for witness in result["implementations"][0]["worst"]:
            exact = FP16.value(int(witness["input"], 16)) * FACTOR
            self.assertEqual(int(witness["want"], 16), FP16.encode(exact))
        self.succeed("gate", "report.json", "--max-ulp", 1000, "--junit", "junit.xml", "--markdown", "gate.md")
        self.succeed("report", "report.json", "-o", "page.html")
        with open(os.path.join(self.path, "page.html"), encoding="utf-8") as stream:
            self.assertIn(TERMS[-1], stream.read())
        for i in (1, 2):
            self.succeed("sweep", LONG, *few, "--impl", steps, "--shard", f"{i}/2", "--json", f"{i}.json")
        self.assertIn(TERMS[-1], self.succeed("merge", "1.json", "2.json"))
        self.succeed("sweep", LONG, *few, "--impl", steps, "--fingerprints", "prints.json")
        self.assertIn("equal", self.succeed("compare", "prints.json", "prints.json"))
        self.file("long.formulas", f"f(x) = {LONG[:90000].rpartition('+')[0]}\n")
        self.assertIn("exact", self.succeed("eval", "f", 1, "--operations", "long.formulas"))

    def test_libraries_take_it(self):
        found = self.document("sweep", LONG, "-f", "fp16", "-n", 40, "--impl", f"lib:{os.environ['MEASURED_LIBRARY']}:wavy_exp")["results"][0]
        self.assertEqual(found["implementations"][0]["tested"], 40)

    def test_vectors_and_explain_take_it(self):
        short = "+".join(f"x*0.{digits}" for digits in TERMS[:100])  # of 9,900 characters, since both look at many inputs
        self.succeed("emit", short, "-f", "fp16", "-o", "vectors.json")
        done = self.run_program("verify", "vectors.json", "--impl", "steps:" + short)
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        done = self.run_program("explain", short, "-f", "fp16", "-n", 20, "--impl", "steps:" + short, "--impl", "exact")
        self.assertIn(done.returncode, (0, 1), done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "there is no numpy (python3-numpy)")
    def test_functions_of_python_take_it(self):
        self.file("kernel.py", KERNEL)
        environment = {"PYTHONPATH": os.path.join(os.path.dirname(os.environ["DETCHECK"]), "python"), "DETCHECK_PYTHON": sys.executable}
        found = self.document("sweep", LONG, "-f", "fp16", "-n", 40, "--impl", "py:./kernel.py:kernel", env=environment)["results"][0]
        self.assertEqual(found["implementations"][0]["tested"], 40)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "there is no numpy (python3-numpy)")
    def test_workers_of_others_take_it(self):
        self.file("worker.py", WORKER + "import adapter\nadapter.serve(lambda request: ((lambda x: [x]), 'a worker'))\n")
        found = self.run_program("sweep", LONG, "-f", "fp16", "-n", 40, "--impl", f"exec:{sys.executable} worker.py", "--json", "-")
        self.assertEqual(found.returncode, 0, found.stderr)


if __name__ == "__main__":
    unittest.main()
