"""The package on the formats of P3109: functions that take codes, what they are handed, and conversions, against the definitions in
fractions of tests/cmd/p3109_definitions.py."""

import os
import sys
import unittest

import with_numpy  # noqa: F401  pylint: disable=unused-import

import numpy

import detcheck

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cmd"))
import p3109_definitions as draft  # noqa: E402  pylint: disable=wrong-import-position


class OnTrial(unittest.TestCase):
    def test_a_function_gets_codes_and_gives_codes(self):
        form = draft.Format("binary8p4se")
        results = numpy.array([draft.project(draft.divide(draft.Fraction(1), x), form) for x in form.values], numpy.uint8)
        self.assertEqual(detcheck.sweep("recip", lambda x: results[x], format=form.name).incorrectly_rounded, 0)
        results[form.codes[2]] += 1
        self.assertEqual(detcheck.sweep("recip", lambda x: results[x], format=form.name).incorrectly_rounded, 1)

    def test_it_gets_the_parameters_that_it_names(self):
        form, result = draft.Format("binary5p2se"), draft.Format("binary4p2ue")
        seen = []

        def add(x, y, to, rounding, saturation, random, random_bits):
            seen.append((to, rounding, saturation, random_bits))
            return numpy.array([draft.project(draft.add(form.values[a], form.values[b]), draft.Format(to), rounding, saturation, random_bits, int(r))
                                for a, b, r in zip(x, y, random)], numpy.uint8)

        report = detcheck.sweep("add", add, format=form.name, to=result.name, rounding="stochastic-b", saturation="sat-finite", random_bits=3)
        self.assertEqual(report.incorrectly_rounded, 0)
        self.assertEqual(set(seen), {(result.name, "stochastic-b", "sat-finite", 3)})

    def test_scaled_operands_are_codes_too(self):
        """The scale above the element, and all operands as wide as the widest. The second name is longer than the header of
        detcheck-exec(7) has room for."""
        for names in (("binary3p1uf*binary3p2se", "binary4p2sf"), ("binary8p1uf*binary8p4se", "binary8p1uf*binary4p2sf")):
            target, seen = draft.Format("binary8p3se"), set()
            parts = [[draft.Format(part) for part in name.split("*")] for name in names]

            def value(code, part):
                return part[0].values[code] if len(part) == 1 else draft.multiply(part[0].values[code >> part[1].width],
                                                                                   part[1].values[code & ((1 << part[1].width) - 1)])

            def add(x, y, wrong=0, parts=parts, target=target, seen=seen):
                seen.add((x.dtype, y.dtype))
                return numpy.array([draft.project(draft.add(value(int(a), parts[0]), value(int(b), parts[1])), target) ^ (wrong and a == x[0] and b == y[0])
                                    for a, b in zip(x, y)], numpy.uint8)

            given = {"format": ":".join(names), "to": target.name, "samples": 1000}
            self.assertEqual(detcheck.sweep("add", add, **given).incorrectly_rounded, 0)
            self.assertEqual(seen, {(numpy.dtype(numpy.uint8 if len(names[0]) < 24 and "3p1" in names[0] else numpy.uint16),) * 2})
            report = detcheck.sweep("add", lambda x, y, add=add: add(x, y, 1), **given)
            self.assertGreater(sum(one["incorrectly_rounded"] + one["nan_mismatches"] for one in report["results"][0]["implementations"]), 0)

    def test_a_search_among_scaled_operands(self):
        """48 bits: what it finds is wrong by the judgement of eval, too."""
        scale, element = draft.Format("binary8p1uf"), draft.Format("binary8p4se")
        values = {}

        def value(code):
            if code not in values:
                values[code] = draft.multiply(scale.values[code >> 8], element.values[code & 255])
            return values[code]

        def fma(x, y, z):
            """Negative sums are rounded toward zero."""
            exact = [draft.fma(value(int(a)), value(int(b)), value(int(c))) for a, b, c in zip(x, y, z)]
            return numpy.array([draft.project(one, element, "up" if not isinstance(one, str) and one < 0 else "nearest-even") for one in exact], numpy.uint8)

        report = detcheck.search("fma", fma, format="binary8p1uf*binary8p4se", evaluations=3000)
        worst, = report["results"][0]["implementations"]
        self.assertGreater(float(worst["max_ulp"]["error"]), 0.5)
        codes = [int(one, 16) for one in worst["max_ulp"]["input"]]
        self.assertLess(draft.fma(*map(value, codes)), 0)
        self.assertEqual(int(worst["max_ulp"]["got"], 16), int(fma(*([one] for one in codes))[0]))

    def test_what_would_take_codes_for_integers_is_refused(self):
        for function, more in ((numpy.add, {}), (lambda x, y: x + y, {"scalar": True}), ("py:numpy", {})):
            with self.assertRaisesRegex(detcheck.Error, "numpy has no type for binary8p4se"):
                detcheck.sweep("add", *([] if isinstance(function, str) else [function]), format="binary8p4se",
                               **({"impl": function} if isinstance(function, str) else {}), **more)


