"""lib: with ',vector': functions of vector registers, of every form and width; and libmvec, SLEEF and SVML.

Environment: DETCHECK; VECTOR_LIBRARY, of vector_library.c; FAULTY_LIBRARY, of faulty_library.c.
"""

import os
import platform
import struct
import unittest

from harness import Case, parse

LIBRARY = "lib:" + os.environ["VECTOR_LIBRARY"]
FAULTY = "lib:" + os.environ["FAULTY_LIBRARY"]
FIRST = {"fp32": 0x3F800000, "fp64": 0x3FF0000000000000}
TINY = {"fp32": 0x20000000, "fp64": 0x2000000000000000}
COUNT = 515  # no multiple of any width

# Of each format the lanes, the letter of the instructions, and what the processor has to have.
WIDTHS = {"fp32": ((4, "b", "sse2"), (8, "d", "avx2"), (16, "e", "avx512f")),
          "fp64": ((2, "b", "sse2"), (4, "d", "avx2"), (8, "e", "avx512f"))}


class Vectors(Case):
    def features(self):
        return parse(self.succeed("env", "--json", "-"))["platform"]["features"]

    def range_of(self, form, first=None, count=COUNT):
        at = (first or FIRST)[form]
        return "--range", f"{at:#x}:{at + count - 1:#x}"

    def judge(self, operation, symbols, form, *words):
        """All outputs are right."""
        names = [word for symbol in symbols for word in ("--impl", f"{LIBRARY}:{symbol}")]
        for result in self.results(operation, "-f", form, "--threads", 1, *names, *words):
            self.assertEqual(len(result["implementations"]), len(symbols))
            for entry in result["implementations"]:
                self.assertTrue(entry["provided"])
                self.assertIn(", vectors", entry["detail"])
                self.assertEqual((entry["tested"], entry["correctly_rounded"]), (COUNT, COUNT),
                                 (entry["name"], entry["worst"][:1]))


@unittest.skipUnless(platform.machine() in ("x86_64", "AMD64"), "functions of vectors are called on x86-64")
class Forms(Vectors):
    def widths(self):
        features = self.features()
        for form, rows in WIDTHS.items():
            for lanes, letter, feature in rows:
                if feature in features:
                    yield form, lanes, letter, "f" if form == "fp32" else "", "f" if form == "fp32" else "d"

    def test_every_form_in_every_width(self):
        for form, lanes, letter, f, d in self.widths():
            zgv = f"_ZGV{letter}N{lanes}"
            one = (f"{zgv}v_sqrt{f},vector", f"Sleef_sqrt{d}{lanes}_u10,vector", f"__svml_sqrt{f}{lanes},vector",
                   f"sqrt_{form}_{lanes},vector={lanes}", f"{zgv}v_sqrt{f},vector={lanes}")
            two = (f"{zgv}vl4l4_sincos{f},vector", f"{zgv}vvv_sincos{f},vector",
                   f"Sleef_sincos{d}{lanes}_u10,vector", f"__svml_sincos{f}{lanes},vector")
            for words in ((), ("--no-isolation",)) if form == "fp64" else ((),):
                with self.subTest(form=form, lanes=lanes, words=words):
                    self.judge("sqrt", one, form, *self.range_of(form), *words)
                    self.judge("sincos", two, form, *self.range_of(form, TINY), *words)
                    self.judge("add", [f"{zgv}vv_add{f},vector"], form, "-n", COUNT, *words)
                    self.judge("fma", [f"{zgv}vvv_fma{f},vector"], form, "-n", COUNT, *words)

    def test_a_narrow_format_goes_by_way_of_fp32(self):
        libm, ours = self.results("sqrt", "-f", "bf16", "--impl", "libm", "--impl",
                                  f"{LIBRARY}:_ZGVbN4v_sqrtf,vector")[0]["implementations"]
        self.assertEqual(libm["fingerprint"], ours["fingerprint"])

    def test_the_last_register_is_filled_up_with_the_last_input(self):
        # All lanes have the last one's root: that of the last input, however many are missing behind it.
        for form, lanes, *_ in self.widths():
            for count in (1, lanes - 1):
                numbers = self.file("x", "".join(f"{4.0 ** i}\n" for i in range(count)))
                entry, = self.results("sqrt", "-f", form, "--inputs", numbers, "--impl",
                                      f"{LIBRARY}:last_{form}_{lanes},vector={lanes}")[0]["implementations"]
                last = struct.pack(">d" if form == "fp64" else ">f", 2.0 ** (count - 1)).hex()
                self.assertEqual((entry["tested"], entry["correctly_rounded"]), (count, 1))
                self.assertLessEqual({one["got"] for one in entry["worst"] if one["got"] != one["want"]}, {"0x" + last})

    def test_the_processes_of_faults_are_told_by_the_input(self):
        at = FIRST["fp32"] + 4099
        done = self.run_program("sweep", "sqrt", "--range", "0x3f800000:0x3f801fff", "--json", "-", "--impl",
                                FAULTY + ":sqrt_vector,vector=4", env={"FAULTS": f"crash@{at:x}"})
        entry, = parse(done.stdout)["results"][0]["implementations"]
        self.assertEqual(entry["events"], [{"kind": "crash", "input": f"0x{at:08x}"}])
        self.assertEqual((entry["unanswered"], entry["correctly_rounded"]), (1, 8191))

    def test_svml_by_a_path(self):
        path = os.environ["VECTOR_LIBRARY"]
        for form in ("fp32", "fp64", "bf16"):
            result, = self.results("sqrt", "-f", form, "-n", COUNT, "--threads", 1, "--impl", f"svml:{path}", notes=True)
            self.assertEqual([(one["name"], one["provided"]) for one in result["implementations"]],
                             [(f"svml:br:{path}", False), (f"svml:ha:{path}", True), (f"svml:cr:{path}", False)])
            entry = result["implementations"][1]
            self.assertRegex(entry["detail"], r", __svml_sqrtf?\d+_ha$")
            self.assertEqual((entry["tested"], entry["correctly_rounded"]), (COUNT, COUNT))
        for name, complaint in ((f"svml:hq:{path}", "no SVML here"), ("svml:ha:/none.so", "no SVML here (/none.so,")):
            self.assertIn(complaint, self.refuse("sweep", "sqrt", "-n", 10, "--impl", name))
        # What there is and cannot be opened is told with the reason, and so is a list where a path is wanted.
        said = self.refuse("sweep", "sqrt", "-n", 10, "--impl", "svml:" + self.file("no-library", "text"))
        self.assertRegex(said, r"no-library, PyPI's .*\): \S")
        self.assertNotIn("intel-cmplr-lib-rt):", self.refuse("sweep", "sqrt", "-n", 10, "--impl", "svml:/none.so"))
        self.assertIn("--impl A --impl B", self.refuse("sweep", "sqrt", "-n", 10, "--impl", f"svml:{path},det"))

    def test_other_commands(self):
        name = f"{LIBRARY}:_ZGVbN2v_sqrt,vector"
        self.succeed("emit", "sqrt", "-f", "fp64", "--count", 20, "-o", "v.json")
        self.succeed("verify", "v.json", "--impl", name)
        self.assertIn("0x3ff6a09e667f3bcd", self.succeed("eval", "sqrt", "2", "-f", "fp64", "--impl", name))
        self.succeed("compare", "sqrt", "-f", "fp64", *self.range_of("fp64"), "--impl", name, "--impl", "libm")
        row, = [one for one in parse(self.succeed(
            "bench", "sqrt", "--impl", "libm", "--impl", f"{LIBRARY}:_ZGVbN4v_sqrtf,vector", "--rounds", 1,
            "--elements", 1000, "--json", "-"))["results"][0]["implementations"] if "lib:" in one["name"]]
        self.assertEqual(row["form"], "array")


