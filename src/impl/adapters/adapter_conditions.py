"""Calls under conditions (detcheck-exec(7)), for adapters in Python: on arrays of a length, at an address, with a
stride, between other numbers, in place, by several threads at once, and with a rounding, flushing or precision that
the caller has set; and what calls leave other than it was.

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
PRECISION_24, PRECISION_53, LEFT = 128, 256, 512
OF_X86 = ("rounding", "flushing", "precision", "flags", "left")
PLACES = {"offset", "stride", "in-place", "around"}
HAS_MXCSR = platform.machine() in ("x86_64", "AMD64")
BESIDE = 64


class Environment:
    """The floating-point environment of x86-64 as fegetenv gives it, x87's words, and MXCSR at the end: that which the
    caller of a library has set, and what its calls have left other than that."""

    library = ctypes.CDLL(None)
    LEFT = ((1, 0x6000, 0xc00, 0), (2, 0x8040, 0, 0), (4, 0, 0x300, 0), (8, 0x1f80, 0x3f, 0), (16, 0, 0, 0xffff))

    def __init__(self, asked):
        rounding = [0, 3, 2, 1][asked.rounding]
        self.mxcsr = (rounding << 13 | (0x8000 if asked.bits & FLUSH_RESULTS else 0)
                      | (0x40 if asked.bits & FLUSH_OPERANDS else 0) | (0x3f if asked.bits & FLAGS_SET else 0))
        self.x87, self.lacks = rounding << 10, 0
        if asked.bits & (PRECISION_24 | PRECISION_53):
            self.x87, self.lacks = self.x87 | (0x200 if asked.bits & PRECISION_53 else 0), 0x300

    @classmethod
    def words(cls):
        """MXCSR, and x87's control and tags."""
        found = ctypes.create_string_buffer(64)
        cls.library.fegetenv(found)
        return (*struct.unpack_from("<I", found, 28), *struct.unpack_from("<H6xH", found, 0)), found

    @classmethod
    def disturbed(cls):
        """Which of rounding and flushing are not as a process finds them."""
        (bits, *_), _ = cls.words()
        return [name for name, mask in (("rounding", 0x6000), ("flushing", 0x8040)) if bits & mask]

    def __enter__(self):
        (mxcsr, control, _), self.before = self.words()
        changed = ctypes.create_string_buffer(self.before.raw, 64)
        struct.pack_into("<H", changed, 0, control & ~self.lacks | self.x87)
        struct.pack_into("<I", changed, 28, mxcsr | self.mxcsr)
        self.library.fesetenv(changed)
        self.found, _ = self.words()
        return self

    def left(self):
        """What is other than __enter__ has set it, as the protocol numbers it."""
        changes = [one ^ other for one, other in zip(self.found, self.words()[0])]
        return sum(bit for bit, *masks in self.LEFT if any(change & mask for change, mask in zip(changes, masks)))

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


class Answered(list):
    """Results, and where one of them was not written."""

    def __init__(self, results, gaps):
        super().__init__(results)
        self.gaps = gaps


# By bytes, what results hold before a call, and the call that is made again holds the opposite: what is left as it was
# found was not written.
PATTERNS = {1: 0xa5, 2: 0x7fa5, 4: 0x7fa5a5a5, 8: 0x7ff5a5a5a5a5a5a5}


def call_and_look(call, operands, places, count):
    """The results of a call that writes them to `places`, of which those that lie over operands are not looked at."""
    looked = [place for place in places if not any(np.shares_memory(place, one) for one in operands)]
    for place in looked:
        place[:] = PATTERNS[place.itemsize]
    results = Answered([np.array(result) for result in call()], np.zeros(count, np.uint8))
    left = [place == PATTERNS[place.itemsize] for place in looked]
    if any(one.any() for one in left):
        for place in looked:
            place[:] = ~np.array(PATTERNS[place.itemsize], place.dtype)
        call()
        for place, one in zip(looked, left):
            results.gaps |= one & (place != PATTERNS[place.itemsize])
    return results


def numpy_variants():
    """Fewer and fewer of the processor's features, as far as numpy has code of its own for them."""
    module = getattr(np, "_core", getattr(np, "core", None))._multiarray_umath
    names = [name for name in module.__cpu_dispatch__ if module.__cpu_features__.get(name)]
    return [f"NPY_DISABLE_CPU_FEATURES={' '.join(names[at:])}" for at in reversed(range(len(names)))]


class Conditions:
    def __init__(self, names, why, variants):
        """names: those that can be asked for; why not the others; variants: a function that returns lines NAME=VALUE."""
        self.names, self.why, self.variants = names.split(), why, variants

    def lines(self, is_array, is_one_width):
        lacks = (() if HAS_MXCSR else OF_X86) + (() if is_one_width else ("in-place",))
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
        last = self.run(compute, request, asked, operands)
        results = Answered([result.copy() for result in last], last.gaps)
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
        return Answered([np.concatenate(column) for column in zip(*parts)],
                        np.concatenate([part.gaps for part in parts]))

    def run_array(self, compute, request, asked, operands):
        changes = FLUSH_RESULTS | FLUSH_OPERANDS | FLAGS_SET | PRECISION_24 | PRECISION_53
        environment = Environment(asked) if asked.rounding or asked.bits & (changes | LEFT) else None
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
        def call():
            return compute(*operands, **options)

        if not environment:
            return call_and_look(call, operands, options.get("out", ()), count)
        with environment:
            results = call_and_look(call, operands, options.get("out", ()), count)
            left = environment.left()
        told = np.zeros(count, np.uint8)
        told[:1] = left
        return Answered(results + [told] * bool(asked.bits & LEFT), results.gaps)
