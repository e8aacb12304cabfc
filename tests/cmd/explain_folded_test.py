"""`detcheck explain --folded`: constants of compilers, by GCC and clang as they are, and by ones with a planted fault."""

import decimal
import os
import platform
import re
import shlex
import shutil
import signal
import struct
import subprocess
import unittest
from fractions import Fraction

from harness import Case, parse, some

GCC, CLANG = shutil.which("gcc"), shutil.which("clang")
COMPILERS = [path for path in (GCC, CLANG) if path]
needs_gcc = unittest.skipUnless(GCC and b"Free Software" in subprocess.run([GCC, "--version"], capture_output=True, check=False).stdout,
                                "no gcc")
CODES = {"fp32": ("<I", "<f"), "fp64": ("<Q", "<d")}


def number(code, format_):
    whole, real = CODES[format_]
    return struct.unpack(real, struct.pack(whole, int(code, 16)))[0]


def fused(x, y, z):
    return Fraction(x) * Fraction(y) + Fraction(z)


def power(x, y):
    if y == int(y) and abs(y) < 1000:
        return Fraction(x) ** int(y)
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = 80, 10 ** 9, -10 ** 9
        return Fraction(decimal.Decimal(x) ** decimal.Decimal(y))


EXACT = {"div": lambda x, y: Fraction(x) / Fraction(y), "fma": fused, "pow": power}


