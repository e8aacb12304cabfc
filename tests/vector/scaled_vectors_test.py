"""The committed vectors of scaled operations, every element again by fractions and mpmath, as tests/property has them:
special numbers and the signs of zeros included. Environment: EXHAUSTIVE: every test, of which the default run computes a
part again."""

import os
import sys
import unittest

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "property"))
import reader  # noqa: E402
import scaled_system  # noqa: E402


STEP = 1 if os.environ.get("EXHAUSTIVE") else 7


def code_of(text, form):
    return int(text) if form.startswith("int") else int(text, 16)


class Vectors(unittest.TestCase):
    def test_every_element_is_that_of_fractions(self):
        seen, count = set(), 0
        for group in reader.load(os.path.join(HERE, "..", "..", "vectors", "small", "scaled.json"))["testGroups"]:
            seen.add(group["operation"].removeprefix("scaled."))
            forms = scaled_system.operand_formats(group)
            for test in reader.tests_of(group):
                count += 1
                if count % STEP:
                    continue
                operands = [[code_of(text, form) for text in texts] for texts, form in zip(test["in"], forms)]
                out = [[code_of(text, form) for text in texts]
                       for texts, form in zip(test["out"], scaled_system.result_formats(group))]
                with self.subTest(operation=group["operation"], test=test["tcId"]):
                    self.assertEqual(out, scaled_system.results(group, operands))
        self.assertEqual(seen, set(scaled_system.NAMES))


if __name__ == "__main__":
    unittest.main()
