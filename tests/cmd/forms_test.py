"""Forms of kernels: the steps of others, as implementations and as causes. Planted copies of published faults are found and
named, and nothing else is; the first element that differs is shown.

Environment: that of the tests of the program; ADAPTERS, PLANTED_KERNELS.
"""

import decimal
import json
import math
import os
import re
import sys
import unittest
from fractions import Fraction

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401  the planted kernels are numpy's
from forms_case import FormsCase  # noqa: E402
from harness import EXHAUSTIVE  # noqa: E402

import numpy as np  # noqa: E402

FLASH_2 = "goes through blocks of 128 keys with a running maximum, and computes 2^(s scale log2 e) (form flash-2, sums from the left)"
FLASH_4 = "goes through blocks of 128 keys with a running maximum, and computes 2^x by a polynomial of degree 3 (form flash-4, sums from the left)"

# A fault, how it is asked, and the forms that are named: in order, with what is said of calls.
PLANTED = [
    ("one-pass", "layer_norm --affine bias --distribution offset --shape 3x64 -n 4",
     ["takes E[x^2] - E[x]^2 as the variance (form one-pass, sums from the left)"]),
    ("narrow-position", "rope -f bf16 --distribution far --shape 8x32 -n 4",
     ["takes positions in the operands' format (form narrow-position)"]),
    ("fp8-keys", "attention --causal --shape 1x1x12x99x2 -n 1",
     ["takes keys that were rounded to fp8_e4m3fn, from place 97 on (form fp8-keys, sums from the left)"]),
    ("empty-part", "attention --shape 1x1x2x64x4 -n 4",
     ["splits the keys into parts of 64; if they fill the last part, merges an empty part after it, which gives NaN "
      "(form empty-part, exact sums, rounded once)"]),
]

# Of kinds that are above, or in another test; and of all shapes, with one query and with more: both forms, each where it is.
if EXHAUSTIVE:
    PLANTED += [
        ("other-epsilon", "rms_norm --affine weight --shape 3x64 -n 4", ["takes 1e-6 for epsilon (form epsilon-1e-6, sums from the left)"]),
        ("n-less-1", "layer_norm --affine bias --shape 3x64 -n 4", ["divides by n - 1 for the variance (form n-less-1, sums from the left)"]),
        ("norm-cast", "rms_norm -f bf16 --affine weight --shape 3x64 -n 4",
         ["casts to the operands' format before the weight is applied (form hugging-face, exact sums, rounded once)"]),
        ("finite-mask", "attention --causal --distribution large --shape 1x1x6x6x64 -n 4",
         ["adds -10^4 instead of -inf to the scores of masked keys (form finite-mask, exact sums, rounded once)"]),
        ("decode-exp2", "attention --shape 1x1x1x24x8 -n 8", [FLASH_4]),
        ("decode-exp2", "attention -n 1", [FLASH_2 + "; in calls of 1x1x1x1x1, 2x2x3x4x5, 1x2x9x9x8, ...",
                                           FLASH_4 + "; in calls of 1x2x1x3x2, 1x2x1x257x64"]),
    ]


