"""Conversions between real numbers and integers against whole numbers of Python: what the instructions and the
standards say of rounding, of integers that do not fit, of infinity and NaN is written here once more.
"""

import ctypes
import itertools
import json
import random
import shutil
import struct
import subprocess
import unittest
from fractions import Fraction
from math import floor, inf, isnan, nan

from formats import FORMATS, INFINITY, NAN
from harness import EXHAUSTIVE, Case

INTEGERS = tuple(f"{sign}int{bits}" for bits in (2, 4, 8, 16, 32, 64) for sign in ("", "u"))
REGISTERS = INTEGERS[8:]
MACHINES = INTEGERS[4:]
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away", "nearest-up")
UNDEFINED = "undefined"
TARGETS = {"ieee": INTEGERS, "saturate": INTEGERS, "saturate-nan-minimum": INTEGERS, "saturate-nan-maximum": INTEGERS,
           "wrap": INTEGERS, "c": INTEGERS, "x86": MACHINES[:-1], "x86-avx512": REGISTERS, "arm": MACHINES,
           "webassembly": REGISTERS, "webassembly-trap": REGISTERS, "cuda": MACHINES, "riscv": REGISTERS}
CUT_OFF = ("wrap", "c", "x86", "x86-avx512", "arm", "webassembly", "webassembly-trap", "cuda", "riscv")


def bits_of(form):
    return int(form.lstrip("uint")), form[0] != "u"


def ends(bits, signed):
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def rounded(x, rounding):
    """A fraction to an integer."""
    low, half = floor(x), Fraction(1, 2)
    rest = x - low
    if rounding == "toward-zero":
        return low if x >= 0 or rest == 0 else low + 1
    if rounding in ("up", "down"):
        return low + (rounding == "up" and rest != 0)
    if rest != half:
        return low + (rest > half)
    return {"nearest-even": low + low % 2, "nearest-away": low + (x > 0), "nearest-up": low + 1}[rounding]


def converted(x, form, rounding, profile, source):
    """x: a fraction, inf, -inf or nan. The integer, or UNDEFINED."""
    bits, signed = bits_of(form)
    least, most = ends(bits, signed)
    number = isinstance(x, Fraction)
    n = rounded(x, rounding) if number else None
    if profile == "wrap":
        return (n - least) % (1 << bits) + least if number else 0
    if profile in ("ieee", "c", "webassembly-trap"):
        return n if number and least <= n <= most else UNDEFINED
    if profile == "x86":  # by way of int32 or int64
        wide = 32 if bits < 32 or form == "int32" else 64
        low, high = ends(wide, True)
        n = n if number and low <= n <= high else low
        return (n - least) % (1 << bits) + least
    if profile == "x86-avx512":
        return n if number and least <= n <= most else (least if signed else most)
    if not number and isnan(x):
        top = 1 << bits - 1 if not signed else least
        return {"saturate": 0, "arm": 0, "webassembly": 0, "saturate-nan-minimum": least,
                "saturate-nan-maximum": most, "riscv": most,
                "cuda": top if bits == 64 or source == "fp64" else 0}[profile]
    low, high = ends(max(bits, 32), signed) if profile == "arm" else (least, most)
    n = max(low, min(high, n)) if number else (high if x > 0 else low)
    return (n - least) % (1 << bits) + least


def value_of(source, code):
    if source in INTEGERS:
        bits, signed = bits_of(source)
        return Fraction(code - (1 << bits) if signed and code >> bits - 1 else code)
    if source == "fp64":
        x = struct.unpack("<d", struct.pack("<Q", code))[0]
        return x if isnan(x) or x in (inf, -inf) else Fraction(x)
    negative, x = FORMATS[source].decode(code)
    if x in (NAN, INFINITY):
        return nan if x == NAN else -inf if negative else inf
    return Fraction(x)


def code_of(n, form):
    return n % (1 << bits_of(form)[0])


