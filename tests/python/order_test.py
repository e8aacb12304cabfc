"""Orders in Python (detcheck.order): bits of loops that are written here and of the program, axes and strides, what is said of
orders, a function of Python revealed, and what is refused."""

import os
import tempfile
import unittest

import with_numpy

import numpy as np

import detcheck
from detcheck import order

LEFT = {"kind": "sequential", "size": 1}
LANES = {"kind": "lanes", "size": 4, "outer": {"kind": "pairs"}}


def document(rule, form="fp32", **members):
    nan = {"fp16": "0x7e00", "fp32": "0x7fc00000", "fp64": "0x7ff8000000000000"}[form]
    return {"schema": "detcheck/order/1", "name": "planted", "source": "here", "operation": "sum", "format": form, "result": form,
            "least": 1, "most": 4096, "nodes": [{"result": form, "nan": nan, "product": form}], "rule": rule, "open": [],
            "replayed": 0, "different": 0, **members}


def left(terms):
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def lanes(terms):
    each = [left(terms[lane::4]) for lane in range(min(4, len(terms)))]
    while len(each) > 1:
        each = [each[i] + each[i + 1] if i + 1 < len(each) else each[i] for i in range(0, len(each), 2)]
    return each[0]


def bits(array):
    array = np.asarray(array)
    return array.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[array.dtype.itemsize])


