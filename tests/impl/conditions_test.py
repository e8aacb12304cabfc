"""Workers that are asked for conditions (detcheck-exec(7)): they compute under them, and say which they can.

This speaks detcheck's side of the protocol. Environment: DETCHECK; FLUSHING_LIBRARY sets FTZ when it is opened.
"""

import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from adapters_test import ADAPTERS
from harness import PROGRAM

ONE, TINY = 0x3F800000, 0x00000001
SCALAR = {"length", "offset", "in-place", "around", "threads", "rounding", "flags", "left"}
X86 = {"flushing", "traps", "precision"} if os.uname().machine == "x86_64" else set()


class Worker:
    def __init__(self, command, operation="sqrt", form="fp32", lines="conditions=1\n", size=4, **options):
        self.size, text = size, lines.encode()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        names = [name.encode() for name in (operation, form, form, "nearest-even")]
        self.give(b"detcheck", struct.pack("<6I32s32s32s32s", 1, 1, 1, size, size, len(text), *names), text)
        letters, self.status, length = struct.unpack("<8s2I", self.process.stdout.read(16))
        assert letters == b"detreply", letters
        self.text, *lines = self.process.stdout.read(length).decode().split("\n")
        self.lines = [line.split("=", 1) for line in lines]
        self.number = 0x5EED0000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def told(self, name):
        return [value for key, value in self.lines if key == name]

    def conditions(self):
        return set(self.told("conditions")[0].split())

    def give(self, *parts):
        self.process.stdin.write(b"".join(parts))
        self.process.stdin.flush()

    def codes(self, codes):
        return struct.pack(f"<{len(codes)}{'I' if self.size == 4 else 'H'}", *codes)

    def plain(self, codes):
        self.give(struct.pack("<2IQ", 2, len(codes), 0), self.codes(codes))
        return self.answer(len(codes), len(codes))[0]

    def ask(self, codes, length=0, offset=0, result_offset=0, stride=1, threads=1, rounding=0, bits=0, around=0):
        self.number += 1
        self.give(struct.pack("<2IQ", 5, len(codes), self.number),
                  struct.pack("<8IQ", length, offset, result_offset, stride, threads, rounding, bits, 0, around),
                  self.codes(codes))
        return self.answer(len(codes), self.number, len(codes) * (bool(bits & 16) + bool(bits & 512)))

    def answer(self, count, number, more=0):
        data = self.process.stdout.read(8 + self.size * count + more + 4)
        assert (data[:4], data[-4:], struct.unpack("<I", data[4:8])[0]) == (b"answ", b"done", number), data[:8]
        results = struct.unpack(f"<{count}{'I' if self.size == 4 else 'H'}", data[8:8 + self.size * count])
        return (list(results), list(data[8 + self.size * count:-4])) if more else (list(results), None)


class Of(unittest.TestCase):
    command, names, options = [], SCALAR | X86, {}
    inputs = [struct.unpack("<I", struct.pack("<f", 1 + i / 7))[0] for i in range(500)]

    def worker(self, *words, **options):
        return Worker(self.command, *words, **{**self.options, **options})

    def test_one_that_is_not_asked_is_as_ever(self):
        with self.worker(lines="") as worker:
            self.assertEqual((worker.status, worker.lines), (0, []))

    def test_what_it_can(self):
        with self.worker() as worker:
            self.assertEqual((worker.status, worker.conditions()), (7, self.names))
            self.assertNotEqual(worker.told("why"), [""])
            self.assertEqual(worker.told("disturbed"), [])

    def test_the_same_results_wherever_arrays_lie(self):
        with self.worker() as worker:
            results = worker.plain(self.inputs)
            self.assertEqual(results[0], ONE)
            self.assertEqual(results[3], struct.unpack("<I", struct.pack("<f", math.sqrt(1 + 3 / 7)))[0])
            asked = [{"length": 1}, {"length": 7}, {"length": 500}, {"bits": 8}]
            asked += [{"offset": 4, "result_offset": 60, "length": 33}] if "offset" in self.names else []
            asked += [{"stride": 3, "length": 50}] if "stride" in self.names else []
            asked += [{"bits": 1}, {"bits": 65, "around": 0x7FC00000}] if "in-place" in self.names else []
            asked += [{"threads": 3}, {"threads": 2, "length": 9}] + ([{"bits": 32}] if "by-number" in self.names else [])
            for one in asked:
                with self.subTest(**one):
                    self.assertEqual(worker.ask(self.inputs, **one)[0], results)

    def test_rounding_is_that_of_the_caller(self):
        if "rounding" not in self.names:
            return
        with self.worker() as worker:
            nearest = worker.plain(self.inputs)
            up, down = (worker.ask(self.inputs, rounding=rounding)[0] for rounding in (2, 3))
            self.assertEqual(worker.ask(self.inputs, rounding=1)[0], down)
            self.assertTrue(all(b <= n <= a <= b + 1 for a, n, b in zip(up, nearest, down)))
            self.assertGreater(sum(a != b for a, b in zip(up, down)), 300)
            self.assertEqual(worker.plain(self.inputs), nearest)  # set back

    def test_flushing_is_that_of_the_caller(self):
        if "flushing" not in self.names:
            return
        with self.worker() as worker:
            self.assertNotEqual(worker.ask([TINY])[0], [0])
            self.assertEqual(worker.ask([TINY], bits=4)[0], [0])
            self.assertEqual(worker.ask([TINY], bits=2)[0], worker.plain([TINY]))

    def test_what_calls_leave_changed_is_told(self):
        if "left" not in self.names:
            return
        with self.worker() as worker:
            for bits in (512, 513, 512 + 16) if "traps" in self.names else (512, 513):
                results, told = worker.ask(self.inputs, length=50, bits=bits)
                self.assertEqual((results, set(told)), (worker.plain(self.inputs), {0}))
                self.assertEqual(len(told), len(self.inputs) * (2 if bits & 16 else 1))

    def test_traps_are_told_where_no_flag_tells_of_them(self):
        if "traps" not in self.names:
            return
        with self.worker() as worker:
            # The square root of -1 is invalid and says so: it traps, and nothing is wrong.
            codes = [ONE, 0xBF800000, 0x7F800000]
            results, trapped = worker.ask(codes, length=1, bits=16)
            self.assertEqual((results, trapped), (worker.plain(codes), [0, 0, 0]))


