"""detcheck reveal finds the orders of sums inside of softmax, log_softmax, logsumexp, norms and attention, which a library has
on purpose, and claims nothing else.

The truth stands here, as nested tuples made by other code than the library's and the program's. Environment:
INNER_SUM_LIBRARY, PYTHON_PACKAGE.
"""

import importlib.util
import os
import re
import sys
import unittest

from harness import Case
from order_trees import at_random, blocks, canonical, lanes, left, read_tree, star

sys.setrecursionlimit(4000)  # a tree of 1,024 terms
LIBRARY = os.environ["INNER_SUM_LIBRARY"]
ARRAYS, FEW = 300, 100


def right(n):
    return left(range(n - 1, -1, -1))


def from_left(n):
    return left(range(n))


def halves(n, first=0):
    return first if n == 1 else (halves(n // 2, first), halves(n - n // 2, first + n // 2))


in_lanes, in_blocks = lanes(8), blocks(16)
FP32, SQUARES = ["fp32, nearest-even"], ["fp32, nearest-even, products rounded to fp32"]
# Of each function: the tree, the additions, what else is said.
TRUTH = {
    "softmax_left": (from_left, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_right": (right, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_lanes": (in_lanes, FP32, {"exponentials": "measured", "shares": "multiplied"}),
    "softmax_halves": (halves, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_blocks": (in_blocks, FP32, {"exponentials": "measured", "shares": "multiplied"}),
    "softmax_random": (at_random, FP32, {"exponentials": "measured", "shares": "divided"}),
    "softmax_kahan": (star, ["fp32, nearest-even, kahan"], {"exponentials": "measured", "shares": "divided"}),
    "softmax_bf16": (from_left, ["bf16, nearest-even"], {"exponentials": "measured", "shares": "divided"}),
    "logsumexp_left": (from_left, FP32, {}),
    "logsumexp_lanes": (in_lanes, FP32, {}),
    "logsumexp_halves": (halves, FP32, {}),
    "logsumexp_random": (at_random, FP32, {}),
    "log_softmax_left": (from_left, FP32, {}),
    "log_softmax_lanes": (in_lanes, FP32, {}),
    "log_softmax_halves": (halves, FP32, {}),
    "log_softmax_random": (at_random, FP32, {}),
    "rms_norm_left": (from_left, SQUARES, {}),
    "rms_norm_lanes": (in_lanes, SQUARES, {}),
    "rms_norm_halves": (halves, SQUARES, {}),
    "rms_norm_random": (at_random, SQUARES, {}),
    "rms_norm_fused": (from_left, FP32, {}),
    "rms_norm_reciprocal": (in_lanes, SQUARES, {}),
    "l2_norm_lanes": (in_lanes, SQUARES, {}),
}
# The same of operations that have several sums, by their names.
DIVIDED, TIMES = {"scale": "sum-divided"}, {"scale": "sum-times-reciprocal"}
WEIGHTS = {"exponentials": "measured", "shares": "divided"}
SEVERAL = {
    "layer_norm_left": {"mean": (from_left, FP32, DIVIDED), "squares": (in_lanes, SQUARES, {})},
    "layer_norm_lanes": {"mean": (in_lanes, FP32, TIMES), "squares": (halves, SQUARES, {})},
    "layer_norm_halves": {"mean": (halves, FP32, DIVIDED), "squares": (at_random, SQUARES, {})},
    "layer_norm_random": {"mean": (at_random, FP32, DIVIDED), "squares": (from_left, SQUARES, {})},
    "layer_norm_fused": {"mean": (star, ["fp32, nearest-even, kahan"], DIVIDED), "squares": (from_left, FP32, {})},
    "attention_early": {"scores": (from_left, SQUARES, {}), "weights": (in_lanes, FP32, WEIGHTS),
                        "values": (halves, FP32, {"scale": "terms-times-reciprocal"})},
    "attention_late": {"scores": (in_lanes, SQUARES, {}), "weights": (halves, FP32, WEIGHTS), "values": (from_left, FP32, DIVIDED)},
    "attention_random": {"scores": (at_random, SQUARES, {}), "weights": (at_random, FP32, WEIGHTS), "values": (at_random, FP32, DIVIDED)},
}

CONVOLUTIONS = """
import numpy

def left(p):
    total = p[0]
    for one in p[1:]:
        total = total + one
    return total

def products(x, w):
    places = x.shape[2] - w.shape[2] + 1
    return [[x[:, None, c, k:k + places] * w[None, :, c, k, None] for k in range(w.shape[2])] for c in range(w.shape[1])]

def channels_last(x, w):
    p = products(x, w)
    return left([one[k] for k in range(w.shape[2]) for one in p])

def taps_first(x, w):
    return left([left(one) for one in products(x, w)])

def blocks(x, w):
    p = sum(products(x, w), [])
    return left([left(p[i:i + 5]) for i in range(0, len(p), 5)])

def split(x, w):
    p = products(x, w)
    half = len(p) // 2
    return left(sum(p[:half], [])) + left(sum(p[half:], []))
"""

IN_NUMPY = """
import numpy

def right(x):
    total = x[..., -1]
    for i in range(x.shape[-1] - 2, -1, -1):
        total = total + x[..., i]
    return total[..., None]

def evens(x):
    return right(x[..., ::2]) + right(x[..., 1::2])

def layer_norm(x, axis):
    x = x - right(x) / numpy.float32(x.shape[axis])
    return x / numpy.sqrt(evens(x * x) / numpy.float32(x.shape[axis]) + numpy.float32(1e-5))

def rms_norm(x, weight, axis):
    return x / numpy.sqrt(evens(x * x) / numpy.float32(x.shape[axis]) + numpy.float32(1e-5)) * weight

def group_norm(x):
    return layer_norm(x.reshape(len(x), -1), 1).reshape(x.shape)

def attention_plain(q, k, v, largest=lambda scores: 0):
    scores = evens(q[:, :, :, None, :] * k[:, :, None]) / numpy.sqrt(q.dtype.type(q.shape[-1]))
    weights = numpy.exp(scores - largest(scores))[..., 0]
    weights = weights / right(weights)
    return evens((weights[..., None] * v[:, :, None]).swapaxes(-1, -2))[..., 0]

def attention(q, k, v):
    return attention_plain(q, k, v, lambda scores: scores.max(-2, keepdims=True))
"""


def sum_of(result):
    return result["parameters"]["sum"]


def evens(n):
    return (left(range((n - 1) // 2 * 2, -1, -2)), left(range(n // 2 * 2 - 1, -1, -2)))


class InnerSums(Case):
    def reveal_sums(self, name, terms, *words, code=0, arrays=ARRAYS):
        operation = name.rsplit("_", 1)[0]
        return self.document("reveal", operation, "--impl", f"lib:{LIBRARY}:{name}", "--lengths", terms, "--arrays", arrays,
                             *words, code=code)["results"]

    def reveal(self, name, terms, *words, code=0, arrays=ARRAYS):
        result, = self.reveal_sums(name, terms, *words, code=code, arrays=arrays)
        return result

    def check(self, result, truth, terms, arrays=ARRAYS):
        tree, additions, says = truth
        length, = result["lengths"]
        self.assertEqual((length["state"], length["different"]), ("revealed", 0))
        self.assertGreaterEqual(length["replayed"], arrays)
        read = read_tree(length["tree"])
        self.assertEqual(canonical(read), canonical(tree(terms)))
        self.assertEqual(result["additions"], additions)
        self.assertEqual({word: result[word] for word in says}, says)

    def test_several_sums_of_an_operation_are_told_apart(self):
        for name, sums in SEVERAL.items():
            results = self.reveal_sums(name, 33, arrays=FEW)
            self.assertEqual([sum_of(result) for result in results], list(sums))
            for result in results:
                with self.subTest(name=name, sum=sum_of(result)):
                    self.check(result, sums[sum_of(result)], 33, FEW)

    def test_keys_that_are_split_are_found_whatever_the_size_of_the_parts(self):
        for size in (16, 32, 64, 256):
            result = self.reveal(f"attention_{size}", 2 * size + 3, "--sum", "values", arrays=60)
            self.assertEqual(result["rule"], f"blocks of {size}, blocks added from the left")

    def test_random_trees_of_each_sum_are_found(self):
        for name, which, terms in (("layer_norm_halves", "squares", 11), ("layer_norm_halves", "squares", 70), ("layer_norm_random", "mean", 5),
                                   ("layer_norm_random", "mean", 64), ("attention_random", "scores", 3), ("attention_random", "weights", 21)):
            with self.subTest(terms=terms, name=name, sum=which):
                self.check(self.reveal(name, terms, "--sum", which), SEVERAL[name][which], terms)

    def in_numpy(self, text):
        """A file of Python, and the environment in which it runs."""
        path = os.path.join(self.path, "made.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path, {"PYTHONPATH": os.environ["PYTHON_PACKAGE"],
                      "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_terms_of_a_convolution_are_channels_times_taps(self):
        path, environment = self.in_numpy(CONVOLUTIONS)
        for name, tree in (("channels_last", left([3 * c + k for k in range(3) for c in range(4)])),
                           ("taps_first", left([left(range(3 * c, 3 * c + 3)) for c in range(4)])),
                           ("blocks", left([left(range(0, 5)), left(range(5, 10)), left([10, 11])])),
                           ("split", (left(range(6)), left(range(6, 12))))):
            with self.subTest(name):
                result, = self.document("reveal", "convolution", "--impl", f"py:{path}:{name}", "--shape", "2x4x5",
                                        "--second-shape", "3x4x3", "--arrays", 60, env=environment)["results"]
                self.check(result, (lambda n, tree=tree: tree, SQUARES, {}), 12, 60)

    def test_sums_of_convolutions_in_two_parts_show_no_order(self):
        """det rounds each once: with strides, padding and groups as without; terms are those that lie in x."""
        for words, terms in ((("--shape", "1x6x7x7", "--second-shape", "4x3x3x3", "--groups", 2, "--padding", 1, "--stride", 2, "--dilation", 2), 27),
                             (("--shape", "1x3x9", "--second-shape", "2x3x4"), 12)):
            length, = self.document("reveal", "convolution", *words, "--arrays", 60, code=1)["results"][0]["lengths"]
            self.assertIn(length["state"], ("best-fit", "not-revealed"))
            self.assertEqual(length["terms"], terms)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_sums_of_functions_of_numpy_are_found(self):
        path, environment = self.in_numpy(IN_NUMPY)
        for operation, sums in (("group_norm", {"mean": (right, FP32, DIVIDED), "squares": (evens, SQUARES, {})}),
                                ("attention", {"scores": (evens, SQUARES, {}), "weights": (right, FP32, WEIGHTS),
                                               "values": (evens, FP32, {})})):
            for result in self.document("reveal", operation, "--impl", f"py:{path}:{operation}", "--lengths", 11, "--arrays", 60,
                                        env=environment)["results"]:
                with self.subTest(sum=sum_of(result)):
                    self.check(result, sums[sum_of(result)], 11, 60)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_a_norm_that_takes_a_weight_shows_its_sum(self):
        path, environment = self.in_numpy(IN_NUMPY)
        result, = self.document("reveal", "rms_norm", "--affine", "weight", "--impl", f"py:{path}:rms_norm", "--lengths", 11,
                                "--arrays", 60, env=environment)["results"]
        self.check(result, (evens, SQUARES, {}), 11, 60)

    def test_sums_that_are_off_now_and_then_are_not_called_orders(self):
        for name, sums in (("layer_norm_odd", ("mean", "squares")), ("attention_odd", ("scores", "weights", "values"))):
            for result in self.reveal_sums(name, 12, code=1, arrays=FEW):
                length, = result["lengths"]
                self.assertIn(sum_of(result), sums)
                self.assertEqual(length["state"], "best-fit")
                self.assertGreater(length["different"], 0)

    def test_a_gate_tells_the_sums_of_an_operation_apart(self):
        words = ("reveal", "layer_norm", "--impl", f"lib:{LIBRARY}:layer_norm_left", "--lengths", 12, "--arrays", FEW)
        self.succeed(*words, "--json", "sums.json")
        self.succeed("gate", "sums.json", "--baseline", "sums.json")
        self.succeed("gate", "sums.json", "--update", "policy.json")
        self.succeed("gate", "sums.json", "--policy", "policy.json")
        with open(os.path.join(self.path, "policy.json"), encoding="ascii") as file:
            text = file.read()
        self.assertEqual([text.count(f'"sum":\t"{name}"') for name in ("mean", "squares")], [1, 1])
        with open(os.path.join(self.path, "policy.json"), "w", encoding="ascii") as file:
            file.write(re.sub(r'("order":\s*)"[0-9a-f]{16}"', r'\1"0000000000000000"', text))
        told = self.run_program("gate", "sums.json", "--policy", "policy.json").stdout.decode()
        self.assertIn("--sum mean --lengths 12 --impl ", told)
        self.assertIn("--sum squares --lengths 12 --impl ", told)

    def test_sums_that_there_are_not_are_refused(self):
        for words, reason in ((("softmax", "--sum", "mean"), "--sum is for layer_norm, group_norm and attention"),
                              (("attention", "--sum", "mean"), "attention has no sum 'mean' inside; it has: scores, weights, values"),
                              (("layer_norm", "--output", "x.order"), "--output is for the order of one --sum"),
                              (("layer_norm", "--lengths", 10, "--sum", "squares"), "shows its order only with 11 terms or more, not with 10"),
                              (("layer_norm", "--shape", "12x12", "--axis", 0), "along the last axis"),
                              (("attention", "--sum", "weights", "--shape", "1x1x1x17x16"), "attention needs a WIDTH (the last number) of 64 or more"),
                              (("attention", "--sum", "scores", "--shape", "1x1x1x1x16"), "attention needs 2 keys or more"),
                              (("convolution", "--shape", "1x4x5"), "reveal needs the weights of a convolution, too"),
                              (("convolution", "--shape", "1x4x6", "--second-shape", "2x4x3", "--lengths", 13), "a window of 3 taps cannot have 13 terms, which is no multiple"),
                              (("convolution", "--shape", "1x4x2", "--second-shape", "2x4x3", "--padding", 1), "all taps of a window inside")):
            self.assertIn(reason, self.refuse("reveal", *words))

    def test_the_order_of_an_inner_sum_is_written(self):
        self.reveal("layer_norm_halves", 24, "--sum", "mean", "--output", "made.order")
        found = self.document("sweep", "mean", "--shape", 24, "-n", 60, "--distribution", "normal", "--impl", "order:made.order")["results"]
        self.assertEqual(len(found), 1)

    def test_orders_and_arithmetic_that_are_there_are_found(self):
        for name, (tree, additions, says) in TRUTH.items():
            with self.subTest(name=name):
                self.check(self.reveal(name, 33), (tree, additions, says), 33)

    def test_random_trees_of_many_lengths_are_found(self):
        for terms in [*range(3, 20), 64, 131]:
            length, = self.reveal("softmax_random", terms)["lengths"]
            self.assertEqual(length["state"], "revealed", terms)
            self.assertEqual(canonical(read_tree(length["tree"])), canonical(at_random(terms)), terms)

    def test_what_is_no_order_is_not_called_one(self):
        """A sum that is off now and then, one whose largest term comes up on the way, exponentials that are not known."""
        for name in ("softmax_odd", "softmax_online", "rms_norm_odd", "logsumexp_rough", "log_softmax_rough"):
            with self.subTest(name=name):
                length, = self.reveal(name, 40, code=1)["lengths"]
                self.assertEqual(length["state"], "best-fit")
                self.assertGreater(length["different"], 0)
            if name == "rms_norm_odd":  # what differs is made again by the term by which it was read: by some order it comes out right
                self.assertTrue(length["refuted"]["assumptions"])
        length, = self.reveal("softmax_threads", 40, code=1)["lengths"]
        self.assertEqual(length["state"], "not-repeatable")

    def test_additions_that_results_do_not_show_are_open(self):
        """A sum in fp64 comes out as an exact one, rounded to fp32: that it may be one in any order is said."""
        for name in ("logsumexp_fp64", "log_softmax_fp64"):
            length, = self.reveal(name, 40)["lengths"]
            self.assertEqual(length["state"], "revealed")
            self.assertTrue(any("in any order in a format so wide" in line for line in length["open"]), length["open"])

    def test_results_of_few_bits_are_not_said_to_show_an_order(self):
        length, = self.reveal("rms_norm_halves", 40, "-f", "fp16", code=1)["lengths"]
        self.assertEqual(length["state"], "not-told")
        self.assertIn("results in fp16 do not show", length["why"])

    def test_a_norm_that_sums_in_fp16_shows_its_order_in_fp16(self, terms=100):
        self.check(self.reveal("rms_norm_half", terms, "-f", "fp16"), (from_left, ["fp16, nearest-even, products rounded to fp16"], {}), terms)

    def slow_a_norm_of_1024_terms_that_sums_in_fp16_shows_its_order(self):
        self.test_a_norm_that_sums_in_fp16_shows_its_order_in_fp16(1024)

    def test_logarithms_in_narrow_formats_show_an_order(self):
        """The logarithm of what is little above 1 has all of its bits, in any format."""
        for form in ("fp16", "bf16"):
            length, = self.reveal("log_softmax_lanes", 40, "-f", form)["lengths"]
            self.assertEqual((length["state"], canonical(read_tree(length["tree"]))), ("revealed", canonical(in_lanes(40))), form)

    def test_lengths_have_one_rule_and_rows_share_calls(self):
        result = self.reveal("softmax_lanes", "4:40")
        self.assertEqual((result["revealed"], result["rule"]),
                         (37, "8 lanes, l, l + 8 \u2026, folded 4, 2, 1, the rest from the left"))
        alone, = self.reveal("softmax_halves", 64)["lengths"]
        rows, = self.reveal("softmax_halves", 64, "--shape", "16x64")["lengths"]
        self.assertEqual((alone["state"], rows["state"], rows["tree"]), ("revealed", "revealed", alone["tree"]))
        self.assertLess(4 * rows["calls"]["tree"], alone["calls"]["tree"])

    def test_the_order_that_is_written_is_that_of_the_sum(self):
        self.reveal("softmax_halves", "30:40", "--output", "made.order")
        each = self.document("sweep", "sum", "--shape", 37, "-n", 60, "--distribution", "normal", "--impl", "order:made.order")["results"]
        self.assertEqual(len(each), 1)

    def test_exponentials_of_x_itself_are_told_from_those_of_x_less_the_largest(self):
        """The two are the same where the largest is 0; e^1024 overflows in any format, and e^-1024 is lost."""
        for operation in ("softmax", "log_softmax", "logsumexp"):
            for name, terms in (("plain", "e^x"), ("halves", None)):
                result = self.reveal(f"{operation}_{name}", "9:10", "--arrays", 60)
                self.assertEqual((result["revealed"], result.get("terms")), (2, terms), (operation, name))

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "numpy is not there")
    def test_exponentials_of_scores_themselves_are_told_in_fp64(self):
        """Scores have to be moved as far as e^1024 for these to overflow."""
        path, environment = self.in_numpy(IN_NUMPY)
        result, = self.document("reveal", "attention", "--sum", "weights", "-f", "fp64", "--impl", f"py:{path}:attention_plain",
                                "--lengths", 5, "--arrays", 60, env=environment)["results"]
        self.assertEqual((result["revealed"], result["terms"]), (1, "e^x"))

    def test_sums_of_more_than_the_terms_are_not_revealed_and_say_what_shows(self):
        for name, share in (("epsilon", "0.999999"), ("sink", "0.5, ")):
            for length in self.reveal(f"softmax_{name}", "8:11", code=1)["lengths"]:
                self.assertEqual(length["state"], "not-told")
                self.assertIn(f"are not shares of a sum: where one x is 0 and the others are far below, its share is {share}", length["why"])
                self.assertIn("an epsilon or a sink beside its terms is not revealed", length["why"])

    def test_sums_that_results_do_not_show_leave_the_others_to_be_revealed(self):
        """det's attention and logsumexp add in two parts: what it keeps is neither that of fp32 nor that of fp64."""
        words = ("reveal", "attention", "logsumexp", "sum", "--lengths", 7, "--arrays", FEW)
        results = self.document(*words, code=1)["results"]
        self.assertEqual([(result["operation"], result["parameters"].get("sum")) for result in results],
                         [("attention", "scores"), ("attention", "weights"), ("attention", "values"), ("logsumexp", None), ("sum", None)])
        *parts, plain = [result["lengths"][0] for result in results]
        scores, weights, values, logarithm = parts
        self.assertEqual(logarithm["state"], "not-told")
        self.assertIn("no additions that keep as many bits as those in fp64, fp32, fp16 or bf16", logarithm["why"])
        self.assertEqual(weights["state"], "not-told")
        self.assertIn("rows of three terms whose sum rounds to 2 in fp32 do not give e^0 the share 0.5", weights["why"])
        self.assertNotEqual(scores["state"], "revealed")
        self.assertNotEqual(values["state"], "revealed")
        self.assertIn("the order depends on the data, or the sum keeps so many bits that the order hardly shows", values["why"])
        self.assertEqual((plain["state"], plain["different"]), ("revealed", 0))
        text = self.run_program("reveal", "logsumexp", "sum", *words[4:]).stdout.decode()
        self.assertEqual((text.count(": not revealed"), text.count(": revealed")), (1, 1))
        said = self.refuse("reveal", "attention", "--sum", "weights", "--lengths", 7, "--output", "x.order", prints=True)
        self.assertIn("there is no order to write: none was revealed", said)

    def test_a_term_that_counts_twice_is_named(self):
        """In seconds, though no tree of additions at once is it; where the sums are clean, no term is."""
        for operation, name, which in (("softmax", "doubled", None), ("rms_norm", "doubled", None), ("layer_norm", "doubled", "mean"),
                                       ("layer_norm", "doubled_squares", "squares")):
            with self.subTest(operation=operation, sum=which):
                words = ["--sum", which] if which else []
                result, = self.document("reveal", operation, "--impl", f"lib:{LIBRARY}:{operation}_{name}", "--lengths", 24,
                                        "--arrays", 1000, *words, code=1)["results"]
                length, = result["lengths"]
                self.assertEqual((length["state"], length["added_twice"]), ("not-told", [5]))
                self.assertEqual(length["why"], "a term that counts twice hides which terms meet first")

    def test_the_formula_of_a_variance_is_said_not_to_be_asked(self):
        """Two passes, and the mean of x^2 less mean^2, have sums of squares of one order: of the mean, and of rms_norm, nothing is said."""
        for name in ("left", "fused"):
            mean, squares = self.reveal_sums(f"layer_norm_{name}", 40)
            self.assertEqual(squares["lengths"][0]["state"], "revealed")
            self.assertIn("by which formula the variance comes", squares["not_asked"])
            self.assertNotIn("not_asked", mean)
            done = self.run_program("reveal", "layer_norm", "--impl", f"lib:{LIBRARY}:layer_norm_{name}", "--lengths", 40, "--arrays", 60)
            self.assertEqual(done.stdout.decode().count("  not asked: by which formula the variance comes"), 1)
        self.assertNotIn("not_asked", self.reveal("rms_norm_left", 40))

    def test_text_says_whose_terms_they_are(self):
        done = self.run_program("reveal", "softmax", "--impl", f"lib:{LIBRARY}:softmax_lanes", "--lengths", 9, "--arrays", 60)
        text = done.stdout.decode()
        self.assertIn("terms: e^(x - the largest x), those that it returns where the sum is 2", text)
        self.assertIn("shares: terms times the rounded 1/sum", text)


if __name__ == "__main__":
    unittest.main()
