"""Operations on arrays in Python whose out= is an operand, or overlaps one: the bits of a call on copies; and what has no elements.
Environment: CASES is how many calls are drawn, SEED what they are drawn from."""

import os
import unittest
import unittest.mock

import with_numpy  # noqa: F401

import numpy as np

import detcheck
from detcheck import _functions, det, dyadic, mx, scaled

CASES, SEED = int(os.environ.get("CASES", "400")), int(os.environ.get("SEED", "1"))
shared = _functions.shared


def in_parts(count, threads, compute, least=1):
    return shared(count, threads, compute, 1)


class Memory:
    """Arrays in one piece of memory, where some are one or overlap."""

    def __init__(self, generator):
        self.generator, self.bytes, self.views = generator, np.zeros(8192, np.uint8), []

    def array(self, shape, dtype, numbers=None):
        dtype, generator = np.dtype(dtype), self.generator
        size = int(np.prod(shape)) * dtype.itemsize
        place, way = 512 * (1 + len(self.views)), generator.random()
        if self.views and way < 0.6:
            other = self.views[int(generator.integers(len(self.views)))]
            place = other + (0 if way < 0.35 else int(generator.integers(-5, 6)) * 8)
        self.views.append(place)
        view = self.bytes[place:place + size].view(dtype).reshape(shape)
        if numbers is not None:
            view[...] = numbers
        return view

    def numbers(self, shape, dtype):
        return self.array(shape, dtype, (self.generator.standard_normal(shape) * 4).astype(dtype))

    def integers(self, shape, dtype):
        return self.array(shape, dtype, self.generator.integers(-90, 90, shape))

    def scaled(self, shape):
        shapes = [shape, (shape[0], 1), (1,), ()]
        scale = shapes[int(self.generator.integers(4))]
        kind = np.float16 if self.generator.random() < 0.3 else np.float32
        return self.numbers(shape, kind), self.array(scale, np.float32, np.exp2(self.generator.integers(-3, 4, scale)))


def copied(value):
    return tuple(map(copied, value)) if isinstance(value, tuple) else value.copy() if isinstance(value, np.ndarray) else value


def drawn_call(memory):
    """A function of out=, its operands, and what out= is like (None: it draws none)."""
    generator = memory.generator
    rows, columns = (int(one) for one in generator.integers(1, 7, 2))
    shape = (rows, columns)
    threads = int(generator.integers(1, 4))
    which = int(generator.integers(14))
    if which == 0:
        name = generator.choice(["exp", "tanh", "sin"])
        return lambda x, out: getattr(det, name)(x, out=out, threads=threads), [memory.numbers(shape, np.float32)]
    if which == 1:
        return lambda x, y, out: det.pow(x, y, out=out, threads=threads), [memory.numbers(shape, np.float32) for _ in range(2)]
    if which == 2:
        name, axis = generator.choice(["softmax", "cumsum", "logcumsumexp"]), int(generator.integers(2))
        return lambda x, out: getattr(det, name)(x, axis=axis, out=out, threads=threads), [memory.numbers(shape, np.float32)]
    if which == 3:
        return lambda x, out: det.sum(x, axis=1, out=out, threads=threads), [memory.numbers(shape, np.float32)]
    if which == 4:
        return lambda x, y, out: det.matmul(x, y, out=out), [memory.numbers(shape, np.float32), memory.numbers((columns, rows), np.float32)]
    if which == 5:
        return lambda x, out: detcheck.convert(x, "fp16", out=out, threads=threads), [memory.numbers(shape, np.float32)]
    if which == 6:
        return lambda x, out: detcheck.quantise(x, np.float32(0.5), out=out), [memory.numbers(shape, np.float32)]
    if which == 7:
        name = generator.choice(["add", "sub", "mul"])
        return (lambda x, y, out: getattr(dyadic, name)((x, 3), (y, 4), out=out, threads=threads).mantissas,
                [memory.integers(shape, np.int32) for _ in range(2)])
    if which == 8:
        return (lambda x, y, out: dyadic.matmul((x, 3), (y, 4), 2, out=out, threads=threads).mantissas,
                [memory.integers(shape, np.int32), memory.integers((columns, rows), np.int32)])
    if which == 9:
        return lambda x, out: tuple(mx.quantise(x, out=out, threads=threads)), [memory.numbers(shape, np.float32)]
    if which == 10:
        name = generator.choice(["log_softmax_gradient", "logcumsumexp_gradient"])
        return lambda x, g, out: getattr(det, name)(x, g, axis=1, out=out), [memory.numbers(shape, np.float32) for _ in range(2)]
    if which == 11:
        name = generator.choice(["add", "sub", "mul", "max", "relu_gradient"])
        return lambda x, y, out: tuple(getattr(scaled, name)(x, y, out=out, threads=threads)), [memory.scaled(shape) for _ in range(2)]
    if which == 12:
        name = generator.choice(["relu", "tanh", "rebalance"])
        options = {} if name == "rebalance" else {"threads": threads}
        return lambda x, out: tuple(getattr(scaled, name)(x, out=out, **options)), [memory.scaled(shape)]
    return (lambda x, y, out: tuple(scaled.matmul(x, y, out=out, threads=threads)),
            [memory.scaled(shape), (memory.numbers((columns, rows), np.float32), memory.array((), np.float32, 2))])


