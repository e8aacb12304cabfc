"""The table of detcheck-libraries(7), which tests/libraries.py writes: it is whole, and what it says to lie beyond a
bound does so where this machine has the library.

Environment: DETCHECK is the program."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import libraries  # noqa: E402

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
                    self.assertTrue(text == libraries.NONE or float(text) > 0.49, text)

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


if __name__ == "__main__":
    unittest.main()
