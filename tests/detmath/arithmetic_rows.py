"""Scaled operations that are more than one rational operation on two numbers: gelu, and those on rows, by
integers, fractions and enclosures.py. Data are codes of a format, scales the code of an fp32 factor and an
exponent; it knows the definitions of detcheck-scaled(7), and no code of detmath's."""
from fractions import Fraction
from math import isqrt

import enclosures
from arithmetic import INF, decode, encode, largest_code, real, rounded_scale, times_power

SPECIAL = (None, INF, -INF)


def nearest(bounds, negative, form):
    """The code of the number between the bounds, times -1 where `negative`."""
    codes = {encode(-bound if negative else bound, negative, form) for bound in bounds}
    if len(codes) > 1:
        raise ArithmeticError(f"{[float(bound) for bound in bounds]} do not decide a number in {form}")
    return codes.pop()


def gelu(form, code, am, ae):
    """The data's code, and the scale as m and e."""
    a = real(am, ae)
    if a is None:
        return encode(None, False, form), Fraction(1), 0
    x = decode(code, form)[0] if a[0] else Fraction(0)
    scale = (abs(a[0]), ae) if a[0] else (Fraction(1), 0)
    if x is not None and a[0] < 0:
        x = -x
    if x in SPECIAL:
        return (encode(Fraction(0), True, form) if x == -INF else encode(x, False, form)), *scale
    bounds = enclosures.phi(times_power(x * abs(a[0]), ae))
    return nearest([abs(x) * bound for bound in bounds], x < 0, form), *scale


def softmax(form, codes, am, ae):
    """The data's codes, and the code of the scale."""
    a = real(am, ae)
    nan = [encode(None, False, form)] * len(codes), encode(Fraction(1), False, "fp32")
    if a is None:
        return nan
    x = [decode(code, form)[0] if a[0] else Fraction(0) for code in codes]
    if None in x:
        return nan
    x = [-value for value in x] if a[0] < 0 else x
    best = max(x)
    if best in SPECIAL:
        return nan
    powers = [(Fraction(0), Fraction(0)) if value == -INF else
              enclosures.exponential(times_power((value - best) * abs(a[0]), ae)) for value in x]
    total = [sum(bounds) for bounds in zip(*powers)]
    return [nearest(bounds, False, form) for bounds in powers], nearest([1 / bound for bound in total], False, "fp32")


def divisor_of(static, count):
    """What matmul divides its sums of so many products by: the root is cut to 24 bits, downwards."""
    root = isqrt(count << 80)
    cut = Fraction(root >> (root.bit_length() - 24) << (root.bit_length() - 24), 1 << 40)
    power = Fraction(1)
    while power * power * 2 <= count:
        power *= 2
    return {"one": Fraction(1), "unit": cut, "power": power, "mean": Fraction(count)}[static]


def matmul(form, row, column, a, b, static, power):
    """A row by a column: the data's code, and the scale as m and e; None for NaN and infinities."""
    x, y = ([decode(code, form)[0] for code in codes] for codes in (row, column))
    a, b = real(*a), real(*b)
    if a is None or b is None:
        return encode(None, False, form), Fraction(1), 0
    if a[0] and b[0]:
        divisor = divisor_of(static, len(x))
        m, e, kept = a[0] * b[0] * divisor, a[1] + b[1], a[0] * b[0]
        if power:  # its factor stays 1
            m, e = m / divisor, e + divisor.numerator.bit_length() - 1
        m, e = rounded_scale(abs(m), e, power)
    else:
        (m, e), kept = (Fraction(1), 0), None
    if any(value in SPECIAL for value in (x if a[0] else []) + (y if b[0] else [])):
        return None
    if kept is None:
        return encode(Fraction(0), False, form), m, e
    value = times_power(sum(p * q for p, q in zip(x, y)) * kept / m, a[1] + b[1] - e)
    return encode(value, value < 0, form), m, e


def largest(form, codes, am, ae):
    """The code of the largest of the values, as data over the magnitude of the scale; None where data are NaN or
    infinite."""
    m, _ = real(am, ae)
    x = [decode(code, form)[0] for code in codes]
    if any(value in SPECIAL for value in x):
        return None
    best = max((value if m > 0 else -value) if m else Fraction(0) for value in x)
    return encode(best, best < 0, form)


def least_exponent(x, to):
    """The least n for which no datum over 2^n overflows; 0 where all are 0."""
    most = max(map(abs, x))
    n = -200 if most else 0
    while decode(encode(times_power(most, -n), False, to), to)[0] in SPECIAL:
        n += 1
    return n


def squares_exponent(x, to):
    """Of least_exponent and the 24 below it, the n that loses the least sum of squares, data beyond the largest
    number taking that; of equal ones the largest."""
    most = decode(largest_code(to), to)[0]

    def lost(n):
        total = Fraction(0)
        for value in x:
            over = times_power(abs(value), -n)
            kept = decode(encode(min(over, most), False, to), to)[0]
            total += times_power(over - kept, n)**2
        return total
    first = least_exponent(x, to)
    return max(range(first - 24, first + 1), key=lambda n: (-lost(n), n)) if any(x) else 0
