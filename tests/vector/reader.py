"""Reading vectors without detcheck, with nothing but Python's standard library: a validator for as much of
JSON Schema as the schema uses, the formats, and correctly rounded results by other means than detcheck's.
"""

import decimal
import fractions
import json
import math
import re

Fraction = fractions.Fraction


def load(path):
    def unique(pairs):
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), (path, names)
        return dict(pairs)

    with open(path, encoding="ascii") as stream:
        return json.load(stream, object_pairs_hook=unique)


def codes(value):
    """An array, whichever way it stands: as one text of bits without 0x, or element by element."""
    return value if isinstance(value, list) else [f"0x{code}" for code in value.split()]


def tests_of(group):
    """The tests of a group in the long form, which those of a table have no line of, and arrays of bits may be short of."""
    if "table" in group:
        table = {name: [codes(column) for column in member] for name, member in group["table"].items() if name != "tcId"}
        digits = LAYOUTS[group["format"]].width // 4
        return [{"tcId": group["table"]["tcId"] + code, "in": [f"0x{code:0{digits}x}"], "flags": ["every"],
                 **{name: [column[code] for column in columns] for name, columns in table.items()}}
                for code in range(len(table["out"][0]))]
    arrays = "shape" in group["parameters"]
    return [{name: [codes(value) for value in member] if arrays and name in ("in", "out", "det") else member
             for name, member in test.items()} for test in group["tests"]]


TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}


def violations(value, schema, root=None, place="$"):
    """What of the value is not as the schema says, as a list of texts."""
    root = root or schema
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return violations(value, target, root, place)
    found = []

    def require(condition, what):
        if not condition:
            found.append(f"{place}: {what}")

    if "anyOf" in schema:
        require(any(not violations(value, choice, root, place) for choice in schema["anyOf"]),
                "is none of what it may be")
    if "oneOf" in schema:
        require(sum(not violations(value, choice, root, place) for choice in schema["oneOf"]) == 1,
                "is not one of what it may be")
    if "const" in schema:
        require(value == schema["const"], f"is not {schema['const']}")
    if "enum" in schema:
        require(value in schema["enum"], f"is none of {schema['enum']}")
    if "type" in schema:
        right = isinstance(value, TYPES[schema["type"]]) and not isinstance(value, bool)
        require(right, f"is no {schema['type']}")
        if not right:
            return found
    require(not isinstance(value, str) or re.search(schema.get("pattern", ""), value), "has another pattern")
    if isinstance(value, (int, float)):
        require(value >= schema.get("minimum", value), "is too small")
        require(value <= schema.get("maximum", value), "is too large")
    if isinstance(value, list):
        require(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), "has another length")
        require(not schema.get("uniqueItems") or len({str(item) for item in value}) == len(value), "repeats")
        for index, item in enumerate(value):
            found += violations(item, schema.get("items", {}), root, f"{place}[{index}]")
    if isinstance(value, dict):
        properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in schema.get("required", []):
            require(name in value, f"lacks {name}")
        for name, item in value.items():
            if name not in properties:
                require(rest is not False, f"has no {name}")
            inner = properties.get(name, rest if isinstance(rest, dict) else {})
            found += violations(item, inner, root, f"{place}.{name}")
    return found


