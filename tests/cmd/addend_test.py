"""--addend: c comes into dot and matmul and their like. What comes out is held to fractions: rounded once, and with c where each
implementation's row says that it stands."""
import json
import os
import random
import struct
import sys
import unittest
from fractions import Fraction

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401  numpy is the library that adds c
from harness import Case  # noqa: E402

ADAPTER = os.path.join(os.path.dirname(__file__), "../../src/impl/adapters/numpy_adapter.py")


def fp32(value):
    """A fraction to nearest even; results here are normal numbers."""
    if not value:
        return value
    exponent = abs(value).numerator.bit_length() - value.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > abs(value)
    unit = Fraction(2) ** (exponent - 23)
    return round(value / unit) * unit


def code(value):
    return "0x%08x" % struct.unpack("<I", struct.pack("<f", float(value)))[0]


def number(text):
    return Fraction(struct.unpack("<f", struct.pack("<I", int(text, 16)))[0])


def draw_numbers(draw, count):
    return [fp32(Fraction(draw.uniform(-1, 1)) * Fraction(2) ** draw.randint(-6, 6)) for _ in range(count)]


def from_left(x, y, start=None):
    """Products are rounded, and added from the first one on."""
    total = start
    for a, b in zip(x, y):
        total = fp32(a * b) if total is None else fp32(total + fp32(a * b))
    return total


def halves(x, y):
    if len(x) <= 8:
        return from_left(x, y)
    middle = len(x) // 2
    return fp32(halves(x[:middle], y[:middle]) + halves(x[middle:], y[middle:]))


