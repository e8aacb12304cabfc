"""The error and gamma functions with what is made of them, and Bessel functions, of a fraction that is not 0."""

from fractions import Fraction

from mpmath import mp

from counted import INF, NAN, binary_exponent, number
from enclosed import bound, to_mpf
from function_values import HALF, I, N, ONE, Z, integral, near, negated, over, pi_times, plain, signed, under


def erf(x):
    if abs(x) < 1:
        return plain(lambda: mp.erf(to_mpf(x)))
    s = 1 if x > 0 else -1
    return near(s, lambda: -s * erfc_of(to_mpf(abs(x))))


def erfc_of(y):
    """Of a mpf that is not below 0."""
    if y > mp.mpf(2) ** 40:
        return mp.exp(-y * y) / (y * mp.sqrt(mp.pi)) if y * y < mp.mpf(2) ** 3000 else mp.mpf(0)
    return mp.erfc(y)


def half_erfc(x):
    """erfc(x / sqrt 2) / 2 as a mpf, x a fraction."""
    y = to_mpf(x) / mp.sqrt(2)
    return erfc_of(y) / 2 if x >= 0 else mp.erfc(y) / 2


def tgamma(x):
    if integral(x):
        if x < 0:
            return N
        if x > 1000:
            return over()
        value = 1
        for k in range(1, int(x)):
            value *= k
        return number(value)
    if x > 2000:
        return over()
    if x < -2000:
        return under(x.__floor__() % 2 != 0)
    return plain(lambda: mp.gamma(to_mpf(x)))


def lgamma(x):
    if x in (1, 2):
        return Z
    if integral(x) and x < 0:
        return I
    if x > 0:
        return near(0, lambda: mp.loggamma(to_mpf(x)), lambda: mp.mpf(1) if x < 4 else mp.mpf(0))
    fraction = x - x.__floor__()
    fraction = min(fraction, 1 - fraction)

    def pieces():
        return mp.log(mp.pi / mp.sin(pi_times(fraction))), -mp.loggamma(to_mpf(1 - x))
    return near(0, lambda: sum(pieces()), *[lambda i=i: pieces()[i] for i in (0, 1)], lambda: mp.mpf(1))


def digamma(x):
    if integral(x) and x < 0:
        return N
    if x > 0:
        return near(0, lambda: mp.digamma(to_mpf(x)), lambda: mp.mpf(1))
    fraction = x - x.__floor__()
    if fraction > HALF:
        fraction -= 1

    def pieces():
        return mp.digamma(to_mpf(1 - x)), -mp.pi / mp.tan(pi_times(fraction))
    return near(0, lambda: sum(pieces()), *[lambda i=i: pieces()[i] for i in (0, 1)], lambda: mp.mpf(1))


def ndtr(x):
    return near(1, lambda: -half_erfc(x)) if x > 0 else plain(lambda: half_erfc(-x))


def log_ndtr(x):
    if x > 0:
        return plain(lambda: mp.log1p(-half_erfc(x)))
    if x < -2 ** 40:
        return near(-x * x / 2, lambda: -mp.log(to_mpf(-x) * mp.sqrt(2 * mp.pi))) if x > -2 ** 600 else over(True)
    return plain(lambda: mp.log(half_erfc(-x)))


def erfcx(x):
    if x < -100:
        return over()
    if x > 2 ** 100:
        def far():
            y = 1 / (to_mpf(x) * mp.sqrt(mp.pi)) * (1 - 1 / (2 * to_mpf(x) ** 2))
            return Fraction(0), y, bound(y) + y / to_mpf(x) ** 4
        return far
    return plain(lambda: mp.exp(to_mpf(x * x)) * mp.erfc(to_mpf(x)))


def erfinv(x):
    def value():
        a = abs(x)
        with mp.extraprec(40):
            if a < Fraction(1, 2 ** 60):
                y = to_mpf(a) * mp.sqrt(mp.pi) / 2
            elif a < Fraction(9, 10):
                y = mp.mpf(float(a))
            else:
                y = mp.sqrt(-mp.log(to_mpf(1 - a)))
            for _ in range(200):
                if a < HALF:
                    step = (mp.erf(y) - to_mpf(a))
                else:
                    step = (to_mpf(1 - a) - mp.erfc(y))
                step *= mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
                step /= 1 + y * step  # Halley's
                y -= step
                if abs(step) < abs(y) * mp.ldexp(1, -mp.prec + 12):
                    break
            else:
                raise ArithmeticError("erfinv does not converge")
        return y if x > 0 else -y
    return plain(value)


