"""What a user writes, and what is meant by it: numbers, roundings, libraries of Python, the place of an operation, and letters
that mean one thing in all commands.

LIBRARY_NAMES is the table of the libraries of Python."""

import contextlib
import os
import re
import subprocess
import sys
import time
import unittest

from harness import PROGRAM, Case, environment, parse

LETTERS = {  # what stands behind a letter, in all commands that have it
    "a": {"all"}, "b": {"baseline"}, "c": {"csv"}, "e": {"expect"}, "f": {"format"}, "g": {"got"}, "h": {"help"}, "i": {"impl"}, "j": {"json"},
    "m": {"max-ulp"}, "n": {"samples", "count", "arrays"},  # inputs that are tried, each by its command's word
    "o": {"output"}, "p": {"policy"}, "q": {"quiet"}, "r": {"rounding"}, "t": {"threads"}, "u": {"update"}, "v": {"verbose"}, "w": {"worst-of"}}


class Numbers(Case):
    def count_tested(self, number):
        return self.libm("exp", "--range", "1:2", "-n", number)["tested"]

    def test_as_people_write_them(self):
        for text, count in (("1e3", 1000), ("2E2", 200), ("1k", 1000), ("2K", 2000), ("0x100", 256), ("2^8", 256), ("300", 300)):
            with self.subTest(text=text):
                self.assertEqual(self.count_tested(text), count)
        self.assertIn("3,000,000 sampled inputs", self.succeed("sweep", "exp", "-n", "3M", "--impl", "libm"))

    def test_what_is_no_whole_number_is_refused(self):
        for text in ("1.5M", "1e", "1Mi", "3^2", "2^64", "1e20", "20T00", "0x1k", "M", "-1", ""):
            self.assertIn("--samples needs a whole number from 1 to", self.refuse("sweep", "exp", "-n", text), text)


class Roundings(Case):
    def test_usual_abbreviations(self):
        names = {"nearest-even": "rne RN tonearest roundTiesToEven", "toward-zero": "rtz rz truncate", "up": "rup rtp ru upward",
                 "down": "rdn rtn rd downward", "nearest-away": "rna rmm"}
        for name, aliases in names.items():
            for alias in aliases.split():
                result, = self.document("eval", "exp", "0.5", "-r", alias)["results"]
                self.assertEqual(result["rounding"], name, alias)
        self.assertIn("unknown rounding 'rxx'", self.refuse("eval", "exp", "1", "-r", "rxx"))


