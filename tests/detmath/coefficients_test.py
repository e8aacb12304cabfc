"""detmath's polynomials, other long constants and bounds in comments are those that the Sollya scripts beside the headers
print; src/detmath/show.sollya has the form of the lines.

    coefficients_test.py FOLDER SCRIPT...          runs the scripts; exit 77 without Sollya
                                                   with TIER=quick the first two
    coefficients_test.py FOLDER --all SCRIPT...    the same, and no long constant of any header is without a script
"""

import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

HEX_FLOAT = r"-?0x[0-9a-f]+(?:\.[0-9a-f]+)?p[-+]?[0-9]+"
CONSTANT = re.compile(rf"(?<![\w.])(?:({HEX_FLOAT})f?|(0x[0-9a-f]{{8}}|[0-9]{{4,}})u)(?![\w.])")
BOUND = re.compile(r"2\^(-[0-9.]+) \((\w+_\w+)\)")
FREE_BITS = 11  # a constant of fewer is a limit, a shift or the like, which somebody chose
# Inputs and results that trials of all inputs found, which the proofs hold.
TRIALS = re.compile(r"DETMATH_EXCEPTIONS\(.*?\};|^DETMATH_EXP_ROUNDED(?:_BY)?\(.*?\)$", re.DOTALL | re.MULTILINE)
# Numbers that no script prints: what they are.
CHOSEN = {
    0x7ef311c7: "less the bits of x: a first guess of 1/x",
    0x5f3759df: "less half of the bits of x: a first guess of 1/sqrt(x)",
    0x5eb759df: "the same of half of that",
    0x553ef0ff: "less a third of the high word of x: a first guess of 1/cbrt(x)",
    0x55555556: "a third in 32 bits, rounded up",
    0x5556: "a third in 16 bits, rounded up",
    0x3f3504f3: "the bits of sqrt(1/2)", 0x7fffff80: "all but the sign and the last 7 bits",
    0x3f7ffffe: "the bits of the second number below 1", 0x807fffff: "all but the exponent",
    0x3dcccccd: "the bits of 1/10, an input", 0x40490fdb: "those of pi", 0x42b17218: "those of 128 ln 2",
    float.fromhex("0x1.fffffcp1"): "what a comment names: the root's exception", 0x7ffffe: "the end of its bits",
    float.fromhex("0x1.ffffp23"): "a limit: from there to 2^24 either way is exact",
    0xd2511f53: "Philox", 0xcd9e8d57: "Philox", 0x9e3779b9: "Philox", 0xbb67ae85: "Philox",
    0x9e3779b1: "a hash: a prime near the golden section of 2^32", 0x85ebca6b: "MurmurHash3", 0xc2b2ae35: "MurmurHash3",
}
HEADERS = {"exp": ["expm1", "expm1_lanes.inc", "exp_columns", "reductions", "twofold", "twofold_power",
                   "library/exp_lanes.h", "library/log_softmax_first.h"],
           "error_function_f64": ["error_function_f64_lanes.inc", "error_function_f64_table", "error_function_last_f64",
                                  "gelu_f64_lanes.inc"],
           "exp_f64": ["exp_f64_lanes.inc", "exp_f64_table", "last_f64"],
           "hyperbolic_f64": ["hyperbolic_f64_lanes.inc"],
           "hyperbolic": ["hyperbolic_table", "hyperbolic_lanes.inc"],
           "inverse_hyperbolic": ["inverse_hyperbolic_lanes.inc"],
           "inverse_trigonometric": ["inverse_trigonometric_table", "inverse_trigonometric_lanes.inc", "atan2",
                                     "atan2_lanes.inc", "library/inverse_trigonometric_lanes.h",
                                     "library/arc_tangent_lanes.h"],
           "inverse_trigonometric_f64": ["inverse_trigonometric_f64_lanes.inc", "arc_sine_f64_lanes.inc",
                                         "inverse_trigonometric_f64_table", "angle_last_f64"],
           "log": ["log_table", "log_lanes.inc", "library/log_lanes.h"],
           "log_f64": ["log_f64_lanes.inc", "log_f64_table"],
           "gamma_f64": ["gamma_f64_lanes.inc", "gamma_f64_table", "gamma_last_f64"],
           "log_gamma_f64": ["log_gamma_f64_lanes.inc", "log_gamma_f64_table", "gamma_last_f64"],
           "gamma": ["gamma_table", "gamma_lanes.inc"],
           "log_gamma": ["log_gamma_table", "log_gamma_lanes.inc"],
           "power": ["power_table", "power_lanes.inc"], "power_f64": ["power_f64_lanes.inc", "power_f64_table"], "root": ["root_table", "root_lanes.inc"],
           "quick_arc_f64": ["quick_arc_f64", "quick_arc_f64_table"],
           "quick_log_gamma_f64": ["quick_log_gamma_f64", "quick_log_gamma_f64_table"],
           "quick_f64": ["quick_f64", "quick_f64_table"],
           "root_f64": ["root_f64_lanes.inc"],
           "trigonometric": ["trigonometric_lanes.inc", "trigonometric_reduction", "library/trigonometric_lanes.h"],
           "trigonometric_f64": ["trigonometric_f64_lanes.inc", "trigonometric_reduction_f64_lanes.inc",
                                 "trigonometric_f64_table", "trigonometric_last_f64"],
           "trigonometric_pi": ["trigonometric_pi_lanes.inc"],
           "error_function": ["error_function_table", "error_function_lanes.inc", "scaled_functions"]}


