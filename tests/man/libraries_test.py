"""The tables of detcheck-libraries(7) and of detcheck-library-flags(7), -casts(7), -invariance(7) and -python(7),
which the scripts of man/tables write: they are whole, and what they say to be wrong is so where this machine has the
library. The fingerprints that vectors/libraries.py finds are those of its table.

Environment: DETCHECK is the program."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "tables"))
sys.dont_write_bytecode = True
import libraries  # noqa: E402
import library_casts  # noqa: E402
import library_flags  # noqa: E402
import library_invariance  # noqa: E402
import library_python  # noqa: E402

SPEC = importlib.util.spec_from_file_location("fingerprints", libraries.PAGE.path.parents[1] / "vectors" / "libraries.py")
FINGERPRINTS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FINGERPRINTS)

PROGRAM = os.environ["DETCHECK"]
ROWS, INPUTS = libraries.read_table()


def run(*words):
    done = subprocess.run([PROGRAM, *words, "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Table(unittest.TestCase):
    def test_is_whole(self):
        for name, row in ROWS.items():
            for column, text in row.items():
                with self.subTest(function=name, column=column):
                    least = 0 if name in libraries.EXACT else 0.49
                    self.assertTrue(text == libraries.NONE or float(text) >= least, text)

    def test_every_error_beyond_its_bound_is_listed(self):
        beyond = {(name, column) for name, row in ROWS.items() for column, text in row.items()
                  if text != libraries.NONE and float(text) > (libraries.bound(column, name) or float("inf"))}
        self.assertEqual(beyond, set(INPUTS))

    def test_they_are_beyond_their_bounds(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 and AVX-512")
        missing = set()
        for (name, column), where in INPUTS.items():
            implementation = libraries.COLUMNS[column][0](name)
            document = run("eval", name, *where.split(", "), "-f", "fp64", "--impl", implementation)
            one = document["results"][0]["implementations"][0] if document else {"provided": False}
            if not one["provided"]:
                missing.add(implementation.split(":__svml")[0])
                continue
            with self.subTest(function=name, column=column):
                self.assertEqual(libraries.shown(one["error"]), ROWS[name][column])
        if missing:
            self.skipTest("not here: " + ", ".join(sorted(missing)))


class FlagTable(unittest.TestCase):
    table = library_flags.read_table()

    def test_is_whole(self):
        self.assertEqual(set(self.table), set(library_flags.FUNCTIONS))
        for name, (inputs, lines) in self.table.items():
            with self.subTest(function=name):
                self.assertLessEqual({"glibc", "musl"}, set(inputs))
                for count in inputs.values():
                    number = re.sub(r"^all, for [a-z ]+ ", "", count).replace(",", "")
                    self.assertTrue(count == "all" or int(number) >= 1 << 16, inputs)
                for line in lines:
                    self.assertEqual(sum(map(int, line[4:8])) > 0, True, line)

    def test_a_run_of_one_library_keeps_the_lines_of_the_others(self):
        inputs, lines = self.table["sin"]
        news = ({"glibc": "all"}, [["sin", "glibc", "inexact", "missing", "1", "0", "0", "0", "nearest-even", "0x1p-126"]])
        have = library_flags.with_news((inputs, lines), news, ["glibc"])
        self.assertEqual(have, ({**inputs, "glibc": "all"}, news[1] + [line for line in lines if line[1] != "glibc"]))

    def test_flags_of_glibc_are_wrong_where_it_says_so(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 on x86-64 with AVX-512")
        for name, (_, lines) in self.table.items():
            for _, library, flag, fault, *_, rounding, where in lines:
                if library != "glibc":
                    continue
                with self.subTest(function=name, flag=flag, fault=fault):
                    one = run("eval", name, *where.split(", "), "-r", rounding, "--impl", "libm", "--flags", "--inexact",
                              "--tininess", "after")["results"][0]["implementations"][0]
                    self.assertIn(flag, one["flags"][fault])


class InvarianceTable(unittest.TestCase):
    asked, reasons = library_invariance.read_table()

    def test_every_library_is_there(self):
        self.assertEqual({library for library, _, _ in self.asked}, set(library_invariance.LIBRARIES))

    def test_det_and_cr_change_nothing(self):
        self.assertEqual([lines for (library, _, _), (_, lines) in self.asked.items() if library in ("det", "cr") and lines], [])

    def test_what_changes_bits_does_so_here(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 and AVX-512")
        seen = set()
        for (library, name, form), (_, lines) in self.asked.items():
            for _, _, _, each, _, where in lines if library in ("glibc", "libmvec") else ():
                if (library, each) in seen:
                    continue
                seen.add((library, each))
                at = where.split(", ")[0]
                document = run("invariance", name, "-f", form, "--range", f"{at}:{at}", "--property", each, "--impl",
                               {"glibc": "libm"}.get(library, library))
                with self.subTest(library=library, function=name, format=form, property=each):
                    self.assertEqual(document["results"][0]["implementations"][0]["invariance"][0]["changed"], 1)


class PythonTable(unittest.TestCase):
    rows = library_python.read_table()

    def test_every_library_is_there(self):
        self.assertEqual({library for _, library, *_ in self.rows}, set(library_python.LIBRARIES))
        self.assertEqual(len({row[:3] for row in self.rows}), len(self.rows))

    def test_no_sample_is_worse_than_all_inputs(self):
        for function, library, format_, sampled, found, where in self.rows:
            # PyTorch computes the ends of arrays by other functions, which arrays of some 600 samples show.
            if library != "torch" and sampled != library_python.NONE and not found.endswith(("*", "!")):
                with self.subTest(function=function, library=library, format=format_):
                    self.assertGreaterEqual(float(found), 0.998 * float(sampled), where)


class Casts(unittest.TestCase):
    def test_profiles_make_what_the_table_has_of_them(self):
        parts = library_casts.sections()
        self.assertLessEqual({"numpy"}, set(parts))
        self.assertLessEqual(set(parts), set(library_casts.PACKAGES))
        for package, text in parts.items():
            rows = re.findall(r"^(\w+)\n  keeps: (.*)$", text, re.MULTILINE)
            self.assertLessEqual({"fp8_e4m3fn", "fp8_e5m2"}, {target for target, _ in rows}, package)
            body = text.split("fp8_e4m3fn\n")[1].split("fp8_e4m3fnuz\n")[0]
            lines = re.findall(r"^  (\S+) +(\w+) (\S+): (\w+) for (\w+)$", body, re.MULTILINE)
            self.assertGreater(len(lines), 3, package)
            for profile, source, number, got, wanted in lines:
                words = ("eval", "cast", "--from", source, "--to", "fp8_e4m3fn", "--profile", profile, number)
                self.assertEqual(run(*words)["results"][0]["want"], wanted, (package, profile))
                self.assertNotEqual(got, wanted)


class Fingerprints(unittest.TestCase):
    def test_those_of_det_are_found_again(self):
        found = FINGERPRINTS.fingerprints(PROGRAM, "det", {}, "exp", "bf16", "all")
        self.assertEqual(found["all"], FINGERPRINTS.read()["detcheck det"]["functions"]["exp bf16"]["all"])

    def test_a_function_that_is_not_there_has_none(self):
        self.assertEqual(FINGERPRINTS.fingerprints(PROGRAM, "cr", {}, "digamma", "bf16", "all"), {})


if __name__ == "__main__":
    unittest.main()