class Meant(Case):
    def test_libraries_of_python_need_no_prefix(self):
        with open(os.environ["LIBRARY_NAMES"], encoding="utf-8") as stream:
            libraries = re.findall(r'^    "(\w+)": \{$', stream.read(), re.MULTILINE)
        self.assertIn("numpy", libraries)
        stand_in = self.file("python", f"#!{sys.executable}\nimport sys\nprint('asked for', sys.argv[3], file=sys.stderr)\nsys.exit(1)\n")
        os.chmod(stand_in, 0o755)
        for name in libraries:
            done = self.run_program("sweep", "exp", "-n", 10, "--impl", name, env={"DETCHECK_PYTHON": stand_in})
            self.assertIn(f"asked for {name}\n", done.stderr.decode())
            self.assertIn(f"py:{name} ended", done.stderr.decode())

    def test_an_unknown_implementation_is_told_a_few_that_there_are(self):
        line = self.refuse("sweep", "exp", "--impl", "foo")
        self.assertIn("try det, cr, libm, lib:FILE.so, exec:COMMAND or py:numpy ('detcheck list --all implementations' names them all)", line)
        self.assertNotIn("hellas", line)

    def test_libraries_between_commas_are_told_of_options_of_their_own(self):
        self.assertIn("; each of several has an option of its own: --impl A --impl B",
                      self.refuse("sweep", "exp", "-n", 10, "--impl", "lib:./a.so:f,lib:./b.so:g"))

    def test_the_operation_may_stand_behind_its_values(self):
        for words in (("1", "exp"), ("1", "2", "pow"), ("3", "hypot", "4"), ("-1", "exp")):
            operation = next(word for word in words if word.isalpha())
            values = [word for word in words if word != operation]
            self.assertEqual(self.succeed("eval", *words), self.succeed("eval", operation, *values))
        self.assertIn("unknown operation 'expp'", self.refuse("eval", "expp", "1"))

    def test_version(self):
        for word in ("version", "-V"):
            self.assertEqual(self.succeed(word), self.succeed("--version"))

    def test_survey_is_the_package_of_python(self):
        stand_in = self.file("python", f"#!{sys.executable}\nimport sys\nprint(sys.argv[3:])\n")
        os.chmod(stand_in, 0o755)
        told = self.succeed("survey", "numpy", "--minutes", "1", env={"DETCHECK_PYTHON": stand_in})
        self.assertEqual(told, "['survey', 'survey', 'numpy', '--minutes', '1']\n")
        line = self.refuse("survey", "numpy", env={"DETCHECK_PYTHON": sys.executable, "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"})
        self.assertIn("survey needs the package detcheck of Python", line)
        self.assertIn("no_such_python", self.refuse("survey", "numpy", env={"DETCHECK_PYTHON": "no_such_python"}))

    def test_implementations_of_published_texts_are_listed_where_they_are_asked_for(self):
        few, every = self.succeed("list", "implementations"), self.succeed("list", "--all", "implementations")
        of_texts = ("article", "text", "hellas", "hellas-mended", "variant:")
        for name in of_texts:
            self.assertNotRegex(few, rf"(?m)^  {name} ")
            self.assertRegex(every, rf"(?m)^  {name} ")
        self.assertIn(f"  {len(of_texts)} more are hidden; 'detcheck list --all implementations' shows them\n", few)
        self.assertEqual(len(every.splitlines()), len(few.splitlines()) - 1 + len(of_texts))


class Defaults(Case):
    def test_verify_takes_what_the_file_expects(self):
        self.succeed("emit", "exp", "-f", "fp16", "-e", "both", "-n", 20, "-o", "both.json")
        rows = self.document("verify", "both.json")["results"]
        self.assertEqual(sorted((row["expect"], row["implementation"].split()[0]) for row in rows), [("correctly_rounded", "cr"), ("det", "det")])

    def test_several_outputs_are_judged(self):
        result, = self.document("eval", "exp", "1", "--impl", "cr", "--got", "2.5", "--got", "0x402df854", "--got", "inf")["results"]
        got = [(one["got"], one["verdict"]) for one in result["implementations"] if one["name"] == "got"]
        self.assertEqual(got, [("0x40200000", "not faithful"), ("0x402df854", "correctly rounded"), ("0x7f800000", "not faithful")])
        both = self.document("eval", "sincos", "1", "--impl", "cr", *(word for code in ("0", "1", "0.5", "0x3f000000") for word in ("--got", code)))
        got = [[one["got"] for one in result["implementations"] if one["name"] == "got"] for result in both["results"]]
        self.assertEqual(got, [["0x00000000", "0x3f000000"], ["0x3f800000", "0x3f000000"]])
        self.assertIn("has 2 results, and takes as many --got, or a multiple of that", self.refuse("eval", "sincos", "1", "--got", "1"))

    def on_a_terminal(self, *words, code=0):
        """What a run shows there of its progress."""
        master, terminal = os.openpty()
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal,
                                   cwd=self.path, env=environment({"TERM": "xterm"}))
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # which is how a terminal ends
            while part := os.read(master, 4096):
                shown += part
        os.close(master)
        self.assertEqual(process.wait(), code)
        return shown.decode()

    def test_emit_and_explain_show_how_far_they_are(self):
        for label, words, code in (("exp", ("emit", "exp", "-n", "200000", "-o", "vectors.json"), 0),
                                   ("all", ("emit", "tgamma", "exp", "-n", "60000", "-o", "vectors.json"), 0),
                                   ("exp", ("explain", "exp", "--range", "1:2", "--impl", "libm", "--impl", "cr", "-t", "1"), 1)):
            with self.subTest(words=words):
                shown = self.on_a_terminal(*words, code=code)
                bars = re.findall(rf"\r\x1b\[K{label} +\[(#*)\.*\] +(\d+\.\d) %  [^\r]* left", shown)
                self.assertGreater(len(bars), 2, shown)
                for bar, share in bars:
                    self.assertAlmostEqual(len(bar) / (80 - 1 - 12 - 4 - 20), float(share) / 100, delta=0.15)
                if words[0] == "emit":  # which does one thing, and explain makes several passes
                    shares = [float(share) for _, share in bars]
                    self.assertEqual(shares, sorted(shares))
                self.assertTrue(shown.endswith("\r\x1b[K"), shown[-20:])

    def test_a_search_for_seconds_shows_seconds(self):
        """By its bar on a terminal."""
        shown = self.on_a_terminal("search", "pow", "-f", "fp64", "--seconds", "2", "--impl", "libm")
        left = re.findall(r"(\S+ \S+) left", shown)
        self.assertGreater(len(left), 3, shown)
        for time in left:
            self.assertRegex(time, r"^[01]\.\d s$")