class Layout:
    """A format: sign, exponent, fraction."""

    def __init__(self, width, precision, bias, largest, infinity, nan, negative_zero=True):
        self.width, self.precision, self.bias = width, precision, bias
        self.largest, self.infinity, self.nan = largest, infinity, nan
        self.negative_zero = negative_zero
        self.sign = 1 << (width - 1)
        self.emin = 1 - bias

    def is_nan(self, code):
        if not self.negative_zero and code == self.sign:
            return True
        return (code & (self.sign - 1)) > (self.largest if self.infinity is None else self.infinity)

    def decode(self, code):
        """(kind, negative, magnitude as a fraction)."""
        negative, magnitude = bool(code & self.sign), code & (self.sign - 1)
        if self.is_nan(code):
            return "nan", False, None
        if magnitude == self.infinity:
            return "infinite", negative, None
        exponent, fraction = divmod(magnitude, 1 << (self.precision - 1))
        if exponent:
            fraction += 1 << (self.precision - 1)
        scale = max(exponent, 1) - self.bias - self.precision + 1
        return "number", negative, fraction * Fraction(2) ** scale

    def with_sign(self, magnitude, negative):
        if magnitude == 0 and not self.negative_zero:
            return 0
        return magnitude | (self.sign if negative else 0)

    def overflow(self, negative):
        return self.nan if self.infinity is None else self.infinity | (self.sign if negative else 0)

    def scale(self, magnitude):
        """The exponent of the last place of a magnitude (a fraction above 0)."""
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > magnitude
        return max(exponent, self.emin) - self.precision + 1

    def round(self, below, above, negative):
        """The code of the number that all fractions from `below` to `above` round to, to nearest even; None
        where they do not round to the same."""
        codes = {self.round_one(value, negative) for value in (below, above)}
        return codes.pop() if len(codes) == 1 else None

    def round_one(self, magnitude, negative):
        if magnitude == 0:
            return self.with_sign(0, negative)
        scale = self.scale(magnitude)
        units = round(magnitude / Fraction(2) ** scale)  # to even
        place = scale + self.precision - 1 - self.emin  # of its binade; 0 is the first normal one
        code = units + (place << (self.precision - 1))
        return self.overflow(negative) if code > self.largest else self.with_sign(code, negative)


LAYOUTS = {
    "fp64": Layout(64, 53, 1023, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000),
    "fp32": Layout(32, 24, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000),
    "fp16": Layout(16, 11, 15, 0x7bff, 0x7c00, 0x7e00),
    "bf16": Layout(16, 8, 127, 0x7f7f, 0x7f80, 0x7fc0),
    "fp8_e5m2": Layout(8, 3, 15, 0x7b, 0x7c, 0x7e),
    "fp8_e4m3fn": Layout(8, 4, 7, 0x7e, None, 0x7f),
    "fp8_e5m2fnuz": Layout(8, 3, 16, 0x7f, None, 0x80, False),
    "fp8_e4m3fnuz": Layout(8, 4, 8, 0x7f, None, 0x80, False),
}

EXTRA = 200  # bits behind the point of a root's magnitude


