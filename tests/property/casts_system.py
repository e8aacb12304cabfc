"""Casts drawn at random, and what they return, by casts_model.py. A group is one array: a number's place in it is its
element."""

from fractions import Fraction

import casts_model
import reals
from counted import FORMATS as FORMS, INF, Value, philox
from reals import FORMATS, INFINITY, NAN

SCALARS = True  # operands and results are numbers, not arrays
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away", "stochastic")
FLOAT8 = casts_model.FP8
TARGETS = {name: targets or tuple(FORMATS) for name, (_, _, _, targets) in casts_model.PROFILES.items()}
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


def value_of(x):
    """A pair of reals.py as a Value."""
    negative, magnitude = x
    return Value({INFINITY: INF, NAN: casts_model.NAN}.get(magnitude, "num"), negative,
                 0 if magnitude in (INFINITY, NAN) else magnitude)


def rounded(target, x, rounding, stochastic):
    """The magnitude, as if the exponent had no upper bound; of a number that is no smaller than the smallest where
    the format has no zero."""
    form = FORMS[target.name]
    return form.size_of(form.rounded(value_of(x), rounding, stochastic))


def cast(given, x, rounding, index):
    """The code of a number that is element `index`."""
    return casts_model.cast(value_of(x), given["to"], given["profile"], rounding, random_number(given, index))


def random_number(given, index):
    """How many bits, and the number."""
    bits = given.get("random-bits", 16)
    return bits, given.get("random", philox(index, given.get("random-seed", 1)) & ((1 << bits) - 1))


def cast_code(given, form, code, rounding, index):
    return casts_model.cast(FORMS[form].read(code), given["to"], given["profile"], rounding, random_number(given, index))


def results(group, operands):
    given, rounding = group["parameters"], group["rounding"]
    if given.get("random", 0) >> given.get("random-bits", 31):
        raise reals.Refused("--random has more than")
    if given["to"] not in TARGETS[given["profile"]]:
        raise reals.Refused(f"the profile {given['profile']} has no rule for {given['to']}")
    return [[cast_code(given, group["format"], code, rounding, index) for index, code in enumerate(operands[0])]]


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
        return cast_code(given, source.name, code, group["rounding"], code)

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