@unittest.skipUnless(platform.machine() in ("x86_64", "AMD64"), "functions of vectors are called on x86-64")
class Refusals(Vectors):
    def test_one_line_that_says_what_is_wrong(self):
        for symbol, operation, form, complaint, *more in (
                ("_ZGVbN2v_sqrt,vector=4", "sqrt", "fp64", "has 2 lanes by its name, and not 4"),
                ("_ZGVbN8v_sqrt,vector", "sqrt", "fp64", "registers of 16 bytes hold 4 lanes of fp32 or 2 of fp64"),
                # 2^61 + 2 lanes, whose bytes modulo 2^64 are 16.
                ("_ZGVbN2305843009213693954v_sqrt,vector", "sqrt", "fp64", "more lanes by its name than the 16"),
                ("Sleef_sqrtd2305843009213693954_u10,vector", "sqrt", "fp64", "more lanes by its name than the 16"),
                ("__svml_sqrtf4611686018427387908,vector", "sqrt", "fp32", "more lanes by its name than the 16"),
                ("_ZGVbM2v_sqrt,vector", "sqrt", "fp64", "and no mask"),
                ("_ZGVnN2v_sqrt,vector", "sqrt", "fp64", "registers of SSE, AVX, AVX2 or AVX-512"),
                ("_ZGVbN2u_sqrt,vector", "sqrt", "fp64", "parameters other than vectors"),
                ("_ZGVbN2v_sqrt,vector", "sqrt", "fp32", "is a function of fp64 by its name, and fp32 is wanted"),
                ("_ZGVbN2v_sqrt,vector", "add", "fp64", "has other parameters than add"),
                ("_ZGVbN2vl4l4_sincos,vector", "sqrt", "fp64", "has other parameters than sqrt"),
                ("_ZGVcN4vvv_sincos,vector", "sincos", "fp64", "_ZGVb, _ZGVd and _ZGVe are"),
                ("_ZGVbN2v_sqr,vector", "sqrt", "fp64", "has no _ZGVbN2v_sqr; it has _ZGVbN2v_sqrt"),
                ("_ZGVbN2v_sqrt,vector", "sum", "fp64", "',vector' is for functions of numbers",
                 "--distribution", "normal"),
                ("Sleef_sqrtd1_u10,vector", "sqrt", "fp64", "a function of one number: leave ',vector' out"),
                ("Sleef_sqrtd3_u10,vector", "sqrt", "fp64", "3 lanes of fp64 are 24 bytes"),
                ("__svml_sqrts8,vector", "sqrt", "fp64", "a function of fp16"),
                ("__svml_sqrt2_mask,vector", "sqrt", "fp64", "it takes a mask"),
                ("sqrt_fp64_2,vector", "sqrt", "fp64", "give ',vector=8'"),
                ("sqrt_fp64_2,vector=", "sqrt", "fp64", "2, 4, 8 or 16, not ''"),
                ("sqrt_fp64_2,vector=3", "sqrt", "fp64", "2, 4, 8 or 16, not '3'"),
                ("sqrt_fp64_2,vector=16", "sqrt", "fp64", "16 lanes of fp64 are 128 bytes"),
                ("sqrt_fp32_4,vector=2", "sqrt", "fp32", "2 lanes of fp32 are 8 bytes")):
            for words in ((), ("--no-isolation",)):
                with self.subTest(symbol=symbol):
                    self.assertIn(complaint, self.refuse("sweep", operation, "-f", form, "-n", 10, *words, *more,
                                                         "--impl", f"{LIBRARY}:{symbol}"))

    def test_no_symbol(self):
        for name in (LIBRARY + ",vector", LIBRARY + ":,vector"):
            self.assertIn("lib:PATH:SYMBOL,vector[=LANES]", self.refuse("sweep", "sqrt", "--impl", name))

    def test_instructions_that_the_processor_lacks(self):
        features, lacking = self.features(), 0
        for symbol, feature in (("_ZGVeN8v_sqrt", "avx512f"), ("_ZGVdN4v_sqrt", "avx2"), ("_ZGVcN4v_sqrt", "avx"),
                                ("Sleef_sqrtd4_u05fma4", "fma4"), ("Sleef_sqrtd4_avx2", "avx2"),
                                ("__svml_sqrt8_ha_z0", "avx512f"), ("__svml_sqrt8", "avx512f")):
            if feature not in features:
                lacking += 1
                self.assertIn(f"needs {feature}, which this processor does not have",
                              self.refuse("sweep", "sqrt", "-f", "fp64", "--impl", f"{LIBRARY}:{symbol},vector"))
        self.assertTrue(lacking or "fma4" in features)


