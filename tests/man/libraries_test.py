"""The rows of detcheck-libraries(7) and of detcheck-library-flags(7), -casts(7), -invariance(7) and -python(7), which the scripts
of man/tables measure: they are whole, and an error that they report is there where this machine has the library. The fingerprints
that vectors/libraries.py finds are those of its table.

Environment: DETCHECK is the program."""

import collections
import importlib.util
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "man", "tables"))
sys.dont_write_bytecode = True
import libraries  # noqa: E402
import library_casts  # noqa: E402
import library_flags  # noqa: E402
import library_invariance  # noqa: E402
import library_promises  # noqa: E402
import library_python  # noqa: E402
import library_runtimes  # noqa: E402
import library_texts  # noqa: E402

SPEC = importlib.util.spec_from_file_location("fingerprints", libraries.DATA.path.parents[2] / "vectors" / "libraries.py")
FINGERPRINTS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FINGERPRINTS)

PROGRAM = os.environ["DETCHECK"]
ROWS = {(row["function"], row["library"]): row["error"] for row in libraries.DATA.rows("errors")}
BEYOND = {(row["function"], row["library"]): row for row in libraries.DATA.rows("beyond")}


def run(*words):
    done = subprocess.run([PROGRAM, *words, "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


class Table(unittest.TestCase):
    def test_is_whole(self):
        self.assertEqual(set(ROWS), {(name, column) for name in libraries.FUNCTIONS for column in libraries.COLUMNS})
        for (name, column), text in ROWS.items():
            with self.subTest(function=name, column=column):
                least = 0 if name in libraries.EXACT else 0.49
                self.assertTrue(text == libraries.NONE or float(text) >= least, text)

    def test_every_error_beyond_its_bound_is_listed(self):
        beyond = {(name, column) for (name, column), text in ROWS.items()
                  if text != libraries.NONE and float(text) > (libraries.bound(column, name) or float("inf"))}
        self.assertEqual(beyond, set(BEYOND))
        self.assertEqual({key: row["error"] for key, row in BEYOND.items()}, {key: f"{ROWS[key]} ulp" for key in beyond})

    def test_they_are_beyond_their_bounds(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 and AVX-512")
        missing = set()
        for (name, column), row in BEYOND.items():
            implementation = libraries.COLUMNS[column][0](name)
            document = run("eval", name, *row["at"].split(", "), "-f", "fp64", "--impl", implementation)
            one = document["results"][0]["implementations"][0] if document else {"provided": False}
            if not one["provided"]:
                missing.add(implementation.split(":__svml")[0])
                continue
            with self.subTest(function=name, column=column):
                self.assertEqual(libraries.shown(one["error"]), ROWS[name, column])
        if missing:
            self.skipTest("not here: " + ", ".join(sorted(missing)))


class Order(unittest.TestCase):
    def test_measuring_a_row_anew_leaves_the_others_where_they_are(self):
        for script, tables in ((libraries, ("errors",)), (library_casts, ("kept", "parted")), (library_flags, ("faults", "inputs")),
                               (library_invariance, ("changed", "tested")), (library_promises, ("errors",)), (library_python, ("errors",)),
                               (library_runtimes, ("errors",)), (library_texts, ("texts",))):
            for table in tables:
                rows = script.DATA.rows(table)
                with self.subTest(script=script.__name__, table=table):
                    self.assertEqual(sorted(rows, key=script.order()), rows)


class FlagTable(unittest.TestCase):
    inputs, faults = library_flags.DATA.rows("inputs"), library_flags.DATA.rows("faults")

    def test_is_whole(self):
        libraries_of = collections.defaultdict(set)
        for row in self.inputs:
            libraries_of[row["function"]].add(row["library"])
            with self.subTest(function=row["function"], library=row["library"]):
                for count in (row["inputs"], row["sampled"]):
                    self.assertTrue(count == "all" or int(count.replace(",", "")) >= 1 << 16, count)
        self.assertEqual(set(libraries_of), set(library_flags.FUNCTIONS))
        self.assertTrue(all({"glibc", "musl"} <= one for one in libraries_of.values()), libraries_of)
        for row in self.faults:
            self.assertIn(row["library"], libraries_of[row["function"]])
            self.assertGreater(sum(int(row[rounding]) for rounding in ("nearest", "zero", "up", "down")), 0, row)

    def test_flags_of_glibc_are_wrong_where_it_says_so(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 on x86-64 with AVX-512")
        for row in self.faults:
            if row["library"] != "glibc":
                continue
            rounding, where = row["first"].split(" ", 1)
            with self.subTest(function=row["function"], flag=row["flag"], fault=row["fault"]):
                one = run("eval", row["function"], *where.split(", "), "-r", rounding, "--impl", "libm", "--flags", "--inexact",
                          "--tininess", "after")["results"][0]["implementations"][0]
                self.assertIn(row["flag"], one["flags"][row["fault"]])


class InvarianceTable(unittest.TestCase):
    tested, changed = library_invariance.DATA.rows("tested"), library_invariance.DATA.rows("changed")

    def test_every_library_is_there(self):
        self.assertEqual({row["library"] for row in self.tested}, set(library_invariance.LIBRARIES))

    def test_det_and_cr_change_nothing(self):
        self.assertEqual([row for row in self.changed if row["library"] in ("det", "cr")], [])

    def test_only_tested_functions_have_changes(self):
        self.assertLessEqual({(row["library"], row["function"], row["format"]) for row in self.changed},
                             {(row["library"], row["function"], row["format"]) for row in self.tested})

    def test_what_changes_bits_does_so_here(self):
        platform = run("env")["platform"]
        if platform["libc"] != "glibc 2.36" or "avx512f" not in platform["features"]:
            self.skipTest("the table is of glibc 2.36 and AVX-512")
        seen = set()
        for row in self.changed:
            library, each = row["library"], row["property"]
            if library not in ("glibc", "libmvec") or (library, each) in seen:
                continue
            seen.add((library, each))
            at = row["first_at"].split(", ")[0]
            document = run("invariance", row["function"], "-f", row["format"], "--range", f"{at}:{at}", "--property", each, "--impl",
                           {"glibc": "libm"}.get(library, library))
            with self.subTest(library=library, function=row["function"], format=row["format"], property=each):
                self.assertEqual(document["results"][0]["implementations"][0]["invariance"][0]["changed"], 1)


class PythonTable(unittest.TestCase):
    rows = [tuple(row.values())[1:] for row in library_python.DATA.rows("errors")]

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
        kept, parted = library_casts.DATA.rows("kept"), library_casts.DATA.rows("parted")
        packages = {row["package"] for row in kept}
        self.assertLessEqual({"numpy"}, packages)
        self.assertLessEqual(packages, set(library_casts.PACKAGES))
        for package in packages:
            self.assertLessEqual({"fp8_e4m3fn", "fp8_e5m2"}, {row["target"] for row in kept if row["package"] == package}, package)
            rows = [row for row in parted if (row["package"], row["target"]) == (package, "fp8_e4m3fn")]
            self.assertGreater(len(rows), 3, package)
        for row in parted:
            self.assertNotEqual(row["got"], row["wanted"], row)
        for source, target, profile, number, wanted in {tuple(row[column] for column in ("source", "target", "profile", "number", "wanted"))
                                                        for row in parted}:
            with self.subTest(source=source, target=target, profile=profile, number=number):
                words = ("eval", "cast", "--from", source, "--to", target, "--profile", profile, number)
                self.assertEqual(int(run(*words)["results"][0]["want"], 16), int(wanted, 16))


class Fingerprints(unittest.TestCase):
    def test_those_of_det_are_found_again(self):
        found = FINGERPRINTS.fingerprints(PROGRAM, "det", {}, "exp", "bf16", "all")
        self.assertEqual(found["all"], FINGERPRINTS.read()["detcheck det"]["functions"]["exp bf16"]["all"])

    def test_a_function_that_is_not_there_has_none(self):
        self.assertEqual(FINGERPRINTS.fingerprints(PROGRAM, "cr", {}, "digamma", "bf16", "all"), {})


if __name__ == "__main__":
    unittest.main()