def root_between(value, degree):
    """Fractions around value^(1/degree), an interval of 2^-EXTRA of it at most, or the root itself twice."""
    shift = EXTRA * degree + degree * max(0, value.denominator.bit_length() - value.numerator.bit_length())
    scaled = value * (1 << shift)
    floor = scaled.numerator // scaled.denominator
    low = math.isqrt(floor) if degree == 2 else integer_root(floor, degree)
    unit = Fraction(1, 1 << (shift // degree))
    exact = Fraction(low) ** degree == scaled
    return low * unit, (low if exact else low + 1) * unit


def integer_root(value, degree):
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle ** degree <= value else (low, middle)
    return low


def algebraic(function):
    """A function of one operand whose magnitude lies between two fractions: `function` gives them."""

    def result(layout, codes):
        kind, negative, magnitude = layout.decode(codes[0])
        return function(layout, kind, negative, magnitude)

    return result


def sqrt(layout, kind, negative, magnitude):
    if kind == "nan" or (negative and magnitude != 0):
        return layout.nan
    if kind == "infinite":
        return layout.infinity
    return layout.with_sign(0, negative) if magnitude == 0 else layout.round(*root_between(magnitude, 2), False)


def cbrt(layout, kind, negative, magnitude):
    if kind == "nan":
        return layout.nan
    if kind == "infinite":
        return layout.overflow(negative)
    if magnitude == 0:
        return layout.with_sign(0, negative)
    return layout.round(*root_between(magnitude, 3), negative)


def recip(layout, kind, negative, magnitude):
    if kind == "nan":
        return layout.nan
    if kind == "infinite":
        return layout.with_sign(0, negative)
    return layout.overflow(negative) if magnitude == 0 else layout.round(1 / magnitude, 1 / magnitude, negative)


def rsqrt(layout, kind, negative, magnitude):
    if kind == "nan":
        return layout.nan
    if kind == "number" and magnitude == 0:
        return layout.overflow(negative)
    if negative:
        return layout.nan
    return 0 if kind == "infinite" else layout.round(*root_between(1 / magnitude, 2), False)


def hypot(layout, codes):
    (x_kind, _, x), (y_kind, _, y) = map(layout.decode, codes)
    if any(signalling(layout, code) for code in codes):
        return layout.nan
    if "infinite" in (x_kind, y_kind):
        return layout.infinity
    if "nan" in (x_kind, y_kind):
        return layout.nan
    square = x * x + y * y
    return 0 if square == 0 else layout.round(*root_between(square, 2), False)


def signalling(layout, code):
    quiet = 1 << (layout.precision - 2)
    return layout.infinity is not None and layout.is_nan(code) and not code & quiet


CONTEXT = decimal.Context(prec=60, Emin=-999999, Emax=999999)
NEAR = Fraction(1, 10 ** 55)  # relative, far above the error of some operations in that context


def around(value, layout, negative=False):
    """The code of a decimal that is right to 55 digits; None where that leaves a doubt."""
    exact = Fraction(value)
    return layout.round(exact * (1 - NEAR), exact * (1 + NEAR), negative)


def to_decimal(magnitude, negative):
    value = CONTEXT.divide(decimal.Decimal(magnitude.numerator), decimal.Decimal(magnitude.denominator))
    return CONTEXT.minus(value) if negative else value


def exp(layout, kind, negative, magnitude):
    if kind == "nan":
        return layout.nan
    if kind == "infinite":
        return 0 if negative else layout.infinity
    if magnitude == 0:
        return layout.round_one(Fraction(1), False)
    if magnitude < Fraction(1, 10 ** 50):
        return layout.round_one(Fraction(1), False)
    if magnitude > 2000:
        return 0 if negative else layout.overflow(False)
    return around(CONTEXT.exp(to_decimal(magnitude, negative)), layout)


def logarithm(name):
    def result(layout, kind, negative, magnitude):
        if kind == "nan" or (negative and magnitude != 0):
            return layout.nan
        if kind == "infinite":
            return layout.infinity
        if magnitude == 0:
            return layout.overflow(True)
        if magnitude == 1:
            return 0
        value = getattr(CONTEXT, name)(to_decimal(magnitude, False))
        return around(value.copy_abs(), layout, value < 0)  # abs would round to 28 digits

    return result


def sigmoid(layout, kind, negative, magnitude):
    one = layout.round_one(Fraction(1), False)
    if kind == "nan":
        return layout.nan
    if kind == "infinite":
        return 0 if negative else one
    if magnitude < Fraction(1, 10 ** 50):
        return layout.round_one(Fraction(1, 2), False)
    if magnitude > 2000:
        return 0 if negative else one
    power = CONTEXT.exp(to_decimal(magnitude, not negative))
    return around(CONTEXT.divide(decimal.Decimal(1), CONTEXT.add(decimal.Decimal(1), power)), layout)


FUNCTIONS = {"sqrt": algebraic(sqrt), "cbrt": algebraic(cbrt), "recip": algebraic(recip),
             "rsqrt": algebraic(rsqrt), "hypot": hypot, "exp": algebraic(exp),
             "log": algebraic(logarithm("ln")), "log10": algebraic(logarithm("log10")),
             "sigmoid": algebraic(sigmoid)}


def expected(operation, layout, codes):
    """The correctly rounded results, or None where they cannot be told here."""
    code = FUNCTIONS[operation](layout, codes)
    return None if code is None else [code]


def sqrt_distance(layout, code):
    """How far the exact square root, which is a normal number, lies from the middle between two numbers, in ulps. The
    middle below a power of two is a quarter away from that."""
    _, _, magnitude = layout.decode(code)
    low, high = root_between(magnitude, 2)
    place = low / Fraction(2) ** layout.scale(high)
    quarter = place - (1 << (layout.precision - 1)) + Fraction(1, 4)
    return float(min(abs(place % 1 - Fraction(1, 2)), quarter))
