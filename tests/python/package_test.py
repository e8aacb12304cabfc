"""The package detcheck of Python: functions of this process on trial, what becomes of bad ones, results, assertions, and
detmath's functions of arrays. Run by a Python that has numpy: ADAPTER_PYTHON names one."""

import contextlib
import ctypes
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

import with_numpy
import numpy as np

import detcheck
from detcheck.adapter_conditions import HAS_MXCSR, call_and_look


def descendants(process):
    """The processes that one has started, and that these have started, as long as they live."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as stream:
                for child in stream.read().split():
                    found += [child, *descendants(child)]
    return found


def lives(process):
    """A process that has ended, and that nobody has asked for its status, is none any more."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def wait_until(holds, seconds=240):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def raises(x):
    raise RuntimeError("no luck")


def shorter(x):
    return x[:-1]


def wider(x):
    return x.astype(np.float64)


def not_numbers(x):
    return x * np.float32(np.nan)


def none(x):
    return None


def ends(x):
    sys.exit(3)


def pair(x):
    return x, x


def sleeps(x):
    time.sleep(3600)


def by_lane(x):
    y = np.exp(x)
    y[::7] = np.nextafter(y[::7], np.array(np.inf, y.dtype))
    return y


def overflows(x):
    y = np.maximum(x, 0)
    np.multiply(np.float32(3e38), np.float32(3e38))
    return y


def in_long_double(x):
    return ((np.longdouble(1) + x.astype(np.longdouble)) - np.longdouble(1)).astype(x.dtype)


def leaves_upward(x):
    ctypes.CDLL(None).fesetround(0x800)
    return x + 0


class Places(unittest.TestCase):
    def test_what_is_left_in_the_array_of_a_result_is_told(self):
        for code in (np.uint8, np.uint16, np.uint32, np.uint64):
            out, calls = [np.zeros(9, code)], []

            def call(every):
                calls.append(every)
                out[0][::every] = np.arange(9, dtype=code)[::every]
                return out

            found = call_and_look(lambda: call(3), [np.zeros(9, code)], out, 9)
            self.assertEqual(list(found.gaps), [0, 1, 1] * 3)
            self.assertEqual(list(found[0][::3]), [0, 3, 6])
            found = call_and_look(lambda: call(1), [np.zeros(9, code)], out, 9)
            self.assertEqual((list(found.gaps), list(found[0]), calls), ([0] * 9, list(range(9)), [3, 3, 1]))
            over = call_and_look(lambda: out, [out[0]], out, 9)  # in place: what it leaves is its operand
            self.assertEqual(list(over.gaps), [0] * 9)


