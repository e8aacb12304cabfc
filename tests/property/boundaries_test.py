"""What eval says of the distance from where a rounding changes, in every format of up to 8 bits, against the list of
all numbers at which what casts_system.cast returns changes. Environment: DETCHECK is the program."""

import bisect
import json
import os
import random
import subprocess
import sys
import unittest
from fractions import Fraction

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import casts_system  # noqa: E402
from reals import FORMATS  # noqa: E402

NARROW = [form for form in FORMATS.values() if form.width <= 8]
OTHERS = ("fp4_e2m1fn", "fp8_e4m3fn", "fp8_e8m0fnu")  # where the ends are other ones by these profiles
PROFILES = ("saturate", "onnx-24-unsaturated")
ROUNDINGS = casts_system.ROUNDINGS[:5]
DRAWN, BATCH = 12, 200


def boundaries(form, profile, rounding, negative):
    """The magnitudes, in order: of all numbers of the format, the one that would follow them, their middles, and 0,
    those at which the code is not the one on either side."""
    numbers = [form.value(code) for code in range(form.greatest + 1)]
    numbers.append(numbers[-1] + form.ulp(numbers[-1]))
    places = sorted({Fraction(0), *numbers, *((a + b) / 2 for a, b in zip(numbers, numbers[1:]))})
    between = [(a + b) / 2 for a, b in zip(places, places[1:] + [places[-1] + 2])]

    def code(magnitude):
        return casts_system.cast({"to": form.name, "profile": profile}, (negative, magnitude), rounding, 0)
    at, behind = list(map(code, places)), list(map(code, between))
    return [place for i, place in enumerate(places) if len({behind[i - 1] if i else at[i], at[i], behind[i]}) > 1]


def inputs(form):
    """Magnitudes at the ends and from everywhere, at boundaries and not."""
    largest = form.value(form.greatest)
    found = [form.value(code) for code in range(3)] + [form.value(form.greatest - 1), largest]
    found += [form.value(random.randint(0, form.greatest)) for _ in range(DRAWN)]
    found = [x + form.ulp(x) * part for x in found for part in
             (0, Fraction(1, 2), Fraction(random.getrandbits(20), 1 << 20), -Fraction(random.getrandbits(9), 1 << 10))]
    found += [form.value(0) / 3, form.ulp(0) / (1 << 30)]
    return [Fraction(float(x)) for x in found if x > 0]


class Boundaries(unittest.TestCase):
    def evaluate(self, words):
        done = subprocess.run([os.environ["DETCHECK"], "eval", "cast", *words, "-j", "-"], capture_output=True, text=True,
                              check=True)
        return json.loads(done.stdout)["results"]

    def check(self, form, profile, negative):
        known = {rounding: boundaries(form, profile, rounding, negative) for rounding in ROUNDINGS}
        values = [-x if negative else x for x in inputs(form)]
        shown = 0
        for start in range(0, len(values), BATCH):
            texts = [float(x).hex() for x in values[start:start + BATCH]]
            found = iter(self.evaluate([*texts, "--from", "fp64", "--to", form.name, "--profile", profile, "-r",
                                        ",".join(ROUNDINGS)]))
            for x, rounding in ((x, rounding) for x in values[start:start + BATCH] for rounding in ROUNDINGS):
                result, magnitude, places = next(found), abs(x), known[rounding]
                self.assertEqual(result["rounding"], rounding)
                if "boundary_distance" not in result:
                    unbounded = casts_system.rounded(form, (negative, magnitude), rounding, None)
                    self.assertTrue(not places or unbounded > form.value(form.greatest))
                    continue
                shown += 1
                at = bisect.bisect(places, magnitude)
                want = min(abs(magnitude - place) for place in places[max(at - 1, 0):at + 1]) / form.ulp(magnitude)
                got = Fraction(result["boundary_distance"])
                self.assertLessEqual(abs(got - want), want / (1 << 52), (form.name, profile, rounding, float(x).hex()))
        self.assertTrue(shown > 200 or (negative and form.family == "scale"))

    def test_of_casts_to_every_narrow_format(self):
        random.seed(1)
        for form in NARROW:
            for profile in ("ieee", *PROFILES):
                if profile == "ieee" or (form.name in OTHERS and form.name in casts_system.TARGETS[profile]):
                    negative = random.random() < 0.4
                    with self.subTest(format=form.name, profile=profile, negative=negative):
                        self.check(form, profile, negative)


if __name__ == "__main__":
    unittest.main()