class Orders(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(51)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "planted.order")

    def drawn(self, shape, dtype=np.float32):
        return (self.random.standard_normal(shape) * 2.0 ** self.random.integers(-6, 6, shape)).astype(dtype)

    def same(self, one, other):
        np.testing.assert_array_equal(bits(one), bits(other))

    def test_bits_are_those_of_loops(self):
        for form, dtype in (("fp32", np.float32), ("fp64", np.float64)):
            for rule, loop in ((LEFT, left), (LANES, lanes)):
                found = order.load(document(rule, form))
                x, y, b = self.drawn((3, 5, 14), dtype), self.drawn((3, 5, 14), dtype), self.drawn((14, 6), dtype)
                for axis in range(3):
                    lines = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
                    with self.subTest(form=form, rule=rule["kind"], axis=axis):
                        self.same(found.sum(x, axis=axis), np.apply_along_axis(loop, -1, lines[0]))
                        self.same(found.sum(x[:, ::-1, ::2], axis=axis - 3), np.apply_along_axis(loop, axis, x[:, ::-1, ::2]))
                        self.same(found.dot(x, y, axis=axis), np.apply_along_axis(loop, -1, lines[0] * lines[1]))
                self.same(found.sum(x), loop(x.reshape(-1)))
                self.same(found.sum(x.T), loop(x.T.reshape(-1)))
                self.same(found.mean(x[0, 0]), dtype(loop(x[0, 0]) / dtype(14)))
                expected = np.array([[loop(row * column) for column in b.T] for row in x[0]], dtype)
                self.same(found.matmul(x[0], b), expected)
                self.same(found.matmul(np.asfortranarray(x[0]), np.repeat(b, 2, 1)[:, ::2]), expected)

    def test_bits_are_those_of_the_program(self):
        """In fp16 the arithmetic is that of integers."""
        planted = order.load(document({"kind": "halves", "size": 3, "inner": LEFT}, "fp16"))
        planted.save(self.path)
        x = self.drawn(37, np.float16)
        got = detcheck.eval("sum", *(f"0x{code:04x}" for code in bits(x)), impl=f"order:{self.path}", format="fp16").to_dict()
        self.assertEqual(int(got["results"][0]["elements"][0]["implementations"][0]["got"], 16), int(bits(planted.sum(x))))

    def test_what_changes_no_bits(self):
        found, x, b = order.load(document(LANES)), self.drawn((64, 700)), self.drawn((700, 9))
        whole, product = found.sum(x, axis=1, threads=1), found.matmul(x, b, threads=1)
        self.same(found.sum(x, axis=1, threads=5), whole)
        self.same(found.matmul(x, b, threads=5), product)
        out = np.full(64, np.nan, np.float32)
        self.assertIs(found.sum(x, axis=1, out=out), out)
        self.same(out, whole)
        square = x[:9, :9].copy()
        expected = found.matmul(square, square)
        self.same(found.matmul(square, square, out=square), expected)
        self.same(found.sum(np.broadcast_to(x[0], (3, 700)), axis=1), np.repeat(whole[:1], 3))

    def test_what_an_order_says(self):
        found, other = order.load(document(LANES)), order.load(document(LEFT))
        self.assertEqual((found.name, found.operation, found.format, found.result), ("planted", "sum", "fp32", "fp32"))
        self.assertIn("4 lanes", found.words())
        self.assertEqual(str(found), found.words())
        self.assertTrue(found.knows(4096) and not found.knows(4097) and not found.knows(0) and not found.knows(-1))
        self.assertFalse(found.knows(2**64 + 5))
        self.assertIsNone(found.revealed)
        self.assertNotEqual(found.hash, other.hash)
        found.save(self.path)
        self.assertEqual(order.load(self.path).hash, found.hash)
        parts = order.compare(found, self.path)
        self.assertTrue(parts.same and str(parts) == "the same")
        parts = found.compare(other)
        self.assertFalse(parts.same)
        self.assertIn("4 terms: A adds x[2] and x[3]; B adds (x[0] + x[1]) and x[2]", parts.words)

    def test_columns_beyond_whole_batches(self):
        found = order.load(document(LEFT, operation="matmul"))
        x, y = self.drawn((2, 9)), self.drawn((9, 40))
        for columns in range(1, 41):
            product = found.matmul(x, y[:, :columns])
            for row in range(2):
                self.same(product[row], found.dot(np.tile(x[row], (columns, 1)), y.T[:columns]))

    def test_a_function_of_python_is_revealed(self):
        def backwards(x, axis=None):
            return np.apply_along_axis(lambda line: left(line[::-1]), -1 if axis is None else axis, x).astype(x.dtype)
        found = order.reveal("sum", backwards, lengths=6, arrays=60)
        self.assertTrue(found.revealed)
        x = self.drawn(6)
        self.same(found.sum(x), backwards(x))
        self.assertFalse(bits(found.sum(np.array([2**24, 1, 1, 1, 1, 1], np.float32))) == bits(np.float32(2**24)))
        found.save(self.path)
        again = order.reveal("sum", f"order:{self.path}", lengths=6, arrays=60)
        self.assertEqual(again.hash, found.hash)
        self.assertEqual(again.report["lengths"][0]["state"], "revealed")

    def test_where_there_is_no_order_it_is_said(self):
        calls = iter(range(10**9))
        with self.assertRaisesRegex(ValueError, "no order was found: 9 terms are not-repeatable: "):
            order.reveal("sum", lambda x, axis=None: np.sum(x, axis=axis) + np.float32(next(calls)), lengths=9, arrays=10)
        with self.assertRaises(detcheck.UsageError):
            order.reveal("exp", "det")
        with self.assertRaises(TypeError):
            order.reveal("sum", "det", output="x.order")

    def test_what_is_refused(self):
        found = order.load(document(LEFT, least=2))
        for wrong, call in ((TypeError, lambda: found.sum(np.zeros(4))),
                            (TypeError, lambda: found.sum(np.zeros(4, np.dtype(np.float32).newbyteorder("S")))),
                            (ValueError, lambda: found.sum(np.zeros((4, 3), np.float32), axis=2)),
                            (ValueError, lambda: found.sum(np.zeros((4, 1), np.float32), axis=1)),
                            (TypeError, lambda: found.dot(np.zeros(4, np.float32), np.zeros(3, np.float32))),
                            (TypeError, lambda: found.matmul(np.zeros((4, 3), np.float32), np.zeros((4, 3), np.float32))),
                            (TypeError, lambda: found.sum(np.zeros((4, 3), np.float32), axis=0, out=np.zeros(4, np.float32))),
                            (ValueError, lambda: found.sum(np.zeros((2,) * 9, np.float32))),
                            (ValueError, lambda: order.load(document({"kind": "sideways"}))),
                            (ValueError, lambda: order.load({})),
                            (FileNotFoundError, lambda: order.load("there-is-no-such.order")),
                            (ValueError, lambda: order.compare(document(LEFT, most=4), document(LEFT, least=5)))):
            with self.assertRaises(wrong):
                call()


if __name__ == "__main__":
    unittest.main()
