"""Casts drawn at random, and what they return, by fractions: the rounding here, and what a profile makes of the rest
by the table of words of tests/vector/reader_cast.py. A group is one array: a number's place in it is its element."""

from fractions import Fraction

import reals
from reals import FORMATS, INFINITY, NAN
from formats import exponent_of
from reader_cast import ENDS as ENDS_OF_VECTORS, SCALES

SCALARS = True  # operands and results are numbers, not arrays
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away", "stochastic")
KINDS = {"ieee": "infinite", "fn": "fn", "fnuz": "fnuz", "all": "finite"}
WIDE = ("fp16", "bf16", "tf32", "fp32", "fp64")
FLOAT8 = ("fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
OCP = ("fp8_e4m3fn", "fp8_e5m2")
FINITE = ("fp6_e2m3fn", "fp6_e3m2fn", "fp4_e2m1fn")
ONNX_19 = ("fp16", "bf16", "fp32", "fp64", *FLOAT8)
ONNX_24 = (*ONNX_19, "fp4_e2m1fn", "fp8_e8m0fnu")
TARGETS = {"ieee": tuple(FORMATS), "saturate": tuple(FORMATS),
           "onnx-19": ONNX_19, "onnx-19-unsaturated": ONNX_19, "onnx-24": ONNX_24, "onnx-24-unsaturated": ONNX_24,
           "ocp": (*OCP, *FINITE), "ocp-unsaturated": OCP,
           "ml_dtypes": ("bf16", "fp8_e3m4", "fp8_e4m3", "fp8_e4m3b11fnuz", "fp8_e8m0fnu", *FLOAT8, *FINITE),
           "onnx-reference": ("bf16", *FLOAT8, *FINITE)}
# There are no vectors of the last.
ENDS = ENDS_OF_VECTORS | {"onnx-reference": {"wide": "inf inf nan-", "infinite": "max max nan-", "fn": "max max nan-",
                                             "fnuz": "max max nan", "finite": "max max nan-"}}
MOST_CHECKED = 400  # rows of a table


def words(random):
    profile = random.choice(sorted(TARGETS))
    chosen = ["--to", random.choice(sorted(TARGETS[profile])), "--profile", profile]
    bits = 16
    if random.random() < 0.5:
        bits = random.randint(1, 31)
        chosen += ["--random-bits", bits]
    kind = random.random()
    if kind < 0.5:
        chosen += ["--random-seed", random.getrandbits(random.choice((4, 63)))]
    elif kind < 0.8:
        chosen += ["--random", random.choice((0, (1 << bits) - 1, random.getrandbits(bits)))]
    return ["cast", *chosen], sorted(FORMATS), ()


def operand_formats(group):
    return [group["format"]]


def result_formats(group):
    return [group["parameters"]["to"]]


def exact_implementation(group):
    return "det"


def refusable(random, group):
    """The group with a profile that may say nothing of the target, or with a random number that may be too large."""
    given = dict(group["parameters"])
    if random.random() < 0.1:
        given["profile"] = random.choice(sorted(TARGETS))
    if "random" in given and random.random() < 0.2:
        given["random"] = random.getrandbits(31)
    return {**group, "parameters": given}


def draw(random, group, operand, form):
    """Any code, a special one, or one at or next to a number of the target or the middle of two."""
    form, kind = FORMATS[form], random.random()
    if kind < 0.15:
        return random.getrandbits(form.width)
    if kind < 0.3:
        return random.choice([0, form.sign, 1, form.sign | 1, form.greatest, form.sign | form.greatest, form.nan,
                              form.nan | form.sign, form.overflowed(False, True), form.overflowed(True, True)])
    target = FORMATS[group["parameters"]["to"]]
    code = random.choice((random.randint(0, target.greatest), random.randint(0, min(9, target.greatest)),
                          target.greatest - random.randint(0, 2)))
    value, unit = target.value(code), target.ulp(target.value(code))
    value += random.choice((Fraction(0), unit / 2, unit / 4, unit, unit * Fraction(random.getrandbits(16), 1 << 16)))
    found = form.encode(min(value, form.value(form.greatest)), random.choice(ROUNDINGS[:5]))
    found = max(0, min(form.greatest, found + random.choice((-1, 0, 0, 1))))
    return found | (form.sign if random.random() < 0.5 else 0)


def rules(given):
    """What becomes of overflow, infinity and NaN, as words."""
    target, profile = FORMATS[given["to"]], given["profile"]
    if target.name in WIDE and profile == "onnx-reference":
        return ENDS[profile]["wide"].split()
    if target.name in WIDE and profile.startswith("onnx"):  # which speaks of float 8 and 4
        profile = "ieee"
    return ENDS[profile][KINDS[target.family]].split()


def end(target, word, negative):
    sign = target.sign if negative else 0
    return {"inf": (target.greatest + 1) | sign, "max": target.greatest | sign, "+max": target.greatest,
            "nan": target.nan, "nan-": target.nan ^ sign, "min": 0}[word]


def rounded(target, x, rounding, stochastic):
    """The magnitude, as if the exponent had no upper bound; of a number that is no smaller than the smallest where
    the format has no zero."""
    negative, magnitude = x
    unit = Fraction(2) ** (max(exponent_of(magnitude), target.emin) - target.fraction_bits)
    whole, rest = divmod(magnitude / unit, 1)
    if rounding == "stochastic":
        bits, random = stochastic
        away = int(rest * (1 << bits)) > random
    else:
        away = {"nearest-even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
                "nearest-away": rest >= Fraction(1, 2), "toward-zero": False,
                "up": rest > 0 and not negative, "down": rest > 0 and negative}[rounding]
    return (whole + away) * unit


def finite(target, x, rounding, stochastic, overflow):
    negative, magnitude = x
    found = rounded(target, x, rounding, stochastic)
    if found <= target.value(target.greatest):
        return target.encode(-found if negative else found, negative=negative)
    inward = rounding == "toward-zero" or rounding == ("up" if negative else "down")
    return end(target, "max" if inward else overflow, negative)


def cast(given, x, rounding, index):
    """The code of a number that is element `index`."""
    target, (negative, magnitude) = FORMATS[given["to"]], x
    if target.family == "scale":
        overflow, infinite, zero, below = SCALES[given["profile"]].split()
        if magnitude == NAN or (negative and magnitude):
            return target.nan
        if magnitude == 0:
            return end(target, zero, False)
        if magnitude != INFINITY and magnitude < Fraction(2) ** target.emin:
            return end(target, below, False)
    else:
        overflow, infinite, nan = rules(given)
        if magnitude == NAN:
            return end(target, nan, negative)
        if magnitude == 0:
            return target.encode(magnitude, negative=negative)
    if magnitude == INFINITY:
        return end(target, infinite, negative)
    return finite(target, x, rounding, random_number(given, index), overflow)


def random_number(given, index):
    """How many bits, and the number."""
    bits = given.get("random-bits", 16)
    return bits, given.get("random", reals.random_bits(given.get("random-seed", 1), index) & ((1 << bits) - 1))


def results(group, operands):
    given, rounding, source = group["parameters"], group["rounding"], FORMATS[group["format"]]
    if given.get("random", 0) >> given.get("random-bits", 31):
        raise reals.Refused("--random has more than")
    if given["to"] not in TARGETS[given["profile"]]:
        raise reals.Refused(f"the profile {given['profile']} says nothing of {given['to']}")
    return [[cast(given, reals.number(source, code), rounding, index) for index, code in enumerate(operands[0])]]


def tables(random, group):
    """The words of a table of the conversion, and what checks its rows: for each of some codes the row's and what is
    right. None where it would have too many rows."""
    given, source = group["parameters"], FORMATS[group["format"]]
    runs = source.width > 16
    uniform = group["rounding"] != "stochastic" or "random" in given
    if runs and (not uniform or FORMATS[given["to"]].width > 8):
        return None
    chosen = ["table", "cast", "--from", source.name, "-r", group["rounding"], "--as", "csv"]
    for name, value in given.items():
        chosen += [f"--{name}", value]

    def wanted(code):
        return cast(given, reals.number(source, code), group["rounding"], code)

    def check(text):
        """How many codes were looked at, and what is wrong of them."""
        rows = [line.split(",") for line in text.splitlines()[1:]]
        firsts = [int(row[0], 16) for row in rows]
        lasts = [int(row[1], 16) for row in rows] if runs else firsts
        if firsts != [0] + [last + 1 for last in lasts[:-1]] or lasts[-1] != (1 << source.width) - 1:
            return 0, "the rows do not follow each other"
        count = 0
        for i in random.sample(range(len(rows)), min(len(rows), MOST_CHECKED)):
            for code in {firsts[i], lasts[i], random.randint(firsts[i], lasts[i])}:
                count += 1
                if wanted(code) != int(rows[i][2], 16):
                    return count, f"{source.bits(code)}: want {wanted(code):#x}, not {','.join(rows[i])}"
            if runs and i and rows[i - 1][2] == rows[i][2] and firsts[i] & (source.sign - 1) not in (
                    0, 1, source.greatest + 1, source.greatest + 2):
                return count, f"two rows for one run: {','.join(rows[i])}"
        return count, None
    return chosen, check
