"""Which exception flags a call on quiet operands has to raise, to the letter of IEEE 754-2019 (7.2 to 7.6, underflow after
rounding) and Annex F of C23."""

from counted import FORMATS, INF, NAN, Format, Value, two
from enclosed import decided
from functions_reference import ROUNDINGS, values

WIDE = {name: Format(name, 24, form.fraction_bits, 1 << 23, "ieee") for name, form in FORMATS.items()}  # no end of exponents
INTEGERS = ("lrint", "llrint", "lround", "llround")
SILENT = ("fmin", "fmax", "frexp", "modf", "nextup", "nextdown")  # and what begins with the first two


def of_rounding(form, rounding, value):
    """Overflow, underflow and inexact of a Value."""
    form, wide = FORMATS[form], WIDE[form]
    if value.kind != "num" or value.is_zero():
        return ()
    count, rest = form.place(value)
    if form.rounded(value, rounding) > form.last:
        return ("overflow", "inexact")
    if rest == 0 and not value.trifle:
        return ()
    least = Value("num", False, two(form.least))
    tiny = not value.size or wide.rounded(value, rounding) < wide.place(least)[0]
    return ("underflow", "inexact") if tiny else ("inexact",)


def is_open(name, operands):
    """Whether C23 and IEEE 754 leave it open or differ."""
    x, y, z = (*operands, None, None)[:3]
    nan = [one is not None and one.kind == NAN for one in (x, y, z)]
    return (name == "powr" and (nan[1] and x.negative and not x.is_zero()) or name == "pow" and x.is_zero() and y.kind == INF or
            name == "fma" and nan[2] and {x.kind == INF, y.kind == INF} == {True, False} and (x.is_zero() or y.is_zero()))


def of_neighbour(form, x, y, result):
    """nextafter (F.10.8.3)."""
    if result.kind == INF:
        return ("overflow", "inexact") if x.kind != INF else ()
    differ = x.kind != y.kind or x.signed() != y.signed()
    return ("underflow", "inexact") if differ and result.size < two(FORMATS[form].least) else ()


def of_call(name, form, operands, results):
    """Of a call whose flags do not follow from rounding; None of one whose do."""
    x = operands[0]
    if name == "rootn" and not operands[1].size and operands[1].kind == "num":
        return ("invalid",)
    if any(one.kind == NAN for one in operands):
        return ("invalid",) if name in (*INTEGERS, "ilogb") else ()
    if name.startswith(SILENT):
        return ()
    if name == "ilogb" and (x.kind == INF or x.is_zero()):
        return ("invalid",)
    exact = [one for one in results if isinstance(one, Value)]
    if any(one.kind == NAN for one in exact):
        return ("invalid",)
    if name == "nextafter":
        return of_neighbour(form, *operands, results[0])
    if any(one.kind == INF for one in exact) and all(one.kind == "num" for one in operands):
        return ("divide-by-zero",)
    if name in ("rint", *INTEGERS):
        return () if x.kind == INF or results[0].signed() == x.signed() else ("inexact",)
    return None


def expected(name, form, codes, roundings=ROUNDINGS):
    """For each rounding the names of the flags; None where that is open."""
    operands = [FORMATS[form].read(code) for code in codes]
    if is_open(name, operands):
        return [None] * len(roundings)
    found = []
    for rounding in roundings:
        results = values(name, operands, rounding, form)
        flags = of_call(name, form, operands, results)
        if flags is None:
            flags = {flag for one in results for flag in decided(one, lambda end: of_rounding(form, rounding, end))}
        found.append(set(flags))
    return found
