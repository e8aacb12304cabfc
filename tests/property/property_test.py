"""Calls drawn at random, and what the program makes of them, against Python's integers, fractions and mpmath.

A system is a module that draws command lines and operands and knows what is right; SYSTEMS lists them. A round of
one takes a command line through
  emit    the inputs of the program's own families, with the outputs that it expects of them
  verify  operands that the system draws, with outputs that it computes, some of them changed on purpose
  eval    one of these by itself
  sweep   many of these, with what is right as file:, which the oracle judges; of arrays
  table   what becomes of each code, of systems that have it.
A case is one call: an operation, format, rounding, parameters and operands. Operands are arrays; where a system has
SCALARS they are numbers, and all tests of a group are taken together as one array. Environment: DETCHECK is the program,
CASES how many cases each run takes at least, of all systems together, SEED what they are drawn from, SYSTEMS the names
of those that it takes (scaled_system; all)."""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction

try:
    import mpmath  # noqa: F401
except ImportError:
    print("skipped: there is no mpmath (python3-mpmath)")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrays_system  # noqa: E402
import casts_system  # noqa: E402
import dyadic_linear_system  # noqa: E402
import dyadic_system  # noqa: E402
import kernels_system  # noqa: E402
import mx_model  # noqa: E402
import mx_system  # noqa: E402
import onnx_system  # noqa: E402
import scaled_system  # noqa: E402
from enclosed import Undecided  # noqa: E402
from reals import FORMATS, Refused  # noqa: E402

PROGRAM = os.environ["DETCHECK"]
CASES = int(os.environ.get("CASES", "2000"))
SEED = int(os.environ.get("SEED", "1"))
ALL = (arrays_system, casts_system, dyadic_system, dyadic_linear_system, kernels_system, mx_system, onnx_system, scaled_system)
SYSTEMS = tuple(one for one in ALL if one.__name__ in os.environ.get("SYSTEMS", one.__name__).split(","))
ROUNDINGS = ("nearest-even", "toward-zero", "up", "down", "nearest-away")
DRAWN = 3  # calls of each group that the system draws itself
DRAWN_SCALARS = 24
SWEPT = 24
ATTEMPTS = 200  # to draw operands that fit; where none do, it is not held against what is near
EVERY = 20  # seconds, in which a run says how far it is
PER_LINE = 40  # cases that a command line may stand for: where one has more, as many lines are drawn all the same


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)


WHOLE = ("int", "uint")  # as formats of integers begin


def width_of(form):
    return int(form.lstrip("uint")) if form.startswith(WHOLE) else mx_system.width_of(form)


def bytes_of(text, form):
    """As file: has it."""
    width = width_of(form)
    size = next(size for size in (1, 2, 4, 8) if width <= 8 * size)
    return (code_of(text, form) & (1 << width) - 1).to_bytes(size, "little")


def options_of(group):
    given = []
    for name, value in group["parameters"].items():
        if name != "distribution" and value is not False:
            text = "x".join(map(str, value)) if isinstance(value, list) else value
            given += [f"--{name}"] if value is True else [f"--{name}", text]
    return given + ["-f", group["format"], "-r", group["rounding"]]


def text_of(code, form):
    if form.startswith(WHOLE):
        return str(code)
    width = width_of(form)
    return f"0x{code:0{(width + 3) // 4}x}"


def code_of(text, form):
    """A number in decimal as itself; bits of an integer format as the number that they mean."""
    if not text.startswith("0x"):
        return int(text)
    code = int(text, 16)
    if form.startswith("int"):
        width = int(form[3:])
        code -= (code >> (width - 1)) << width
    return code


def is_nan(code, form):
    if form in FORMATS:
        return FORMATS[form].is_nan(code)
    return not form.startswith(WHOLE) and mx_model.is_nan(code, form)


class NoneFits(Exception):
    """Of the operands that were drawn none is such as is wanted."""


