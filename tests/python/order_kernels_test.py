"""A kernel that was revealed on one machine is computed on another: a million elements each of OpenBLAS's sdot, sgemm and dgemm
(of Haswell, in products of 8xNx8) by the orders in kernels/, against what OpenBLAS gave there, as a hash of all and some of the
codes (kernels/results.json), and against OpenBLAS itself where numpy here has it.

    OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 order_kernels_test.py --write    makes results.json by numpy's OpenBLAS
"""

import hashlib
import json
import math
import os
import re
import subprocess
import sys
import unittest

import with_numpy

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")
RESULTS = os.path.join(FOLDER, "results.json")
ELEMENTS, PARTS, SIDE, SHOWN = 1_000_000, 125, 8, 64
KERNELS = {"sdot": (np.float32, 77), "sgemm": (np.float32, 53), "dgemm": (np.float64, 53)}


def numbers(seed, count, dtype):
    """The same everywhere: signs, and 24 or 48 bits at one of 16 exponents, by splitmix64."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed) * np.uint64(count)) * np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        z ^= z >> np.uint64(31)
    bits = 24 if dtype == np.float32 else 48
    value = np.ldexp((z >> np.uint64(64 - bits)).astype(np.float64), (z & np.uint64(15)).astype(np.int32) - bits - 8)
    return np.where(z & np.uint64(16), -value, value).astype(dtype)


def operands(name):
    """Parts of two arrays of lines, or of matrices, which give a million elements."""
    dtype, terms = KERNELS[name]
    many, shapes = (ELEMENTS, [(terms,), (terms,)]) if name == "sdot" else (ELEMENTS // SIDE**2, [(SIDE, terms), (terms, SIDE)])
    for part in range(PARTS):
        count = many // PARTS
        yield [numbers(2 * part + side, count * math.prod(shape), dtype).reshape(count, *shape) for side, shape in enumerate(shapes)]


def by_library(name):
    """By numpy's own BLAS, a call for each line or matrix."""
    call = np.dot if name == "sdot" else np.matmul
    return np.array([call(x, y) for a, b in operands(name) for x, y in zip(a, b)], KERNELS[name][0]).reshape(-1)


def by_order(name):
    from detcheck import order
    found = order.load(os.path.join(FOLDER, f"{name}.order"))
    if name == "sdot":
        return np.concatenate([found.dot(a, b) for a, b in operands(name)])
    return np.concatenate([found.matmul(x, y, threads=1).reshape(-1) for a, b in operands(name) for x, y in zip(a, b)])


def digest(results):
    return {"sha256": hashlib.sha256(results.astype(results.dtype.newbyteorder("<")).tobytes()).hexdigest(),
            "first": [float(one).hex() for one in results[:SHOWN]]}


def openblas():
    """The version of the OpenBLAS that numpy here has, whose kernels are those of Haswell; None: it is none."""
    import ctypes
    np.dot(np.ones(3, np.float32), np.ones(3, np.float32))
    with open("/proc/self/maps", encoding="ascii") as maps:
        for path in sorted(set(re.findall(r"(/\S*openblas\S*\.so\S*)", maps.read()))):
            library = ctypes.CDLL(path)
            for prefix in ("scipy_openblas", "openblas"):
                for suffix in ("64_", ""):
                    get = getattr(library, f"{prefix}_get_config{suffix}", None)
                    if get:
                        get.restype = ctypes.c_char_p
                        config = get().decode()
                        return config.split()[1] if "Haswell" in config else None
    return None


class Kernels(unittest.TestCase):
    def setUp(self):
        with open(RESULTS, encoding="utf-8") as file:
            self.results = json.load(file)

    def test_a_million_elements_have_the_bits_that_were_computed_elsewhere(self):
        for name in KERNELS if os.environ.get("EXHAUSTIVE") else ("sdot",):
            with self.subTest(name):
                found = by_order(name)
                self.assertEqual(found.size, ELEMENTS)
                self.assertEqual(digest(found), self.results[name])

    def test_the_program_gives_them_too(self):
        import detcheck
        a, b = (one[:2] for one in next(operands("sdot")))
        codes = [f"0x{code:08x}" for code in np.concatenate([a.reshape(-1), b.reshape(-1)]).view(np.uint32)]
        got = detcheck.eval("dot", *codes, impl=f"order:{os.path.join(FOLDER, 'sdot.order')}", shape="2x77", axis=1).to_dict()
        found = [int(one["implementations"][0]["got"], 16) for one in got["results"][0]["elements"]]
        self.assertEqual([float(one).hex() for one in np.array(found, np.uint32).view(np.float32)], self.results["sdot"]["first"][:2])

    def test_another_order_has_other_bits(self):
        """So that equal bits are no accident of these numbers: from the left, half of all and more differ."""
        from detcheck import order
        for name in ("sdot", "sgemm"):
            found = order.load(os.path.join(FOLDER, f"{name}.order"))
            plain = dict(found.document, least=1, most=100, rule={"kind": "sequential", "size": 1, "start": "zero"})
            plain.pop("trees")
            a, b = (one[:20] for one in next(operands(name)))
            pair = [each.dot(a, b) if name == "sdot" else np.array([each.matmul(x, y) for x, y in zip(a, b)])
                    for each in (found, order.load(plain))]
            self.assertGreater(np.count_nonzero(pair[0] != pair[1]), pair[0].size // 3)

    def slow_openblas_here_gives_them_too(self):
        environment = {**os.environ, "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, __file__, "--here"], env=environment, stdout=subprocess.PIPE, check=True)
        here = json.loads(done.stdout)
        if not here["version"]:
            self.skipTest("skipped, because numpy here has no OpenBLAS with kernels of Haswell")
        if here["version"] != self.results["version"] and here["results"] != {name: self.results[name] for name in KERNELS}:
            self.skipTest(f"skipped, because OpenBLAS here is {here['version']}, and its kernels sum otherwise than "
                          f"{self.results['version']}'s")
        for name in KERNELS:
            self.assertEqual(here["results"][name], self.results[name])


def here():
    version = openblas()
    return {"version": version, "results": {name: digest(by_library(name)) for name in KERNELS} if version else None}


if __name__ == "__main__":
    if sys.argv[1:] == ["--here"]:
        print(json.dumps(here()))
    elif sys.argv[1:] == ["--write"]:
        made = here()
        with open(RESULTS, "w", encoding="utf-8") as out:
            json.dump({"version": made["version"], **made["results"]}, out, indent=1)
            out.write("\n")
    else:
        unittest.main()