class Quiet(Case):
    def test_verify_and_explain_print_nothing(self):
        vectors = self.file("vectors.json", self.succeed("emit", "exp", "-f", "fp16", "-n", 20))
        for words, code in ((("verify", vectors), 0), (("verify", vectors, "--impl", "steps:1+x"), 1),
                            (("explain", "exp", "-f", "fp16", "--impl", "cr", "--impl", "cr"), 0),
                            (("explain", "exp", "-f", "fp16", "--impl", "cr", "--impl", "steps:1+x"), 1)):
            with self.subTest(words=words):
                self.assertNotEqual(self.succeed(*words, code=code), "")
                self.assertEqual(self.succeed(*words, "-q", "--json", "told.json", code=code), "")
                self.assertIn("schema", parse(self.read("told.json")))


class Threads(Case):
    def most_threads(self, *words):
        """Of a run, as the system counts them."""
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, cwd=self.path)
        most = 0
        while process.poll() is None:
            with contextlib.suppress(OSError):
                most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            time.sleep(0.002)
        self.assertEqual(process.returncode, 0)
        return most

    def test_bench_has_as_many_as_are_named(self):
        words = ("bench", "exp", "--impl", "det", "--rounds", "1", "--seconds", "1")
        one, three = (self.most_threads(*words, "-t", count) for count in ("1", "3"))
        self.assertEqual(three - one, 2)


class One(Case):
    """One is not several."""

    def test_one_input_and_one_array(self):
        text = self.succeed("sweep", "exp", "--range", "1:1", "--impl", "steps:2*x", "--impl", "cr")
        self.assertIn("give different bits for 1 input ", text)
        self.assertIn("\n1 input in ", text)
        self.assertIn("\n1 array in ", self.succeed("sweep", "sum", "-n", 1, "--shape", "1x4", "--distribution", "normal", "--impl", "cr"))


class Letters(Case):
    def test_each_means_one_thing(self):
        commands = re.findall(r"^  (\w+)  ", self.succeed("--help").split("Commands:\n")[1], re.MULTILINE)
        self.assertIn("verify", commands)
        count = 0
        for command in commands:
            for letter, name in re.findall(r"^  -(\w), --([\w-]+)", self.succeed(command, "--help", "all"), re.MULTILINE):
                with self.subTest(command=command, letter=letter):
                    self.assertIn(name, LETTERS[letter])
                    count += 1
        self.assertGreater(count, 90)


if __name__ == "__main__":
    unittest.main()