class Installed(Vectors):
    """libmvec and SLEEF by their own names, in fp64 as in fp32, and Intel's SVML where it is."""

    def entries(self, *words):
        done = self.run_program("sweep", *words, "--threads", 1, "--json", "-")
        if done.returncode:
            self.skipTest(done.stderr.decode().strip())
        return parse(done.stdout)["results"]

    def test_libmvec_and_sleef(self):
        bounds = {"sleef": 1.0, "libmvec": 4.0}
        for name, most in bounds.items():
            for form in ("fp32", "fp64", "bf16"):
                for result in self.entries("exp", "log", "pow", "atan2", "sincos", "-f", form, "-n", 301, "--impl", name):
                    entry, = result["implementations"]
                    with self.subTest(name=name, form=form, operation=result["operation"]):
                        self.assertEqual(entry["tested"], 301)
                        self.assertLess(entry["max_ulp"]["error"], most)
                        # The symbol that it names gives the same bits by lib:.
                        path, symbol = entry["detail"].split(", ")
                        again = [one for one in self.entries(
                            result["operation"].split(".")[0], "-f", form, "-n", 301, "--impl",
                            f"lib:{path}:{symbol},vector") if one["operation"] == result["operation"]]
                        self.assertEqual(again[0]["implementations"][0]["fingerprint"], entry["fingerprint"])

    def test_what_they_do_not_have(self):
        self.assertIn("rounds to nearest-even only", self.refuse("sweep", "exp", "-r", "up", "--impl", "libmvec"))
        self.assertIn("has no sigmoid in fp64", self.refuse("sweep", "sigmoid", "-f", "fp64", "-n", 10, "--impl", "libmvec"))

    def test_svml(self):
        name = "lib:libsvml.so:__svml_exp2_ha,vector"
        done = self.run_program("eval", "exp", "1", "-f", "fp64", "--impl", name)
        if done.returncode:
            self.skipTest("there is no libsvml.so: the package intel-cmplr-lib-rt has it; name its folder in "
                          "LD_LIBRARY_PATH")
        for operation, symbol, most in (("exp", "exp2_ha", 1), ("exp2", "exp22_ha", 1), ("exp", "exp2_cr", 0.5),
                                        ("erf", "erf2", 4), ("sincos", "sincos2_ha", 1), ("pow", "pow2", 4)):
            for result in self.results(operation, "-f", "fp64", "-n", 301, "--impl",
                                       f"lib:libsvml.so:__svml_{symbol},vector"):
                self.assertLessEqual(result["implementations"][0]["max_ulp"]["error"], most, symbol)


if __name__ == "__main__":
    unittest.main()