class Addend(Case):
    def evaluate(self, operation, names, operands, *options):
        words = [w for name in names for w in ("--impl", name)]
        given = [code(v) if isinstance(v, Fraction) else str(v) for v in operands]
        results = self.document("eval", operation, *words, *options, *given)["results"]
        return {name: [e["implementations"][i]["got"] for e in results[0]["elements"]] for i, name in enumerate(names)}

    def test_where_c_stands_in_dot(self):
        draw = random.Random(1)
        told = 0
        for length in (1, 5, 9, 40, 300):
            x, y = draw_numbers(draw, length), draw_numbers(draw, length)
            c, = draw_numbers(draw, 1)
            names = ["cr", "det", "sequential", "pairwise"]
            plain = self.evaluate("dot", ["det"], x + y, "--shape", length)
            got = self.evaluate("dot", names, x + y + [c], "--shape", length, "--addend")
            want = {"cr": fp32(c + sum(a * b for a, b in zip(x, y))), "det": fp32(number(plain["det"][0]) + c),
                    "sequential": from_left(x, y, c), "pairwise": fp32(halves(x, y) + c)}
            self.assertEqual(got, {name: [code(value)] for name, value in want.items()}, length)
            told += want["sequential"] != fp32(from_left(x, y) + c)
        self.assertGreater(told, 1)

    def test_matmul_and_a_library(self):
        """numpy adds c to the product."""
        draw = random.Random(2)
        rows, inner, columns = 3, 2, 4
        x, y = draw_numbers(draw, rows * inner), draw_numbers(draw, inner * columns)
        c = draw_numbers(draw, rows * columns)
        names = ["cr", "det", f"exec:{sys.executable} {ADAPTER}"]
        got = self.evaluate("matmul", names, x + y + c, "--shape", f"{rows}x{inner}x{columns}", "--addend")
        lines = [(x[i * inner:(i + 1) * inner], [y[k * columns + j] for k in range(inner)], c[i * columns + j])
                 for i in range(rows) for j in range(columns)]
        self.assertEqual(got["cr"], [code(fp32(onto + sum(p * q for p, q in zip(a, b)))) for a, b, onto in lines])
        det = self.evaluate("matmul", ["det"], x + y, "--shape", f"{rows}x{inner}x{columns}")["det"]
        self.assertEqual(got["det"], [code(fp32(number(d) + onto)) for d, (_, _, onto) in zip(det, lines)])
        for one, (a, b, onto) in zip(got[names[2]], lines):
            sums = {fp32(fp32(a[i] * b[i]) + a[1 - i] * b[1 - i]) for i in range(2)} | {from_left(a, b)}  # fused, or not
            self.assertIn(one, {code(fp32(total + onto)) for total in sums})

    def test_a_function_of_c_finds_c_where_its_result_goes(self):
        """As gemm with beta 1: its bits are those of the sum from the left that begins with c; of dot there is no such place."""
        library = f"lib:{os.environ['SUMMING_LIBRARY']}:"
        for isolation in ((), ("--no-isolation",)):
            found = self.results("matmul", "--addend", "--samples", 2, "--shape", "3x70x4", "--impl", library + "matmul_onto",
                                 "--impl", "sequential", *isolation)
            for result in found:
                self.assertEqual(len({one["fingerprint"] for one in result["implementations"]}), 1)
        self.assertIn("get no c of dot", self.succeed("eval", "dot", "--addend", "--impl", library + "dot_blocked", "--impl", "cr", 1, 2, 3))

    def test_an_accumulator_of_units(self):
        """Of h100 25 bits are kept below the largest exponent, that of c: 2^24 - 3/4 is cut to 2^24 - 1. With split-k c is the
        first part's, and the second part, -1/4, is added to that by a plain addition."""
        names = ["mma:h100", "mma:h100,split-k=2", "mma:b200", "mma:a100"]
        factors = [-0.75, *[0] * 31, 1, *[0] * 31]
        words = ("-f", "fp16", "--dtype", "fp32", "--shape", 32, "--addend")
        got = self.evaluate("dot", names[:1] + names[2:], [*factors, Fraction(2) ** 24], *words)
        self.assertEqual([number(v[0]) for v in got.values()], [2 ** 24 - 1, 2 ** 24 - 1, 2 ** 24])
        factors = [-0.75, *[0] * 15, -0.25, *[0] * 15, *[1] * 32]
        got = self.evaluate("dot", names[:2], [*factors, Fraction(2) ** 24], *words)
        self.assertEqual([number(v[0]) for v in got.values()], [2 ** 24 - 2, 2 ** 24 - 1])

    def test_products_of_blocks(self):
        got = self.evaluate("mx.matmul", ["cr", "naive", "mma:b200-tcgen05"], [-1, *[0] * 31, 1, 1, *[0] * 31, 1, 2 ** 24], "--shape", "1x32x1",
                            "--addend")
        self.assertEqual([number(v[0]) for v in got.values()], [2 ** 24 - 1] * 3)

    def test_scales_come_before_c(self):
        """The unit's own accumulator where scales are 1; else c is added to what has met them. Result and det: c + x y."""
        words = ("-f", "fp8_e4m3fn", "--to", "fp32", "--static", "one", "--shape", "1x1x1", "--addend")
        for scale, own in ((1, 2 ** 12 - Fraction(1, 2)), (2, 2 ** 12 - Fraction(7, 4))):
            got = self.evaluate("scaled.matmul", ["det", "mma:h100"], [-0.875, scale, 1, 1, 2 ** 12], *words)
            self.assertEqual(number(got["mma:h100"][0]), own, scale)
            self.assertEqual(number(got["det"][0]) * scale, 2 ** 12 - scale * Fraction(7, 8))
        self.assertIn("--addend needs scales that are fp32 numbers",
                      self.refuse("eval", "scaled.matmul", "--addend", "--scale", "power", "--static", "one", "--shape", "1x1x1", "1", "0", "1",
                                 "0", "1"))

    def test_whole_numbers(self):
        """A saturating unit stops once a call, det at each step, and c is its last one: 2^31 - 1 + 100 - 200."""
        most = 2 ** 31 - 1
        operands = [10, *[0] * 31, -20, *[0] * 31, 10, *[0] * 31, 10, *[0] * 31, most]
        words = ("--shape", 64, "--addend", "--on-overflow")
        for rule, want in (("wrap", [most - 100, most - 100]), ("saturate", [most - 100, most - 200])):
            got = self.evaluate("dyadic.dot", ["det", "mma:a100"], operands, *words, rule)
            self.assertEqual([int(v[0], 16) for v in got.values()], want, rule)

    def test_reveal_says_where_c_stands(self):
        for name, words, said in (("det", (), "added to the sum, in fp32"), ("sequential", (), "begins the addition of term 0"),
                                  ("pairwise", (), "added to the sum, in fp32"),
                                  ("mma:h100,split-k=2", ("-f", "fp16", "--dtype", "fp32"), "begins the addition of term 0")):
            found = self.document("reveal", "dot", "--addend", "--lengths", "40", "--arrays", "300", "--impl", name, *words)
            self.assertEqual(found["results"][0]["lengths"][0]["c"], said, name)

    def test_orders_that_are_written_have_c_where_it_stands(self):
        """Behind the sum, where a rule begins, in a tree, and by a node of its own."""
        fp16, bf16 = ("-f", "fp16", "--dtype", "fp32"), ("-f", "bf16", "--dtype", "fp32")
        for name, words, lengths in (("det", (), "30:34"), ("sequential", (), "30:34"), ("mma:h100", fp16, "30:34"), ("mma:mi250", fp16, "32"),
                                     ("mma:avx512-bf16", bf16, "32")):
            words = ("dot", "--addend", *words)
            self.succeed("reveal", *words, "--lengths", lengths, "--arrays", 100, "--impl", name, "--output", "c.order")
            result, = self.results(*words, "--shape", 32, "--samples", 200, "--distribution", "cancelling", "--impl", name, "--impl", "order:c.order")
            self.assertEqual(len({one["fingerprint"] for one in result["implementations"]}), 1, name)
        self.assertIn("can add c only first or last", self.refuse("reveal", *words, "--lengths", "31:32", "--impl", name, "--output", "d.order",
                                                                           prints=True))

    def test_reveal_finds_no_place_for_c_that_is_lost_or_halved(self):
        """One function never looks at c, one takes the half of it: of a length, and of lengths that a rule gives."""
        library = f"lib:{os.environ['SUMMING_LIBRARY']}:"
        words = ("reveal", "matmul", "--addend", "--no-isolation", "--arrays", "200")
        for lengths in (("--shape", "4x16x4"), ("--lengths", "14:19")):
            for symbol, code in (("matmul_rounded", 1), ("matmul_onto_half", 1), ("matmul_onto", 0)):
                found = self.document(*words, *lengths, "--impl", library + symbol, code=code)["results"][0]["lengths"]
                self.assertEqual(len(found), 1 if lengths[0] == "--shape" else 6)
                for one in found:
                    self.assertEqual((one["state"], "c" in one), ("best-fit", False) if code else ("revealed", True), symbol)
                    self.assertEqual(one["different"], 0)
                    if code:
                        self.assertRegex(one["why"], r"[1-9]\d* arrays with c show that c is at none of the [1-9]\d* places")
        text = self.succeed(*words, "--lengths", "14:19", "--impl", library + "matmul_onto")
        self.assertIn("\n  c: begins the addition of term 0\n", text)

    def test_the_order_with_c_is_that_without(self):
        """c is -0 there, so that +0 is what a sum itself begins with. Units begin with c, or add it to the sum of a call, and
        one has the second product before the first. Whether a subnormal c is flushed no call without one shows."""
        for name in ("det", "sequential", "pairwise"):
            words = ("reveal", "dot", "--lengths", "20", "--arrays", "200", "--impl", name)
            hashes = [self.document(*words, *more)["results"][0]["order_hash"] for more in ((), ("--addend",))]
            self.assertEqual(hashes[0], hashes[1], name)
        for name, source, said in (("mma:mi250", "fp16", "begins addition 9, of sums, a subnormal one flushed"), ("mma:b200", "fp8_e4m3fn", "begins addition 5, of sums"),
                                   ("mma:avx512-bf16", "bf16", "begins the addition of term 1, a subnormal one flushed")):
            found = self.document("reveal", "matmul", "--addend", "-f", source, "--dtype", "fp32", "--lengths", "40", "--arrays", "200",
                                  "--impl", name)["results"][0]
            self.assertEqual(found["lengths"][0]["c"], said, name)

    def test_reveal_by_cases_with_c(self):
        """Of sums that wrap no call shows more; of scaled.matmul c is wanted."""
        found, = self.document("reveal", "dyadic.dot", "--addend", "--arrays", "100", "--impl", "mma:h100")["results"]
        self.assertEqual((found["state"], found["decided"]), ("revealed", {"overflow": "wraps"}))
        self.assertEqual(sorted(found["open"]), ["c", "products a call"])
        self.assertIn("addition modulo 2^32 is associative", found["no_case_tells"])
        words = ("scaled.matmul", "-f", "fp8_e4m3fn", "--to", "fp32", "--static", "one", "--arrays", "100", "--impl", "mma:h100")
        self.assertIn("needs --addend with scaled.matmul", self.refuse("reveal", *words))
        found, = self.document("reveal", *words, "--addend")["results"]
        self.assertEqual([row["unit"] for row in found["units"] if row["fits"]], ["h100", "h200"])
        self.assertEqual((found["fit"], found["decided"]["aligned bits"]), (1, "13"))

    def test_orders_have_c_where_their_trees_do(self):
        """1 + 2^-23 and then 2^-24, 1, 2^-24: each in turn, or behind the sum of the others, which is 1."""
        order = {"schema": "detcheck/order/1", "name": "", "source": "", "operation": "dot", "format": "fp32", "result": "fp32", "least": 1,
                 "most": 12, "nodes": [{"result": "fp32", "product": "fp32", "nan": "0x7fc00000"}],
                 "rule": {"kind": "sequential", "size": 1}, "open": [], "replayed": 1, "different": 0}
        names = ["order:" + self.file("behind.order", json.dumps(order))]
        order["rule"]["start"] = "c"
        names.append("order:" + self.file("first.order", json.dumps(order)))
        got = self.evaluate("dot", names, ["0x1p-24", 1, "0x1p-24", 1, 1, 1, "0x1.000002p0"], "--shape", 3, "--addend")
        self.assertEqual([value for value, in got.values()], ["0x40000000", "0x40000001"])

    def test_vectors_have_c(self):
        path = self.file("vectors.json", self.succeed("emit", "matmul", "--addend", "--shape", "2x3x2"))
        with open(path, encoding="utf-8") as file:
            group = json.load(file)["testGroups"][0]
        self.assertTrue(group["parameters"]["addend"])
        self.assertEqual([len(one) for one in group["tests"][0]["in"]], [6, 6, 4])
        self.succeed("verify", path, "--impl", "cr")

    def test_explain_has_c_where_it_stands(self):
        words = ("explain", "dot", "--addend", "-f", "fp16", "--dtype", "fp32", "--shape", "64", "--samples", "50")
        text = self.succeed(*words, "--impl", "mma:h100", "--impl", "sequential", code=1)
        for said in ("A adds as the matrix unit h100", "B adds from the first to the last, and rounds products first"):
            self.assertIn(said, text)
        self.assertNotIn("a100", text)

    def test_invariance_lays_c_beside_its_row(self):
        for operation, shape in (("dot", "4x64"), ("matmul", "4x64x4")):
            axis = ("--axis", "1") if operation == "dot" else ()
            found = self.document("invariance", operation, *axis, "--addend", "--shape", shape, "--impl", "cr", "--property", "batch",
                                  "--sizes", "2,33")
            batch = found["results"][0]["implementations"][0]["invariance"][0]
            self.assertEqual((batch["changed"], batch["unanswered"]), (0, 0), operation)
            self.assertEqual([size["calls"] for size in batch["sizes"]], [1, 1])


if __name__ == "__main__":
    unittest.main()