class IntegerCasts(Case):
    def evaluated(self, source, target, codes, *words):
        """Each code's wanted result, and det's, which is to be the same."""
        wanted = []
        for at in range(0, len(codes), 500):
            document = self.document("eval", "cast", "--from", source, "--to", target, "-i", "det", *words,
                                     *(f"0x{code:x}" for code in codes[at:at + 500]))
            for result in document["results"]:
                got = result["implementations"][0]
                if result.get("undefined"):
                    self.assertEqual(got["verdict"], "undefined")
                    wanted.append(UNDEFINED)
                else:
                    self.assertEqual(got["got"], result["want"], (source, target, words, result["input"]))
                    wanted.append(int(result["want"], 16))
        return wanted

    def check(self, source, target, codes, rounding, profile):
        got = self.evaluated(source, target, codes, "--profile", profile, "-r", rounding)
        for code, one in zip(codes, got):
            want = converted(value_of(source, code), target, rounding, profile, source)
            want = want if want == UNDEFINED else code_of(want, target)
            self.assertEqual(one, want, (source, target, hex(code), rounding, profile))

    def test_every_code_of_fp16_and_bf16(self):
        """By tables, in which an undefined result is 0."""
        rounding = itertools.cycle(ROUNDINGS)
        pairs = [(profile, form) for profile, forms in TARGETS.items() for form in forms]
        for at, (profile, form) in enumerate(pairs):
            if at % (9 if EXHAUSTIVE else 36):  # each profile once or twice, and each width; else a quarter of these
                continue
            source, direction = ("fp16", "bf16")[at // 9 % 2], next(rounding)
            lines = self.succeed("table", "cast", "--from", source, "--to", form, "--profile", profile, "-r", direction,
                                 "--as", "csv").splitlines()[1:]
            self.assertEqual(len(lines), 65536)
            for line in lines:
                cells = line.split(",")
                want = converted(value_of(source, int(cells[0], 16)), form, direction, profile, source)
                want = 0 if want == UNDEFINED else code_of(want, form)
                self.assertEqual(int(cells[2], 16), want, (source, form, profile, direction, line))

    def test_fp32_and_fp64_around_the_ends_of_every_target(self):
        draw, rounding = random.Random(50), itertools.cycle(ROUNDINGS)
        for profile, forms in TARGETS.items():
            for form in forms:
                for source, kind, width in (("fp32", "<f", 32), ("fp64", "<d", 64)):
                    codes = [draw.getrandbits(width) for _ in range(10)]
                    least, most = ends(*bits_of(form))
                    for x in (0, .5, 1.5, 2.5, 2**31, 2**32, 2**52 + .5, 2**53 + 2, 2**63, 2**64, least, most, most + .5,
                              least - .5, 2.0**70 + 2.0**20, 300.5, 70000.5, inf, nan):
                        for one in (x, -x):
                            code = int.from_bytes(struct.pack(kind, one), "little")
                            codes += [code, code + 1] + ([code - 1] if code & (1 << width - 1) - 1 else [])
                    self.check(source, form, codes, next(rounding), profile)

    def test_no_integer_goes_through_a_double(self):
        """From 64 bits to every format, judged by fractions: the nearest of the neighbours, ties to even."""
        special = [2**53 + 1, 2**53 - 1, 2**54 + 3, 2**63 - 1, 2**63 - 512, 2**63 - 513, 2**62 + 2**38 + 1,
                   2**24 + 1, 2**25 + 2, 2**25 + 6, 65504, 65520, 65519, 1, 0]
        draw = random.Random(51)
        special += [draw.getrandbits(63) >> draw.randrange(62) for _ in range(60)]
        for source in ("int64", "uint64", "int32", "uint32"):
            bits, signed = bits_of(source)
            least, most = ends(bits, signed)
            numbers = [n for n in special + [-n for n in special] + [most, least, most - 1, 2**64 - 1024, 2**64 - 1025]
                       if least <= n <= most]
            for target in ("fp64", "fp32", "fp16", "bf16", "fp8_e5m2"):
                got = self.evaluated(source, target, [code_of(n, source) for n in numbers])
                for n, code in zip(numbers, got):
                    if target == "fp64":
                        want = int.from_bytes(struct.pack("<d", float(n)), "little")  # Python rounds correctly
                    else:
                        want = FORMATS[target].encode(Fraction(n), "nearest-even", n < 0)
                        top = FORMATS[target].greatest
                        want = want if want & ~FORMATS[target].sign <= top else top + 1 | (want & FORMATS[target].sign)
                        want = want & FORMATS[target].sign if n == 0 else want
                    self.assertEqual(code, want, (source, target, n))
        for source in ("int64", "uint64"):  # and from integers to integers
            numbers = [n for n in special + [-n for n in special] if ends(*bits_of(source))[0] <= n]
            for profile, target in (("saturate", "int8"), ("wrap", "uint16"), ("wrap", "int64"), ("saturate", "uint64")):
                self.check(source, target, [code_of(n, source) for n in numbers], "nearest-even", profile)

    def outcome(self, *words):
        result, = self.document("sweep", "cast", *words)["results"]
        return result["implementations"]

    def test_undefined_inputs_are_counted_and_not_judged(self):
        for source, form in (("fp16", "int8"), ("bf16", "uint32"), ("fp16", "int64")):
            values = [converted(value_of(source, code), form, "toward-zero", "c", source) for code in range(65536)]
            for one in self.outcome("--from", source, "--to", form, "--profile", "c", "-i", "det,lut"):
                self.assertEqual(one["not_called"], values.count(UNDEFINED))
                self.assertEqual(one["tested"], 65536 - values.count(UNDEFINED))
                self.assertEqual(one["correctly_rounded"], one["tested"])
        text = self.succeed("sweep", "cast", "--from", "fp16", "--to", "int8", "--profile", "c", "-i", "det")
        self.assertIn("  undefined              20,472  (by the profile, and not judged)\n", text)
        text = self.succeed("eval", "cast", "--from", "fp32", "--to", "int8", "--profile", "c", "nan", "-i", "det")
        self.assertIn("undefined by the profile c", text)
        self.assertIn("not judged: any result will do", text)

    def test_undefined_inputs_are_not_compared(self):
        """Of a file that is right wherever a result is defined, and has 0xaa elsewhere."""
        values = [converted(value_of("fp16", code), "uint8", "toward-zero", "c", "fp16") for code in range(65536)]
        outputs = self.file("outputs", bytes(0xaa if value == UNDEFINED else value for value in values))
        open_count = values.count(UNDEFINED)
        words = ("-f", "fp16", "--to", "uint8", "--profile", "c", "-i", "det", "-i", f"file:{outputs}")
        for command in ("compare", "explain"):
            self.assertRegex(self.succeed(command, "cast", *words), fr"  {open_count:,} inputs undefined by the profile")
        one, = self.document("compare", "cast", *words)["comparisons"]
        self.assertEqual((one["not_called"], one["tested"], one["differ"]), (open_count, 65536 - open_count, 0))
        document = self.document("explain", "cast", *words)
        self.follows_schema(document)
        one = document["results"][0]["implementations"][0]["explanation"]
        self.assertEqual((one["not_called"], one["tested"], one["differ"], one["equal"]),
                         (open_count, 65536 - open_count, 0, True))

    def test_where_nothing_is_defined(self):
        for command in ("sweep", "compare", "explain"):
            words = ("-i", "det") + (("-i", "lut") if command != "sweep" else ())
            self.assertIn("the profile leaves the results of all inputs undefined",
                          self.refuse(command, "cast", "-f", "fp16", "--to", "int8", "--profile", "c", "--range", "300:400", *words,
                                      prints=command == "sweep"))

    def test_det_is_right_on_samples_of_every_pair(self):
        for source in ("fp32", "fp64", "int64", "uint64", "int32", "uint8"):
            for form in ("int4", "uint8", "int32", "int64", "uint64", "fp32", "fp64", "bf16"):
                for words in (("-n", "5000"),) + ((("-n", "2000", "-r", "stochastic"),) if source[0] == "f" else ()):
                    one, = self.outcome("--from", source, "--to", form, "--profile", "saturate", "-i", "det", *words)
                    self.assertEqual((one["incorrectly_rounded"], one["nan_mismatches"]), (0, 0), (source, form, words))
                    self.assertGreaterEqual(one["tested"], 256)

    def test_runs_are_counted_as_single_inputs_are(self):
        """What is counted by runs of codes, and what is judged one by one: the same report."""
        for words in (("--from", "fp32", "--to", "int8", "--profile", "x86", "--range", "127:128.5"),
                      ("--from", "fp32", "--to", "int8", "--profile", "wrap", "--range", "-1e9:-9.98e8"),
                      ("--from", "fp32", "--to", "uint8", "--profile", "saturate", "--range", "-1.0009765625:-0.9990234375"),
                      ("--from", "int32", "--to", "fp32", "--range", "-67150000:-67090000"),
                      ("--from", "int32", "--to", "fp16", "--range", "0:80000"),
                      ("--from", "int32", "--to", "int16", "--profile", "wrap", "--range", "-100000:100000"),
                      ("--from", "uint64", "--to", "fp32", "--range", "0xffffffffffff0000:0xffffffffffffffff"),
                      ("--from", "fp32", "--to", "int16", "--profile", "c", "-r", "nearest-up", "--range", "32767:32769")):
            means = []
            by_runs, one_by_one = (self.document("sweep", "cast", "-i", "det", *words, *more)["results"][0]
                                   for more in ((), ("--oracle", "exact")))
            for one in (by_runs, one_by_one):
                counted, = one["implementations"]
                del one["oracle"]
                counted.pop("error_sum", None)  # of runs it is that of the line between their ends
                means.append(counted.pop("mean_ulp"))
            self.assertEqual(by_runs, one_by_one, words)
            self.assertAlmostEqual(*means, 6)

    def test_this_processor(self):
        if not any(one.get("provided") for one in self.outcome(
                "--from", "fp32", "--to", "int32", "--profile", "x86", "-n", "10", "-i", "hardware")):
            self.skipTest("this processor has no cvttss2si")
        for form in TARGETS["x86"]:
            for source in ("fp32", "fp64"):
                one, = self.outcome("--from", source, "--to", form, "--profile", "x86", "-i", "hardware", "-n", "200000")
                self.assertEqual((one["tested"], one["incorrectly_rounded"]), (200000, 0), (source, form))
        one, = self.outcome("--from", "fp32", "--to", "int32", "--profile", "x86", "-r", "nearest-even", "-i", "hardware",
                            "-n", "200000")
        self.assertEqual(one["incorrectly_rounded"], 0)
        for source in ("fp32", "fp64"):  # llround
            one, = self.outcome("--from", source, "--to", "int64", "-r", "nearest-away", "-i", "hardware", "-n", "200000")
            self.assertEqual((one["incorrectly_rounded"], one["tested"] + one["not_called"]), (0, 200000))
            self.assertGreater(one["tested"], 90000)
        for source in ("int32", "uint64"):
            one, = self.outcome("--from", source, "--to", "fp32", "-i", "hardware", "-n", "200000")
            self.assertEqual(one["incorrectly_rounded"], 0)

    def test_lrint_of_the_c_library(self):
        lrintf = ctypes.CDLL(None).lrintf if ctypes.sizeof(ctypes.c_long) == 8 else None
        if not lrintf:
            self.skipTest("long has no 64 bits")
        lrintf.argtypes, lrintf.restype = [ctypes.c_float], ctypes.c_long
        draw = random.Random(52)
        codes = [draw.getrandbits(32) for _ in range(2000)]
        values = [struct.unpack("<f", struct.pack("<I", code))[0] for code in codes]
        inside = [(code, x) for code, x in zip(codes, values) if abs(x) < 2.0**62]
        got = self.evaluated("fp32", "int64", [code for code, _ in inside])
        self.assertGreater(len(inside), 1000)
        self.assertEqual(got, [lrintf(x) % (1 << 64) for _, x in inside])

    def test_webassembly(self):
        """trunc_sat of a WebAssembly engine: each of its eight instructions as a function of a module."""
        node = shutil.which("node")
        if not node:
            self.skipTest("node is missing")
        draw = random.Random(54)
        for source, pack, width, kind in (("fp32", "<f", 32, 0x7D), ("fp64", "<d", 64, 0x7C)):
            codes = [draw.getrandbits(width) for _ in range(100)]
            codes += [int.from_bytes(struct.pack(pack, sign * x), "little") for sign in (1, -1)
                      for x in (0, .5, 1.75, 2**31, 2**31 - 1, 2**32, 2**63, 2**64, 3e9, 1e19, 9e18, inf, nan)]
            for form in REGISTERS:
                wide, unsigned = form.endswith("64"), form[0] == "u"
                body = bytes([0, 0x20, 0, 0xFC, 4 * wide + 2 * (width == 64) + unsigned, 0x0B])
                module = (b"\0asm\1\0\0\0" + bytes([1, 6, 1, 0x60, 1, kind, 1, 0x7E if wide else 0x7F]) + b"\3\2\1\0"
                          + b"\7\5\1\1f\0\0" + bytes([10, len(body) + 2, 1, len(body)]) + body)
                script = (f"const m = new WebAssembly.Module(Buffer.from('{module.hex()}', 'hex'));"
                          "const f = new WebAssembly.Instance(m).exports.f, b = Buffer.alloc(8);"
                          f"for (const c of {json.dumps([f'{code:0{width // 4}x}' for code in codes])}) {{"
                          f"b.write(c, 'hex'); console.log(String(f(b.read{'Double' if width == 64 else 'Float'}BE(0))));}}")
                done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
                got = self.evaluated(source, form, codes, "--profile", "webassembly")
                self.assertEqual(got, [code_of(int(line), form) for line in done.stdout.split()], (source, form))

    def test_numpy_where_the_integer_fits(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("this Python has no numpy")
        draw = numpy.random.default_rng(53)
        for form in INTEGERS[4:]:
            least, most = ends(*bits_of(form))
            x = draw.uniform(max(least, -2.0**62), min(most, 2.0**62), 500).astype(numpy.float32)
            x = x[(x.astype(numpy.float64) > least - 1) & (x.astype(numpy.float64) < float(most))]
            want = x.astype(form).view(f"u{numpy.dtype(form).itemsize}")
            got = self.evaluated("fp32", form, [int(code) for code in x.view(numpy.uint32)], "--profile", "c")
            self.assertEqual(got, [int(code) for code in want])

    def test_vectors(self):
        for words in (("--from", "fp32", "--to", "int8"), ("--from", "fp64", "--to", "uint64", "--profile", "cuda"),
                      ("--from", "int64", "--to", "bf16"), ("--from", "fp16", "--to", "int32", "-r", "nearest-up"),
                      ("--from", "fp32", "--to", "uint64", "--profile", "arm")):
            text = self.succeed("emit", "cast", *words, "-n", "50")
            vectors = self.file("v.json", text)
            self.succeed("verify", vectors, "-i", "det")
            group, = json.loads(text)["testGroups"]
            self.assertGreater(len(group["tests"]), 50)

    def test_shards_merge(self):
        words = ("sweep", "cast", "--from", "fp16", "--to", "int16", "--profile", "c", "-i", "det")
        whole = self.document(*words)
        parts = [self.file(f"{i}.json", self.succeed(*words, "--shard", f"{i}/3", "--json", "-")) for i in (1, 2, 3)]
        self.assertEqual(json.loads(self.succeed("merge", *parts))["results"], whole["results"])

    def test_roundings_and_what_is_refused(self):
        for profile in TARGETS:
            line = self.succeed("eval", "cast", "--from", "fp32", "--to", "int32", "--profile", profile, "2.5", "-i", "det")
            self.assertIn("toward-zero" if profile in CUT_OFF else "nearest-even", line.splitlines()[0])
        text = self.succeed("eval", "cast", "--from", "fp64", "--to", "int8", "-r", "nearest-up", "-1.5", "2.5", "-i", "det")
        self.assertEqual([line.split()[1] for line in text.splitlines() if line.startswith("  rounded")], ["-1", "3"])
        for words, says in ((("--to", "fp16", "-r", "nearest-up", "1"), "nearest-up rounds to integers"),
                            (("--to", "fp16", "--profile", "x86", "1"), "has no rule for casts of numbers"),
                            (("--to", "int8", "--profile", "onnx-19", "1"), "has no rule for casts to integers"),
                            (("--to", "uint64", "--profile", "x86", "1"), "the profile x86 has no rule for uint64"),
                            (("--to", "int3", "1"), "unknown format 'int3'")):
            self.assertIn(says, self.refuse("eval", "cast", "--from", "fp32", *words))
        for source, number, says in (("uint8", "-1", "uint8 cannot hold -1; it holds 0 to 255"),
                                     ("int64", "1e19", "int64 cannot hold 1e19; it holds -9223372036854775808 to 9223372036854775807")):
            self.assertIn(says, self.refuse("eval", "cast", "-f", source, "--to", "fp32", "--", number))
        listed = self.succeed("list", "formats").split()
        self.assertEqual([form for form in INTEGERS if form not in listed], [])
        self.assertIn("exp is not rounded nearest-up", self.refuse("eval", "exp", "-r", "nearest-up", "1"))


if __name__ == "__main__":
    unittest.main()
