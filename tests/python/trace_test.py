"""Traces (detcheck.trace): digests against XXH3 itself, the folder and what is kept in it, runs that die, and calls of numpy."""

import ctypes
import ctypes.util
import functools
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import with_numpy

import numpy as np

import detcheck
from detcheck._trace_reader import operations

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "vectors", "trace.schema.json")
PROGRAM = os.path.join(os.environ["PYTHONPATH"].split(os.pathsep)[0], "detcheck", "bin", "detcheck")
SAFETENSORS = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32, "U32": np.uint32, "U8": np.uint8, "BOOL": np.bool_,
               "C64": np.complex64}


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(data):
    """By the library's function for data in one piece, which detcheck uses for no tensor of more than 32 KiB."""
    function = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0").XXH3_128bits
    function.restype, function.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]
    made = function(data, len(data))
    return f"{made.high:016x}{made.low:016x}"


def kept(folder, tensor):
    """The elements of a tensor that a trace has kept, read without the package."""
    number, _, name = tensor["kept"].partition(":")
    with open(os.path.join(folder, "tensors", f"{number}.safetensors"), "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8:8 + length])[name]
    first, last = entry["data_offsets"]
    return np.frombuffer(data[8 + length:][first:last], SAFETENSORS[entry["dtype"]]).reshape(entry["shape"])


@functools.lru_cache(maxsize=None)
def validator():
    try:
        import jsonschema
    except ImportError:
        return None
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft7Validator(json.load(file))


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="detcheck-test-")
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "here.trace")
        self.random = np.random.default_rng(54)

    def document(self, path=None):
        """trace.json, which has to follow its schema."""
        document = self.read(path)
        if validator():
            validator().validate(document)
        return document

    def read(self, path=None):
        with open(os.path.join(path or self.path, "trace.json"), encoding="utf-8") as file:
            return json.load(file)

    def traced(self, *arrays, **options):
        """The tensors that a trace says of arrays."""
        with detcheck.trace(self.path, replace=True, **options):
            detcheck.trace.add("", "nothing", arrays, [])
        return self.document()["operations"][0]["inputs"]

    def script(self, text):
        path = os.path.join(self.directory.name, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_record(self, *words, **options):
        # A program that may write but small files would leave compiled modules that are cut off.
        options["env"] = {**os.environ, **options.get("env", {}), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, "-m", "detcheck", "trace", "record", *words], text=True, capture_output=True, check=False,
                              cwd=self.directory.name, **options)


class Digests(Case):
    def test_digests_are_those_of_the_bytes_of_the_elements(self):
        arrays = [self.random.standard_normal(shape).astype(dtype) for dtype in (np.float16, np.float32, np.float64, np.complex64)
                  for shape in ((), (0, 3), (1,), (7, 5), (40000,))]
        arrays += [self.random.integers(0, 2, 70000).astype(dtype) for dtype in (np.bool_, np.int8, np.uint16, np.int64)]
        for array, said in zip(arrays, self.traced(*arrays)):
            self.assertEqual((said["digest"], said["shape"]), (xxh3(array.tobytes()), [*array.shape]))
            self.assertNotIn("canonical", said)

    def test_elements_count_in_c_order_and_little_endian_however_they_lie(self):
        array = self.random.standard_normal((6, 8, 10)).astype(np.float32)
        forms = [array.T, array[::2, :, 1:], array[::-1], np.asfortranarray(array), array.astype(">f4"),
                 np.broadcast_to(array[0], (3, 8, 10))]
        for form, said in zip(forms, self.traced(*forms)):
            self.assertEqual(said["digest"], xxh3(np.ascontiguousarray(form).astype("<f4").tobytes()))

    def test_canonical_digests_are_those_with_one_nan(self):
        for dtype, codes, one in ((np.float16, (0xfe01, 0x7c01), 0x7e00), (np.float32, (0xffc00000, 0x7f800001), 0x7fc00000),
                                  (np.float64, (0xfff8 << 48, 0x7ff0 << 48 | 1), 0x7ff8 << 48)):
            whole = np.dtype(f"u{np.dtype(dtype).itemsize}")
            for place in (0, 5, 50000):  # in the first block and in a later one
                array = self.random.standard_normal(60000).astype(dtype)
                array[[1, 2, 3]] = np.inf, -np.inf, -0.0
                array.view(whole)[place], array.view(whole)[-1] = codes
                canonical = array.copy()
                canonical.view(whole)[[place, -1]] = one
                for given, has in ((array, True), (canonical, False)):
                    said = self.traced(given)[0]
                    self.assertEqual(said["digest"], xxh3(given.tobytes()))
                    self.assertEqual(said.get("canonical"), xxh3(canonical.tobytes()) if has else None)
        both = np.array([complex(1, np.nan)], np.complex64)
        both.view(np.uint32)[1] = 0xffc00001
        canonical = both.copy()
        canonical.view(np.uint32)[1] = 0x7fc00000
        self.assertEqual(self.traced(both)[0]["canonical"], xxh3(canonical.tobytes()))

    def test_buffers_are_tensors_and_what_is_none_is_left_out(self):
        said = self.traced(memoryview(b"abcd"), bytearray(8), np.array(["a"]), np.zeros(2, np.longdouble), object(), np.zeros(2, "M8[s]"))
        self.assertEqual([(one["type"], one["shape"], one["digest"]) for one in said[:2]],
                         [("uint8", [4], xxh3(b"abcd")), ("uint8", [8], xxh3(bytes(8)))])
        self.assertEqual([one.get("left_out", "")[:9] for one in said[2:]], ["numpy's s", "numpy's f", "no tensor", ""])
        self.assertEqual(sum(one["count"] for one in self.document()["left_out"]), 3)