class Sharing(unittest.TestCase):
    def test_out_is_an_operand_or_overlaps_one(self):
        generator, overlapping, refused = np.random.default_rng(SEED), 0, 0
        patches = [unittest.mock.patch.object(module, "shared", in_parts) for module in (_functions, dyadic, mx, scaled)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        for case in range(CASES):
            memory = Memory(generator)
            call, operands = drawn_call(memory)
            wanted = call(*map(copied, operands), out=None)
            is_pair = isinstance(wanted, tuple)
            before = memory.bytes.copy()
            outs = [memory.array(np.shape(one), one.dtype) for one in (wanted if is_pair else (wanted,))]
            flat = [one for operand in operands for one in (operand if isinstance(operand, tuple) else (operand,))]
            overlapping += any(np.may_share_memory(out, one) for out in outs for one in flat if isinstance(one, np.ndarray))
            is_refused = is_pair and np.may_share_memory(*outs)
            memory.bytes[...] = before
            try:
                call(*operands, out=tuple(outs) if is_pair else outs[0])
            except (TypeError, ValueError) as error:
                self.assertTrue(is_refused, (case, error))
                refused += 1
                continue
            self.assertFalse(is_refused, case)
            for out, right in zip(outs, wanted if is_pair else (wanted,)):
                self.assertEqual(out.tobytes(), np.asarray(right).tobytes(), case)
        print(f"{CASES} calls: out= overlaps an operand in {overlapping}; {refused} refused, where it overlaps itself")
        self.assertGreater(overlapping, CASES // 4)

    def test_a_step_in_place_is_the_step(self):
        """sub of 2x4 with one scale, over its first operand: element 4 was -4."""
        x = scaled.Scaled(np.arange(1, 9, dtype=np.float32).reshape(2, 4), np.full(1, 0.25, np.float32))
        y = scaled.Scaled(np.arange(8, dtype=np.float32).reshape(2, 4) - np.float32(0.5), np.float32(2))
        wanted = scaled.sub(x, y)
        found = scaled.sub(x, y, out=x)
        self.assertEqual((found.data.tolist(), found.scale.tolist()), (wanted.data.tolist(), [wanted.scale]))
        self.assertEqual(found.data[1].tolist(), [-2.875, -3.75, -4.625, -5.5])

    def test_of_nothing(self):
        left, right = scaled.Scaled(np.zeros((2, 0), np.float32), np.float32(2)), scaled.Scaled(np.zeros((0, 3), np.float32), np.float32(3))
        for static in scaled.STRATEGIES:
            product = scaled.matmul(left, right, static=static)
            self.assertEqual((product.data.tolist(), product.scale), ([[0] * 3] * 2, 6))
            total = scaled.sum(left, axis=1, static=static)
            self.assertEqual((total.data.tolist(), total.scale), ([0, 0], 2))
        mean = scaled.mean(left, axis=1)
        self.assertTrue(np.isnan(mean.data).all() and mean.scale == 2)
        self.assertTrue(all(np.isnan(kind.mean(np.zeros(0, dtype))) for kind in (det, detcheck.cr) for dtype in (np.float32, np.float64)))
        for function in (scaled.add, scaled.max, scaled.relu_gradient):
            self.assertEqual((function(left, left).data.shape, function(left, left).scale), ((2, 0), 2))
        for found, scale in ((scaled.relu(left), 2), (scaled.rebalance(right), 3), (scaled.reduce_max(right, axis=1), 3),
                             (scaled.matmul(right, (np.ones((3, 2), np.float32), np.float32(2)), static="one"), 6)):
            self.assertEqual((found.data.size, found.scale), (0, scale))
        with self.assertRaisesRegex(ValueError, "there is no largest"):
            scaled.reduce_max(left, axis=1)
        self.assertEqual(dyadic.matmul((np.zeros((2, 0), np.int32), 3), (np.zeros((0, 3), np.int32), 1)).mantissas.tolist(), [[0] * 3] * 2)
        self.assertEqual(mx.quantise(np.zeros((2, 0), np.float32)).scales.shape, (2, 0))


if __name__ == "__main__":
    unittest.main()
