"""Calls under conditions (detcheck-exec(7)), for adapters in Python: on arrays of a length, at an address, with a
stride, between other numbers, in place, by several threads at once, and with a rounding or flushing that the
caller has set.

A Conditions of an adapter says which of them its `compute` obeys. It is called with arrays of codes that lie as
asked for, and, where those conditions are among `places`, with the arrays of its results as out=.
"""

import ctypes
import platform
import struct
import threading
from collections import namedtuple

import numpy as np

Asked = namedtuple("Asked", "length offset result_offset stride threads rounding bits around")
IN_PLACE, FLUSH_RESULTS, FLUSH_OPERANDS, FLAGS_SET, BY_NUMBER, HAS_AROUND = 1, 2, 4, 8, 32, 64
PLACES = {"offset", "stride", "in-place", "around"}
HAS_MXCSR = platform.machine() in ("x86_64", "AMD64")
BESIDE = 64


class Environment:
    """The floating-point environment of x86-64 as fesetenv takes it: x87's words, and MXCSR at the end."""

    def __init__(self, asked):
        self.library = ctypes.CDLL(None)
        self.before = ctypes.create_string_buffer(64)
        rounding = [0, 3, 2, 1][asked.rounding]
        self.mxcsr = (rounding << 13 | (0x8000 if asked.bits & FLUSH_RESULTS else 0)
                      | (0x40 if asked.bits & FLUSH_OPERANDS else 0) | (0x3f if asked.bits & FLAGS_SET else 0))
        self.x87 = rounding << 10

    @staticmethod
    def disturbed():
        """Which of rounding and flushing are not as a process finds them."""
        found = ctypes.create_string_buffer(64)
        ctypes.CDLL(None).fegetenv(found)
        bits, = struct.unpack_from("<I", found, 28)
        return [name for name, mask in (("rounding", 0x6000), ("flushing", 0x8040)) if bits & mask]

    def __enter__(self):
        self.library.fegetenv(self.before)
        changed = ctypes.create_string_buffer(self.before.raw, 64)
        struct.pack_into("<H", changed, 0, struct.unpack_from("<H", changed, 0)[0] | self.x87)
        struct.pack_into("<I", changed, 28, struct.unpack_from("<I", changed, 28)[0] | self.mxcsr)
        self.library.fesetenv(changed)

    def __exit__(self, *_):
        self.library.fesetenv(self.before)


class Flags:
    """The exception flags that calls raise and clear, as detcheck-exec(7) tells them."""

    BITS = ((0x01, 1), (0x04, 2), (0x08, 4), (0x10, 8), (0x20, 16))  # fetestexcept's on x86-64, and the protocol's
    ALL = 0x3d

    def __init__(self):
        library = ctypes.PyDLL(None)  # other threads of Python wait, so that nothing comes between
        self.clear, self.set, self.test = library.feclearexcept, library.feraiseexcept, library.fetestexcept

    def of(self, function, numbers):
        """What a call raises, none being set before, and what it clears, all being set before."""
        raised = self.after(self.clear, function, numbers)
        cleared = ~self.after(self.set, function, numbers) & self.ALL
        self.clear(self.ALL)
        return self.CODES[raised], self.CODES[cleared]

    def after(self, prepare, function, numbers):
        prepare(self.ALL)
        try:
            function(*numbers)
        except (ValueError, OverflowError):
            pass  # as functions of the module math tell of poles and overflow
        return self.test(self.ALL)


Flags.CODES = bytes(sum(ours for theirs, ours in Flags.BITS if code & theirs) for code in range(64))


def placed(count, code, offset, stride):
    """An array of codes at that offset from a multiple of 64, with room beside it."""
    size = np.dtype(code).itemsize
    room = np.zeros(count * stride * size + 2 * BESIDE + 128, np.uint8)
    at = -(room.ctypes.data + BESIDE) % 64 + BESIDE + offset
    return np.ndarray((count,), code, room, at, (stride * size,)), room, at


def surround(room, at, array, around):
    size, end = array.itemsize, at + array.strides[0] * (len(array) - 1) + array.itemsize
    first, last = (np.array([one], array.dtype).view(np.uint8)
                   for one in ((around, around) if around is not None else (array[0], array[-1])))
    room[at - BESIDE:at] = np.tile(first, BESIDE // size)
    room[end:end + BESIDE] = np.tile(last, BESIDE // size)


class Conditions:
    def __init__(self, names, why, variants):
        """names: those that can be asked for; why not the others; variants: a function that returns lines NAME=VALUE."""
        self.names, self.why, self.variants = names.split(), why, variants

    def lines(self, is_array, is_one_width):
        lacks = (() if HAS_MXCSR else ("rounding", "flushing", "flags")) + (() if is_one_width else ("in-place",))
        names = [] if is_array else [name for name in self.names if name not in lacks]
        why = self.why if is_one_width else f"in place only between formats of one size; {self.why}"
        changes = Environment.disturbed() if HAS_MXCSR else []
        disturbed = [f"disturbed={' '.join(changes)}"] if changes else []
        return "".join(f"\n{line}" for line in (f"conditions={' '.join(names)}", f"why={why}", *disturbed,
                                                *(f"variant={one}" for one in self.variants())))

    @staticmethod
    def asked(data):
        *numbers, _, around = struct.unpack("<8IQ", data)
        return Asked(*numbers, around)

    def compute(self, compute, request, asked, operands):
        threads, barrier = max(asked.threads, 1), threading.Barrier(max(asked.threads, 1))
        found = [None] * threads

        def run(at):
            barrier.wait()
            found[at] = self.run(compute, request, asked, operands)

        if threads == 1:
            return self.run(compute, request, asked, operands)
        running = [threading.Thread(target=run, args=(at,)) for at in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        results = [result.copy() for result in self.run(compute, request, asked, operands)]
        for others in found:
            for result, other in zip(results, others):
                np.copyto(result, other, where=result != other)
        return results

    def run(self, compute, request, asked, operands):
        """All arrays, one after the other."""
        count, parts = len(operands[0]), []
        length = asked.length or count
        for at in range(0, count, length):
            parts.append(self.run_array(compute, request, asked, [x[at:at + length] for x in operands]))
        return [np.concatenate(column) for column in zip(*parts)]

    def run_array(self, compute, request, asked, operands):
        environment = Environment(asked) if asked.rounding or asked.bits & (FLUSH_RESULTS | FLUSH_OPERANDS | FLAGS_SET) else None
        options = {"by_number": True} if asked.bits & BY_NUMBER else {}
        count, codes, wide = len(operands[0]), f"<u{request.operand_bytes}", f"<u{request.result_bytes}"
        if PLACES & {*self.names} and not options:
            lying = [placed(count, codes, asked.offset, asked.stride) for _ in operands]
            for (array, room, at), operand in zip(lying, operands):
                array[:] = operand
                surround(room, at, array, asked.around if asked.bits & HAS_AROUND else None)
            operands = [array for array, _, _ in lying]
            out = [placed(count, wide, asked.result_offset, asked.stride)[0] for _ in range(request.results)]
            if asked.bits & IN_PLACE:
                out[0] = operands[0].view(wide)
            options["out"] = out
        if not environment:
            return [np.array(result) for result in compute(*operands, **options)]
        with environment:
            results = compute(*operands, **options)
        return [np.array(result) for result in results]