class Det(Of):
    command = [PROGRAM, "implementation-worker", "det", "0"]

    def test_variants_are_levels(self):
        with self.worker() as worker:
            levels = worker.told("variant")
            results = worker.plain(self.inputs)
            best = worker.text
        for level in levels:
            with self.worker(env={**os.environ, **dict([level.split("=", 1)])}) as worker:
                self.assertNotEqual(worker.text, best)
                self.assertEqual(worker.text.split(", ")[1], level.split("=")[1])
                self.assertEqual(worker.plain(self.inputs), results)
        with self.worker(env={**os.environ, "DETCHECK_LEVEL": "none"}) as worker:
            self.assertEqual(worker.status, 1)
            self.assertRegex(worker.text, "^DETCHECK_LEVEL=none is not a level of it here; there are: DETCHECK_LEVEL=baseline")

    def test_another_format(self):
        with self.worker("exp", "fp16", size=2) as worker:
            codes = list(range(0x3C00, 0x4000))
            self.assertEqual(worker.ask(codes, length=5, offset=2)[0], worker.plain(codes))

    # det computes square roots of the caller's rounding in the caller's rounding, and never flushes.
    def test_flushing_is_that_of_the_caller(self):
        with self.worker() as worker:
            for bits in (2, 4, 6):
                self.assertEqual(worker.ask([TINY], bits=bits)[0], worker.plain([TINY]))

    def test_rounding_is_that_of_the_caller(self):
        with self.worker() as worker:
            worker.ask(self.inputs, rounding=2)
            self.assertEqual(worker.ask(self.inputs)[0], worker.plain(self.inputs))


class Libm(Of):
    command = [PROGRAM, "implementation-worker", "libm", "0"]


class Library(Of):
    command = [PROGRAM, "implementation-worker", "lib:libm.so.6", "0"]

    def test_a_library_that_flushes_once_it_is_opened(self):
        library = f"lib:{os.environ['FLUSHING_LIBRARY']}:sqrtf"
        with Worker([PROGRAM, "implementation-worker", library, "0"]) as worker:
            self.assertEqual((worker.status, worker.told("disturbed")), (7, ["flushing"] if X86 else []))
            self.assertNotEqual(worker.ask([TINY])[0], [0])


class CAdapter(Of):
    @classmethod
    def setUpClass(cls):
        compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
        if not compiler:
            raise unittest.SkipTest("there is no C compiler")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.command = [os.path.join(cls.folder.name, "adapter")]
        subprocess.run([compiler, "-O1", "-ffp-contract=off", os.path.join(ADAPTERS, "c_adapter.c"), "-o", *cls.command, "-lm",
                        "-pthread"], check=True)


class Numpy(Of):
    names = {"length", "offset", "stride", "in-place", "threads", "by-number", "around"} | (
        {"rounding", "flushing", "precision", "flags", "left"} if X86 else set())
    command = [os.environ.get("ADAPTER_PYTHON", sys.executable), "-B", os.path.join(ADAPTERS, "numpy_adapter.py")]
    options = {"env": {**os.environ, "OMP_NUM_THREADS": "1"}}

    @classmethod
    def setUpClass(cls):
        done = subprocess.run([cls.command[0], "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise unittest.SkipTest("no Python here has numpy; ADAPTER_PYTHON names one that does")

    def test_every_variant_takes_other_features(self):
        with self.worker() as worker:
            for variant in worker.told("variant"):
                with self.worker(env={**os.environ, **dict([variant.split("=", 1)])}) as other:
                    self.assertEqual(other.status, 7, variant)


del Of

if __name__ == "__main__":
    unittest.main()