class Sweeps(unittest.TestCase):
    def test_a_function_here_and_by_name_have_the_same_bits(self):
        report = detcheck.sweep("exp", np.exp, "numpy:exp", "numpy", format="fp16")
        first, second, third = report.entries()
        self.assertEqual((first.name, second.name, third.name), ("py:numpy:exp#2", "py:numpy:exp", "py:numpy"))
        self.assertEqual(first.tested, 1 << 16)
        self.assertEqual(len({first.fingerprint, second.fingerprint, third.fingerprint}), 1)
        self.assertLess(report.max_ulp, 0.51)
        self.assertEqual(report.fingerprint, first.fingerprint)
        self.assertIn("all 65,536 inputs", str(report))
        self.assertEqual(report.to_dict()["schema"], "detcheck/report/1")
        self.assertEqual(report.rows()[0]["operation"], "exp")

    def test_the_function_may_come_before_the_operation(self):
        first, second = detcheck.sweep(np.exp, "exp", "det", format="fp16", samples=1e3), detcheck.sweep("exp", np.exp, "det", format="fp16", samples=1000)
        self.assertEqual([entry.to_dict() for entry in first.entries()], [entry.to_dict() for entry in second.entries()])
        self.assertEqual(first.results[0].inputs.count, 1000)
        for call in (lambda: detcheck.sweep(np.exp, format="fp16"), lambda: detcheck.sweep(np.exp, np.exp, format="fp16")):
            with self.assertRaisesRegex(TypeError, "which operation is exp to compute"):
                call()

    def test_a_function_of_another_number_of_operands_is_refused(self):
        for operation, function, said in (("pow", np.exp, "numpy:exp takes 1 operand where pow has 2"),
                                          ("exp", np.power, "numpy:power takes 2 operands where exp has 1")):
            with self.assertRaisesRegex(detcheck.Error, said):
                detcheck.sweep(operation, function, format="fp16", samples=10)

    def test_the_worst_input_of_a_right_function_is_that_of_its_largest_error(self):
        report = detcheck.sweep("exp", "cr", format="fp16")
        one, = report.worst
        self.assertEqual((one.error, one.got), (report.max_ulp, one.want))

    def test_the_worst_inputs_are_a_table(self):
        worst = detcheck.sweep("exp", np.exp, format="fp16").worst
        self.assertIsInstance(worst, list)
        heads, *rows = str(worst).splitlines()
        self.assertEqual(heads.split(), ["input", "got", "want", "error"])
        self.assertEqual([row.split()[0] for row in rows], [one.input for one in worst])
        for row, one in zip(rows, worst):
            for code in (one.input, one.got, one.want):
                number = np.array([int(code, 16)], np.uint16).view(np.float16)[0]
                self.assertIn(f"{code} ({number!s})", row)
        self.assertEqual(repr(worst), str(worst))
        self.assertEqual(worst._repr_html_().count("<td>"), 4 * len(worst))

    def test_functions_of_scipy_have_their_own_names(self):
        try:
            from scipy import special
        except ImportError:
            self.skipTest("scipy is not installed")
        report = detcheck.sweep("sigmoid", special.expit, "scipy:special.expit", format="fp32", samples=100)
        self.assertEqual([entry.name for entry in report.entries()], ["py:scipy.special:expit", "py:scipy:special.expit"])

    def test_a_formula_is_an_operation(self):
        def by_fp64(x):
            with np.errstate(all="ignore"):
                return (1 / np.cosh(x.astype(np.float64)) ** 2).astype(np.float16)

        report = detcheck.sweep("1/cosh(x)^2", by_fp64, format="fp16")
        row, = report.rows()
        self.assertEqual((row["operation"], row["tested"]), ("1/cosh(x)^2", 1 << 16))
        self.assertLess(row["incorrectly_rounded"], 4)
        given, = detcheck.sweep("f(x) = 1/cosh(x)^2; f(0) = 2; f(inf) = 3", by_fp64, format="fp16").rows()
        self.assertEqual(given["incorrectly_rounded"], row["incorrectly_rounded"] + 3)

    def test_a_view_without_a_copy_is_what_functions_get(self):
        seen = []

        def look(x):
            seen.append((type(x), x.dtype, x.base is not None))
            return np.abs(x)

        detcheck.sweep("relu", look, format="fp32", range="0x3f800000:0x3f80ffff")
        self.assertEqual(set(seen), {(np.ndarray, np.dtype(np.float32), True)})

    def test_a_function_of_one_number(self):
        self.assertLess(detcheck.sweep("exp", math.exp, scalar=True, format="fp16", samples=3000).max_ulp, 0.5)
        for name, operation in (("log", "log"), ("atanh", "atanh"), ("sinh", "sinh"), ("cosh", "cosh"), ("gamma", "tgamma"), ("lgamma", "lgamma")):
            row, = detcheck.sweep(operation, getattr(math, name), scalar=True, format="fp16", special=True).rows()
            self.assertEqual((row["nan_mismatches"], row["sign_mismatches"]), (0, 0), name)
            self.assertLess(row["max_ulp"], 2, name)
        poles = [(0.0, -1.0), (-0.0, -1.0), (-0.0, -2.0), (-8.0, 0.5), (1e4, 1e4), (-1e4, 9999.0)]
        self.assertEqual(detcheck.sweep("pow", math.pow, scalar=True, inputs=poles).incorrectly_rounded, 0)

    def test_inputs_of_ones_own_and_two_operands_and_two_results(self):
        self.assertEqual(detcheck.sweep("pow", np.power, inputs=[(2.0, 3.0), (0.1, math.inf)]).rows()[0]["tested"], 2)
        names = [row["operation"] for row in detcheck.sweep("sincos", lambda x: (np.sin(x), np.cos(x)), format="fp16").rows()]
        self.assertEqual(names, ["sincos.sin", "sincos.cos"])

    @unittest.skipUnless(HAS_MXCSR, "flags are told on x86-64 alone")
    def test_flags(self):
        def faults(operation, function, **options):
            entry = next(detcheck.sweep(operation, function, flags=True, **options).entries())
            self.assertGreater(entry.flags.calls, 10)
            return {(fault.flag, fault.fault) for fault in entry.flags.faults if fault.fault != "cleared"}

        self.assertEqual(faults("sqrt", np.sqrt, samples=500), set())
        self.assertEqual(faults("div", "numpy:divide", samples=500), set())
        self.assertEqual(faults("sin", math.sin, scalar=True, format="fp64", samples=500), set())
        self.assertEqual(faults("relu", overflows, samples=500), {("overflow", "spurious")})
        # Python looks at these inputs itself; before 3.11 it computed its NaN, which raised invalid.
        self.assertEqual(faults("log", math.log, scalar=True, format="fp64", inputs=[0.0, *(-float(x) for x in range(1, 20))]),
                         {("divide-by-zero", "missing"), *[("invalid", "missing")] * (sys.version_info >= (3, 11))})
        narrow = next(detcheck.sweep("sin", math.sin, scalar=True, format="fp16", samples=9, flags=True).entries())
        self.assertFalse(narrow.flags.told)

    def test_arrays(self):
        self.assertEqual({row["unanswered"] for row in detcheck.sweep("sum", np.sum, samples=5).rows()}, {0})

    def test_the_other_commands(self):
        vectors = detcheck.emit("exp", format="fp16", count=3)
        self.assertEqual(detcheck.verify(vectors, detcheck.cr.exp).mismatches, 0)
        self.assertIn("py:numpy:exp", str(detcheck.eval("exp", 1.0, impl=np.exp)))
        self.assertFalse(detcheck.compare("exp", format="fp16", samples=3000, impl=[np.exp, by_lane]).passed)
        self.assertLessEqual(detcheck.cast(lambda x: x.astype(np.float16), to="fp16", samples=3000).max_ulp, 0.5)
        with self.assertRaisesRegex(TypeError, "from_="):
            detcheck.cast(lambda x: x, to="int8", format="fp16", samples=3000)
        self.assertIn("0x0", detcheck.table("fp4_e2m1fn"))
        self.assertEqual(detcheck.list().schema, "detcheck/list/1")

    def test_documents_are_files_and_files_documents(self):
        search = detcheck.search("exp", np.exp, format="fp64", evaluations=5000, start=[1.5, (2.0,)])
        self.assertEqual(detcheck.emit("exp", format="fp64", count=3, worst_of=[search]).schema, "detcheck/vectors/1")
        self.assertIn("inputs from inputs.txt", str(detcheck.sweep("exp", np.exp, inputs=[1.0, 2.0])))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "it.json")
            shards = [detcheck.sweep("exp", np.exp, format="fp16", shard=(k, 2), json=path) for k in (1, 2)]
            self.assertEqual(detcheck.load(path), shards[1])
            merged = detcheck.merge(*shards, output=path)
            self.assertEqual(detcheck.load(path), merged)
            self.assertEqual(merged.results, detcheck.sweep("exp", np.exp, format="fp16").results)
            policy = detcheck.gate(merged, update=os.path.join(folder, "policy.json"))
            self.assertTrue(detcheck.gate(merged, policy=policy).passed)
            self.assertEqual(detcheck.emit("exp", format="fp16", count=3, output=path), detcheck.load(path))
            self.assertIn("0x0", detcheck.table("fp4_e2m1fn", output=path))
        with self.assertRaisesRegex(detcheck.UsageError, "^policy.json: rules is missing"):
            detcheck.sweep("exp", np.exp, format="fp16", policy={"schema": "detcheck/policy/1"})

    def test_a_report_passes_only_what_it_is_judged_by(self):
        def wrong(x):
            return np.exp(x) * np.float16(1.25)

        bare = detcheck.sweep("exp", wrong, format="fp16", samples=500)
        with self.assertRaisesRegex(detcheck.UsageError, "this report judges nothing, since no policy says what is allowed.*assert_max_ulp"):
            bare.passed
        self.assertFalse(detcheck.gate(bare, max_ulp=1).passed)
        limit = {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 1}]}
        reports = {False: [detcheck.sweep("exp", wrong, format="fp16", samples=500, policy="opencl_3_0_full"),
                           detcheck.sweep("exp", wrong, format="fp16", samples=500, policy=limit),
                           detcheck.invariance("exp", by_lane, format="fp16", samples=64), detcheck.gate(bare, max_ulp=1),
                           detcheck.explain("exp", format="fp16", samples=64, impl=["cr", by_lane]),
                           detcheck.compare("exp", format="fp16", samples=64, impl=["cr", by_lane])],
                   True: [detcheck.sweep("exp", np.exp, format="fp16", samples=500, policy="opencl_3_0_full"),
                          detcheck.sweep("exp", np.exp, format="fp16", samples=500, policy=limit),
                          detcheck.invariance("exp", "det", format="fp16", samples=64), detcheck.gate(bare, max_ulp=1e9),
                          detcheck.compare("exp", format="fp16", samples=64, impl=["cr", "det"])]}
        with tempfile.TemporaryDirectory() as folder:
            for passed, each in reports.items():
                for number, report in enumerate(each):
                    path = os.path.join(folder, f"{passed}{number}.json")
                    report.save(path)
                    self.assertEqual((report.passed, detcheck.load(path).passed), (passed, passed), (passed, number))
        for judges_nothing in (detcheck.eval("exp", 1, impl=wrong), detcheck.list()):
            with self.assertRaisesRegex(detcheck.UsageError, "has no verdict"):
                judges_nothing.passed

    def test_a_plan(self):
        self.assertIn("detcheck sweep exp --impl py:numpy:exp", detcheck.plan("sweep", "exp", for_="make", shards=4, impl="numpy:exp").replace("=", " "))
        self.assertIn("4 shards", detcheck.plan("exp", for_="make", shards=4, impl=["libm"], format="bf16"))
        with self.assertRaisesRegex(TypeError, "its implementations have names"):
            detcheck.plan("exp", for_="make", impl=np.exp)

    def test_policies_and_checkpoints(self):
        policy = {"schema": "detcheck/policy/1", "rules": [{"max_ulp": 0.1}]}
        self.assertFalse(detcheck.gate(detcheck.sweep("exp", np.exp, format="fp16"), policy=policy).passed)
        self.assertTrue(detcheck.sweep("exp", np.exp, samples=500, policy="opencl_3_0_full").passed)
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "kept")
            self.assertEqual(detcheck.sweep("exp", np.exp, format="fp16", checkpoint=kept).rows()[0]["tested"], 1 << 16)
            self.assertFalse(os.path.exists(kept))

    @unittest.skipUnless(HAS_MXCSR, "x86-64 alone has these")
    def test_conditions_of_x86(self):
        def found(function, **options):
            report = detcheck.invariance("relu", function, range="0x3f800001:0x3f800101", **options)
            return next(report.entries()).to_dict()

        self.assertTrue(found(in_long_double, property="precision")["invariance"][0]["changed"])
        self.assertFalse(found(np.abs, property="precision")["invariance"][0]["changed"])
        rows = detcheck.invariance("relu", in_long_double, range="0x3f800001:0x3f800101", property=["position", "precision"]).rows()
        self.assertEqual([(row["property"], row["changed"] > 0) for row in rows], [("position", False), ("precision", True)])
        self.assertEqual({event["kind"] for event in found(leaves_upward, property="position")["events"]}, {"rounding-changed"})
        self.assertEqual(found(np.abs, property="position")["events"], [])

    def test_a_name_takes_other_code_for_other_processors(self):
        def processor(implementation):
            entry = next(detcheck.invariance("exp", implementation, format="fp16", samples=50, property=["position", "processor"]).entries())
            return [one.to_dict() for one in entry.invariance if one.property == "processor"][0]

        self.assertIn("inputs", processor("numpy:exp"))
        self.assertNotIn("inputs", processor(np.exp))

    def test_every_option_is_a_keyword(self):
        self.assertNotIn("help", detcheck.options("sweep"))
        for command in "sweep search invariance compare eval verify emit table".split():
            found = detcheck.options(command)
            self.assertIn("format" if command != "verify" else "json", found, command)
            self.assertNotIn("", found)
        self.assertEqual(detcheck.options("sweep")["from_"].name, "from")
        self.assertEqual(detcheck.options("emit")["as_"].name, "as")
        self.assertIsNone(detcheck.options("sweep")["flags"].value)