class Test(FormsCase):
    def test_planted_faults_are_named_and_nothing_else(self):
        for fault, asked, named in PLANTED:
            with self.subTest(fault=fault, asked=asked):
                text = self.explained(*asked.split(), "--impl", self.planted(fault))
                self.assertEqual(re.findall(r"^  \d\. B (.*)$", text, re.M), named, text)
                counts = [tuple(int(one.replace(",", "")) for one in found)
                          for found in re.findall(r"explains ([\d,]+) of ([\d,]+) differences; predicts ([\d,]+) wrongly", text)]
                self.assertEqual(sum(explained for explained, _, _ in counts), counts[0][1], text)
                self.assertTrue(all(wrong == 0 for _, _, wrong in counts), text)
                self.assertGreater(counts[0][1], 16, text)
                self.assertRegex(text, r"\n  the first is element \d+ of call \d+ \([\dx]+\): A 0x[0-9a-f]+, B 0x[0-9a-f]+\n")

    def test_a_form_that_is_wrong_where_both_agree_is_one_of_some_calls(self):
        text = self.explained("rms_norm", "-f", "bf16", "--affine", "weight", "-n", "1", "--impl", self.planted("norm-cast", "--right"),
                              "--impl", self.planted("short-norm-cast"))
        said = re.findall(r"^  1\. B (.*)$", text, re.M)
        self.assertEqual(len(said), 1, text)
        self.assertRegex(said[0], r"^casts to the operands' format before the weight is applied \(form hugging-face, .*\); in calls of 1, ")

    def test_as_is_short_for_a_form(self):
        """By several, and beside --impl."""
        of = "rms_norm -f bf16 --affine weight --shape 2x3".split()
        values = ["1", "2", "3", "4", "5", "6", "0.5", "0.25", "2"]
        for short, long in (("--as hugging-face", "--impl form:hugging-face"), ("--as=vllm:left", "-i form:vllm:left"),
                            ("--as liger,onnx -i det", "--impl form:liger --impl form:onnx -i det")):
            for words in (["eval", *of, *values], ["sweep", *of, "-n", "1"])[:2 if "," in short else 1]:
                found = [json.loads(self.succeed(*words, *way.split(), "--json", "-")) for way in (short, long)]
                self.assertEqual(*({**one, "run": None} for one in found), short)
        ran = self.run_program("explain", *of, "-n", "1", "--as", "vllm", "--as", "torch")
        self.assertEqual(ran.returncode, 1, ran.stderr.decode())
        self.assertIn(b"form:vllm", ran.stdout)
        self.assertIn(b"form:torch", ran.stdout)

    def test_as_names_what_there_is(self):
        for given, said in (("vlm", "there is no form 'vlm'; there are: torch, hugging-face, vllm, "), (",", "--as needs FORM, or several"),
                            ("", "--as needs FORM, or several"), ("torch,", "--as needs FORM, or several")):
            ran = self.run_program("eval", "rms_norm", "--shape", "2", "1", "2", "--as", given)
            self.assertEqual((ran.returncode, ran.stdout), (2, b""), given)
            self.assertIn(said, ran.stderr.decode())
            self.assertEqual(ran.stderr.count(b"\n"), 1)

    def test_forms_of_training_and_of_running_moments_are_what_numpy_makes_of_their_text(self):
        """The texts are written anew here, in numbers of fp32."""
        t, rng = np.float32, np.random.default_rng(7)
        x = rng.standard_normal(24).astype(t)
        p, g, m, s = rng.standard_normal((4, 9)).astype(t)
        s = s * s
        rates = [float(t(one)) for one in (0.125, 0.75, 0.875, 1e-6)]
        rate, beta1, beta2, epsilon = rates
        words = ["--learning-rate", "0.125", "--beta1", "0.75", "--beta2", "0.875", "--epsilon", "1e-6", "--step", "3"]
        moment = m + t(1 - beta1) * (g - m)
        square = s * t(beta2) + t(1 - beta2) * g * g
        update = t(-rate / (1 - beta1 ** 3)) * moment / (np.sqrt(square) / t((1 - beta2 ** 3) ** 0.5) + t(epsilon))
        self.assertEqual(self.results("adam", "--as", "torch", "--shape", "9", *words, *(float(one).hex() for one in (*p, *g, *m, *s))).tolist(),
                         (p + update).tolist())
        mean, squares = t(0), t(0)
        for i, one in enumerate(x):
            delta = one - mean
            mean = mean + delta / t(i + 1)
            squares = squares + delta * (one - mean)
        root = t(1) / np.sqrt(squares / t(24) + t(1e-5))
        self.assertEqual(self.results("layer_norm", "--as", "torch:left", "--shape", "24", "--epsilon", "1e-5", *(float(one).hex() for one in x)).tolist(),
                         ((x - mean) * root).tolist())
        scores = rng.standard_normal(24).astype(t)
        shifted = scores - scores.max()
        total = t(np.exp(shifted.astype(np.float64)).astype(t).astype(np.float64).sum())
        logarithm = t(np.log(np.float64(total)))
        self.assertEqual(self.results("cross_entropy", "--as", "jax", "--shape", "1x24", *(float(one).hex() for one in scores), "5").tolist(),
                         [float(logarithm - shifted[5])])

    def test_forms_of_gradients_bags_and_sums_of_losses_are_what_numpy_makes_of_their_text(self):
        """Sums are added from the left, products rounded."""
        t, rng = np.float32, np.random.default_rng(13)
        x, g, w = rng.standard_normal((3, 24)).astype(t)
        exp = lambda of: np.exp(of.astype(np.float64)).astype(t)  # noqa: E731
        total = lambda of: np.cumsum(of, dtype=t)[-1]  # noqa: E731

        def check(operation, form, words, operands, want):
            numbers = [one if isinstance(one, int) else float(one).hex() for one in operands]
            self.assertEqual(self.results(operation, "--as", form, *words, *numbers).tolist(), np.ravel(want).tolist(), form)

        e = exp(x - x.max())
        for form, p in (("torch:left", e * (t(1) / total(e))), ("fp32:left", e / total(e))):
            check("softmax_gradient", form, ["--axis", "-1", "--shape", "24"], [*x, *g], (g - total(g * p)) * p)
        logarithm = t(np.log(np.float64(total(e))))
        check("log_softmax_gradient", "torch:left", ["--axis", "-1", "--shape", "24"], [*x, *g], g - exp(x - x.max() - logarithm) * total(g))
        root, wg = t(1 / np.sqrt(np.float64(total(x * x) / t(24) + t(0.125)))), w * g
        factor = -(t(1) / t(24)) * root * root * total(wg * x)
        words = ["--affine", "weight", "--epsilon", "0.125", "--shape", "24"]
        check("rms_norm_gradient", "liger:left", words, [*x, *g, *w], root * wg + root * (factor * x))
        # Running moments by exact sums are those of two passes; here all sums are exact.
        whole, ones = np.array([3, -1, 5, 1, -2, 2, 0, 0], t), np.array([1, 2, 0, -1, 3, 1, 2, 0], t)
        mean, root, i = t(1), t(1) / np.sqrt(t(36 / 8) + t(0.125)), t(0.125)
        ds, db = total(ones * whole), total(ones)
        b = (db * mean - ds) * root * root * root * i
        check("layer_norm_gradient", "torch", ["--epsilon", "0.125", "--shape", "8"], [*whole, *ones], root * ones + b * whole + (-b * mean - db * root * i))
        s = t(1) / (t(1) + exp(-x))
        check("silu_mul_gradient", "torch", ["--shape", "24"], [*x, *w, *g], g * w * s * (t(1) + x * (t(1) - s)))
        table, bags = rng.standard_normal((5, 2)).astype(t), [[4, 0, 4], [1, 3, 2]]
        sums = np.array([np.cumsum(table[bag], 0, dtype=t)[-1] for bag in bags])
        for form, want in (("fp32:left", sums / t(3)), ("reciprocal:left", sums * (t(1) / t(3)))):
            check("embedding_bag", form, ["--shape", "2x3x5x2"], [*table.ravel(), *sum(bags, [])], want)
        check("embedding_bag", "torch", ["--shape", "2x3x5x2", "--mode", "max"], [*table.ravel(), *sum(bags, [])], [table[bag].max(0) for bag in bags])
        scores, classes = rng.standard_normal((3, 4)).astype(t), [2, 7, 1]
        losses = [-(one - one.max() - t(np.log(np.float64(total(exp(one - one.max()))))))[at] if at < 4 else t(0) for one, at in zip(scores, classes)]
        for reduction, want in (("sum", total(np.array(losses))), ("mean", total(np.array(losses)) / t(2))):
            check("cross_entropy", "torch:left", ["--reduction", reduction, "--ignore-index", "7", "--shape", "3x4"], [*scores.ravel(), *classes], want)

    def test_running_moments_in_lanes_are_what_numpy_makes_of_the_text(self):
        """Of 8 lanes: in each of them 16 elements are a chunk. Products are fused but where PyTorch's compiled code rounds them."""
        t, rng, exact = np.float32, np.random.default_rng(5), np.longdouble  # a product of two numbers of fp32 is exact in that
        fma = lambda a, b, c: t(exact(a) * exact(b) + exact(c)) if np.isscalar(a) else (a.astype(exact) * exact(b) + c).astype(t)  # noqa: E731
        lanes = lambda number=0: np.full(8, number, t)  # noqa: E731

        def chunk(rows):
            mean, squares = lanes(), lanes()
            for i, x in enumerate(rows):
                delta = x - mean
                mean = fma(delta, t(1 / (i + 1)), mean)
                squares = fma(delta, x - mean, squares)
            return len(rows), mean, squares

        def merge(to, more):
            (n, mean, squares), (k, other, its) = to, more
            delta, part = other - mean, t(t(k) / t(n + k))
            return n + k, mean + delta * part, fma(delta * part, delta * t(n), squares + its)

        for length in (5, 8, 131, 300, 521):
            x = rng.standard_normal(length).astype(t)
            rows, stack = x[:length // 8 * 8].reshape(-1, 8), []
            for i, at in enumerate(range(0, len(rows), 16)):
                one = chunk(rows[at:at + 16])
                level = i + 1
                while not level & 1 and at + 16 < len(rows):
                    one, level = merge(merge((0, lanes(), lanes()), stack.pop()), one), level >> 1
                stack.append(one)
            # What is left of the tree is merged from the last chunk on, beginning with nothing.
            total = (0, lanes(), lanes())
            for one in reversed(stack):
                total = merge(total, one)
            n, mean, squares = 0, t(0), t(0)
            for one in x[len(rows) * 8:]:
                n, delta = n + 1, one - mean
                mean = mean + delta / t(n)
                squares = squares + delta * (one - mean)
            for lane in range(8 if len(rows) else 0):
                delta, part = total[1][lane] - mean, t(t(len(rows)) / t(n + len(rows)))
                squares = squares + fma(delta * delta * part, t(n), total[2][lane])
                n, mean = n + len(rows), fma(part, delta, mean)
            root = t(1) / np.sqrt(squares / t(length) + t(0.125))
            self.assertEqual(self.results("layer_norm", "--as", "torch:lanes-8-fused", "--shape", length, "--epsilon", "0.125",
                                          *(float(one).hex() for one in x)).tolist(), ((x - mean) * root).tolist(), length)

    def test_forms_of_channels_are_what_numpy_makes_of_their_text(self):
        """Roots are taken in fp64; the sums of a line that is whole in memory too."""
        t, w, rng = np.float32, np.float64, np.random.default_rng(17)
        x = rng.standard_normal((7, 2, 3)).astype(t)
        numbers = [float(one).hex() for one in x.ravel()]
        lines = x.transpose(1, 0, 2).reshape(2, 21)
        left = lambda of, kind: np.cumsum(of.astype(kind), 1)[:, -1:]  # noqa: E731
        for form in ("torch", "torch-channels-last:left"):
            kind = w if form == "torch" else t
            mean = (left(lines, kind) / kind(21)).astype(t)
            squares = left((lines - mean) ** 2, kind).astype(t) / t(21)
            scale = (1 / np.sqrt(squares.astype(w) + 0.125)).astype(t)
            shift = -scale * mean
            want = (scale.astype(np.longdouble) * lines + shift).astype(t).reshape(2, 7, 3).transpose(1, 0, 2)
            self.assertEqual(self.results("batch_norm", "--as", form, "--shape", "7x2x3", "--epsilon", "0.125", *numbers).tolist(), want.ravel().tolist(), form)
        whole = np.array([3, -1, 5, 1, -2, 2, 0, 0], t)
        root = t(1 / np.sqrt(w(36 / 8) + 0.125))
        self.assertEqual(self.results("group_norm", "--as", "torch", "--groups", 1, "--shape", "1x2x4", "--epsilon", "0.125", *whole).tolist(),
                         ((whole - t(1)) * root).tolist())

    def test_forms_of_fp64_are_in_fp64(self):
        """Steps, sums and functions; these are rounded once, by decimals of 40 digits here."""
        t, rng = np.float64, np.random.default_rng(19)
        decimal.getcontext().prec = 40
        exp = lambda of: np.array([float(decimal.Decimal(float(one)).exp()) for one in of])  # noqa: E731
        x, w = rng.standard_normal((2, 24))
        numbers = [one.hex() for one in map(float, x)]
        e = exp(x - x.max())
        for sums, total in (("left", np.cumsum(e)[-1]), ("exact", math.fsum(e))):
            self.assertEqual(self.results("softmax", "--axis", "-1", "--shape", "24", "--as", f"torch:{sums}", *numbers, of=t).tolist(),
                             (e * (1 / total)).tolist(), sums)
        mean = squares = t(0)
        for i, one in enumerate(x):
            delta = one - mean
            mean = mean + delta * (1 / t(i + 1))
            squares = squares + delta * (one - mean)
        self.assertEqual(self.results("layer_norm", "--as", "torch:left", "--shape", "24", "--epsilon", "0.125", *numbers, of=t).tolist()[0],
                         ((x - mean) * (1 / np.sqrt(squares / 24 + 0.125))).tolist()[0])
        root = 1 / np.sqrt(float(sum(Fraction(one * one) for one in map(float, x))) / 24 + 0.125)
        self.assertEqual(self.results("rms_norm", "--as", "torch", "--affine", "weight", "--shape", "24", "--epsilon", "0.125", *numbers,
                                      *(float(one).hex() for one in w), of=t).tolist(), (x * root * w).tolist())
        said = self.explained(*"rms_norm -f fp64 --affine weight --shape 3x64 -n 4 --as torch:lanes-8 --impl cr".split())
        self.assertIn("computes in fp64, times the weight, and rounds once (form torch, sums in 8 lanes, folded)", said)

    def test_gradients_of_compiled_kernels_are_what_numpy_makes_of_their_text(self):
        """Products fused into the sums behind them, by wider numbers; sums from the left."""
        t, exact, rng = np.float32, np.longdouble, np.random.default_rng(23)
        fma = lambda a, b, c: (np.asarray(a).astype(exact) * np.asarray(b).astype(exact) + c).astype(t)  # noqa: E731
        exp = lambda of: np.exp(of.astype(np.float64)).astype(t)  # noqa: E731
        total = lambda of: np.cumsum(of, dtype=t)[-1]  # noqa: E731
        x, g, w = rng.standard_normal((3, 24)).astype(t)

        def check(operation, form, words, operands, want):
            numbers = [one if isinstance(one, int) else float(one).hex() for one in operands]
            self.assertEqual(self.results(operation, "--as", form, *words, *numbers).tolist(), np.ravel(want).tolist(), form)

        e = exp(x - x.max())
        shares = x - x.max() - t(np.log(np.float64(total(e))))
        check("log_softmax_gradient", "torch-fused:left", ["--axis", "-1", "--shape", "24"], [*x, *g], fma(-exp(shares), total(g), g))
        of_class = np.where(np.arange(24) == 5, -g[0], t(0))
        check("cross_entropy_gradient", "torch:left", ["--shape", "1x24"], [*x, 5, g[0]], fma(-exp(shares), -g[0], of_class))
        p = e / total(e)
        check("cross_entropy_gradient", "liger:left", ["--shape", "1x24"], [*x, 5, g[0]], np.where(np.arange(24) == 5, p - t(1), p) * g[0])
        for classes, want in (([7, 30], [0] * 24 + [math.nan] * 24), ([30, 7], [math.nan] * 24 + [0] * 24)):
            found = self.results("cross_entropy_gradient", "--as", "torch", "--ignore-index", 7, "--shape", "2x24", *(float(one).hex() for one in (*x, *g)), *classes, 1, 1)
            self.assertTrue(np.array_equal(found, np.array(want, t), equal_nan=True))
        # Running moments by exact sums are those of two passes; here all sums are exact.
        whole, ones = np.array([3, -1, 5, 1, -2, 2, 0, 0], t), np.array([1, 2, 0, -1, 3, 1, 2, 0], t)
        mean, root, i = t(1), t(1) / np.sqrt(t(36 / 8) + t(0.125)), t(0.125)
        ds, db = total(ones * whole), total(ones)
        b = fma(db, mean, -ds) * root * root * root * i
        check("layer_norm_gradient", "torch-fused", ["--epsilon", "0.125", "--shape", "8"], [*whole, *ones],
              fma(b, whole, root * ones) + fma(-b, mean, -(db * root * i)))
        root = t(1) / np.sqrt(total(x * x) / t(24) + t(0.125))
        factor = t(-0.5) * total(w * g * x) * (root * root * root) / t(24)
        check("rms_norm_gradient", "torch:left", ["--affine", "weight", "--epsilon", "0.125", "--shape", "24"], [*x, *g, *w],
              w * g * root + factor * (t(2) * x))
        s = t(1) / (t(1) + exp(-x))
        check("silu_mul_gradient", "torch-fused", ["--shape", "24"], [*x, *w, *g], g * w * s * fma(x, t(1) - s, t(1)))
        k, c, square = t(0.7978845608028654), t(0.044715), x * x
        a = np.tanh((k * fma(c, square * x, x)).astype(np.float64)).astype(t)
        check("gelu_mul", "torch-fused", ["--approximate", "tanh", "--shape", "24"], [*x, *w], t(0.5) * x * (t(1) + a) * w)
        slope = t(0.5) * x * fma(-a, a, t(1)) * (k * fma(t(3) * c, square, t(1)))
        check("gelu_mul_gradient", "torch", ["--approximate", "tanh", "--shape", "24"], [*x, *w, *g], g * w * (t(0.5) * (t(1) + a) + slope))

    def test_a_sum_of_fbgemm_rounds_ties_away(self):
        """1 + 2^-8 lies between two numbers of bf16; the lower one is even."""
        for form, sign, want in (("fbgemm", 1, 0x3f81), ("fbgemm", -1, 0xbf81), ("torch", 1, 0x3f80)):
            found = json.loads(self.succeed("eval", "embedding_bag", "-f", "bf16", "--mode", "sum", "--shape", "1x2x2x1", "--as", form, sign, sign * 2 ** -8, 0, 1,
                                            "--json", "-"))["results"][0]["elements"][0]["implementations"][0]["got"]
            self.assertEqual(int(found, 16), want, form)

    def test_other_epsilons_and_n_less_1_are_what_numpy_makes_of_their_text(self):
        """The sums are numpy's own: of 200 terms in two halves, by 8 lanes each."""
        t, rng = np.float32, np.random.default_rng(11)
        x, w, b = rng.standard_normal((3, 200)).astype(t)
        numbers = [*(float(one).hex() for one in (*x, *w, *b))]
        square, d = np.mean(x * x), x - np.mean(x)
        variance, spread = np.mean(d * d), np.sum(d * d) / t(199)
        words = ["--shape", "200", "--epsilon", "0.125"]
        for name, value in (("no-epsilon", 0), ("epsilon-1e-5", 1e-5), ("epsilon-1e-6", 1e-6), ("epsilon-torch", 2 ** -23),
                            ("epsilon-1e-8", 1e-8), ("epsilon-1e-12", 1e-12), ("n-less-1", None)):
            roots = [t(1) / np.sqrt(one + t(0.125 if value is None else value))
                     for one in ((np.sum(x * x) / t(199), spread) if value is None else (square, variance))]
            self.assertEqual(self.results("rms_norm", "--affine", "weight", "--as", f"{name}:numpy", *words, *numbers[:400]).tolist(),
                             (x * roots[0] * w).tolist(), name)
            if name not in ("epsilon-torch", "epsilon-1e-8"):
                self.assertEqual(self.results("layer_norm", "--affine", "bias", "--as", f"{name}:numpy", *words, *numbers).tolist(),
                                 (d * roots[1] * w + b).tolist(), name)

    def test_each_result_is_explained_by_its_own_bits(self):
        """A small rate hides in the parameter what the two means differ by, each in places of its own."""
        text = self.explained("adam", "--shape", 300, "-n", 1, "--as", "torch")
        parts = re.split(r"(?m)^(adam\.\w+) ", text)
        found = {name: re.findall(r"(?m)^  (\d+) of 300 results differ$|^  the first is (.*)$|^  \d\. B .*\(form (.*)\)$", part)
                 for name, part in zip(parts[1::2], parts[2::2])}
        self.assertEqual(found["adam.parameter"], [("0", "", "")])
        mean, square = ([part for line in found[name] for part in line if part] for name in ("adam.mean", "adam.square"))
        self.assertEqual((len(mean), len(square), mean[2], square[2]), (3, 3, "torch", "torch"), text)
        self.assertGreater(int(mean[1]), 16)
        self.assertGreater(int(square[1]), 16)
        self.assertNotEqual(mean[0], square[0])

    def test_a_place_is_a_whole_number(self):
        for place in ("", "0.5", "-1", "nan", "1e2"):
            ran = self.run_program("eval", "attention", "--shape", "1x1x1x2x1", "--impl", f"form:fp8-keys@{place}", 1, 2, 3, 4, 5)
            self.assertEqual(ran.returncode, 2, place)
            self.assertEqual(ran.stderr.decode(), f"detcheck: 'form:fp8-keys@{place}' needs a whole number behind its @\n")

    def test_without_the_fault_nothing_differs(self):
        words = "explain rms_norm -f bf16 --affine weight --shape 3x64 -n 4 --impl"
        ran = self.run_program(*words.split(), self.planted("norm-cast", "--right"))
        self.assertEqual(ran.returncode, 0, ran.stdout.decode())
        self.assertIn(b"  0 of 768 results differ\n", ran.stdout)


if __name__ == "__main__":
    unittest.main()
