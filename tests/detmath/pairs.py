"""Which pairs of fp32 are judged of functions of two operands, as options of `detcheck sweep`: for the tables of
src/detmath/TRIED.md (tests/renew.py) and for the budgets (tests/proof)."""

import math
import os
import random
import struct

SAMPLED = ("--samples", 2 ** 30, "--run-length", 4096)

# Where det's errors are largest: of operands of the same or of neighbouring binades, and where the operands of
# logaddexp begin to cancel. The words stand behind the function's name in its second row of the table.
WORST = {
    "atan2": ("operands from 1 to 4", (*2 * ("--range", "0x3f800000:0x407fffff"), "--samples", 2 ** 30,
                                       "--run-length", 4096, "--seed", 3)),
    "atan2pi": ("operands from 1 to 4", (*2 * ("--range", "0x3f800000:0x407fffff"), "--samples", 2 ** 28,
                                         "--run-length", 4096, "--seed", 3)),
    "logaddexp": ("operands from -3 to -1/32", (*2 * ("--range", "0xbd000000:0xc03fffff"), "--samples", 2 ** 28,
                                                "--run-length", 256, "--seed", 3)),
}
# Of numbers that are drawn, few are integers: these functions have 2^20 pairs whose second operand is one.
OF_INTEGERS = ("pown", "rootn", "compoundn")
INTEGERS = 2 ** 20


def words(name):
    """What stands behind the function's name in its second row; None where it has no such row."""
    return "integers y" if name in OF_INTEGERS else WORST[name][0] if name in WORST else None


def worst(name, folder):
    """The options of the second row. Files go into the folder."""
    if name not in OF_INTEGERS:
        return WORST[name][1]
    path = os.path.join(folder, f"{name}.pairs")
    with open(path, "w", encoding="ascii") as stream:
        stream.writelines(f"{x:#010x} {n:#010x}\n" for x, n in integer_pairs(name))
    return "--inputs", path


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def integer_pairs(name):
    """Bits of x and of an integer, small ones more often than large ones. Powers are from 2^-150 to 2^130 if any x
    makes them so, and one of five is near 1."""
    draw = random.Random(name)
    for _ in range(INTEGERS):
        n = struct.unpack("<f", struct.pack("<f", int(2 ** draw.uniform(0, draw.choice((3, 5, 8, 24, 34, 62.9))))))[0]
        n = draw.choice((-n, n))
        exponent = draw.uniform(-150, 130) if draw.random() < 0.8 else draw.uniform(-2, 2) * 2 ** -draw.uniform(0, 26)
        if name == "rootn":
            n = math.copysign(draw.randint(1, 200), n) if draw.random() < 0.7 else n
            exponent = draw.uniform(-149, 127.9)
        else:
            exponent = exponent / n if -149 < exponent / n < 127.9 else draw.uniform(-149, 127)
        x = math.expm1(exponent * math.log(2)) if name == "compoundn" else 2 ** exponent
        yield max(bits(x) + draw.randint(-2, 2), 0) | (name != "compoundn" and draw.random() < 0.3) << 31, bits(n)
