"""How much memory runs take at most, and that the time of a merge grows with the reports, not with their square."""

import copy
import json
import os
import subprocess
import sys
import unittest

from harness import PROGRAM, Case, environment, is_emulated

MIB = 1024 * 1024
MOST = 64 * MIB


# The largest resident set of a process is at least that of the one that it was forked from: so the fork is made by a
# small one.
MEASURE = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_DUP2, null, to) for to in range(3)])
_, status, usage = os.wait4(child, 0)
unit = 1 if os.uname().sysname == "Darwin" else 1024
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * unit, usage.ru_utime)
"""


@unittest.skipIf(is_emulated(), "an emulator's memory counts as the program's")
class Memory(Case):
    def usage(self, *words, code=0):
        """The largest resident set of a run, in bytes, and its processor time, in seconds."""
        done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, PROGRAM, *words], cwd=self.path,
                              env=environment(), stdout=subprocess.PIPE, check=True)
        found, peak, seconds = done.stdout.split()
        self.assertEqual(int(found), code)
        return int(peak), float(seconds)

    def peak(self, *words, **options):
        return self.usage(*words, **options)[0]


class Sweeps(Memory):
    def test_sixteen_threads_and_more(self):
        # The outputs would be 192 MiB; those of a task of each thread were 48 MiB of 16 threads.
        words = ("sweep", "exp", "--range", "0x3f000000:0x3fffffff", "--impl", "det,cr,libm", "--threads")
        sixteen, more = self.peak(*words, "16"), self.peak(*words, "48")
        self.assertLess(sixteen, MOST - 16 * MIB)
        self.assertLess(more - sixteen, (48 - 16) * 1.5 * MIB)

    def test_sixteen_threads_of_pairs_and_of_arrays(self):
        self.assertLess(self.peak("sweep", "pow", "--samples", "20000", "--threads", "16"), MOST)
        self.assertLess(self.peak("sweep", "sum", "--threads", "16"), MOST)


class Vectors(Memory):
    def test_outputs_are_made_and_written_in_parts(self):
        # All at once they were 54 MiB, and 28 MiB of arrays.
        self.assertLess(self.peak("emit", "mul", "-n", "200000", "--threads", "2", "-o", "out"), 42 * MIB)
        words = ("emit", "sum", "--shape", "256", "--distribution", "uniform", "-n", "10000", "-o", "out")
        self.assertLess(self.peak(*words), 22 * MIB)


class Reports(Memory):
    def setUp(self):
        super().setUp()
        self.succeed("sweep", "exp", "-f", "fp16", "--impl", "det,libm", "--json", "one.json")
        with open(os.path.join(self.path, "one.json"), encoding="utf-8") as stream:
            self.report = json.load(stream)

    def test_rows_behind_a_wrong_one_are_not_read(self):
        # The tree of the document takes some 80 bytes for each; a row of invariance would take 400 more.
        self.succeed("invariance", "exp", "-f", "fp16", "--range", "1:1.25", "--impl", "det", "--property", "length", "--json", "invariance.json")
        path = os.path.join(self.path, "invariance.json")
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
        report["results"][0]["implementations"][0]["invariance"] = [None] * 1000000
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(report, stream)
        peak = self.peak("gate", "invariance.json", "--max-changed", "1", code=2)
        self.assertLess(peak, 200 * MIB)

    def write(self, name, count, first=0, strip=False, **options):
        """A report with so many results, of other parameters each; returns its length."""
        result = copy.deepcopy(self.report["results"][0])
        result["parameters"]["shape"] = "SHAPE"
        if strip:
            del result["implementations"][1:]
            result["implementations"][0].update(by_binade=[], worst=[])
            del result["implementations"][0]["envelope"]
            result["differences"] = []
        one = json.dumps(result, **options)
        results = ",".join(one.replace("SHAPE", str(number)) for number in range(first, first + count))
        text = json.dumps({**self.report, "results": []}, **options).replace('"results": []', f'"results": [{results}]')
        self.file(name, text)
        return len(text)

    def test_a_report_takes_a_few_times_its_size(self):
        gate = ("gate", "--max-ulp", "5")
        small = self.peak(*gate, "one.json")
        # Each number of an envelope takes 80 bytes or more, and a dozen in the file; a tally is there beside the JSON.
        for count, times in ((30, 8), (300, 5.25)):
            length = self.write("large.json", count, indent="\t")
            self.assertGreater(length, 3 * MIB)
            self.assertLess(self.peak(*gate, "large.json") - small, times * length)
            for one in self.report["results"][0]["implementations"]:
                one.pop("envelope", None)

    def test_a_file_of_tiny_values_is_refused_before_it_fills_the_memory(self):
        for text in ('{"schema": "detcheck/report/1", "x": [%s0]}', "[%s0]"):
            self.file("zeros.json", text % ("0," * 1500000))
            self.assertLess(self.peak("gate", "--max-ulp", "5", "zeros.json", code=2), MOST)
            self.assertIn("too many values for the length", self.refuse("gate", "--max-ulp", 5, "zeros.json"))

    def slow_merging_takes_time_in_proportion(self):
        def seconds(count):
            self.write("a.json", count, 0, True)
            self.write("b.json", count, count, True)
            return min(self.usage("merge", "a.json", "b.json", "-o", "merged.json")[1] for _ in range(3))
        start, few, many = seconds(1), seconds(800), seconds(4800)
        self.assertLess(many - start, 15 * max(few - start, 0.02))  # 6 in proportion, 36 by the square
        with open(os.path.join(self.path, "merged.json"), encoding="utf-8") as stream:
            shapes = [result["parameters"]["shape"] for result in json.load(stream)["results"]]
        self.assertEqual(shapes, [str(number) for number in range(9600)])


if __name__ == "__main__":
    unittest.main()