class Trouble(unittest.TestCase):
    def refuse(self, kind, pattern, function, **options):
        with self.assertRaisesRegex(kind, pattern) as caught:
            detcheck.sweep("exp", function, **{"format": "fp32", "samples": 20000, **options})
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(descendants(os.getpid()), [])

    def test_functions_of_explain_and_compare_are_given_by_impl(self):
        for command in (detcheck.explain, detcheck.compare):
            for words in (("exp", np.exp, "cr"), (np.exp, "cr", "exp")):
                with self.assertRaisesRegex(TypeError, rf'{command.__name__} takes functions by impl.*"exp", impl=\[f, "cr"\]'):
                    command(*words, format="fp16")
            self.assertFalse(command("exp", impl=[by_lane, "cr"], format="fp16", samples=64).passed)

    def test_a_python_without_numpy_is_told_which_variable_names_another(self):
        code = "import sys; sys.modules['numpy'] = None; sys.argv = ['worker', 'numpy:exp']; from detcheck import worker; sys.exit(worker.main())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"numpy.*; DETCHECK_PYTHON names another python3\n$")

    def test_a_function_of_arrays_is_told_of_the_axis_that_it_lacks(self):
        with self.assertRaisesRegex(detcheck.CallableError, r"raised TypeError: .*'axis'.*; an operation on arrays .*: def f\(x, axis\)$"):
            detcheck.sweep("softmax", lambda x: x, samples=1)
        self.assertGreater(detcheck.sweep("softmax", lambda x, axis: np.exp(x) / np.exp(x).sum(axis, keepdims=True), samples=1).max_ulp, 0)

    def test_functions_that_do_not_work(self):
        for function, pattern in ((raises, "raised RuntimeError: no luck for .* inputs of fp32 from 0x"),
                                  (shorter, r"returned the shape \(\d+,\) where the inputs have \(\d+,\)"),
                                  (wider, r"returned float64; for fp32 it has to return .* f\(x\).astype\(x.dtype\) rounds its results to fp32$"), (none, "returned NoneType, which is not an array$"),
                                  (ends, "raised SystemExit: 3 for"), (pair, "returned tuple, which is not an array$"), (len, "not an array; .* needs scalar=True$"),
                                  (math.exp, "raised TypeError.*; a function of one number needs scalar=True$"),
                                  (not_numbers, "returned a NaN for every input of exp in fp32")):
            with self.subTest(function=function.__name__):
                self.refuse(detcheck.CallableError, pattern, function)
        self.refuse(detcheck.CallableError, "returned NoneType, which is not a number", none, scalar=True)
        self.refuse(detcheck.CallableError, "library='nothing_such' cannot be loaded: No module named", np.exp, library="nothing_such")
        self.refuse(detcheck.CallableError, r"did not return within 0.2 s for .* inputs of fp32", sleeps, timeout=0.2)

    def test_a_function_whose_parameters_do_not_fit_is_named_once(self):
        """It was called for each shape, and a line told of each call."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "misfit_of_test.py"), "w", encoding="utf-8") as file:
                file.write("def no_axis(x):\n    return x\n\n\ndef good(x, axis):\n    return x.sum(axis)\n\n\n"
                           "def raises(x, axis):\n    raise TypeError('no such thing')\n")
            path = os.pathsep.join([folder, os.environ["PYTHONPATH"]])
            for name, said in (("misfit_of_test:no_axis", "misfit_of_test:no_axis(x) cannot be called for sum: got an unexpected keyword argument 'axis'"),
                               ("misfit_of_test:raises", "misfit_of_test:raises raised TypeError: no such thing for an array of 2x4 of fp32 from 0x00000000"),
                               ("no_such_module_at_all:f", "no_such_module_at_all:f cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_at_all'")):
                done = subprocess.run([sys.executable, "-m", "detcheck", "explain", "sum", "--impl", "sequential", "--impl", f"py:{name}"], capture_output=True, text=True,
                                      check=False, env={**os.environ, "PYTHONPATH": path, "DETCHECK_PYTHON": sys.executable})
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"detcheck: py:{name} does not provide sum in fp32: {said}\n"))
            for operation in ("softmax", "log_softmax", "matmul", "rms_norm", "swiglu"):
                with open(os.path.join(folder, "misfit_of_test.py"), "a", encoding="utf-8") as file:
                    file.write("\n\ndef some(*x, axis=None):\n    raise TypeError('not this')\n")
                done = subprocess.run([sys.executable, "-m", "detcheck", "explain", operation, "--impl", "det", "--impl", "py:misfit_of_test:some"], capture_output=True, text=True,
                                      check=False, env={**os.environ, "PYTHONPATH": path, "DETCHECK_PYTHON": sys.executable})
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n"), done.stderr.count("not this")), (2, "", 1, 1), done.stderr)
            done = subprocess.run([sys.executable, "-m", "detcheck", "eval", "sum", "1", "2", "4", "--impl", "py:misfit_of_test:good"],
                                  capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path, "DETCHECK_PYTHON": sys.executable})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotIn("not provided", done.stdout)

    def test_implementations_may_stand_in_a_list(self):
        listed = detcheck.sweep("exp", [np.exp, "det"], format="fp16", samples=100)
        self.assertEqual([one.name for one in listed.entries()], [one.name for one in detcheck.sweep("exp", np.exp, "det", format="fp16", samples=100).entries()])
        self.assertEqual(len(list(listed.entries())), 2)

    def test_arguments_that_are_none(self):
        self.refuse(TypeError, "no option fromat=; did you mean format=", np.exp, fromat="fp16")
        self.refuse(TypeError, "no option n=; did you mean samples=", np.exp, n=2)
        self.refuse(detcheck.UsageError, "exp takes no --dtype; the format of the inputs is --format", np.exp, dtype="float16")
        self.refuse(TypeError, "flags= takes True or False", np.exp, flags=3)
        self.refuse(TypeError, "is not a function", 3)
        self.refuse(detcheck.UsageError, "could be one of several", np.exp, format="e4m3")
        self.refuse(detcheck.UsageError, "unknown implementation|cannot be loaded", "no_such_module_at_all:exp")

    def test_an_interrupt_leaves_nothing(self):
        begun = threading.Event()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started this may ignore it

        def slow(x):
            begun.set()
            time.sleep(0.05)
            return x

        threading.Thread(target=lambda: (begun.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
        with self.assertRaises(KeyboardInterrupt):
            detcheck.sweep("exp", slow, format="fp32")
        self.assertEqual(descendants(os.getpid()), [])

    def test_a_killed_python_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            hangs, begun = os.path.join(folder, "hangs.py"), os.path.join(folder, "begun")
            with open(hangs, "w", encoding="ascii") as stream:
                stream.write(f"import time\ndef f(x):\n    if len(x) > 4:\n        open({begun!r}, 'w'); time.sleep(3600)\n    return x\n")
            for implementation, options, is_begun in (("libm", "", lambda: True),
                                                      (f"py:{hangs}:f", ", timeout=1000", lambda: os.path.exists(begun))):
                lines = f"import detcheck; detcheck.sweep('exp', {implementation!r}, format='fp64', samples=10**10{options})"
                with subprocess.Popen([sys.executable, "-c", lines], env={**os.environ, "TMPDIR": folder}) as python:
                    self.assertTrue(wait_until(lambda: len(descendants(python.pid)) > 0 and is_begun()))
                    below = descendants(python.pid)
                    python.kill()
                self.assertTrue(wait_until(lambda: not any(map(lives, below))), [one for one in below if lives(one)])


def exp_of_det(x):
    return detcheck.det.exp(x)


class Assertions(unittest.TestCase):
    def test_what_holds(self):
        detcheck.assert_max_ulp(np.exp, "exp", format="fp16", max_ulp=0.51)
        detcheck.assert_correctly_rounded(detcheck.cr.exp, "exp", format="fp16")
        detcheck.assert_same_bits(detcheck.det.exp, "det", "exp", format="fp16")
        detcheck.assert_invariant(np.exp, "exp", format="fp16", samples=100, property=["position", "flags"])
        detcheck.assert_max_ulp("exp", np.exp, format="fp16", max_ulp=0.51)
        detcheck.assert_correctly_rounded("exp", detcheck.cr.exp, format="fp16")
        detcheck.assert_same_bits("exp", detcheck.det.exp, exp_of_det, format="fp16", samples=100)
        detcheck.assert_same_bits(detcheck.det.exp, "exp", exp_of_det, format="fp16", samples=100)
        detcheck.assert_invariant(np.exp, "exp", format="fp16", inputs=np.array([1.0, 2.0]), property="position")
        with self.assertRaisesRegex(detcheck.UsageError, "samples"):
            detcheck.assert_invariant(np.exp, "exp", format="fp16", samples=0)
        arrays = detcheck.assert_invariant("det", "softmax", shape=(4,), property="repetition")
        self.assertLess(arrays.results[0].inputs.count, 256)
        few = detcheck.assert_invariant("exp", np.exp, format="fp16", property="position")
        self.assertEqual(few.results[0].inputs.count, 256)

    def test_what_does_not(self):
        for call, pattern in (
                (lambda: detcheck.assert_max_ulp(np.exp, "exp", format="fp16", max_ulp=0.1), r"(?s)beyond 0.1.*x = 0x.*again: detcheck.eval"),
                (lambda: detcheck.assert_correctly_rounded("libm", "exp", format="fp16"),
                 r"(?s)not correctly rounded.*again: detcheck eval exp 0x\w{4} --format=fp16 --impl=libm"),
                (lambda: detcheck.assert_same_bits(np.exp, by_lane, "exp", format="fp16", samples=3000), "different bits for"),
                (lambda: detcheck.assert_invariant(by_lane, "exp", format="fp16", samples=100, property="position"),
                 "inputs change bits by position"),
                (lambda: detcheck.assert_max_ulp("sequential", "sum", format="fp32", max_ulp=0.5, samples=2),
                 r"(?s), distribution \w+: .*at shape \[\d+\], draw \d, element 0  got .*again: detcheck eval sum .*--element=0 "),
                (lambda: detcheck.assert_max_ulp("libm", "sincos", format="fp16", max_ulp=0.1), r"again: detcheck eval sincos 0x"),
                (lambda: detcheck.assert_invariant("libm", "exp", format="fp16", samples=100, property=["repetition", "Scalar_Form"]),
                 "scalar-form was not tested")):
            with self.assertRaisesRegex(AssertionError, pattern):
                call()

    def test_no_answer_at_all_is_said(self):
        document = detcheck.sweep("exp", "libm", format="fp16", samples=10).to_dict()
        entry, = document["results"][0]["implementations"]
        entry.update(tested=0, events=[{"kind": "not-written", "input": "0x3c00"}])
        with unittest.mock.patch("detcheck._assertions.sweep", return_value=detcheck.Report(document)):
            with self.assertRaisesRegex(AssertionError, r"(?s)no answer for any of 10 inputs; not-written at 0x3c00 \(1.0\)"
                                                        r".*again: detcheck sweep exp"):
                detcheck.assert_max_ulp("libm", "exp", format="fp16", max_ulp=1)

    def test_inputs(self):
        self.assertTrue(np.isnan(detcheck.special_inputs("fp16")).any())
        self.assertGreater(len(detcheck.hard_inputs("exp", "fp32")), 3)


class Surveys(unittest.TestCase):
    def test_a_survey_is_a_table_and_a_report(self):
        found = detcheck.survey("numpy", minutes=0.2, formats=["fp16"], operations=["exp", "pow", "gelu"])
        self.assertEqual([line["flags"] for line in found.lines()], [0, 0] if HAS_MXCSR else [None, None])
        self.assertEqual([(line["operation"], line["inputs"], line["wrong"] < 100) for line in found.lines()],
                         [("exp", "all", True), ("pow", "samples", True)])
        self.assertEqual(len(found.report.results), 2)
        self.assertIn("2 functions of numpy", str(found))

    def test_a_function_of_two_results_counts_once(self):
        found = detcheck.survey("numpy", minutes=0.1, formats=["fp32"], operations=["sort"])
        self.assertEqual([line["operation"] for line in found.lines()], ["sort.values", "sort.indices"])
        self.assertTrue(found.headline().startswith("1 function of numpy: 1 "), found.headline())
        self.assertIn("\n1 function of numpy in ", str(found))

    def test_signalling_nans_are_told_apart_from_wrong_nans(self):
        found = detcheck.survey("numpy", minutes=0.1, formats=["fp16"], operations=["fmin"])
        line, = found.lines()
        self.assertEqual((line["nan"], line["snan"] > 1000), (0, True))
        self.assertIn("other results for signalling NaNs alone in 1: fmin", found.headline())
        report = detcheck.sweep("exp", lambda x: np.where(np.isnan(x), x.dtype.type(1), np.exp(x)), format="fp16")
        self.assertEqual([(one.nan_mismatches, one.signalling_mismatches) for one in report.entries()], [(2046, 1022)])

    def test_a_function_with_wrong_nans_is_not_right(self):
        module = types.ModuleType("with_wrong_nans")
        module.sqrt = lambda x: np.where(x == 1, x.dtype.type(np.nan), np.sqrt(x))
        with unittest.mock.patch.dict(sys.modules, with_wrong_nans=module):
            said = detcheck.survey("with_wrong_nans", minutes=0.1, formats=["fp16"], operations=["sqrt"]).headline()
        self.assertIn("1 function of with_wrong_nans: 0 correctly rounded", said)
        self.assertIn("wrong NaNs in 1: sqrt", said)

    def test_rows_are_printed_as_soon_as_they_are_known(self):
        words = ["-m", "detcheck", "survey", "numpy", "-f", "fp16", "--operations", "exp,sin", "--minutes", "0.1"]
        with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as python:
            lines = [python.stdout.readline() for _ in range(2)]
            self.assertIsNone(python.poll())
            rest = python.stdout.read()
        self.assertEqual([lines[0].split()[0], lines[1].split()[0]], ["operation", "exp"])
        self.assertIn("2 functions of numpy: ", rest)

    def test_all_of_fp32_in_parts(self):
        import detcheck._survey as survey
        with unittest.mock.patch.object(survey, "PARTS", 1 << 16), unittest.mock.patch.object(survey, "tried", wraps=survey.tried) as tried:
            report, seconds = survey.whole("floor", "numpy", time.monotonic())
        self.assertEqual((report, tried.call_count), (None, 1))  # it would not end in time
        self.assertGreater(seconds, 100)

    def test_a_survey_has_kernels(self):
        """A line for each result, which says where the worst element is."""
        found = detcheck.survey("numpy", minutes=0.5, formats=["fp16"], operations=["sgd"])
        self.assertEqual([line["operation"] for line in found.lines()], ["sgd.parameter", "sgd.velocity"])
        for line, result in zip(found.lines(), found.report.to_dict()["results"]):
            worst = result["implementations"][0]["max_ulp"]["input"]
            self.assertEqual(line["worst"], "x".join(map(str, worst["shape"])) + f" {worst['draw']} [{worst['element']}]")
            self.assertIn(line["worst"], str(found))

    def test_a_survey_has_one_shape_of_each_kernel_of_a_library_that_compiles(self):
        """Each is a call of the operation, and what there was no time for is one line."""
        import detcheck._survey as survey
        table = {one["name"]: one for one in detcheck.list("operations").to_dict()["operations"]}
        self.assertGreater(len(detcheck.library_kernels.KERNELS), 40)
        for name in detcheck.library_kernels.KERNELS:
            self.assertNotIn("shape", survey.samples_of(table[name], "fp32", "numpy"))
            options = survey.samples_of(table[name], "fp32", "jax")
            self.assertEqual(options.pop("timeout"), 60)  # which compiling takes
            shapes = {tuple(worst["input"]["shape"])
                      for one in detcheck.sweep(name, "det", **{**options, "samples": 1}).to_dict()["results"]
                      for worst in [one["implementations"][0]["max_ulp"]] if worst}
            self.assertIn(len(shapes), (0, 1), name)
            self.assertIn("shape", options)
        found = survey.Survey("jax", [], ["exp in fp64: no", "rope in fp64: the time was over", "adam in fp64: the time was over"], 1)
        self.assertEqual(str(found).splitlines()[-2:], ["left out: exp in fp64: no", "left out, as the time was over: 2, rope in fp64, adam in fp64"])

    def test_an_interrupted_survey_keeps_its_rows(self):
        def tell(text):
            if text == "exp2 in fp16":
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt) as caught:
            detcheck.survey("numpy", minutes=1, formats=["fp16"], operations=["exp", "exp2"], tell=tell)
        self.assertEqual([line["operation"] for line in caught.exception.survey.lines()], ["exp"])

    def test_any_module_with_functions_of_these_names(self):
        line, = detcheck.survey("math", minutes=0.2, formats=["fp16"], operations=["log1p"]).lines()
        self.assertEqual((line["function"], line["tested"], line["nan"]), ("math:log1p", 1 << 16, 0))
        with self.assertRaises(detcheck.Error):
            detcheck.survey("string", minutes=0.1)


class Detmath(unittest.TestCase):
    def test_arrays_have_the_bits_of_the_program(self):
        for operation in ("exp", "sin"):
            report = detcheck.sweep(operation, getattr(detcheck.det, operation), "det", getattr(detcheck.cr, operation), "cr", format="fp16")
            mine, theirs, my_cr, their_cr = [entry.fingerprint for entry in report.entries()]
            self.assertEqual((mine, my_cr), (theirs, their_cr), operation)

    def test_lines_have_the_bits_of_the_program(self):
        report = detcheck.sweep("softmax", detcheck.det.softmax, "det", shape="5x33", samples=10)
        for result in report.results:
            mine, theirs = result.implementations
            self.assertEqual(mine.fingerprint, theirs.fingerprint)

    def test_threads_and_out_change_no_bit(self):
        x = np.random.default_rng(1).standard_normal(1 << 18).astype(np.float32)
        out = np.empty_like(x)
        self.assertIs(detcheck.det.exp(x, out=out), out)
        for threads in (1, 3, 8):
            self.assertTrue((detcheck.det.exp(x, threads=threads) == out).all())
        rows = x.reshape(64, -1)
        self.assertTrue((detcheck.det.softmax(rows, threads=1) == detcheck.det.softmax(rows.T, axis=0, threads=8).T).all())
        self.assertEqual(detcheck.det.sum(rows, axis=1)[3], detcheck.det.sum(rows[3]))
        self.assertEqual(detcheck.det.exp(np.float32(0)), 1)

    def test_conversions(self):
        x = np.array([1.0, 1e6, -1e6, 0.1], np.float32)
        self.assertEqual(detcheck.convert(x, "fp16").tolist()[1:3], [math.inf, -math.inf])
        self.assertEqual(detcheck.convert(x, np.float16, profile="saturate").tolist()[1], 65504)
        self.assertGreater(detcheck.convert(x, "fp16", rounding="up")[3], detcheck.convert(x, "fp16", rounding="down")[3])

    def test_roundings_of_profiles(self):
        try:
            import ml_dtypes  # noqa: F401, whose type the result has
        except ImportError:
            self.skipTest("ml_dtypes is missing")
        x = np.array([1.25, 1.5, 2, 0.3], np.float32)
        up = [1 + 127, 1 + 127, 1 + 127, -1 + 127]
        for words, codes in (({}, up), ({"rounding": "up"}, up), ({"rounding": "nearest-even"}, [127, 128, 128, 125]),
                             ({"rounding": "down"}, [127, 127, 128, 125])):
            self.assertEqual(detcheck.convert(x, "fp8_e8m0fnu", profile="onnx-24", **words).view(np.uint8).tolist(), codes, words)
        nearest = detcheck.convert(x, "fp8_e8m0fnu", profile="saturate").view(np.uint8).tolist()
        self.assertEqual(nearest, [127, 128, 128, 125])

    def test_quantisation(self):
        x = np.array([[0.0, 1.0, 2.5, -300.0], [0.1, 7.5, 1e9, 3.0]], np.float32)
        y = detcheck.quantise(x, np.float32(0.5), np.int8(3))
        self.assertEqual(y.tolist(), [[3, 5, 8, -128], [3, 18, 127, 9]])
        self.assertEqual(detcheck.dequantise(y, np.float32(0.5), np.int8(3))[0].tolist(), [0, 1, 2.5, -65.5])
        each = detcheck.quantise(x, np.float32([0.5, 1.0]), axis=0)
        self.assertEqual(each[1].tolist(), [0, 8, 127, 3])
        blocks = detcheck.quantise(x, np.float32([[1, 2], [1, 2]]), axis=1, block=2)
        self.assertEqual(blocks[0].tolist(), [0, 1, 1, -128])
        with self.assertRaisesRegex(ValueError, "in operator set 13: "):
            detcheck.quantise(x, np.float32(0.5), to=np.int16, opset=13)
        with self.assertRaisesRegex(ValueError, "scale has the shape"):
            detcheck.quantise(x, np.float32([1, 2, 3]), axis=0)

    def test_requantise(self):
        sums = np.int32([-3, -1, 1, 3, 600])
        for options, want in (({}, [-2, 0, 0, 2, 127]), ({"rounding": "nearest-up"}, [-1, 0, 1, 2, 127]), ({"form": "gemmlowp"}, [-1, 0, 1, 2, 127]),
                              ({"to": np.int32, "form": "fp32"}, [-2, 0, 0, 2, 300])):
            self.assertEqual(detcheck.requantise(sums, 1 << 30, 31, **options).tolist(), want, options)
        place = sums.copy()
        self.assertIs(detcheck.requantise(place, 1 << 30, 31, 5, to=np.int32, out=place), place)
        self.assertEqual(place.tolist(), [3, 5, 5, 7, 305])
        for bad in (lambda: detcheck.requantise(sums.astype(np.int64), 1, 0), lambda: detcheck.requantise(sums, 1, 63),
                    lambda: detcheck.requantise(sums, 1, 0, form="twice"), lambda: detcheck.requantise(sums, 1, 0, form="fp32", rounding="up"),
                    lambda: detcheck.requantise(sums, 1, 0, 200), lambda: detcheck.requantise(sums, 1 << 31, 0), lambda: detcheck.requantise(sums, 1, 0, to=np.uint32)):
            self.assertRaises((TypeError, ValueError), bad)

    def test_functions_take_as_many_arrays_as_they_have_operands(self):
        names = {one["name"]: one["operands"] for one in detcheck.list("operations").to_dict()["operations"] if one["family"] != "array"}
        for kind in (detcheck.det, detcheck.cr):
            found = [name for name in dir(kind) if names.get(name) == 2 and name not in ("dot", "matmul") and not name.endswith("_gradient")]
            self.assertIn("powr", found)
            for name in found:
                for dtype in (np.float32, np.float16):
                    self.assertEqual(getattr(kind, name)(np.full(3, 2, dtype), dtype(3)).shape, (3,), name)
        self.assertEqual(detcheck.cr.pown(np.float32([2, 3]), np.float32(3)).tolist(), [8, 27])
        self.assertEqual(detcheck.cr.powr(np.array([2.0, 10.0]), 3.0).tolist(), [8, 1000])

    def test_what_cannot_be(self):
        for call in (lambda: detcheck.det.tgamma(np.zeros(3, "c8")), lambda: detcheck.det.pow(np.float32(1)), lambda: detcheck.convert(np.zeros(3), "fp9"),
                     lambda: detcheck.det.exp(np.zeros(3, "f4"), out=np.zeros(2, "f4"))):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(AttributeError):
            detcheck.det.exq(1)


if __name__ == "__main__":
    unittest.main()