def value(text):
    return float.fromhex(text) if "p" in text else int(text, 0)


def bits(number):
    digits = int(number) if number == int(number) else number
    while digits != int(digits):
        digits *= 2.0
    digits = abs(int(digits))
    return digits.bit_length() - ((digits & -digits).bit_length() - 1) if digits else 0


def constants(code):
    return [value(match[1] or match[2]) for match in CONSTANT.finditer(code)]


def long(numbers):
    return [number for number in numbers if bits(number) > FREE_BITS]


def is_chosen(number):
    """No outcome of a computation: ones alone, a mask; the bits of a float that is a limit or beside one; a double beside
    one; or one of the list."""
    if number in CHOSEN or (isinstance(number, int) and number & (number + 1) == 0):
        return True
    if isinstance(number, float):
        word, word_form, form = struct.unpack("<Q", struct.pack("<d", abs(number)))[0], "<Q", "<d"
    elif number >> 32 == 0:
        word, word_form, form = number, "<I", "<f"
    else:
        return False
    limits = [struct.unpack(form, struct.pack(word_form, beside))[0] for beside in (word - 1, word, word + 1)]
    return any(math.isinf(limit) or (limit == limit and bits(limit) <= FREE_BITS) for limit in limits)


def same(found, wanted):
    """Side by side in any order, since evaluation need not be Horner's; of integers and tables in this one."""
    return sorted(found) == sorted(wanted)


def stands(wanted, numbers, compare):
    return any(compare(numbers[at:at + len(wanted)], wanted) for at in range(len(numbers) - len(wanted) + 1))


class Folder:
    def __init__(self, path):
        self.path, self.complaints, self.printed, self.bounds = pathlib.Path(path), [], set(), {}

    def read(self, name):
        return (self.path / (name if "." in name else f"{name}.h")).read_text(encoding="utf-8")

    def run(self, script):
        """Holds what the script prints against its headers."""
        done = subprocess.run(["sollya", f"{script}.sollya"], cwd=self.path, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False, text=True)
        text = "\n".join(self.read(name) for name in [script, *HEADERS.get(script, [])])
        comments = " ".join(re.sub(r"\n \* ", " ", text).split())
        numbers, stated = constants(text), {name: bound for bound, name in BOUND.findall(comments)}
        lines = done.stdout.splitlines()
        if done.returncode or not lines:
            self.complaints.append(f"{script}.sollya: exit {done.returncode}")
        for line in lines:
            kind, name, *rest = line.split() + ["", ""]
            rest = [word for word in rest if word]
            if kind == "bound":
                if f"2^{stated.get(name)}" != rest[0]:
                    self.complaints.append(f"{script}: {line}; the header says {stated.get(name)}")
                self.bounds[name] = rest[0]
            elif kind in ("polynomial", "numbers") and rest and all(re.fullmatch(HEX_FLOAT + "|[0-9]+", word)
                                                                     for word in rest):
                wanted = long(map(value, rest))
                self.printed.update(map(abs, wanted))
                # Of two or three parts the header may have other numbers between.
                if len(rest) > 5:
                    there = stands(wanted, long(numbers), same if kind == "polynomial" else list.__eq__)
                else:
                    there = {*map(abs, wanted)} <= {*map(abs, numbers)}
                if not there:
                    self.complaints.append(f"{script}: not in the header: {line[:100]}")
            else:
                self.complaints.append(f"{script}.sollya prints: {line[:100]}")
        return stated

    def check_all(self):
        for path in sorted([*self.path.glob("*.h"), *self.path.glob("*_lanes.inc"), *self.path.glob("library/*_lanes.h")]):
            for number in long(constants(TRIALS.sub("", path.read_text(encoding="utf-8")))):
                if abs(number) not in self.printed and not is_chosen(number):
                    shown = number.hex() if isinstance(number, float) else hex(number)
                    self.complaints.append(f"{path.name}: no script prints {shown}")


def main(path, *names):
    if not shutil.which("sollya"):
        print("sollya is not installed")
        sys.exit(77)
    folder = Folder(path)
    scripts = [name for name in names if name != "--all"]
    if os.environ.get("TIER") == "quick":
        print(f"{scripts[:2]} of {len(scripts)} scripts; the label slow runs all")
        scripts = scripts[:2]
    for script in scripts:
        for name in folder.run(script):
            if name not in folder.bounds:
                folder.complaints.append(f"{script}: no script prints the bound ({name})")
    if "--all" in names:
        folder.check_all()
    print("\n".join(folder.complaints))
    sys.exit(1 if folder.complaints else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
