"""The library's calls along an axis (strided.h) drawn at random, against fractions and mpmath: of any strides, in
either direction, exclusive, cast, and over their operands. Environment: STRIDED_LINES is the program that makes the calls,
CASES how many there are, SEED what they are drawn from."""

import math
import os
import random
import subprocess
import sys
import time

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrays_system  # noqa: E402
import reals  # noqa: E402
from reals import FORMATS  # noqa: E402

CASES, SEED = int(os.environ.get("CASES", "200")), int(os.environ.get("SEED", "1"))
NAMES = ("logcumsumexp", "logcumsumexp", *arrays_system.GRADIENTS, "logsumexp", "log_softmax")
ALONG_LAST = ("log_softmax", arrays_system.OF_SHARES)
STRIDED = ("fp64", "fp32", "fp16", "bf16", "fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
BATCH = 500
CANCELLED = 2.0 ** -85  # of the gradients' magnitudes: what pairs of doubles may lose


def draw_strides(draw, extents, is_one_line):
    """Of dimensions in any order and direction, with room between the elements."""
    order, strides, step = list(range(len(extents))), [0] * len(extents), draw.choice((1, 1, 2))
    step *= draw.choice((1, -1)) if is_one_line else 1
    if not is_one_line:
        draw.shuffle(order)
    for i in reversed(order):
        strides[i] = step * (1 if is_one_line else draw.choice((1, -1)))
        step = step * extents[i] + (0 if is_one_line else draw.choice((0, 0, 1)))
    return strides


class Call:
    """A call as a line of words, and its operands."""

    def __init__(self, draw):
        self.name = draw.choice(NAMES)
        self.shape = [draw.choice((1, 2, 3, 5)) for _ in range(draw.choice((1, 2, 3)))]
        self.source = draw.choice(STRIDED)
        self.form = self.source if draw.random() < 0.6 else draw.choice(STRIDED)
        is_scan, has_axis = self.name in arrays_system.SCANS, draw.random() < 0.8
        self.given = {"shape": self.shape, "dtype": self.form}
        axis, options, self.place = "all", 0, 0
        if has_axis:
            axis = self.given["axis"] = draw.randrange(-len(self.shape), len(self.shape))
        elif self.name in ALONG_LAST and len(self.shape) > 1:
            self.shape[:] = [self.shape[0] * self.shape[1]]
        for bit, name in ((1, "exclusive"), (2, "reverse")):
            if is_scan and draw.random() < 0.4:
                self.given[name], options = True, options | bit
        strides = draw_strides(draw, self.shape, not has_axis)
        kept = [extent for i, extent in enumerate(self.shape) if has_axis and i != self.given["axis"] % len(self.shape)]
        to_strides = draw_strides(draw, self.shape if self.name != "logsumexp" else kept, not has_axis)
        given_strides = draw_strides(draw, kept, not has_axis) if self.name == arrays_system.OF_SUM else []
        if self.form == self.source and self.name != "logsumexp" and draw.random() < 0.5:
            self.place, to_strides = draw.choice((1, 2) if self.name in (arrays_system.GRADIENT, arrays_system.OF_SHARES) else (1,)), strides
        group = {"operation": self.name, "format": self.source}
        counts = [math.prod(self.shape), math.prod(kept if self.name == arrays_system.OF_SUM else self.shape)]
        self.operands = [[arrays_system.draw(draw, group, k, form) for _ in range(counts[k])]
                         for k, form in enumerate(arrays_system.operand_formats(group))]
        self.line = " ".join(map(str, [self.name, axis, options, self.place, len(self.shape), *self.shape, self.source,
                                       *strides, *given_strides, self.form, *to_strides, *(code for one in self.operands for code in one)]))

    def want(self):
        return arrays_system.results({"operation": self.name, "format": self.source, "rounding": "nearest-even",
                                      "parameters": self.given}, self.operands)[0]

    def is_right(self, got, want):
        """True, false, or None where a gradient is the number beside the right one, as where terms that pairs of
        doubles do not hold decide between two."""
        if got == want:
            return True
        form = FORMATS[self.form]
        is_gradient, nans = self.name in arrays_system.GRADIENTS, form.is_nan(got) + form.is_nan(want)
        if nans:  # beside the greatest number of a format without infinities lies NaN
            beside = is_gradient and form.family != "ieee" and form.greatest in (got % form.sign, want % form.sign)
            return True if nans == 2 else None if beside else False
        if not is_gradient:
            return False
        if abs(got - want) == 1:
            return None
        a, b = reals.number(form, got), reals.number(form, want)
        given = [reals.number(FORMATS[self.source], code) for code in self.operands[1]]  # of all lines
        magnitude = sum(abs(float(one[1])) for one in given if reals.is_finite(one))
        return reals.is_finite(a) and reals.is_finite(b) and (
            abs(reals.signed(a) - reals.signed(b)) <= magnitude * CANCELLED)


def main():
    draw, start, wrong, beside, open_ones = random.Random(f"{SEED} strided"), time.monotonic(), 0, 0, 0
    for first in range(0, CASES, BATCH):
        calls = [Call(draw) for _ in range(min(BATCH, CASES - first))]
        done = subprocess.run([os.environ["STRIDED_LINES"]], input="\n".join(call.line for call in calls) + "\n",
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        for call, line in zip(calls, done.stdout.splitlines(), strict=True):
            try:
                got, want = list(map(int, line.split())), call.want()
            except ArithmeticError:  # e^(-10^5) decides, which mpmath's precision here does not show
                open_ones += 1
                continue
            right = list(map(call.is_right, got, want))
            beside += None in right
            if len(got) != len(want) or False in right:
                wrong += 1
                print(f"{call.line}\n  {call.given}\n  is        {got}\n  should be {want}")
    print(f"{CASES} calls, {wrong} wrong, {beside} gradients beside the right one, {open_ones} not decided by mpmath, "
          f"in {time.monotonic() - start:.1f} s")
    sys.exit(1 if wrong or beside + open_ones > 1 + CASES // 500 else 0)


if __name__ == "__main__":
    main()