def bessel_jy(n, x, second):
    """J_n or Y_n of x > 0, as value()."""
    def far():
        y, total_p, total_q = to_mpf(x), mp.mpf(0), mp.mpf(0)
        term, k = mp.mpf(1), 0
        mu = 4 * n * n
        while True:
            if k % 2 == 0:
                total_p += (-1) ** (k // 2) * term
            else:
                total_q += (-1) ** (k // 2) * term
            k += 1
            term *= (mu - (2 * k - 1) ** 2) / (8 * k * y)
            if abs(term) < mp.ldexp(1, -mp.prec - 10) or term == 0:
                break
        with mp.extraprec(2 * max(0, binary_exponent(x)) + 20):
            chi = mp.mpf(x.numerator) / x.denominator - (mp.mpf(n) / 2 + mp.mpf(1) / 4) * mp.pi
            c, s = mp.cos(chi), mp.sin(chi)
        scale = mp.sqrt(2 / (mp.pi * y))
        return scale * (total_p * s + total_q * c if second else total_p * c - total_q * s), scale

    def value():
        if x > 2 * mp.prec + 4 * n * n:
            found, scale = far()
            return Fraction(0), found, bound(found, scale)
        if x < Fraction(1, 2 ** 200):
            y = to_mpf(x) / 2
            if not second:
                found = y ** n / mp.factorial(n) * (1 - y * y / (n + 1))
                return Fraction(0), found, bound(found) + abs(found) * y ** 4
            if n:
                found = -mp.factorial(n - 1) / (mp.pi * y ** n)
                return Fraction(0), found, bound(found) + abs(found) * y * y * 4 * abs(mp.log(y))
            found = 2 / mp.pi * (mp.log(y) + mp.euler)
            return Fraction(0), found, bound(found) + y
        found = (mp.bessely if second else mp.besselj)(n, to_mpf(x))
        return Fraction(0), found, bound(found, 1 / mp.sqrt(to_mpf(x)) if x > 1 else found)
    return value


def j0(x):
    if abs(x) < Fraction(1, 2 ** 100):
        return near(1, lambda: -to_mpf(x) ** 2 / 4 * (1 - to_mpf(x) ** 2 / 16), lambda: to_mpf(x) ** 2 * mp.ldexp(1, mp.prec - 300))
    return bessel_jy(0, abs(x), False)


def bessel_i(n, scaled):
    def f(x):
        a = abs(x)
        flip = n % 2 == 1 and x < 0
        if not scaled and a > 3000:
            return over(flip)

        def value():
            if scaled and a > 2 * mp.prec:
                y, term, found, k = to_mpf(a), mp.mpf(1), mp.mpf(0), 0
                while abs(term) > mp.ldexp(1, -mp.prec - 10):
                    found += term
                    k += 1
                    term *= -mp.mpf(4 * n * n - (2 * k - 1) ** 2) / (8 * k * y)
                found /= mp.sqrt(2 * mp.pi * y)
                return Fraction(0), found, bound(found)
            y = to_mpf(a)
            i = mp.besseli(n, y) if a > Fraction(1, 2 ** 200) else (1 + y * y / 4 if n == 0 else y / 2 * (1 + y * y / 8))
            error = bound(i) + (y ** 4 if a <= Fraction(1, 2 ** 200) else 0) * (y if n else 1)
            e = mp.exp(-y) if scaled else 1
            if n == 0 and a < Fraction(1, 2 ** 20):
                # beside 1: both parts without the 1
                part = (i - 1 if a > Fraction(1, 2 ** 200) else y * y / 4)
                rest = part * e + (mp.expm1(-y) if scaled else 0)
                return Fraction(1), rest, bound(rest) + (bound(mp.mpf(1)) if a > Fraction(1, 2 ** 200) else y ** 4)
            return Fraction(0), i * e, error * e + bound(i * e)
        return negated(value, flip)
    return f


def bessel_n(second):
    """J or Y of an order and a number, both Values."""
    def f(n, x):
        if n.kind == NAN or x.kind == NAN:
            return N
        k = abs(int(n.signed()))
        flip = n.negative and k % 2 == 1
        if second:
            if x.is_zero():
                return signed(I, not flip)
            if x.negative:
                return N
            if x.kind == INF:
                return Z  # POSIX
            return negated(bessel_jy(k, x.size, True), flip)
        flip = flip != (x.negative and k % 2 == 1)
        if x.kind == INF or (x.is_zero() and k):
            return signed(Z, flip)
        if x.is_zero():
            return ONE
        if k == 0:
            return j0(x.size)
        return negated(bessel_jy(k, x.size, False), flip)
    return f