class Folders(Case):
    def test_kept_tensors_have_the_same_bits_and_lie_there_once(self):
        arrays = [self.random.standard_normal((3, 4)).astype(np.float32), np.arange(5), np.array(True), np.zeros((0, 2), np.float16),
                  np.ones((2, 2), np.complex64)]
        with detcheck.trace(self.path, keep="all") as recording:
            recording.add("layers.1", "first", arrays, [arrays[0].T])
            recording.add("layers.2", "second", arrays, [arrays[0], arrays[0].reshape(4, 3)])
        first, second = self.document()["operations"]
        for array, said in zip([*arrays, arrays[0].T], [*first["inputs"], *first["outputs"]]):
            found = kept(self.path, said)
            self.assertEqual((found.dtype, found.shape, found.tobytes()), (array.dtype, array.shape, array.tobytes()))
        self.assertEqual([one["kept"] for one in second["inputs"]], [one["kept"] for one in first["inputs"]])
        self.assertEqual([one["kept"] for one in second["outputs"]], ["0:input.0", "1:output.1"])  # another shape is another tensor
        self.assertEqual(sorted(os.listdir(os.path.join(self.path, "tensors"))), ["0.safetensors", "1.safetensors"])

    def test_files_that_are_not_of_a_trace_stay(self):
        other = os.path.join(self.directory.name, "other")
        os.makedirs(other)
        kept_file = os.path.join(other, "weights.safetensors")
        with open(kept_file, "wb"):
            pass
        for name, make, said in (("tensors", lambda place: os.symlink(other, place), "tensors is a link"), ("", None, "trace.json is not a trace")):
            path = os.path.join(self.directory.name, f"with.{name}")
            os.makedirs(path)
            with open(os.path.join(path, "trace.json"), "w", encoding="utf-8") as stream:
                stream.write("{}" if make is None else '{"schema":"detcheck/trace/1","operations":[],"complete":true}')
            if make:
                make(os.path.join(path, name))
            with self.assertRaisesRegex(ValueError, said):
                with detcheck.trace(path):
                    pass
            self.assertTrue(os.path.exists(kept_file))

    def test_keep_says_which_tensors_have_files(self):
        other = os.path.join(self.directory.name, "other.trace")

        def run(path, keep, at=-1):
            with detcheck.trace(path, keep=keep, replace=True):
                for number, (name, operation) in enumerate((("layers.1", "mm"), ("layers.10", "mm"), ("layers.1.norm", "aten.add.Tensor"),
                                                            ("layers.1", "mm"))):
                    detcheck.trace.add(name, operation, [np.full(2, number)], [np.full(3, number + 100 * (number == at))])
            return [["kept" in tensor for tensor in (*one["inputs"], *one["outputs"])] for one in self.document(path)["operations"]]
        none, both = [False, False], [True, True]
        self.assertEqual(run(other, "digests"), [none] * 4)
        self.assertEqual(run(self.path, "all"), [both] * 4)
        self.assertEqual(run(self.path, "names=layers.1"), [both, none, both, both])
        self.assertEqual(run(self.path, "names=aten.add,1"), [none, both, both, none])
        self.assertEqual(run(self.path, f"differing={other}"), [none] * 4)
        self.assertEqual(run(self.path, f"differing={other}", at=3), [none, none, none, both])
        for wrong in ("some", "names=", "names", "all=1", "differing=/nowhere"):
            with self.assertRaises(detcheck.UsageError):
                detcheck.trace(self.path, keep=wrong)

    def test_a_folder_of_others_is_not_touched(self):
        with open(os.path.join(self.directory.name, "mine"), "w", encoding="ascii"):
            pass
        for path in (self.directory.name, os.path.join(self.directory.name, "mine")):
            with self.assertRaises(detcheck.UsageError):
                detcheck.trace(path)
        self.assertEqual(os.listdir(self.directory.name), ["mine"])

    def test_a_trace_that_is_being_written_is_not_begun_anew(self):
        script = self.script("")
        with detcheck.trace(self.path):
            detcheck.trace.add("", "first", [np.ones(2)], [])
            with self.assertRaisesRegex(detcheck.UsageError, "another recording"):
                detcheck.trace(self.path)
            done = self.run_record("-o", self.path, "--", sys.executable, script)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"detcheck: {self.path}: another recording is writing this trace\n"))
            detcheck.trace.add("", "second", [np.ones(3)], [])
        self.assertEqual([one["name"] for one in self.document()["operations"]], ["first", "second"])

    def test_a_trace_of_before_is_replaced_where_one_asks_for_it(self):
        with detcheck.trace(self.path, keep="all"):
            detcheck.trace.add("", "first", [np.ones(2)], [])
        before, script = self.document(), self.script("import detcheck, numpy\ndetcheck.trace.add('', 'second', [numpy.ones(2)], [])\n")
        done = self.run_record("-o", "here.trace", "--", sys.executable, script)
        said = "this folder has a trace already; name another folder, or ask to replace it: --replace, in Python replace=True"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"detcheck: here.trace: {said}\n"))
        with self.assertRaisesRegex(detcheck.UsageError, said):
            detcheck.trace(self.path)
        self.assertEqual(self.document(), before)
        self.assertEqual(kept(self.path, before["operations"][0]["inputs"][0]).tolist(), [1, 1])
        done = subprocess.run([PROGRAM, "trace", "record", "-o", self.path, "--replace", "--", sys.executable, script], text=True,
                              capture_output=True, check=False, env={**os.environ, "DETCHECK_PYTHON": sys.executable})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([one["name"] for one in self.document()["operations"]], ["second"])
        with detcheck.trace(self.path, replace=True):
            detcheck.trace.add("", "third", [np.ones(2)], [])
        self.assertEqual([one["name"] for one in self.document()["operations"]], ["third"])
        self.assertEqual(os.listdir(os.path.join(self.path, "tensors")), [])

    def test_record_says_that_it_saw_nothing_and_why(self):
        for last, status in (("", 2), ("raise SystemExit(3)", 3)):  # a script that went wrong keeps its status
            path = f"{status}.trace"
            done = self.run_record("-o", path, "--", sys.executable, self.script(f"import numpy\nnumpy.ones(3) + 1\n{last}\n"))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", int(status == 2)))
            if status == 2:
                self.assertRegex(done.stderr, "^detcheck: 2.trace: no operation was seen: the script did not import PyTorch")
            self.assertEqual(self.document(os.path.join(self.directory.name, path))["operations"], [])

    def test_the_environment_is_that_of_the_operations_and_says_what_changed_among_them(self):
        add = "detcheck.trace.add('', 'op', [numpy.ones(3)], [])\n"
        first = f"import detcheck, numpy, os\nos.environ['MKL_CBWR'] = 'AVX2'\ndel os.environ['XLA_FLAGS']\n{add}"
        cases = (("", "AVX2"), ("os.environ['MKL_CBWR'] = 'COMPATIBLE'\n", "AVX2 at the first operation, COMPATIBLE at the end"),
                 ("del os.environ['MKL_CBWR']\n", "AVX2 at the first operation, not set at the end"),
                 ("os.environ['MKL_CBWR'] = 'AUTO'\nos._exit(0)\n", "AVX2"))
        for number, (last, wanted) in enumerate(cases):
            path = os.path.join(self.directory.name, f"{number}.trace")
            done = self.run_record("-o", path, "--", sys.executable, self.script(first + last), env={"MKL_CBWR": "SSE4_2", "XLA_FLAGS": "--x"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            environment = self.document(path)["environment"]
            self.assertEqual((environment["MKL_CBWR"], environment.get("XLA_FLAGS")), (wanted, None))

    def test_an_operation_whose_setting_was_changed_is_not_said_to_fail_to_repeat_itself(self):
        here, there = self.path, f"{self.path}.there"
        for path, results in ((here, (2.718, 2.718, 2.7, 2.7)), (there, (2.718,) * 4)):
            with detcheck.trace(path, keep="all"):
                for result in results:
                    detcheck.trace.add("", "aten.exp.default", [np.ones(2)], [np.full(2, result)])
        document, said = self.read(), []
        document["environment"]["threads"] = "1"
        for settings in ({}, {"settings": {"threads": "2"}}):
            document["operations"][2].update(settings)
            with open(os.path.join(here, "trace.json"), "w", encoding="utf-8") as stream:
                json.dump(document, stream)
            said.append(subprocess.run([PROGRAM, "trace", "compare", here, there], capture_output=True, check=False, text=True).stdout)
        self.assertEqual(["it does not repeat itself" in one for one in said], [True, False])
        self.assertNotIn("from operation", said[0])
        self.assertIn("  threads: 1 (2 from operation 2 on) here, not set there\n", said[1])

    def test_a_setting_that_differs_behind_many_changes_is_not_the_same(self):
        folders = [f"{self.path}.{at}" for at in range(3)]
        for folder in folders:
            with detcheck.trace(folder):
                for _ in range(20):
                    detcheck.trace.add("", "aten.exp.default", [np.ones(2)], [np.ones(2)])
            document = self.read(folder)
            document["environment"]["threads"] = "1"
            for at, one in enumerate(document["operations"]):
                one["settings"] = {"threads": "9" if at == 15 and folder == folders[2] else str(at)}
            with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as stream:
                json.dump(document, stream)
        said = [subprocess.run([PROGRAM, "trace", "compare", folders[0], one], capture_output=True, check=False, text=True).stdout for one in folders[1:]]
        self.assertEqual(["Differences in the environment" in one for one in said], [False, True])
        self.assertRegex(said[1], "5 from operation 5 on; and 14 more changes\\) here, 1 \\(0 from operation 0 on; ")

    def test_attributes_are_json(self):
        given = {"eps": 1e-6, "top": float("inf"), "low": -float("inf"), "none": None, "dim": (-1, np.int64(2)), "flag": True, "to": "bf16",
                 "nan": float("nan"), "scale": np.float32(0.5)}
        with detcheck.trace(self.path):
            detcheck.trace.add("here", "op", {"x": np.ones(2)}, {"y": np.ones(2)}, given)
        one, = self.document()["operations"]
        self.assertEqual(one["attributes"], {"eps": 1e-6, "top": "inf", "low": "-inf", "none": None, "dim": [-1, 2], "flag": True, "to": "bf16",
                                             "nan": "nan", "scale": 0.5})
        self.assertEqual((one["path"], one["name"], one["inputs"][0]["name"], one["outputs"][0]["name"]), ("here", "op", "x", "y"))
        self.assertRegex(one["source"], r"trace_test\.py:\d+$")
        detcheck.trace.add("here", "op", [np.ones(2)], [])  # without a recording

    def test_texts_and_integers_are_such_as_every_reader_of_json_takes(self):
        """Halves of UTF-16 and integers of more than 62 digits are written otherwise, and can be had again."""
        texts = ["\udc80\ud83d", "a\ufffdb", "\U0001f600", "plain"]
        numbers = [10 ** 62 - 1, 1 - 10 ** 62, 10 ** 62, -(10 ** 70), 1 << 20000]
        with detcheck.trace(self.path):
            detcheck.trace.add(texts[0], texts[0], {texts[0]: np.ones(2)}, [], {"texts": texts, "numbers": numbers, texts[0]: {texts[0]: texts[0]}})
        with open(os.path.join(self.path, "trace.json"), encoding="ascii") as file:
            written = file.read()
        self.assertIsNone(re.search(r"\d{63}", re.sub(r'"[^"]*"', "", written)))
        one, = self.document()["operations"]
        json.dumps(one, ensure_ascii=False).encode()  # no half is left

        def again(text):
            return re.sub("\ufffd([0-9A-F]{4})", lambda found: chr(int(found[1], 16)), text)
        self.assertEqual([again(one["attributes"]["texts"][at]) for at in range(len(texts))], texts)
        self.assertEqual([int(str(number), 0) for number in one["attributes"]["numbers"]], numbers)
        self.assertEqual({again(text) for text in (one["name"], one["path"], one["inputs"][0]["name"], [*one["attributes"]][2])}, {texts[0]})
        done = subprocess.run([PROGRAM, "trace", "show", self.path, "0"], capture_output=True, check=False, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_part_that_raises_is_not_complete_and_addresses_are_no_attributes(self):
        for is_raised in (False, True):
            try:
                with detcheck.trace(self.path, replace=True):
                    detcheck.trace.add("", "op", [], [], {"of": object()})
                    if is_raised:
                        raise KeyError
            except KeyError:
                pass
            document = self.document()
            self.assertEqual((document["complete"], document["operations"][0]["attributes"]), (not is_raised, {"of": "<object object>"}))

    def test_the_document_is_whole_after_each_operation_and_small(self):
        recording = detcheck.trace(self.path)
        with recording:
            for number in range(30):
                detcheck.trace.add("layers.7.mlp.down_proj", "aten.mm.default", {"self": np.full((4, number), 1.0), "mat2": np.ones(number)},
                                   [np.ones(4)])
                document = self.read()
                self.assertEqual((len(document["operations"]), document["complete"]), (number + 1, False))
        self.assertTrue(self.document()["complete"])
        self.assertLess(os.path.getsize(os.path.join(self.path, "trace.json")) / (3 * 30), 200)

    def test_lines_before_a_torn_one_are_read(self):
        self.traced(np.ones(3))
        with detcheck.trace(self.path, replace=True):
            for number in range(3):
                detcheck.trace.add("", "op", [np.full(2, number)], [])
        name = os.path.join(self.path, "trace.json")
        with open(name, "rb") as file:
            whole = file.read()
        second = whole.index(b"\n", whole.index(b'"op"') + 1) + 1
        for torn in (whole[:second + 60], whole[:second + 60] + whole[-80:]):
            with open(name, "wb") as file:
                file.write(torn)
            self.assertEqual(len(operations(self.path)), 1)


class Pages(unittest.TestCase):
    def test_pages_of_recording_have_its_functions(self):
        wanted = {f"detcheck.trace.{name}" for name in vars(type(detcheck.trace)) if name[0] != "_"}
        for page in ("detcheck-python.7", "detcheck-trace.7"):
            with open(os.path.join(os.path.dirname(SCHEMA), "..", "man", page), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual({name for name in wanted if name not in text}, set(), page)
            self.assertIn("trace record -o", text)


class Ends(Case):
    def test_the_exit_status_is_that_of_the_script_and_what_it_did_is_there(self):
        script = self.script("import detcheck, numpy, os, signal, sys\nprint(__name__, __file__ == os.path.abspath(sys.argv[0]), sys.argv[1:])\n"
                             "sys.stdout.flush()\ndetcheck.trace.add('here', 'op', [numpy.ones(3)], [])\nexec(sys.argv[1])\n")
        cases = (("pass", 0, True), ("sys.exit(7)", 7, True), ("raise ValueError('oh')", 1, False), ("os._exit(5)", 5, False),
                 ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, False), ("os.abort()", -signal.SIGABRT, False))
        for text, status, complete in cases if os.environ.get("EXHAUSTIVE") else (cases[1], cases[2], cases[4]):
            with self.subTest(text):
                path = os.path.join(self.directory.name, f"{len(os.listdir(self.directory.name))}.trace")
                done = self.run_record("-o", path, "--", sys.executable, script, text)
                document = self.document(path)
                self.assertEqual((done.returncode, document["complete"], len(document["operations"])), (status, complete, 1))
                self.assertEqual(done.stdout, f"__main__ True {[text]}\n")
                self.assertEqual(document["operations"][0]["source"], "script.py:4")
                if status == 1:
                    self.assertIn("ValueError: oh", done.stderr)
                    self.assertNotIn("_trace_record", done.stderr)

    def test_a_run_that_is_killed_at_any_moment_leaves_a_document(self):
        script = self.script("import detcheck, numpy\nwith detcheck.trace('here.trace', keep='all'):\n    for number in range(10**6):\n"
                             "        detcheck.trace.add('here', 'op', [numpy.full(50, number)], [])\n")
        for _ in range(20 if os.environ.get("EXHAUSTIVE") else 1):
            with subprocess.Popen([sys.executable, script], cwd=self.directory.name) as process:
                name, until = os.path.join(self.path, "trace.json"), time.monotonic() + 240
                while (not os.path.exists(name) or os.path.getsize(name) < 3000) and time.monotonic() < until:
                    time.sleep(0.005)
                time.sleep(random.random() / 20)
                process.kill()
            found = operations(self.path)
            self.assertGreater(len(found), 5)
            for number, one in enumerate(found):
                self.assertEqual(kept(self.path, one["inputs"][0]).tolist(), [number] * 50)

    def test_a_full_disk_ends_the_trace_and_not_the_program(self):
        script = self.script("import detcheck, numpy\nfor number in range(99):\n    detcheck.trace.add('here', 'op', [numpy.full(5, number)], [])\n"
                             "print('end')\n")
        done = self.run_record("-o", self.path, "--", sys.executable, script,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
        document = self.document()
        self.assertEqual((done.returncode, done.stdout, document["complete"]), (2, "end\n", False))
        self.assertGreater(len(document["operations"]), 5)
        self.assertRegex(done.stderr, r"^detcheck: .*here.trace: File too large; operations from \d+ on are not in the trace\n$")

    def test_a_script_may_leave_its_directory_and_that_may_go(self):
        script = self.script("import detcheck, numpy, os, tempfile\ndef add(number):\n    detcheck.trace.add('', 'op', [numpy.full(5, number)], [])\n"
                             "add(0)\nos.chdir('/')\nadd(1)\nwith tempfile.TemporaryDirectory() as gone:\n    os.chdir(gone)\n"
                             "exec(compile('add(2)', 'elsewhere.py', 'exec'))\n")
        done = self.run_record("--keep", "all", "-o", "here.trace", "--", sys.executable, script)
        document = self.document()
        self.assertEqual((done.returncode, done.stderr, document["complete"]), (0, "", True))
        self.assertEqual([kept(self.path, one["inputs"][0]).tolist() for one in document["operations"]], [[number] * 5 for number in range(3)])

    def test_wrong_words_are_one_line_and_leave_nothing(self):
        script = self.script("")
        for words in ((), ("-o", "x"), ("-o", "x", "--", "ls"), ("-o", "x", "--", "python3", "nowhere.py"), ("-o", "x", "--", "python3"),
                      ("--keep", "most", "-o", "x", "--", "python3", script), ("--other", "-o", "x", "--", "python3", script))[
                          :None if os.environ.get("EXHAUSTIVE") else 2]:
            done = self.run_record(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertTrue(done.stderr.startswith("detcheck: "))
        self.assertEqual(os.listdir(self.directory.name), ["script.py"])


class Numpy(Case):
    def names(self):
        return [one["name"] for one in self.document()["operations"]]

    def test_what_is_computed_of_a_traced_array_is_recorded_with_the_same_results(self):
        a = self.random.standard_normal((4, 5)).astype(np.float32)
        b = self.random.standard_normal((5, 3)).astype(np.float32)

        def compute(x):
            scores = x @ b
            made = np.exp(scores - scores.max(-1, keepdims=True))
            made /= made.sum(-1, keepdims=True)
            joined = np.concatenate([made, made[:1].astype(np.float16)])
            return np.einsum("ij,kj->ik", joined, joined).dot(np.ones(5)), np.linalg.norm(joined), made
        with detcheck.trace(self.path, keep="all"):
            found = compute(detcheck.trace.numpy(a))
        for one, other in zip(found, compute(a)):
            self.assertEqual(np.asarray(one).tobytes(), np.asarray(other).tobytes())
        self.assertEqual(self.names(), [f"numpy.{name}" for name in "matmul max subtract exp sum divide astype concatenate einsum dot linalg.norm"
                                        .split()])
        document = self.document()
        by_name = {one["name"]: one for one in document["operations"]}
        self.assertEqual(document["recorder"], "numpy")
        self.assertEqual(by_name["numpy.max"]["attributes"], {"axis": -1, "keepdims": True})
        self.assertEqual(by_name["numpy.einsum"]["attributes"], {"subscripts": "ij,kj->ik"})
        self.assertEqual(kept(self.path, by_name["numpy.matmul"]["outputs"][0]).tobytes(), (a @ b).tobytes())
        self.assertRegex(by_name["numpy.einsum"]["source"], r"trace_test\.py:\d+$")

    def test_operations_in_place_have_their_inputs_as_they_were(self):
        a = np.arange(4.0)
        with detcheck.trace(self.path, keep="all"):
            x = detcheck.trace.numpy(a.copy())
            x += 1
            np.add.at(x, [0], 5)
            np.multiply(x, 2, out=x)
            np.cumsum(x, out=x)
        before, texts = a, []
        for one, after in zip(self.document()["operations"], (a + 1, a + [6, 1, 1, 1], 2 * (a + [6, 1, 1, 1]), np.cumsum(2 * (a + [6, 1, 1, 1])))):
            self.assertEqual((kept(self.path, one["inputs"][0]).tolist(), [kept(self.path, each).tolist() for each in one["outputs"]]),
                             (before.tolist(), [after.tolist()]), one["name"])
            before = after
            texts.append(one["in_place"])
        self.assertEqual(texts, [[0]] * 4)

    def test_what_out_held_before_is_an_input_where_it_counts(self):
        with detcheck.trace(self.path, keep="all"):
            x, out = detcheck.trace.numpy(np.arange(4.0)), np.full(4, 9.0)
            np.add(x, 1, out=out, where=[True, True, False, False])
            np.multiply(x[:-1], 3, out=x[1:])
        add, multiply = self.document()["operations"]
        before = {one["name"]: kept(self.path, one).tolist() for one in add["inputs"]}["out"]
        self.assertEqual((before, kept(self.path, add["outputs"][0]).tolist()), ([9.0] * 4, [1.0, 2.0, 9.0, 9.0]))
        self.assertEqual(kept(self.path, multiply["inputs"][0]).tolist(), [0.0, 1.0, 2.0])
        self.assertEqual(kept(self.path, multiply["outputs"][0]).tolist(), [0.0, 3.0, 6.0])

    def test_memory_that_nobody_has_written_to_is_no_result(self):
        with detcheck.trace(self.path):
            made = np.empty_like(detcheck.trace.numpy(np.ones(3)))
            np.add(np.ones(3), 1, out=made)
        self.assertEqual([[one["name"], len(one["inputs"])] for one in self.document()["operations"]], [["numpy.add", 1]])
        self.assertEqual(made.tolist(), [2.0] * 3)

    def test_arrays_stay_traced_where_a_library_asks_for_an_array(self):
        x = self.random.standard_normal((4, 5)).astype(np.float32)
        made = [getattr(np, name) for name in ("array", "asarray", "ascontiguousarray", "asfortranarray")]

        def run(array):
            return [np.exp(np.asarray(array)), np.asarray(a=array, dtype=np.float64) + 1, np.array(object=array, order="F") * 2,
                    np.ascontiguousarray(array.T) - 1, np.asfortranarray([1.0, 2.0]), np.array(array, dtype=np.float16)]
        with detcheck.trace(self.path):
            given = detcheck.trace.numpy(x)
            found = run(given)
            self.assertIs(np.asarray(given), given)
        self.assertEqual([getattr(np, one.__name__) for one in made], made)
        self.assertEqual([(one.tobytes(), one.flags.f_contiguous) for one in found], [(one.tobytes(), one.flags.f_contiguous) for one in run(x)])
        self.assertEqual(self.names(), [f"numpy.{name}" for name in "exp astype add multiply subtract astype".split()])

    def test_errors_are_recorded_and_raised(self):
        with detcheck.trace(self.path), self.assertRaises(ValueError):
            detcheck.trace.numpy(np.ones((2, 3))) @ np.ones((2, 3))
        one, = self.document()["operations"]
        self.assertEqual((one["outputs"], one["error"][:11]), ([], "ValueError:"))


if __name__ == "__main__":
    unittest.main()
