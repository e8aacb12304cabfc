"""exec-text: commands that answer lines by lines: the programs of detcheck-exec-text(7) as they stand there, and commands that
go wrong."""

import math
import os
import re
import shutil
import struct
import sys
import unittest

from harness import Case, parse

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "man", "detcheck-exec-text.7")
with open(PAGE, encoding="ascii") as page:
    PROGRAMS = {name: text.replace("\\e", "\\") for name, text in
                re.findall(r'^\.\\" program: (\S+)\n\.Bd -literal.*?\n(.*?)^\.Ed$', page.read(), re.MULTILINE | re.DOTALL)}

# Answers lines with the numbers that they have, but for 3.
WORKER = """
import os, signal, sys, time
how, first = sys.argv[1], next(sys.stdin)
if how == "refuse":
    print("not-provided", first, end="", flush=True)
    sys.exit()
print("hello" if how == "reply" else "ready " + (how if how in ("hexadecimal", "bits") else "decimal") + " worker", flush=True)
for line in sys.stdin:
    if line in ("3\\n", "0x1.8p+1\\n", "0x4008000000000000\\n"):
        if how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if how == "exit":
            sys.exit(3)
        if how == "hang":
            time.sleep(1000)
        line = {"word": "three\\n", "two": "3 4\\n", "none": "\\n", "more": "3\\n3\\n", "other": "0x1.4p+2\\n", "nan": "-NaN\\n", "zero": "3\\0\\n"}.get(how, line)
    print(line, end="", flush=True)
"""


class Programs(Case):
    def judged(self, name, interpreter, *words):
        program = self.file(name, PROGRAMS[name])
        result, = self.results(*words, "--threads", "1", "--impl", f"exec-text:{interpreter} {program}")
        one, = result["implementations"]
        self.assertTrue(one["provided"], one)
        self.assertEqual(one["events"], [])
        return one

    def refuses(self, name, interpreter, *words):
        program = self.file(name, PROGRAMS[name])
        done = self.run_program("sweep", *words, "-n", "1", "--impl", f"exec-text:{interpreter} {program}")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr.decode(), r"^detcheck: nothing was tested: only [a-z_]+ (in|to) fp64\n$")

    def test_awk(self):
        mawk = shutil.which("mawk")
        if not mawk and not shutil.which("gawk"):
            self.skipTest("neither mawk nor gawk is installed")
        awk = "mawk -W interactive -f" if mawk else "gawk -f"
        one = self.judged("sqrt.awk", awk, "sqrt", "-f", "fp64", "-n", "2000")
        self.assertEqual((one["tested"], one["incorrectly_rounded"]), (2000, 0))
        self.refuses("sqrt.awk", awk, "sqrt", "-f", "fp32")

    @unittest.skipUnless(shutil.which("env"), "env is not installed")
    def test_shell(self):
        words = ["from_decimal", "--shape", "30x40", "-n", "1", "--distribution"]
        one = self.judged("texts.sh", "sh", *words, "normal")
        self.assertEqual((one["tested"], one["incorrectly_rounded"]), (30, 0))
        self.refuses("texts.sh", "sh", *words, "normal", "--to", "fp32")

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_node(self):
        one = self.judged("cbrt.js", "node", "cbrt", "-f", "fp64", "-n", "2000")
        self.assertEqual(one["tested"], 2000)
        self.assertLess(one["max_ulp"]["error"], 1)
        self.assertRegex(one["detail"], r"^node v\d")
        self.refuses("cbrt.js", "node", "sqrt", "-f", "fp64")

    def test_python(self):
        one = self.judged("fma.py", sys.executable, "fma", "-f", "fp64", "-n", "2000")
        self.assertEqual(one["tested"], 2000)
        self.assertGreater(one["incorrectly_rounded"], 2)  # the product is rounded
        self.refuses("fma.py", sys.executable, "fma", "-f", "fp32")

    def test_all_programs_of_the_page_are_run(self):
        self.assertEqual(set(PROGRAMS), {"sqrt.awk", "texts.sh", "cbrt.js", "fma.py"})


