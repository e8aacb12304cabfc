"""Forms with the functions and the sums of libraries, and all forms together.

Environment: that of the tests of the program.
"""

import decimal
import math
import os
import re
import sys
import unittest
from fractions import Fraction

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401
from forms_case import FormsCase  # noqa: E402

import numpy as np  # noqa: E402

SHAPES = {"attention": "1x1x2x3x4", "embedding_bag": "2x3x5x2", "batch_norm": "2x2x3", "group_norm": "2x2x3", "cross_entropy": "2x4",
          "cross_entropy_gradient": "2x4", "rope": "2x4"}


class Test(FormsCase):
    def test_sums_of_vectors_are_what_numpy_makes_of_their_text(self):
        """Lanes of fp32 are folded, and products fused in what is left behind whole vectors alone. In fp64, by code for any processor and of
        less than a vector all is added from the left, and nothing is fused."""
        rng = np.random.default_rng(31)

        def total(x, w, lanes, is_simd):
            terms, sums = x * w, np.zeros(lanes, x.dtype)
            if len(x) < lanes:
                return np.cumsum(terms)[-1]
            for i, term in enumerate(terms):
                exact = Fraction(float(x[i])) * Fraction(float(w[i])) + Fraction(float(sums[i % lanes]))
                is_left = i >= len(x) // lanes * lanes
                sums[i % lanes] = x.dtype.type(float(exact)) if is_left and is_simd else sums[i % lanes] + term
            while len(sums) > 1 and is_simd:
                sums = sums[:len(sums) // 2] + sums[len(sums) // 2:]
            return np.cumsum(sums)[-1]

        for of, name, lanes in ((np.float32, "torch-vectors", 16), (np.float32, "torch-vectors-256", 8), (np.float32, "torch-vectors-any", 8),
                                (np.float64, "torch-vectors", 8), (np.float64, "torch-vectors-256", 4), (np.float64, "torch-vectors-any", 4)):
            is_simd = of == np.float32 and not name.endswith("any")
            for length in (1, 2, 5, 7, 8, 9, 15, 17, 24, 77, 96):
                x, g = rng.standard_normal((2, length)).astype(of)
                words = [*map(float.hex, map(float, (*x, *g)))]
                exps = np.array([float(decimal.Context(prec=40).exp(decimal.Decimal(float(one)))) for one in x - x.max()]).astype(of)
                p = exps / total(exps, np.ones_like(x), lanes, is_simd)
                found = self.results("softmax", "--axis", "-1", "--shape", length, "--as", f"onnx:{name}", *words[:length], of=of)
                self.assertEqual(found.tolist(), p.tolist(), (name, length))
                p = self.results("softmax", "--axis", "-1", "--shape", length, "--as", f"torch:{name}", *words[:length], of=of)
                found = self.results("softmax_gradient", "--axis", "-1", "--shape", length, "--as", f"torch:{name}", *words, of=of)
                self.assertEqual(found.tolist(), ((g - total(g, p, lanes, is_simd)) * p).tolist(), (name, length))

    def test_functions_of_libraries_are_what_numpy_makes_of_their_text(self):
        """Of the exponential the text is written anew here; softmax divides it by its sum."""
        t, exact, rng = np.float32, np.longdouble, np.random.default_rng(29)
        fma = lambda a, b, c: (np.asarray(a).astype(exact) * np.asarray(b).astype(exact) + np.asarray(c).astype(exact)).astype(t)  # noqa: E731
        horner = lambda r, *of: (lambda y: [y := fma(y, r, t(c)) for c in of[1:]][-1])(np.full_like(r, t(of[0])))  # noqa: E731
        of_code = lambda code: np.uint32(code).view(t)  # noqa: E731
        scaled = lambda y, n: np.ldexp(y.astype(np.float64), n.astype(int)).astype(t)  # noqa: E731

        def of_torch(x):
            q = np.rint(x * of_code(0x3fb8aa3b))
            r = fma(q, -t(1.428606765330187045e-06), fma(q, -t(0.693145751953125), x))
            u = horner(r, 0.000198527617612853646, 0.00139304355252534151, 0.00833336077630519867, 0.0416664853692054749, 0.166666671633720398, 0.5)
            return scaled(t(1) + fma(r * r, u, r), q)

        def of_xla(x):
            n = np.floor(fma(np.clip(x, t(-87.8), t(88.8)), of_code(0x3fb8aa3b), t(0.5)))
            r = fma(n, -of_code(0xb95e8083), fma(n, -t(0.693359375), np.clip(x, t(-87.8), t(88.8))))
            y = horner(r, *map(of_code, (0x39506967, 0x3ab743ce, 0x3c088908, 0x3d2aa9c1, 0x3e2aaaaa)), 0.5)
            made = scaled(t(1) + fma(y, r * r, r), np.maximum(n, -126))
            return np.where((n == -127) | (made < 2.0 ** -126), t(0), made)

        x = (rng.standard_normal(96) * np.repeat([1, 10, 40], 32)).astype(t)
        for name, exp in (("torch", of_torch), ("xla", of_xla)):
            e = exp(x - x.max())
            want = e / np.cumsum(e, dtype=t)[-1]
            found = self.results("softmax", "--axis", "-1", "--shape", "96", "--as", f"onnx:left:{name}", *(float(one).hex() for one in x))
            self.assertEqual(found.tolist(), want.tolist(), name)
        # Of 40 elements two vectors of 512 bits have 32; the others are computed one by one, by functions that are rounded once.
        x, of_one = rng.standard_normal(40).astype(t), lambda of: np.exp(of.astype(np.float64)).astype(t)
        e = np.where(np.arange(40) < 32, of_torch(-x), of_one(-x))
        numbers = [float(one).hex() for one in x]
        found = self.results("silu_mul", "--shape", "40", "--as", "torch-vectors:exact:torch", *numbers, *[1] * 40)
        self.assertEqual(found.tolist(), (x / (t(1) + e)).tolist())
        s = t(1) / (t(1) + e)
        found = self.results("silu_mul_gradient", "--shape", "40", "--as", "torch-vectors:exact:torch", *numbers, *[1] * 80)
        self.assertEqual(found.tolist(), (s * fma(x, t(1) - s, t(1))).tolist())

    def test_functions_of_libraries_are_near_those_of_mathematics(self):
        """Within the ulps that their makers state: SLEEF's 1, of Cephes's and Eigen's polynomials 2 to 4; of differences some more."""
        for asked, functions, most in (("silu_mul -f fp64 --shape 200", "hugging-face:exact:torch", 4), ("silu_mul --shape 200", "hugging-face:exact:torch", 4),
                                       ("silu_mul --shape 200", "hugging-face:exact:xla", 4), ("log_softmax --shape 5x40", "torch:exact:torch", 16),
                                       ("log_softmax --shape 5x40", "torch:exact:xla", 16)):
            found = self.document("sweep", *asked.split(), "--distribution", "uniform", "-n", "4", "--as", functions)["results"][0]["implementations"][0]
            self.assertGreater(found["tested"], 100)
            self.assertLess(found["max_ulp"]["error"], most, asked)
            self.assertEqual(found["nan_mismatches"], 0)
        x = np.linspace(0.125, 5, 40, dtype=np.float32)
        exact = np.array([one / 2 * (1 + math.erf(one / 2 ** 0.5)) for one in x.astype(float)])
        by_tanh = x.astype(float) / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x.astype(float) ** 3)))
        for words, want in ((["none"], exact), (["tanh"], by_tanh)):
            found = self.results("gelu_mul", "--approximate", *words, "--shape", 40, "--as", "fp32:exact:xla", *(float(one).hex() for one in x), *[1] * 40)
            np.testing.assert_allclose(found, want, rtol=4e-7)

    def test_functions_are_named_beside_the_form(self):
        for asked, functions, says in (("softmax --axis -1 --shape 4x96 -n 2", "torch:torch-vectors:torch", "functions as in PyTorch's vectors"),
                                       ("softmax -f fp64 --axis -1 --shape 4x96 -n 2", "torch:torch-vectors:torch", "functions as in PyTorch's vectors"),
                                       ("silu_mul --shape 96 -n 2", "liger:exact:xla", "functions as XLA's on the CPU")):
            text = self.explained(*asked.split(), "--as", functions, "--impl", "det")
            self.assertRegex(text, rf"\n  1\. A .* \(form {functions.split(':')[0]}(, [^()]*)?, {says}\)\n", text)
            self.assertIn("predicts 0 wrongly", text)
        ran = self.run_program("eval", "softmax", "--shape", "2", "--as", "torch:left:sleef", 1, 2)
        self.assertEqual((ran.returncode, ran.stderr.decode()), (2, "detcheck: steps have no functions 'sleef'; there are: cr, libm, torch, xla, det\n"))

    def test_one_side_without_det_is_held_against_the_exact_results(self):
        text = self.explained(*"silu_mul -f fp64 --shape 96 -n 2 --as hugging-face:exact:torch".split())
        self.assertRegex(text, r"\n  A cr ")
        self.assertIn("(form fp32, functions as in PyTorch's vectors)", text)

    def test_a_root_by_the_processors_estimate_is_near_the_exact_one(self):
        """One step of Newton's from 12 bits leaves at most 2 ulps; another processor than x86 has no such form."""
        if os.uname().machine != "x86_64":
            self.skipTest("skipped, because the processor is no x86")
        for asked in ("rms_norm --affine weight", "layer_norm --affine bias", "group_norm --groups 2 --affine bias", "batch_norm --affine bias"):
            shape = "2x4x9" if "group" in asked or "batch" in asked else "3x64"
            for form in ("xla", "xla-fused"):
                found = self.document("sweep", *asked.split(), "--shape", shape, "--distribution", "uniform", "-n", "4", "--as", f"{form}:xla")
                one = found["results"][0]["implementations"][0]
                self.assertGreater(one["tested"], 200)
                self.assertLess(one["mean_ulp"], 4)
                self.assertEqual(one["nan_mismatches"], 0)
        # Squares that overflow have an infinite mean, whose estimate stays.
        self.assertEqual(self.results("rms_norm", "--as", "xla", "--shape", 2, "0x1p99", 1).tolist(), [0, 0])
        ran = self.run_program(*"sweep rms_norm -f fp64 --shape 3x64 -n 1 --as xla".split())
        self.assertIn(b"the form takes the processor's estimate of a root, which only x86 has, and only in fp32", ran.stdout + ran.stderr)

    def test_every_form_can_be_read(self):
        """None is left out of what explain tries because its steps are not of the language."""
        named = 0
        for one in self.document("list", "operations")["operations"]:
            ran = self.run_program("sweep", one["name"], "-n", 1, "--as", "narrow") if one["family"] == "kernels" else None
            known = ran and re.search(r"there are: ([\w, -]+)|there is ([\w-]+)", (ran.stdout + ran.stderr).decode())
            forms = (known.group(1) or known.group(2)).split(", ") if known else []
            for form in forms if forms != ["none"] else []:
                words = ["--approximate", "tanh"] if one["name"] == "gelu_mul_gradient" else []
                found = self.document("sweep", one["name"], *words, "--shape", SHAPES.get(one["name"], "4"), "--distribution", "normal", "-n", 1, "--as", form)
                self.assertTrue(all(each["implementations"][0]["provided"] for each in found["results"]), (one["name"], form))
                named += 1
        self.assertGreater(named, 80)


if __name__ == "__main__":
    unittest.main()