class Round:
    """A command line of a system, and what is made of it."""

    def __init__(self, test, system, seed):
        self.test, self.system, self.random = test, system, random.Random(f"{SEED} {system.__name__} {seed}")
        self.scalars = getattr(system, "SCALARS", False)
        self.words, formats, families = system.words(self.random)
        self.formats = self.random.sample(formats, self.random.choice((1, 2)))
        roundings = list(getattr(system, "ROUNDINGS", ROUNDINGS))
        self.roundings = self.random.sample(roundings, min(2, len(roundings))) if self.random.random() < 0.7 else roundings[:1]
        if "stochastic" not in self.roundings:  # which alone takes random numbers
            random_ones = [at for at, word in enumerate(self.words) if str(word).startswith("--random")]
            self.words = [word for at, word in enumerate(self.words) if at not in random_ones and at - 1 not in random_ones]
        self.family = []
        if families and self.random.random() < 0.7:
            self.family = ["--distribution", self.random.choice(families)]
        self.count = self.undecided = 0

    def fail(self, words, *lines):
        self.test.fail("\n".join(["detcheck " + " ".join(map(str, words)), *map(str, lines)]))

    def results(self, group, operands):
        """What is right, as texts."""
        found = self.system.results(group, operands)
        return [[text_of(code, form) for code in codes]
                for codes, form in zip(found, self.system.result_formats(group))]

    def emit(self):
        """Groups of the program's own, checked."""
        words = ["emit", *self.words, "-f", ",".join(self.formats), "-r", ",".join(self.roundings), *self.family,
                 "-n", self.random.randint(2, 6) if self.family or self.scalars else 1,
                 "--seed", self.random.getrandbits(30)]
        done = run(*words)
        if done.returncode:
            self.fail(words, done.stderr)
        groups = json.loads(done.stdout)["testGroups"]
        for group in groups:
            forms = self.system.operand_formats(group)
            for given, out in self.calls(group):
                operands = [[code_of(text, form) for text in texts] for texts, form in zip(given, forms)]
                try:
                    want = self.results(group, operands)
                except Undecided:
                    self.undecided += 1
                    continue
                if want != out:
                    self.fail(words, group["format"], group["rounding"], group["parameters"], "in   " + str(given),
                              "want " + str(want), "got  " + str(out))
            self.count += len(group["tests"])
        return groups

    def calls(self, group):
        """The operands and the results of each test; where they are numbers, of all tests as one array."""
        tests = [(each["in"], each["out"]) for each in group["tests"]]
        return [[list(map(list, zip(*one))) for one in zip(*tests)]] if self.scalars else tests

    def operand(self, group, number, form, count, few):
        drawn = [self.system.draw(self.random, group, number, form) for _ in range(few or count)]
        drawn = [self.random.choice(drawn) for _ in range(count)] if few else drawn
        settled = getattr(self.system, "settled", None)
        return settled(group, number, drawn) if settled else drawn

    def drawn(self, group, scalars=1, fits=None, few=True):
        """Operands of the system's own, which fit, and the results, both as texts; or Refused."""
        while True:
            try:
                return self.drawn_once(group, scalars, fits, few)
            except Undecided:
                self.count, self.undecided = self.count + 1, self.undecided + 1

    def drawn_once(self, group, scalars, fits, few):
        operands, attempts = None, 0
        few = few and self.random.choice((0, 0, 0, 1, 2, 3))  # different values of each operand; 0: any number of them
        while operands is None or (fits and not fits(group, operands)):
            attempts += 1
            if attempts > ATTEMPTS:
                raise NoneFits
            operands = [self.operand(group, number, form, scalars if self.scalars else len(texts), few) for number, (texts, form) in
                        enumerate(zip(group["tests"][0]["in"], self.system.operand_formats(group)))]
        texts = [[text_of(code, form) for code in codes]
                 for codes, form in zip(operands, self.system.operand_formats(group))]
        try:
            return texts, self.results(group, operands)
        except Refused as refused:
            return texts, refused

    def verify(self, groups, path):
        """By the implementation that is right to the bit, where there is one: it passes just those calls that were
        not changed. Or by one that is right within so many ulps, and nothing is changed."""
        chosen = [group for group in groups if self.system.exact_implementation(group)]
        near = not chosen and getattr(self.system, "near_implementation", None)
        if near:
            chosen = [group for group in groups if near(group)]
        if not chosen:
            return
        changed, fitting = [], []
        for group in chosen:
            fits = getattr(self.system, "fits_near", None) if near else None
            try:
                drawn = [self.drawn(group, DRAWN_SCALARS, fits, not near) for _ in range(1 if self.scalars else DRAWN)]
            except NoneFits:
                continue
            fitting.append(group)
            if self.scalars:
                drawn = [[list(each) for each in one] for one in zip(*(zip(*each) for each in drawn[0]))]
            group["tests"] = [{"in": texts, "out": out, "flags": ["drawn"]} for texts, out in drawn]
            changed.append(0)
            for each in group["tests"]:
                if not near and self.random.random() < 0.2:
                    changed[-1] += self.change(group, each["out"])
        number, chosen = 0, fitting
        if not chosen:
            return
        for group in chosen:
            for each in group["tests"]:
                number += 1
                each["tcId"] = number
        with open(path, "w", encoding="ascii") as stream:
            json.dump({"schema": "detcheck/vectors/1", "generator": "property_test.py", "oracle": "python",
                       "numberOfTests": number, "notes": {"drawn": "by property_test.py"}, "testGroups": chosen},
                      stream)
        words = ["verify", path, "-j", "-", "-i", *(near(chosen[0]) if near else
                                                    [self.system.exact_implementation(chosen[0])])]
        done = run(*words)
        if done.returncode != (1 if any(changed) else 0):
            self.fail(words, self.words, changed, done.stdout, done.stderr, json.dumps(chosen))
        found = [one["mismatches"] for one in json.loads(done.stdout)["results"]]
        if found != changed:
            self.fail(words, self.words, changed, done.stdout, json.dumps(chosen))
        self.count += number

    def change(self, group, out):
        """Flips the lowest bit of one of the results, unless a NaN is one of the two; 1 where it does."""
        number = self.random.randrange(len(out))
        changed, form = out if self.scalars else out[number], self.system.result_formats(group)[number]
        place = number if self.scalars else self.random.randrange(len(changed))
        code = code_of(changed[place], form)
        if is_nan(code, form) or is_nan(code ^ 1, form):
            return 0
        changed[place] = text_of(code ^ 1, form)
        return 1

    def check_numbers(self, words, group, operands, elements):
        """What is shown as exact: the number itself, to 30 digits, with "..." where it goes on."""
        numbers = self.system.numbers(group, operands)
        for element, number in zip(elements, numbers):
            text = element["exact"].removesuffix("...")
            cut = Fraction(text)
            rest = abs(number) - abs(cut)
            right = rest == 0 if text == element["exact"] else 0 < rest < abs(number) / 10 ** 29
            if not right or (number < 0) != (cut < 0):
                self.fail(words, "exact", number, element)
        if len(numbers) != len(elements):
            self.fail(words, len(numbers), len(elements))

    def evaluate(self, group):
        if hasattr(self.system, "refusable"):
            group = self.system.refusable(self.random, group)
        texts, want = self.drawn(group)
        words = ["eval", group["operation"], *(text for one in texts for text in one), *options_of(group), "-j", "-"]
        done = run(*words)
        self.count += 1
        if isinstance(want, Refused):
            if done.returncode != 2 or str(want) not in done.stderr or done.stderr.count("\n") != 1:
                self.fail(words, "want " + str(want), done.stdout, done.stderr)
            return
        if done.returncode:
            self.fail(words, done.stderr)
        if hasattr(self.system, "numbers"):
            operands = [[code_of(text, form) for text in one] for one, form in
                        zip(texts, self.system.operand_formats(group))]
            self.check_numbers(words, group, operands, json.loads(done.stdout)["results"][0]["elements"])
        exact = self.system.exact_implementation(group)
        canonical = getattr(self.system, "canonical", lambda form, code: code)  # of NaNs, where one is as good as another
        for one, wanted, form in zip(json.loads(done.stdout)["results"], want, self.system.result_formats(group)):
            elements = [one] if self.scalars else one["elements"]
            found = [text_of(canonical(form, code_of(element["want"], form)), form) for element in elements]
            if found != wanted:
                self.fail(words, one["operation"], "want " + str(wanted), "got  " + str(found))
            for element, each in zip(elements, wanted):
                for answer in element["implementations"]:
                    if answer["name"] == exact and canonical(form, code_of(answer["got"], form)) != code_of(each, form):
                        self.fail(words, one["operation"], exact, "want " + str(wanted), "got  " + str(answer))

    def sweep(self, group, path):
        """Calls of the system's own, whose results the oracle has to find right."""
        calls = [self.drawn(group) for _ in range(SWEPT)]
        calls = [(texts, want) for texts, want in calls if not isinstance(want, Refused)]
        self.count += len(calls)
        self.judge(group, calls, path)

    def judge(self, group, calls, path):
        if not calls:
            return
        with open(path, "w", encoding="ascii") as stream:
            stream.writelines(" ".join(text for one in texts for text in one) + "\n" for texts, _ in calls)
        with open(path + ".got", "wb") as stream:
            forms = self.system.result_formats(group)
            for number, form in enumerate(forms[:len(calls[0][1])]):  # one result after the other
                for _, want in calls:
                    stream.write(b"".join(bytes_of(text, form) for text in want[number]))
        words = ["sweep", group["operation"], *options_of(group), *["--strict-scale"] * group["operation"].startswith("scaled."),
                 "--inputs", path, "--impl", f"file:{path}.got", "-j", "-"]
        done = run(*words)
        if done.returncode == 0:
            results = [one["implementations"][0] for one in json.loads(done.stdout)["results"]]
            wrong = [one[name] for one in results for name in ("incorrectly_rounded", "nan_mismatches", "sign_mismatches", "unanswered")]
            if not any(wrong) and sum(one["tested"] for one in results) == sum(
                    len(one) for _, want in calls for one in want):
                return
        if len(calls) > 1:
            for half in (calls[:len(calls) // 2], calls[len(calls) // 2:]):
                self.judge(group, half, path)
        self.fail(words, calls[0], done.stdout, done.stderr)

    def table(self, group):
        made = self.system.tables(self.random, group)
        if made:
            words, check = made
            done = run(*words)
            count, wrong = check(done.stdout) if done.returncode == 0 else (0, done.stderr)
            if wrong:
                self.fail(words, wrong)
            self.count += count

    def take(self, path):
        groups = self.emit()
        chosen = self.random.sample(groups, min(6, len(groups)))
        self.evaluate(chosen[0])
        if hasattr(self.system, "tables") and self.random.random() < 0.2:
            self.table(chosen[0])
        self.verify(chosen, path)
        if not self.scalars:
            self.sweep(chosen[-1], path)


class Property(unittest.TestCase):
    maxDiff = 2000

    def rounds(self, system):
        cases, undecided, number, start, by_operation = 0, 0, 0, time.monotonic(), {}
        told = start
        with tempfile.TemporaryDirectory() as folder:
            while cases * len(SYSTEMS) < CASES or number * len(SYSTEMS) * PER_LINE < CASES:
                one = Round(self, system, number)
                one.take(os.path.join(folder, "drawn.json"))
                cases, undecided, number = cases + one.count - one.undecided, undecided + one.undecided, number + 1
                known = by_operation.setdefault(str(one.words[0]), [0, 0])
                known[:] = known[0] + one.count - one.undecided, known[1] + one.undecided
                if time.monotonic() - told > EVERY:
                    told = time.monotonic()
                    print(f"{system.__name__}: {cases} cases of {number} command lines after {told - start:.0f} s", flush=True)
        print(f"{system.__name__}: {cases} cases of {number} command lines in {time.monotonic() - start:.1f} s, and {undecided} "
              "that the model leaves open")
        print("\n".join(f"  {name}: {count} cases, {left} left open" for name, (count, left) in sorted(by_operation.items())))


for module in SYSTEMS:
    setattr(Property, f"test_{module.__name__}", lambda self, module=module: self.rounds(module))


if __name__ == "__main__":
    unittest.main()
