"""Which libraries and functions lib: finds, and how they are loaded: in a process of their own or in this one.

Environment: that of library_case.py; FLUSHING_LIBRARY, of faulty_library.c.
"""

import os
import shutil
import subprocess
import unittest

from harness import parse, without_run
from library_case import ADDRESS, FAULTY, FIRST, Library, ON_X86, RANGE, X86

FLUSHING = os.environ["FLUSHING_LIBRARY"]


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

    def test_a_function_of_another_library_is_told(self):
        name = "lib:libmvec.so.1"  # which is linked to libm, and has no sin of this name itself
        if self.run_program("eval", "sin", "1", "-f", "fp64", "--impl", name).returncode:
            self.skipTest("there is no libmvec: it is glibc's, on x86-64 and others")
        for words in ((), ("--no-isolation",)):
            with self.subTest(words=words):
                done = self.succeed("sweep", "sin", "-f", "fp64", "-n", 100, "--impl", name, "--json", "-", *words)
                entry, = parse(done)["results"][0]["implementations"]
                self.assertEqual(entry["detail"], "libmvec.so.1, sin (that of libm.so.6)")

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

    def test_a_locale_that_it_sets_changes_no_number(self):
        """Where a locale with a comma can be made: of Debian's package locales."""
        folder = os.path.join(self.path, "locales")
        os.mkdir(folder)
        made = shutil.which("localedef") and subprocess.run(
            ("localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")), capture_output=True, check=False)
        if not os.path.isdir(os.path.join(folder, "de_DE.UTF-8")):
            self.skipTest(f"no locale with a comma can be made: {made and made.stderr.decode()}")
        for words in ((), ("--no-isolation",)):
            found = [self.run_program("sweep", "sqrt", *RANGE, *words, "-t", "1", "--impl", "lib:" + FAULTY, "--json", "-",
                                      env={"FAULTS": f"{kind}@{FIRST:x}", "LOCPATH": folder}).stdout
                     for kind in ("none", "locale")]
            self.assertEqual(without_run(found[0].decode()), without_run(found[1].decode()))
            text = self.run_program("sweep", "sqrt", *RANGE, *words, "--impl", "lib:" + FAULTY,
                                    env={"FAULTS": f"locale@{FIRST:x}", "LOCPATH": folder}).stdout.decode()
            self.assertIn("0.49", text)

    def test_changes_are_found(self):
        faults = [(kind, FIRST + 5 + i) for i, kind in enumerate(("up",) + ON_X86 * X86)]
        self.check(self.entry(*RANGE, "--no-isolation", faults=faults), faults)

    @unittest.skipIf(ADDRESS, "AddressSanitizer tells of the crash itself")
    def test_a_crash_ends_the_run(self):
        done = self.run_program("sweep", "sqrt", *RANGE, "--no-isolation", "--impl", "lib:" + FAULTY,
                                env={"FAULTS": f"crash@{FIRST:x}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"crashed", done.stderr)

    @unittest.skipIf(ADDRESS, "AddressSanitizer tells of the signal itself")
    def test_abort_in_our_own_process_is_told(self):
        done = self.run_program("sweep", "sqrt", *RANGE, "--no-isolation", "--impl", "lib:" + FAULTY,
                                env={"FAULTS": f"abort@{FIRST:x}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"crashed, most likely in the implementation under test", done.stderr)


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

    def test_a_pattern_names_a_function_for_each_operation(self):
        for words in ((), ("--no-isolation",)):
            with self.subTest(words=words):
                first, second = self.results("sqrt", "cosh", *RANGE, *words, "--impl", f"lib:{FAULTY}:{{}}_array,array")
                entry, = first["implementations"]
                self.assertIn("sqrt_array", entry["detail"])
                self.assertEqual(entry["tested"], 1 << 16)
                self.assertIn("has no cosh_array", second["implementations"][0]["reason"])

    def test_the_suffix_of_a_pattern_follows_the_format(self):
        if self.run_program("eval", "exp", "1", "--impl", "lib:libm.so.6").returncode:
            self.skipTest("there is no libm.so.6")
        for form, symbol in (("fp32", "expf"), ("fp64", "exp"), ("fp16", "expf")):
            done = self.succeed("sweep", "exp", "-f", form, "-n", 100, "--impl", "lib:libm.so.6:{}{f}", "--json", "-")
            entry, = parse(done)["results"][0]["implementations"]
            self.assertEqual(entry["detail"].split(", ")[1].split(" ")[0], symbol)

    def test_other_braces_are_refused(self):
        for symbol in ("my_{x}", "my_{", "{}{F}"):
            self.assertIn("or {f}, for the f of its name in fp32", self.refuse("sweep", "exp", "--impl", f"lib:{FAULTY}:{symbol}"))
        complaint = self.refuse("sweep", "exp", "--impl", f"lib:{FAULTY}:" + "{}" * 60)
        self.assertIn("too long for exp", complaint)

    def test_nothing_after_the_colon(self):
        for name in ("lib::sqrtf", f"lib:{FAULTY}:", "lib:,array"):
            with self.subTest(name=name):
                self.refuse_library(name)

    def test_malformed_timeouts_are_refused(self):
        for text in ("0", "-1", "x", "1s", "nan", "inf", ""):
            with self.subTest(timeout=text):
                complaint = self.refuse("sweep", "sqrt", "--impl", "lib:" + FAULTY, f"--timeout={text}")
                self.assertIn("--timeout needs seconds", complaint)

    def test_nearest_away_is_not_provided(self):
        self.assertIn("nearest-away", self.refuse_library("lib:" + FAULTY, "-r", "nearest-away"))


if __name__ == "__main__":
    unittest.main()