class Workers(Case):
    def run_worker(self, how, *words):
        inputs = self.file("inputs", "".join(f"{number}\n" for number in range(10)))
        return self.run_program("sweep", "trunc", "-f", "fp64", "--inputs", inputs, "--threads", "1", "--timeout", "1", "--impl",
                                f"exec-text:{sys.executable} {self.file('worker.py', WORKER)} {how}", *words, "--json", "-")

    def worker(self, how):
        done = self.run_worker(how)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return parse(done.stdout)["results"][0]["implementations"][0], done.returncode

    def test_each_way_of_writing_numbers(self):
        for how in ("decimal", "hexadecimal", "bits"):
            one, code = self.worker(how)
            self.assertEqual((one["tested"], one["incorrectly_rounded"], one["detail"], code), (10, 0, "worker", 0), how)

    def test_special_numbers_go_there_and_back(self):
        numbers = [struct.unpack(">e", bytes([code, 0]))[0] for code in range(256)]  # the upper half of an fp16
        fractions = sum(math.isfinite(number) and not number.is_integer() for number in numbers)
        for how in ("decimal", "hexadecimal", "bits"):
            worker = self.file("worker.py", WORKER)
            done = self.run_program("sweep", "trunc", "-f", "fp8_e5m2", "--impl", f"exec-text:{sys.executable} {worker} {how}",
                                    "--json", "-")
            one = parse(done.stdout)["results"][0]["implementations"][0]
            # Every output is its input: right where that is an integer, infinite or NaN.
            self.assertEqual((one["tested"], one["nan_mismatches"], one["sign_mismatches"]), (256, 0, 0))
            self.assertEqual(one["incorrectly_rounded"], fractions)

    def test_infinities_are_written_as_javascript_reads_them(self):
        program = self.file("word.py", "import sys\nnext(sys.stdin)\nprint('ready decimal words', flush=True)\nfor line in sys.stdin:\n"
                            "    print(line.strip() if line.strip() in ('Infinity', '-Infinity') else 'nan', flush=True)\n")
        for word, code in (("inf", "0x7c00"), ("-inf", "0xfc00")):
            done = self.succeed("eval", "trunc", "-f", "fp16", "--impl", f"exec-text:{sys.executable} {program}", "--json", "-", "--", word)
            self.assertEqual(parse(done)["results"][0]["implementations"][0]["got"], code)

    def test_decimals_beyond_the_format_are_rounded(self):
        """A command that computes in fp64 for fp16: what overflows is infinity, and what is too small is zero."""
        program = self.file("double.py", "import math, sys\nnext(sys.stdin)\nprint('ready hexadecimal double', flush=True)\n"
                            "for line in sys.stdin:\n    print('%.60e' % math.ldexp(float.fromhex(line), 20), flush=True)\n")
        result, = self.results("x*1048576", "-f", "fp16", "--range", "0:65504", "--threads", "1",
                               "--impl", f"exec-text:{sys.executable} {program}")
        one, = result["implementations"]
        self.assertEqual((one["tested"], one["incorrectly_rounded"], one["nan_mismatches"]), (0x7c00, 0, 0))
        result, = self.results("x/1048576", "-f", "fp16", "--range", "0:65504", "--threads", "1", "--impl",
                               f"exec-text:{sys.executable} " + self.file("small.py", self.read(program).replace(", 20)", ", -20)")))
        self.assertEqual((result["implementations"][0]["tested"], result["implementations"][0]["incorrectly_rounded"]), (0x7c00, 0))

    def test_a_wrong_line_is_a_wrong_output(self):
        one, _ = self.worker("other")
        self.assertEqual((one["tested"], one["incorrectly_rounded"], one["max_ulp"]["got"]), (10, 1, "0x4014000000000000"))
        one, _ = self.worker("nan")
        self.assertEqual((one["tested"], one["nan_mismatches"]), (10, 1))

    def test_what_happens_to_it_is_found(self):
        for how, kind in (("crash", "crash"), ("exit", "exit"), ("hang", "hang")):
            one, code = self.worker(how)
            self.assertEqual((one["tested"], one["unanswered"], code), (9, 1, 1), how)
            self.assertEqual([(event["kind"], event["input"]) for event in one["events"]], [(kind, "0x4008000000000000")])

    def test_what_is_no_answer(self):
        for how, says in (("word", "'three' is not a number"), ("two", "more than 1 result in a line"), ("none", "'' is not a number"),
                          ("zero", "it wrote a byte that is 0"),
                          ("reply", "the first line of the command is 'hello'")):
            done = self.run_worker(how)
            self.assertEqual((done.returncode, done.stdout), (2, b""), how)
            self.assertIn(says, done.stderr.decode())
            self.assertIn("detcheck-exec-text(7)", done.stderr.decode())

    def slow_a_command_that_seems_to_keep_lines_in_a_buffer_gets_a_hint(self):
        """A minute is what a command has to get ready."""
        done = self.run_program("sweep", "sqrt", "-f", "fp64", "-n", "1", "--impl", "exec-text:sleep 300")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr.decode(), r"did not report that it is ready; it may keep lines in a buffer \(mawk needs -W interactive, others a "
                                               r"flush after each line\), or not speak the protocol of detcheck-exec-text\(7\)\n$")

    def test_it_is_told_what_is_wanted(self):
        for words, line in ((["pow", "-f", "fp32", "-r", "up"], "pow fp32 fp32 up"),
                            (["cast", "--from", "fp32", "--to", "fp16"], "cast fp32 fp16 nearest-even to=fp16"),
                            (["to_decimal", "--style", "fixed", "--digits", "3"], "to_decimal fp64 uint8 nearest-even style=fixed digits=3")):
            done = self.run_program("sweep", *words, "-n", "1", "--impl",
                                    f"exec-text:{sys.executable} {self.file('worker.py', WORKER)} refuse")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"nothing was tested: detcheck-text 1 {line}", done.stderr.decode())
        done = self.run_program("sweep", "sum", "-n", "1", "--impl", f"exec-text:{sys.executable} {self.file('worker.py', WORKER)} bits")
        self.assertIn("a line holds the numbers of an input, and no arrays", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
