"""All functions of numbers but cast, on operands drawn at random, many of them special, in fp16, bf16, fp32 and fp64 and five
roundings: what the program expects of them, against functions_reference.py, and which flags they have to raise, against
functions_flags.py. Environment: DETCHECK is the program, 2 CASES how many operands are drawn for each function and format
(4 CASES of more than one operand), SEED what they are drawn from."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

import functions_flags
import functions_reference as reference
from counted import FORMATS, number
from enclosed import Undecided, times
from functions_of_two import INTEGER_OPERAND, PAIRS
from functions_reference import FUNCTIONS, ROUNDINGS

PROGRAM = os.environ["DETCHECK"]
CASES = int(os.environ.get("CASES", "2"))
SEED = int(os.environ.get("SEED", "1"))
FORMS = ("fp16", "bf16", "fp32", "fp64")
TWO_RESULTS = ("sincos", "frexp", "modf", "remquo")
# Where results are exact, overflow, vanish, cross 0 or change their course.
LANDMARKS = (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 6, 7, 8, 10, 15, 16, 100, 1000, 1e10, 0.25, 0.75, 1 / 3, 0.1, 0.9999, 1.0001,
             1.4616321449683623, 0.5040830082644554, 3.2, 26.64, 0.8427007929497149, 5.4, 14.2, 14.4, 38.5, 92, 714, 17.33, 438,
             2.404825557695773, 3.8317059702075125, 0.8935769662791675, 2.197141326031017, math.pi, math.pi / 2, math.pi * 100,
             88.7, 103.9, 709.8, 745, 11.1, 27.2, 171.6, 35.04, 128, 1024, 38.53, 308.2547, 511.5,
             2 ** 22, 2 ** 23, 2 ** 24, 2 ** 52, 2 ** 53, 2 ** 62, 2 ** 63, 2 ** 64)


def code_of(form, value):
    x = number(Fraction(value))
    return (min(form.last, form.rounded(x, "nearest-even")) if x.size else 0) | (form.sign if x.negative else 0)


def beside(choice, form, code, steps):
    """A code near that of a number."""
    return max(0, min(form.last, (code & ~form.sign) + choice.choice(steps))) | (code & form.sign)


def drawn(choice, form):
    kind = choice.random()
    if kind < 0.15:
        step = 1 << form.fraction_bits
        return choice.choice((0, form.infinity, form.nan, form.last, 1, step, step - 1, 2)) | choice.choice((0, form.sign))
    sign = choice.choice((1, -1))
    if kind < 0.45:
        return beside(choice, form, code_of(form, sign * choice.choice(LANDMARKS)), (0, 0, 0, 1, -1, choice.randint(-40, 40)))
    if kind < 0.6:
        return choice.randrange(form.infinity) | choice.choice((0, form.sign))
    if kind < 0.75:
        return code_of(form, Fraction(sign * choice.randint(0, 40), choice.choice((1, 2, 4))))
    return code_of(form, sign * 2.0 ** choice.uniform(-14, 9))


def integer(choice, form, name):
    """Few bits, many, and those about powers of two."""
    bits = INTEGER_OPERAND[name]
    while True:
        size = choice.choice((choice.randint(0, 6), choice.randint(0, 150), (1 << choice.randrange(bits)) + choice.randint(-1, 1),
                              choice.getrandbits(choice.randint(1, bits))))
        code = code_of(form, choice.choice((1, -1)) * (choice.randint(0, 40) if name in ("jn", "yn") else size))
        value = form.read(code).signed()
        if value.denominator == 1 and -1 << bits <= value < 1 << bits:
            return code


def ends(form):
    return [code | sign for code in (0, form.infinity) for sign in (0, form.sign)]


def operands(choice, form, name):
    x = drawn(choice, form)
    if name in FUNCTIONS:
        return (x,)
    if name not in INTEGER_OPERAND and choice.random() < 0.2:
        return tuple(choice.choice(ends(form) + [code_of(form, 1), code_of(form, -1)]) for _ in range(3 if name == "fma" else 2))
    if name in ("jn", "yn"):
        y = x if choice.random() < 0.2 else code_of(form, choice.choice((1, 1, -1)) * choice.choice((
            0, choice.uniform(0, 60), 2.0 ** choice.randint(-20, 11), choice.uniform(0, 5))))
        return integer(choice, form, name), y
    if name in INTEGER_OPERAND:
        if name in ("scalbn", "ldexp") and choice.random() < 0.3:  # about the middle of two subnormal numbers
            return code_of(form, choice.randint(-9, 9)), code_of(form, form.least - form.fraction_bits + choice.randint(-2, 0))
        if name == "compoundn" and choice.random() < 0.4:
            x = code_of(form, choice.choice((1, -1)) * 2.0 ** choice.uniform(-62, 0))
        return x, integer(choice, form, name)
    y, kind = drawn(choice, form), choice.random()
    if kind < 0.2 and form.read(x).kind == "num":
        y = beside(choice, form, x, (0, 0, 1, -1)) ^ choice.choice((0, form.sign))
    if name in ("fmod", "remainder", "remquo") and kind > 0.7 and form.read(y).kind == "num":
        x = code_of(form, form.read(y).signed() * choice.randint(-20, 20) / 2)
    if name != "fma":
        return x, y
    z, product = drawn(choice, form), times(form.read(x), form.read(y))
    if kind > 0.5 and product.kind == "num" and product.size:  # what cancels the product, or nearly
        code = min(form.last, form.rounded(product, "nearest-even"))
        z = beside(choice, form, code, (0, 0, 1, -1)) | (0 if product.negative else form.sign)
    return x, y, z


def inputs(name, form_name):
    """2 CASES besides zeros and infinities, and as many again of more operands than one."""
    choice, form = random.Random(f"{SEED} {name} {form_name}"), FORMATS[form_name]
    found = [(code,) for code in ends(form) if name in FUNCTIONS]
    found += [operands(choice, form, name) for _ in range((2 if name in FUNCTIONS else 4) * CASES)]
    return [one for one in dict.fromkeys(found)
            if not any(reference.is_signalling(form_name, code) for code in one) and not reference.is_beyond(name, form_name, one)]


def groups_of(cases):
    """The inputs of each function and format as groups of each rounding, for --inputs-of."""
    number = 0
    for (name, form), given in cases.items():
        results, digits = 2 if name in TWO_RESULTS else 1, FORMATS[form].width // 4
        for rounding in ROUNDINGS:
            tests = [{"tcId": number + i, "in": [f"0x{code:0{digits}x}" for code in one],
                      "out": [f"0x{0:0{digits}x}"] * results, "flags": ["drawn"]} for i, one in enumerate(given, 1)]
            number += len(tests)
            yield {"operation": name, "format": form, "rounding": rounding, "expect": "correctly_rounded",
                   "parameters": {}, "tests": tests}


class Functions(unittest.TestCase):
    def outputs(self, groups):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "inputs.json")
            with open(path, "w", encoding="ascii") as stream:
                json.dump({"schema": "detcheck/vectors/1", "generator": "functions_test.py", "oracle": "python",
                           "numberOfTests": sum(len(group["tests"]) for group in groups),
                           "notes": {"drawn": "by functions_test.py"}, "testGroups": groups}, stream)
            done = subprocess.run([PROGRAM, "emit", *dict.fromkeys(group["operation"] for group in groups), "-f",
                                   ",".join(FORMS), "-r", ",".join(ROUNDINGS), "--inputs-of", path,
                                   "--flags", "--tininess", "after"],
                                  capture_output=True, text=True, check=False, timeout=3000)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["testGroups"]

    def check(self, names):
        cases = {(name, form): inputs(name, form) for name in names for form in FORMS}
        count, undecided, flags, wanted = 0, 0, 0, {}
        for group in self.outputs(list(groups_of(cases))):
            name, form, rounding = group["operation"], group["format"], group["rounding"]
            for test in group["tests"]:
                given = tuple(int(text, 16) for text in test["in"])
                if (name, form, given) not in wanted:
                    try:
                        wanted[name, form, given] = reference.expected(name, form, given)
                    except Undecided:
                        wanted[name, form, given] = None
                if not wanted[name, form, given]:
                    undecided += 1
                    continue
                want = [f"0x{code:0{FORMATS[form].width // 4}x}" for code in
                        wanted[name, form, given][ROUNDINGS.index(rounding)]]
                count += 1
                if test["out"] != want:
                    self.fail((name, form, rounding, test, [FORMATS[form].read(code) for code in given], want))
                if count % len(ROUNDINGS) == 0:  # of each input in one rounding, or so
                    raised, = functions_flags.expected(name, form, given, (rounding,))
                    flags += raised is not None
                    if raised not in (None, set(test["flags_raised"])):
                        self.fail((name, form, rounding, test, [FORMATS[form].read(code) for code in given], raised))
        print(f"{count} results of {len(names)} functions, flags of {flags}, and {undecided} that the model leaves open")
        self.assertEqual(count + undecided, len(ROUNDINGS) * sum(map(len, cases.values())))

    def test_functions_of_one_operand(self):
        self.check(FUNCTIONS)

    def test_functions_of_more_operands(self):
        self.check((*PAIRS, "fma"))


if __name__ == "__main__":
    unittest.main()