class Conversions(unittest.TestCase):
    def test_convert_from_a_type_of_numpy(self):
        numbers = numpy.concatenate([numpy.arange(1 << 16, dtype=numpy.uint16).view(numpy.float16)[::61], [numpy.float16("nan")]])
        exact = [draft.NAN if x != x else draft.PLUS if x == float("inf") else draft.MINUS if x == -float("inf") else draft.Fraction(float(x))
                 for x in numbers]
        for name, rounding, saturation in (("binary8p4se", "to-odd", "sat-none"), ("binary4p2ue", "down", "sat-finite"),
                                           ("binary12p5sf", "nearest-even", "sat-propagate")):
            target = draft.Format(name)
            got = detcheck.convert(numbers, name, rounding=rounding, saturation=saturation)
            self.assertEqual(got.tolist(), [draft.project(x, target, rounding, saturation) for x in exact])
            self.assertEqual(got.dtype, numpy.uint8 if target.width <= 8 else numpy.uint16)

    def test_convert_to_a_type_of_numpy(self):
        source = draft.Format("binary8p4se")
        codes = numpy.arange(256, dtype=numpy.uint8).reshape(16, 16)
        got = detcheck.convert(codes, numpy.float32, format=source.name)
        self.assertEqual((got.shape, got.dtype), ((16, 16), numpy.float32))
        numpy.testing.assert_array_equal(got.ravel(), numpy.float32([float(x) for x in source.values]))

    def test_convert_by_random_bits(self):
        source, target = draft.Format("binary8p3se"), draft.Format("binary5p2se")
        codes = numpy.arange(256, dtype=numpy.uint8)
        for rounding in draft.DRAWN:
            for random in (5, codes % 8, numpy.uint8(7) - (codes[:, None] + codes) % 8):
                x = numpy.broadcast_to(codes, numpy.shape(random) or codes.shape)
                got = detcheck.convert(x, target.name, format=source.name, rounding=rounding, random=random, random_bits=3)
                drawn = numpy.broadcast_to(random, x.shape)
                known = {(code, r): draft.project(source.values[code], target, rounding, "sat-none", 3, r) for code in range(256) for r in range(8)}
                self.assertEqual(got.tolist(), numpy.vectorize(lambda code, r, known=known: known[int(code), int(r)])(x, drawn).tolist())
        for given, text in (({}, "takes random="), ({"random": 8, "random_bits": 3}, "from 0 to 7"), ({"random": 0.5, "random_bits": 3}, "whole numbers"),
                            ({"random": numpy.arange(256), "random_bits": 63}, "from 1 to 62")):
            with self.assertRaisesRegex(ValueError, text):
                detcheck.convert(codes, target.name, format=source.name, rounding="stochastic-a", **given)
        with self.assertRaisesRegex(ValueError, "takes 256 at most"):
            detcheck.convert(numpy.zeros(257, numpy.uint8), target.name, format=source.name, rounding="stochastic-a", random=numpy.arange(257), random_bits=9)
        with self.assertRaisesRegex(ValueError, "takes no random="):
            detcheck.convert(codes, target.name, format=source.name, random=1, random_bits=1)

    def test_convert_between_the_formats(self):
        source, target = draft.Format("binary8p3se"), draft.Format("binary6p3uf")
        got = detcheck.convert(numpy.arange(256, dtype=numpy.uint8), target.name, format=source.name)
        self.assertEqual(got.tolist(), [draft.project(x, target) for x in source.values])

    def test_wrong_calls(self):
        x = numpy.zeros(2, numpy.uint8)
        for words, given, text in ((("binary8p9se",), {}, "precision of 1 to 7"), (("binary8p4se",), {"rounding": "stochastic-a"}, "stochastic-a"),
                                   (("fp32",), {"format": "binary9p4se"}, "uint16"), (("fp32",), {"format": "binary3p1se"}, "0xff is not a code"),
                                   (("fp32",), {"format": "fp16"}, "names a format of P3109"), (("binary8p4se",), {"profile": "ocp"}, "no profile")):
            with self.assertRaisesRegex((detcheck.Error, ValueError, TypeError), text):
                detcheck.convert(x + numpy.uint8(255) if "0xff" in text else x, *words, **given)


if __name__ == "__main__":
    unittest.main()
