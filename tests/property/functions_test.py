"""Functions that newer standards and libraries have, on operands drawn at random and on special ones, in fp16, fp32 and
fp64 and five roundings: what the program expects of them, against functions_reference.py. Environment: DETCHECK is the
program, CASES how many operands are drawn for each function and format, SEED what they are drawn from."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

import functions_reference as reference
from functions_reference import FORMS, FUNCTIONS, PAIRS, ROUNDINGS

PROGRAM = os.environ["DETCHECK"]
CASES = int(os.environ.get("CASES", "3"))
SEED = int(os.environ.get("SEED", "1"))
SPECIAL = (0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 6.0, math.inf, math.nan)
# Where results overflow, vanish, cross 0 or change their course.
LANDMARKS = (1.4616321449683623, -0.5040830082644554, -3.2, -26.64, 0.8427007929497149, 0.9999, 5.4, -14.2, -38.5, 14.4,
             92, 714, 2.404825557695773, 3.8317059702075125, 0.8935769662791675, 2.197141326031017, -17.33, -438,
             128, 1024, 38.53, 308.2547, 511.5, 2.0 ** 22, 2.0 ** 52, 2.0 ** 63)
INTEGERS = {"pown": 63, "rootn": 63, "compoundn": 63, "scalbn": 31, "ldexp": 31}  # and the bits of the second operand


def code_of(form, value):
    return form.of_float(float(value), "nearest-even")


def drawn(choice, form):
    kind = choice.random()
    if kind < 0.3:
        return choice.getrandbits(form.width)
    if kind < 0.5:
        near = code_of(form, choice.choice(LANDMARKS)) + choice.randint(-40, 40)
        return max(0, min(form.infinity, near)) | choice.choice((0, form.sign))
    return code_of(form, choice.choice((1, -1)) * 2.0 ** choice.uniform(-14, 9))


def special(form):
    return sorted({code_of(form, sign * value) for value in SPECIAL for sign in (1, -1)} |
                  {code | sign for sign in (0, form.sign)
                   for code in (1, (1 << form.precision - 1) - 1, 1 << form.precision - 1, form.infinity - 1)})


def integer(choice, bits):
    """Few bits, many, and those about 2^30 and 2^31, from where on orders of roots are judged apart."""
    size = choice.choice((choice.randint(0, 99), choice.getrandbits(choice.randint(1, bits)),
                          (1 << choice.choice((30, 31))) + choice.randint(-3, 3)))
    return size * choice.choice((1, -1))


def pair(choice, form, name):
    if name in ("jn", "yn"):
        return code_of(form, choice.randint(-70, 70)), code_of(form, choice.choice((1, 1, -1)) * choice.uniform(0, 90))
    first = drawn(choice, form)
    if name in ("scalbn", "ldexp") and choice.random() < 0.5:  # about the middle of two subnormal numbers
        return code_of(form, choice.randint(-9, 9)), code_of(form, form.emin - form.precision + choice.randint(-1, 1))
    if name in INTEGERS:
        if name == "compoundn" and choice.random() < 0.5:
            first = code_of(form, choice.choice((1, -1)) * 2.0 ** choice.uniform(-62, 0))
        return first, code_of(form, integer(choice, INTEGERS[name]))
    second = max(0, first + choice.randint(-1, 1)) % form.sign if choice.random() < 0.2 else drawn(choice, form)
    return first, second


def operands(name, form_name):
    """CASES that are drawn, and up to twice as many special ones."""
    choice, form = random.Random(f"{SEED} {name} {form_name}"), FORMS[form_name]
    ends = special(form)
    if name in FUNCTIONS:
        found, more = [(code,) for code in ends], [(drawn(choice, form),) for _ in range(CASES)]
    else:
        found, more = [(x, y) for x in ends for y in ends], [pair(choice, form, name) for _ in range(CASES)]
    found = choice.sample(found, min(len(found), 2 * CASES)) + more
    return [one for one in dict.fromkeys(found)
            if not any(map(form.is_signalling, one)) and not reference.is_beyond(name, form, one)]


def groups_of(cases):
    """The inputs of each function and format as groups of each rounding, for --inputs-of."""
    number = 0
    for (name, form), given in cases.items():
        results = 2 if name in ("frexp", "modf", "remquo") else 1
        digits = FORMS[form].width // 4
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
                                   ",".join(FORMS), "-r", ",".join(ROUNDINGS), "--inputs-of", path],
                                  capture_output=True, text=True, check=False, timeout=3000)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["testGroups"]

    def check(self, names):
        cases = {(name, form): operands(name, form) for name in names for form in FORMS}
        count, wanted = 0, {}
        for group in self.outputs(list(groups_of(cases))):
            name, form, rounding = group["operation"], group["format"], group["rounding"]
            for test in group["tests"]:
                given = tuple(int(text, 16) for text in test["in"])
                if (name, form, given) not in wanted:
                    wanted[name, form, given] = reference.expected(name, form, given)
                want = [f"0x{code:0{FORMS[form].width // 4}x}" for code in
                        wanted[name, form, given][ROUNDINGS.index(rounding)]]
                count += 1
                if test["out"] != want:
                    self.fail((name, form, rounding, test, [FORMS[form].decode(code) for code in given], want))
        self.assertEqual(count, len(ROUNDINGS) * sum(map(len, cases.values())))

    def test_functions_of_one_operand(self):
        self.check(FUNCTIONS)

    def test_functions_of_two_operands(self):
        self.check(PAIRS)


if __name__ == "__main__":
    unittest.main()