class Folded(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.path, "temporary"))
        self.env = {"TMPDIR": os.path.join(self.path, "temporary")}

    def tearDown(self):
        self.assertEqual(os.listdir(self.env["TMPDIR"]), [], "something is left behind")
        super().tearDown()

    def explain(self, command, *words, notes=False):
        """The document's one explanation, and the text of the same run, whose first lines agree with it."""
        done = self.run_program("explain", *words, "--folded", command, "--json", "folded.json", env=self.env)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        if not notes:
            self.assertEqual(done.stderr, b"")
        with open(os.path.join(self.path, "folded.json"), encoding="utf-8") as stream:
            document = parse(stream.read())
        self.hold_to_schema(document)
        result, = document["results"]
        explanation = result["implementations"][0]["explanation"]
        folded = explanation["folded"]
        self.assertEqual(done.returncode, int(explanation["differ"] > 0))
        self.assertEqual(explanation["equal"], explanation["differ"] == 0)
        self.assertEqual(explanation["tested"], folded["folded"])
        self.assertLessEqual(folded["folded"], folded["calls"])
        self.assertEqual(folded["command"], command)
        self.said = done.stdout.decode()
        self.assertIn(f"  {folded['folded']:,} of {folded['calls']:,} call", self.said)
        for side in "ab":
            self.assertIn(f"{side.upper()} is wrong at {folded[side]['incorrectly_rounded']:,} of ", self.said)
            wrong = sum(one[side] != one["want"] for one in folded["differences"])
            self.assertGreaterEqual(folded[side]["incorrectly_rounded"], wrong)
        return explanation

    def compiler(self, script, name="compiler"):
        """A command that gets the C file's path as $source, and then runs gcc -O2 as it was asked to."""
        path = self.file(name, '#!/bin/sh\nfor word; do case $word in *.c) source=$word;; esac; done\n'
                         f'{script}\nexec {shlex.quote(COMPILERS[0])} -O2 "$@"\n')
        os.chmod(path, 0o755)
        return path

    def test_what_compilers_fold(self):
        """Operations of one, two and three operands; who is right is known from fractions and from decimals of 80 digits."""
        runs = [(compiler, operation, format_) for compiler in COMPILERS for operation in ("exp", "sqrt", "div", "pow", "fma")
                for format_ in CODES]
        if not runs:
            self.skipTest("neither gcc nor clang")
        for compiler, operation, format_ in some(runs, 3):
            with self.subTest(compiler=compiler, operation=operation, format=format_):
                explanation = self.explain(f"{compiler} -O2", operation, "-f", format_)
                folded = explanation["folded"]
                self.assertGreater(folded["calls"], 400)
                self.assertGreater(folded["folded"], 200)
                self.assertEqual(folded["differences"] == [], explanation["differ"] == self.nans(explanation))
                if operation in ("sqrt", "div", "fma"):
                    self.assertEqual((folded["a"]["incorrectly_rounded"], folded["b"]["incorrectly_rounded"]), (0, 0))
                if compiler == GCC:  # which folds by MPFR
                    self.assertEqual(folded["a"]["incorrectly_rounded"], 0)
                self.hold_to_exact(folded, operation, format_)

    def nans(self, explanation):
        return sum(one["explains"] for one in explanation["explanations"] if one["hypothesis"] == "nan-bits")

    def hold_to_exact(self, folded, operation, format_):
        """What is said to be right is nearer to the exact result than what is said to be wrong, or as near and even."""
        for one in folded["differences"] if operation in EXACT else []:
            inputs = one["input"] if isinstance(one["input"], list) else [one["input"]]
            exact = EXACT[operation](*(number(code, format_) for code in inputs))
            far = {side: abs(Fraction(number(one[side], format_)) - exact) for side in ("want", "a", "b")}
            for side in "ab":
                if one[side] != one["want"]:
                    self.assertGreaterEqual(far[side], far["want"], one)
                    self.assertTrue(far[side] > far["want"] or int(one["want"], 16) % 2 == 0, one)

    @needs_gcc
    def test_how_many_calls_are_left(self):
        """By the assembler file that GCC makes of the same source: one call for each input that is not folded, and one or two
        of the functions besides."""
        explanation = self.explain(self.compiler(f'cp "$source" {shlex.quote(self.path)}/kept.c'), "exp", "-f", "fp64")
        folded = explanation["folded"]
        subprocess.run([GCC, "-O2", "-fPIC", "-S", "kept.c"], cwd=self.path, check=True)
        with open(os.path.join(self.path, "kept.s"), encoding="utf-8") as stream:
            calls = len(re.findall(r"\b(?:call|jmp|bl|b)\s+exp\b", stream.read()))
        left = folded["calls"] - folded["folded"]
        self.assertGreater(left, 20)
        self.assertIn(calls - left, (1, 2))

    @needs_gcc
    def test_gcc_folds_a_number_as_people_write_it(self):
        inputs = self.file("inputs", "0.1\n1\n-2.5\n")
        folded = self.explain("gcc -O2", "exp", "-f", "fp64", "--inputs", inputs, notes=True)["folded"]
        self.assertEqual((folded["calls"], folded["folded"], folded["differences"]), (3, 3, []))
        inputs = self.file("inputs", "0.125\n1\n-2.5\n")
        for option in ("-fno-builtin", "-frounding-math"):
            complaint = self.refuse("explain", "exp", "-f", "fp64", "--inputs", inputs, "--folded", f"gcc -O2 {option}", env=self.env)
            self.assertIn("folds none of 3 calls of exp in fp64, so there is nothing to compare", complaint)

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_a_planted_constant_is_found(self):
        """A compiler that takes 2 for 3."""
        inputs = self.file("inputs", "1 3\n2 3\n5 7\n")
        compiler = self.compiler("sed -i 's/PUT(1, (0x1p+1f)/PUT(1, (0x1.8p+1f)/' \"$source\"")
        explanation = self.explain(compiler, "div", "-f", "fp32", "--inputs", inputs)
        folded = explanation["folded"]
        self.assertEqual((folded["calls"], folded["folded"], explanation["differ"]), (3, 3, 1))
        self.assertEqual(folded["differences"], [{"input": ["0x40000000", "0x40400000"], "a": "0x3f800000", "b": "0x3f2aaaab", "want": "0x3f2aaaab"}])
        self.assertEqual((folded["a"]["incorrectly_rounded"], folded["b"]["incorrectly_rounded"]), (1, 0))
        self.assertEqual(folded["a"]["max_ulp"]["input"], ["0x40000000", "0x40400000"])
        self.assertAlmostEqual(folded["a"]["max_ulp"]["error"], 2 ** 24 / 3)
        self.assertIn("A is wrong, by 5.59e+06 ulp", self.said)

    @needs_gcc
    @unittest.skipUnless(platform.machine() == "x86_64", "x87 is of x86")
    def test_x87_rounds_twice_when_the_program_runs(self):
        explanation = self.explain("gcc -O2 -mfpmath=387", "div", "-f", "fp64")
        cause = explanation["explanations"][0]
        self.assertEqual((cause["hypothesis"], cause["side"], cause["verdict"]), ("rounded-twice-by-x87", "b", "all"))
        folded = explanation["folded"]
        self.assertEqual(folded["a"]["incorrectly_rounded"], 0)
        self.assertEqual(folded["b"]["incorrectly_rounded"], explanation["differ"])
        self.hold_to_exact(folded, "div", "fp64")

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_constants_are_of_the_compiler_s_rounding(self):
        explanation = self.explain(f"{COMPILERS[0]} -O2", "div", "-f", "fp32", "--rounding", "up")
        cause = explanation["explanations"][0]
        self.assertEqual((cause["hypothesis"], cause["side"]), ("rounded-to-nearest-even", "a"))
        self.assertGreater(explanation["folded"]["a"]["incorrectly_rounded"], 50)
        self.assertEqual(explanation["folded"]["b"]["incorrectly_rounded"], 0)

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_thousands_of_calls_take_a_compiler_seconds(self):
        """In one function they took minutes."""
        explanation = self.explain("cc -O2", "exp", "-f", "fp32", "--range", "0x3f800000:0x3f800fff")
        self.assertEqual(explanation["folded"]["calls"], 4096)

    def test_more_inputs_than_a_file_has(self):
        explanation = self.explain(f"{COMPILERS[0]} -O0", "add", "-f", "fp32", "--samples", 100000, notes=True)
        self.assertEqual(explanation["folded"]["calls"], 4096)

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_what_crashes_or_hangs_ends(self):
        """When its constants are read, or where the program calls."""
        inputs = self.file("inputs", "1\n2\n")
        words = ["explain", "exp", "--inputs", inputs, "--timeout", 0.5]
        pause = "extern int pause(void); for (;;) pause();"
        for end in (pause, "__builtin_trap();"):
            compiler = self.compiler(f"sed -i 's/__atomic_store_n.*/{end}/' \"$source\"")
            with self.subTest(end=end), self.within(30):
                self.assertIn("crashes, hangs or exits when detcheck reads its constants",
                              self.refuse(*words, "--folded", compiler, env=self.env))
        compiler = self.compiler(f"sed -i '/at_run_time/s/{{/{{ {pause}/' \"$source\"")
        with self.within(30):
            done = self.run_program(*words, "--folded", compiler, env=self.env)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("  B hang: 2\n", done.stdout.decode())
        self.assertNotIn(": equal", done.stdout.decode())

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_a_signal_leaves_nothing_behind(self):
        """While the compiler works: the program ends when that has."""
        compiler = self.compiler(f"> {shlex.quote(self.path)}/started; sleep 1")
        process = self.start("explain", "exp", "--folded", compiler, env=self.env)
        self.wait_until(lambda: self.has("started"), process)
        code, said, complaint = self.stop(process, signal.SIGTERM)
        self.assertEqual((code, said), (130, ""))
        self.assertEqual(complaint, "detcheck: interrupted; nothing is compared\n")

    @unittest.skipUnless(COMPILERS, "neither gcc nor clang")
    def test_folders_of_the_command_are_removed(self):
        """tearDown sees that nothing is left."""
        compiler = self.compiler('mkdir -p "${source%/*}/own/folder"')
        self.assertEqual(self.explain(compiler, "exp", "-f", "fp32", "--range", "1:1.00001", notes=True)["differ"], 0)

    def test_inputs_are_chosen_as_elsewhere(self):
        self.assertIn("--seed goes with --samples", self.refuse("explain", "exp", "--seed", 3, "--folded", "cc -O2", env=self.env))

    def test_commands_that_build_nothing(self):
        for command, says in (("false", "--folded: false: the command fails"), ("true", "--folded: true: the command writes no library"),
                              ("no_such_compiler -O2", "there is no program no_such_compiler in PATH"), ("", "--folded needs a command")):
            with self.subTest(command=command):
                self.assertIn(says, self.refuse("explain", "exp", "--folded", command, env=self.env))
        empty = self.file("empty", "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ $1 = -o ] && : > $2; shift; done\n")
        os.chmod(empty, 0o755)
        self.assertIn("--folded: ", self.refuse("explain", "exp", "--folded", empty, env=self.env))

    def test_what_is_no_call_of_numbers(self):
        for words, says in ((["exp", "-f", "fp16"], "--folded is for fp32 and fp64"), (["cast", "--to", "fp16"], "calls of C that take and return numbers"),
                            (["softmax"], "calls of C"), (["sincos"], "calls of C"), (["exp", "--impl", "libm"], "--impl has no effect with --folded"),
                            (["exp", "--rounding", "nearest-away"], "C has no rounding mode"), ([], "explain needs an operation")):
            with self.subTest(words=words):
                self.assertIn(says, self.refuse("explain", *words, "--folded", f"{(COMPILERS or ['cc'])[0]} -O2", env=self.env))


if __name__ == "__main__":
    unittest.main()
