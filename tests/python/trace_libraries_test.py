"""Traces of PyTorch, JAX and onnxruntime, in a Python that has them (ADAPTER_PYTHON): what is recorded is what was computed, in
place or not, whatever the kind of tensor; and that a run gives the same bits with a recording and without."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
import unittest
import warnings

import with_numpy

import numpy as np

import detcheck

from trace_test import PROGRAM, Case, kept, xxh3


def needs(*packages):
    missing = [one for one in packages if importlib.util.find_spec(one) is None]
    return unittest.skipIf(missing, f"Python has no {' and no '.join(missing)}")


@needs("torch")
class Torch(Case):
    def setUp(self):
        super().setUp()
        import torch
        self.torch = torch
        torch.manual_seed(54)

    def recorded(self, run, **options):
        with detcheck.trace(self.path, replace=True, **options):
            run()
        return self.document()["operations"]

    def model(self):
        nn = self.torch.nn
        return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 3)))

    def test_forward_and_backward_have_the_paths_of_modules_and_the_bits_of_a_run_without(self):
        results = []
        for is_recorded in (False, True):
            self.torch.manual_seed(1)
            model, x = self.model(), self.torch.randn(5, 6)

            def run(model=model, x=x):
                loss = self.torch.softmax(model(x), -1)[:, 0].sum()
                loss.backward()
            if is_recorded:
                operations = self.recorded(run)
            else:
                run()
            results.append([one.grad.clone() for one in model.parameters()])
        self.assertTrue(all(self.torch.equal(one, other) for one, other in zip(*results)))
        paths = [(one["name"], one.get("path", ""), one.get("phase", "forward")) for one in operations]
        for wanted in (("aten.addmm.default", "0", "forward"), ("aten.gelu.default", "1", "forward"), ("aten.addmm.default", "2.1", "forward"),
                       ("aten.native_layer_norm.default", "2.0", "forward"), ("aten._softmax.default", "", "forward"),
                       ("aten.gelu_backward.default", "1", "backward"), ("aten.native_layer_norm_backward.default", "2.0", "backward")):
            self.assertIn(wanted, paths)
        self.assertEqual({path for name, path, phase in paths if name == "aten.mm.default" and phase == "backward"}, {"0", "2.1"})
        self.assertEqual({one["source"].partition(":")[0].rpartition("/")[2] for one in operations if "source" in one},
                         {"trace_libraries_test.py"})

    def test_digests_are_those_of_fresh_copies_whatever_was_written_before(self):
        """In-place operations, views, .data, other threads, numpy: no digest is one of before."""
        torch = self.torch
        weight, shared = torch.nn.Parameter(torch.randn(4, 4)), np.ones((64, 64), np.float32)
        foreign = torch.from_numpy(shared)
        expected = []

        def look():
            for one in (weight, weight.t(), weight[1:, ::2], foreign):
                expected.append(xxh3(one.detach().clone(memory_format=torch.contiguous_format).contiguous().numpy().tobytes()))
                torch.sign(one)

        def run():
            with torch.no_grad():
                look()
                weight.add_(1)
                look()
                weight.t()[0].mul_(3)
                look()
                weight.data.sub_(2)
                look()
                thread = threading.Thread(target=lambda: weight.detach().view(-1)[3:7].zero_())
                thread.start()
                thread.join()
                look()
                shared.fill(7)
                torch._foreach_mul_([weight, foreign], 2.0)
                look()
                shared[:] = 3
                torch.add(weight, 1, out=weight)
                look()
        found = [one["inputs"][0]["digest"] for one in self.recorded(run) if one["name"] == "aten.sign.default"]
        self.assertEqual(found, expected)

    def test_digests_of_views_are_those_of_their_elements_in_c_order(self):
        """Against copies by numpy: turned, stepped, broadcast, of each width, with NaNs, of more rows than are gathered together."""
        torch, draw, expected, views = self.torch, self.random, [], []
        for dtype in (np.uint8, np.float16, np.float32, np.float64, np.complex64, np.complex128):
            for shape in ((2, 3), (700, 37), (67, 1030), (3, 50, 40), (2, 3, 5, 70), (1, 6, 1, 300)):
                array = (100 * draw.standard_normal(shape)).astype(dtype)
                if dtype is np.float32:
                    array.reshape(-1).view(np.uint32)[draw.integers(array.size, size=2)] = 0xffc00001
                whole = torch.from_numpy(array)
                for one in (whole.transpose(-1, -2), whole.transpose(0, -1), whole[..., ::2], whole[1:, ..., 1:].transpose(0, 1),
                            whole.unsqueeze(0).expand(3, *shape), whole[:, :1].expand(shape), whole.permute(*reversed(range(len(shape))))):
                    plain = np.ascontiguousarray(one.numpy())
                    canonical = plain.copy()
                    if dtype is np.float32:
                        canonical.view(np.uint32)[np.isnan(canonical)] = 0x7fc00000
                    views.append(one)
                    expected.append((xxh3(plain.tobytes()), xxh3(canonical.tobytes())))
        operations = self.recorded(lambda: [one.view_as(one) for one in views])
        found = [(one["inputs"][0]["digest"], one["inputs"][0].get("canonical", one["inputs"][0]["digest"])) for one in operations
                 if one["name"].startswith("aten.view")]
        self.assertEqual(len(found), len(expected))
        self.assertEqual(found, expected)
        self.assertGreater(sum(one != other for one, other in expected), 10)

    def test_writes_through_numpy_are_seen_wherever_they_are(self):
        """In memory that numpy made, and in results and parameters of PyTorch whose memory the program handed out."""
        torch, size, expected = self.torch, 1 << 16, []
        places = [int(one) for one in self.random.integers(size, size=20)]

        def run():
            result = torch.zeros(size) + 1
            arrays = (np.ones(size, np.float32), result.numpy(), torch.nn.Parameter(result + 1).detach().numpy(), np.from_dlpack(result * 2))
            tensors = (torch.from_numpy(arrays[0]), result, *map(torch.from_numpy, arrays[2:]))
            for place in places:
                for array, tensor in zip(arrays, tensors):
                    torch.sign(tensor)
                    expected.append(xxh3(array.tobytes()))
                    array[place] += 1
        found = [one["inputs"][0]["digest"] for one in self.recorded(run) if one["name"] == "aten.sign.default"]
        self.assertEqual(found, expected)
        self.assertEqual(len(set(expected)), 2 * len(places))
        self.assertNotIn("numpy", vars(torch.Tensor))

    def test_models_in_several_threads_have_the_digests_and_the_order_that_each_has_alone(self):
        torch, threads = self.torch, 4
        models = [self.model() for _ in range(threads)]
        inputs = [torch.randn(5, 6) for _ in range(threads)]

        barrier = threading.Barrier(threads)

        def work(at, together=False):
            if together:  # a thread that ends early may hand its identifier of Python to one that comes later
                barrier.wait()
            for _ in range(5):
                with torch.no_grad():
                    models[at](inputs[at]).mul_(2)

        def all_at_once():
            started = [threading.Thread(target=work, args=(at, True)) for at in range(threads)]
            for one in started:
                one.start()
            for one in started:
                one.join()

        def lines(operations):
            return [(one["name"], one.get("path"), [[each.get("digest") for each in one[side]] for side in ("inputs", "outputs")])
                    for one in operations]
        alone = [lines(self.recorded(lambda at=at: work(at))) for at in range(threads)]
        together = self.recorded(all_at_once)
        numbers = sorted({one["thread"] for one in together})
        self.assertEqual(numbers, [1, 2, 3, 4])
        found = [lines(one for one in together if one["thread"] == number) for number in numbers]
        self.assertEqual(sorted(map(str, found)), sorted(map(str, alone)))

    def test_threads_one_after_another_have_numbers_of_their_own(self):
        """Python gives the identifier of a thread that has ended to the next one."""
        identifiers = []

        def run():
            for _ in range(5):
                thread = threading.Thread(target=lambda: (identifiers.append(threading.get_ident()), self.torch.ones(2).exp()))
                thread.start()
                thread.join()
        operations = self.recorded(run)
        self.assertEqual([one["thread"] for one in operations if one["name"] == "aten.exp.default"], [1, 2, 3, 4, 5])
        self.assertLess(len(set(identifiers)), 5)

    def test_settings_for_one_call_stand_with_the_operation_and_compare_names_them(self):
        torch = self.torch
        before, paths = torch.get_num_threads(), [f"{self.path}.{name}" for name in ("here", "there")]
        self.addCleanup(torch.set_num_threads, before)
        self.addCleanup(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
        x, y = torch.ones(4), torch.ones(4) + 1e-6
        for path in paths:
            is_other = path == paths[1]
            torch.set_num_threads(1)
            with detcheck.trace(path, keep="all"):
                torch.exp(x)
                torch.set_num_threads(2 if is_other else 1)
                torch.add(x, y[0] if is_other else x[0])
                torch.set_num_threads(1)
                torch.sin(x)
                torch.set_float32_matmul_precision("medium")
                torch.cos(x)
                torch.set_flush_denormal(True)
                torch.tan(x)
                torch.set_flush_denormal(False)
                torch.set_float32_matmul_precision("highest")
                thread = threading.Thread(target=lambda: (torch.set_num_threads(3), torch.exp(x)))
                thread.start()
                thread.join()
                torch.set_num_threads(2)  # and no operation behind it
        found = {one["name"]: one["settings"] for one in self.document(paths[1])["operations"] if "settings" in one and "thread" not in one}
        self.assertEqual(found, {"aten.select.int": {"threads": "2"}, "aten.sin.default": {"threads": "1"},
                                 "aten.cos.default": {"float32_matmul_precision": "medium"}, "aten.tan.default": {"flush_denormal": "true"}})
        last = self.document(paths[1])["operations"][-1]
        self.assertEqual((last["thread"], last["settings"]["threads"]), (1, "3"))
        self.assertEqual(self.document(paths[1])["environment"]["threads"], "1")
        done = subprocess.run([PROGRAM, "trace", "compare", *paths], capture_output=True, check=False, text=True)
        self.assertRegex(done.stdout, "Differences in the environment:\n  threads: 1 \\(3 from operation 6 on in thread 1\\) here, "
                         "1 \\(2 from operation 1 on; 1 from operation 3 on; 3 from operation 6 on in thread 1\\) there\n\n")

    def test_settings_that_a_script_makes_are_in_the_environment_of_its_trace(self):
        script = self.script("import torch\ntorch.set_num_threads(3)\ntorch.set_float32_matmul_precision('medium')\n"
                             "torch.use_deterministic_algorithms(True)\ntorch.ones(2) + 1\ntorch.set_num_threads(1)\n")
        done = self.run_record("-o", self.path, "--", sys.executable, script)
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = {"threads": "3", "float32_matmul_precision": "medium", "deterministic_algorithms": "true"}
        self.assertEqual({**self.document()["environment"], **wanted}, self.document()["environment"])

    def test_threads_that_ran_before_are_said_to_be_left_out(self):
        begin, end = threading.Event(), threading.Event()
        thread = threading.Thread(target=lambda: (begin.wait(), self.torch.ones(2).exp(), end.set()))
        thread.start()
        before = len(threading.enumerate()) - 1  # with those that libraries have
        operations = self.recorded(lambda: (begin.set(), end.wait(), self.torch.ones(3)))
        thread.join()
        self.assertEqual([one["name"] for one in operations], ["aten.ones.default"])
        self.assertEqual(self.document()["left_out"], [{"what": "threads that ran before the recording", "count": before}])

    def test_operations_in_place_have_inputs_of_before_and_outputs_of_after(self):
        torch = self.torch
        operations = self.recorded(lambda: (torch.ones(3).add_(torch.full((3,), 2.0)).clamp_(max=2.5),
                                            torch.add(torch.ones(2), 1, out=torch.empty(2)), torch.empty(2).copy_(torch.ones(2))), keep="all")
        add, clamp = (one for one in operations if one["name"] in ("aten.add_.Tensor", "aten.clamp_.default"))
        self.assertEqual((add["in_place"], kept(self.path, add["inputs"][0]).tolist(), kept(self.path, add["outputs"][0]).tolist()),
                         ([0], [1.0] * 3, [3.0] * 3))
        self.assertEqual((kept(self.path, clamp["inputs"][0]).tolist(), kept(self.path, clamp["outputs"][0]).tolist()), ([3.0] * 3, [2.5] * 3))
        out, = (one for one in operations if one["name"] == "aten.add.out")
        self.assertEqual(([one["name"] for one in out["inputs"]], kept(self.path, out["outputs"][0]).tolist()), (["self"], [2.0, 2.0]))
        copy, = (one for one in operations if one["name"] == "aten.copy_.default")
        self.assertEqual((copy["in_place"], copy["inputs"][0]["left_out"], "digest" in copy["outputs"][0]), ([0], "overwritten", True))
        self.assertEqual({one["outputs"][0].get("left_out") for one in operations if one["name"].startswith("aten.empty")}, {"uninitialised"})

    def test_memory_that_is_taken_again_has_the_digest_of_what_lies_there_now(self):
        torch, expected = self.torch, []

        def run():
            parameter = torch.nn.Parameter(torch.zeros(0))
            for at in range(700):
                one = torch.full((16 + at % 3,), float(at))
                torch.sign(one)
                expected.append(xxh3(np.full(16 + at % 3, at, np.float32).tobytes()))
                parameter.data = one * 2  # of which PyTorch counts no write
                torch.sign(parameter.detach())
                expected.append(xxh3(np.full(16 + at % 3, 2 * at, np.float32).tobytes()))
        found = [one["inputs"][0]["digest"] for one in self.recorded(run) if one["name"] == "aten.sign.default"]
        self.assertEqual(found, expected)

    def test_a_tensor_that_becomes_another_view_of_its_memory_has_the_digest_of_that(self):
        """.data= is no call of the dispatcher: neither the tensor, nor its count of writes, nor its address is another behind it."""
        torch, plain = self.torch, np.arange(12, dtype=np.float32).reshape(3, 4) + 1
        views = [lambda one: one, lambda one: one[:2], lambda one: one.reshape(4, 3), lambda one: one.reshape(4, 3).T, lambda one: one[:3, :3],
                 lambda one: one[:3, :3].T, lambda one: one]

        def run():
            whole = torch.arange(12.0).reshape(3, 4) + 1
            tensor = torch.nn.Parameter(whole)
            for view in views:
                tensor.data = view(whole)
                torch.sign(tensor)
                torch.sign(tensor)
        with torch.no_grad():
            operations = self.recorded(run)
        expected = [xxh3(np.ascontiguousarray(view(plain)).tobytes()) for view in views for _ in range(2)]
        self.assertEqual([one["inputs"][0]["digest"] for one in operations if one["name"] == "aten.sign.default"], expected)
        self.assertEqual(len(set(expected)), 5)

    def test_a_tensor_that_gets_other_memory_at_the_address_of_its_own_has_the_digest_of_that(self):
        """That is how weights are put away and loaded again."""
        torch, placed = self.torch, []

        def run():
            for turn in range(40):
                tensor = torch.nn.Parameter(torch.full((1000,), float(turn)))
                torch.sign(tensor)
                address, tensor.data = tensor.data_ptr(), torch.empty(0)
                others = [torch.full((1000,), 100.0 + turn) for _ in range(8)]
                same = [one for one in others if one.data_ptr() == address]
                if same:
                    tensor.data = same[0]
                    torch.neg(tensor)
                    placed.append(turn)
        with torch.no_grad():
            operations = self.recorded(run)
        self.assertGreater(len(placed), 0)
        self.assertEqual([one["inputs"][0]["digest"] for one in operations if one["name"] == "aten.neg.default"],
                         [xxh3(np.full(1000, 100 + turn, np.float32).tobytes()) for turn in placed])

    def test_running_statistics_are_written_in_training_though_the_schema_does_not_say_so(self):
        torch, means = self.torch, []

        def run():
            norm = torch.nn.BatchNorm1d(4)
            for _ in range(3):
                norm(torch.randn(8, 4) + 3)
                means.append(norm.running_mean.clone())
            norm.eval()
            norm(torch.randn(8, 4))
        calls = [one for one in self.recorded(run) if one["name"] == "aten.native_batch_norm.default"]
        after = [xxh3(mean.numpy().tobytes()) for mean in means]
        self.assertEqual([{each["name"]: each["digest"] for each in one["outputs"] if "name" in each}.get("running_mean") for one in calls],
                         [*after, None])
        self.assertEqual([{each["name"]: each["digest"] for each in one["inputs"]}["running_mean"] for one in calls[1:]], after)
        self.assertEqual(len(set(after)), 3)

    def test_zeros_without_memory_and_tensors_that_stand_for_others(self):
        """Derivatives are such zeros; in torch.func.vmap a tensor stands for all that are mapped."""
        torch = self.torch
        x, zeros = torch.arange(3.0), torch._efficientzerotensor((2, 3))

        def run():
            hessian = torch.func.hessian(lambda v: (v ** 3).sum())(x)
            torch.func.vmap(lambda v: detcheck.trace.add("here", "seen", [v], []) or v.sin())(torch.ones(2, 3))
            torch.sign(zeros)
            detcheck.trace.add("here", "zeros", [zeros], [])
            self.assertEqual(hessian.tolist(), torch.diag(6 * x).tolist())
        operations = self.recorded(run)
        wanted = xxh3(bytes(24))
        sign, = (one for one in operations if one["name"] == "aten.sign.default")
        added, = (one for one in operations if one["name"] == "zeros")
        self.assertEqual((sign["inputs"][0]["digest"], added["inputs"][0]["digest"]), (wanted, wanted))
        seen, = (one for one in operations if one["name"] == "seen")
        self.assertEqual(seen["inputs"][0]["left_out"], "without memory")

    def test_types_that_detcheck_has_not_are_hashed_as_they_lie(self):
        torch = self.torch
        codes = torch.from_numpy(self.random.integers(0, 256, (6, 8), np.uint8))
        kinds = [one for one in map(lambda name: getattr(torch, name, None), ("complex32", "uint16", "uint64", "float8_e8m0fnu", "float4_e2m1fn_x2",
                                                                              "bits8", "bits16", "float8_e5m2fnuz")) if one is not None]
        self.assertGreater(len(kinds), 3)
        tensors = [each for kind in kinds for one in (codes.view(kind),) for each in (one, one.t(), one[1:, ::2], one[:0])]
        expected = []
        for one in tensors:
            width = one.element_size()
            lines = codes.numpy().view(np.dtype(f"V{width}"))
            plain = np.lib.stride_tricks.as_strided(lines.reshape(-1)[one.storage_offset():], one.shape, [width * each for each in one.stride()])
            expected.append(xxh3(plain.tobytes()))
        operations = self.recorded(lambda: [one.view(one.shape) if one.is_contiguous() else one.detach() for one in tensors])
        found = [one["inputs"][0] for one in operations if one["name"] in ("aten.view.default", "aten.detach.default")]
        self.assertEqual([one["digest"] for one in found], expected)
        self.assertEqual({one.get("left_out") for one in found}, {None})

    def test_memory_that_nobody_has_written_to_has_no_digest(self):
        torch, x = self.torch, self.torch.ones(2, 3)

        def run():
            for made in (torch.empty(2, 3), x.new_empty(2, 3), torch.empty_like(x), torch.empty_strided((2, 3), (3, 1)),
                         x.new_empty_strided((2, 3), (3, 1)), torch.empty_permuted((2, 3), (1, 0)), torch.ones(2).resize_(2, 3)):
                torch.sign(made[0])  # which says nothing of what it reads
                made.fill_(3)
                torch.sign(made)
            torch.sign(torch.ones(4).resize_(2))
        operations = self.recorded(run)
        read = [one["inputs"][0] for one in operations if one["name"] == "aten.sign.default"]
        self.assertEqual(["left_out" in one for one in read], [True, False] * 7 + [False])
        self.assertEqual({one["digest"] for one in read[1:-1:2]}, {xxh3(np.full(6, 3, np.float32).tobytes())})
        made = [one["outputs"][0] for one in operations if "empty" in one["name"] or "resize" in one["name"]]
        self.assertEqual([one.get("left_out") for one in made], ["uninitialised"] * 7 + [None])

    def test_kept_inputs_are_those_of_before_where_out_shares_their_memory(self):
        torch = self.torch
        x, generators = torch.ones(4), [torch.Generator().manual_seed(7) for _ in range(2)]
        operations = self.recorded(lambda: (torch.add(x, 1, out=x), *(torch.rand(2, generator=one) for one in generators)), keep="all")
        add, = (one for one in operations if one["name"] == "aten.add.out")
        self.assertEqual(kept(self.path, add["inputs"][0]).tolist(), [1.0] * 4)
        self.assertEqual(*(one["attributes"] for one in operations if one["name"] == "aten.rand.generator"))

    def test_each_input_is_what_an_operation_gave_though_it_was_written_to_through_a_slice(self):
        torch = self.torch

        def run():
            cache, turned = torch.zeros(4, 3), torch.arange(6.0).reshape(2, 3)
            for at in range(3):
                cache[at:at + 1] = torch.full((1, 3), at + 1.0)
                torch.exp(cache[:2])
            turned.t().add_(1)
            torch.exp(turned)
            turned.mul_(2)
            torch.exp(turned)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                operations = self.recorded(run, keep="all")
            given, outside = set(), []
            for one in operations:
                outside += [tensor for tensor in one["inputs"] if "digest" in tensor and tensor["digest"] not in given]
                given |= {tensor["digest"] for tensor in one["outputs"] if "digest" in tensor}
            self.assertEqual(outside, [])
            written = [one for one in operations if one["name"] == "detcheck.written"]
            self.assertEqual([[tensor["shape"] for tensor in (*one["inputs"], *one["outputs"])] for one in written],
                             [[[4, 3], [1, 3], [4, 3]]] * 3 + [[[2, 3], [3, 2], [2, 3]]])
            self.assertEqual(kept(self.path, written[1]["outputs"][0]).tolist(), [[1.0] * 3, [2.0] * 3, [0.0] * 3, [0.0] * 3])

    def test_kinds_of_tensors_are_right_or_left_out(self):
        torch = self.torch
        x = torch.randn(3, 4)
        kinds = {"bf16": x.bfloat16(), "fp8_e4m3fn": x.to(torch.float8_e4m3fn), "bool": x > 0, "complex64": torch.complex(x, x).conj(),
                 "complex128": torch.complex(x.double(), x.double()), "int64": torch.arange(3), "fp16": x.half()[1:, ::2],
                 "fp64": torch.tensor(2.0, dtype=torch.float64), "fp32": torch.empty(0, 3)}
        outside = {"sparse": x.to_sparse(), "nested": torch.nested.nested_tensor([x[0], x[1, :2]]), "meta": x.to("meta"),
                   "quantised": torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)}
        operations = self.recorded(lambda: [one.clone() for one in (*kinds.values(), *outside.values())], keep="all")
        first = {}
        for one in operations:
            if one["inputs"]:
                first.setdefault(one["inputs"][0].get("left_out") or one["inputs"][0]["type"], one["inputs"][0])
        for name, tensor in kinds.items():
            plain = tensor.resolve_conj().contiguous()
            data = plain.view(torch.uint8).numpy().tobytes() if plain.numel() and plain.dim() else plain.numpy().tobytes()
            self.assertEqual((first[name]["digest"], first[name]["shape"]), (xxh3(data), [*tensor.shape]), name)
            self.assertEqual("kept" in first[name], name != "complex128")
        for name in outside:
            self.assertNotIn("digest", first[name])
        self.assertLessEqual({f"tensors: {name}" for name in outside}, {one["what"] for one in self.document()["left_out"]})

    def test_random_operations_errors_and_threads_are_marked(self):
        torch = self.torch

        def run():
            torch.dropout(torch.ones(9), 0.5, True)
            with self.assertRaises(RuntimeError):
                torch.ones(2) @ torch.ones(3)
            thread = threading.Thread(target=lambda: torch.ones(1).exp())
            thread.start()
            thread.join()
        operations = self.recorded(run)
        self.assertTrue(any(one.get("random") for one in operations))
        self.assertEqual([one["name"] for one in operations if "error" in one], ["aten.dot.default"])
        self.assertEqual([one["name"] for one in operations if one.get("thread")], ["aten.ones.default", "aten.exp.default"])

    def test_functions_that_are_compiled_run_compiled_and_are_compiled_but_once_more(self):
        """What a backend leaves to ATen is recorded; however often one records, the function is compiled with a recording and without."""
        torch, made = self.torch, []

        def backend(graph, _):
            made.append(graph)
            return graph.forward
        model, x = self.model(), torch.randn(5, 6)
        run = torch.compile(model, backend=backend)
        with torch.no_grad():
            wanted, found = run(x), []
            for _ in range(12):
                operations = self.recorded(lambda: found.append(run(x)), keep="all")
                self.assertEqual([one["name"] for one in operations if one["name"] not in ("aten.t.default", "aten.detach.default")],
                                 ["aten.addmm.default", "aten.gelu.default", "aten.native_layer_norm.default", "aten.addmm.default"])
                self.assertEqual(kept(self.path, operations[-1]["outputs"][0]).tobytes(), wanted.numpy().tobytes())
            run(x)
        self.assertTrue(all(torch.equal(one, wanted) for one in found))
        if "functions of torch.compile, which ran eagerly" not in [one["what"] for one in self.document()["left_out"]]:
            self.assertLessEqual(len(made), 2)  # with hooks of modules and without

    def test_functions_that_another_mode_keeps_from_being_compiled_are_said_to_run_eagerly(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        class Other(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))
        run, calls = self.torch.compile(lambda x: self.torch.sin(x) + 1, backend=lambda graph, _: calls.append(graph) or graph.forward), []
        with Other():
            operations = self.recorded(lambda: run(self.torch.ones(3)))
        self.assertIn("aten.sin.default", [one["name"] for one in operations])
        self.assertEqual(calls, [])
        self.assertIn("functions of torch.compile, which ran eagerly", [one["what"] for one in self.document()["left_out"]])

    def test_kernels_of_modules_that_inductor_writes_are_wrapped_by_their_parameters_in_c(self):
        """A module as it writes them, with a function of Python in the place of what is compiled."""
        torch = self.torch
        from torch._inductor.codecache import PyCodeCache
        path = self.script("\n".join((
            "import torch",
            "class async_compile:",
            "    cpp_pybinding = triton = staticmethod(lambda *words: None)",
            "empty_strided_cpu = torch.empty_strided",
            "add_relu_3 = async_compile.cpp_pybinding(['const float*'], 'extern \"C\"  void  kernel(const float* in_ptr0, \\",
            "    float* in_out_ptr0, const int64_t ks0, float* out_ptr0, float* out_ptr1) {}')",
            "other_0 = async_compile.cpp_pybinding([], 'no parameters')",
            "third_0 = async_compile.triton('void kernel(float* out_ptr0)')",
            "def add_relu_3(given, held, scale, small, large):",
            "    small.copy_(given), large.copy_(given + held), held.mul_(scale)",
            "own = add_relu_3",
            "def call(x):",
            "    held, small = empty_strided_cpu((3,), (1,)), empty_strided_cpu((1,), (1,))",
            "    large = torch.ones(3)",
            "    held.fill_(2)",
            "    add_relu_3(x, held, 5, small, large)",
            "    return large")))
        with detcheck.trace(self.path):
            module = PyCodeCache.load_by_key_path("planted", path)
            found = module.call(torch.ones(1))
        self.assertEqual(found.tolist(), [3.0] * 3)
        self.assertIs(module.add_relu_3, module.own)
        document = self.document()
        one, = (each for each in document["operations"] if each["name"].startswith("inductor."))
        digests = {number: xxh3(np.full(size, number, np.float32).tobytes()) for number, size in ((1, 1), (2, 3), (3, 3), (10, 3))}
        self.assertEqual((one["name"], one["attributes"], one["in_place"]), ("inductor.add_relu", {"ks0": 5}, [1]))
        self.assertEqual([(each["name"], each["digest"]) for each in one["inputs"]], [("in_ptr0", digests[1]), ("in_out_ptr0", digests[2])])
        self.assertEqual([(each["name"], each["digest"]) for each in one["outputs"]],
                         [("in_out_ptr0", digests[10]), ("out_ptr1", digests[3]), ("out_ptr0", digests[1])])
        self.assertRegex(one["source"], r"trace_libraries_test\.py:\d+$")
        self.assertEqual({each["what"]: each["count"] for each in document["left_out"] if "kernels" in each["what"]},
                         {"kernels of torch.compile by cpp_pybinding": 1, "kernels of torch.compile by triton": 1})

    def slow_kernels_of_inductor_have_the_inputs_and_outputs_that_they_had(self):
        torch, eager = self.torch, os.path.join(self.directory.name, "eager.trace")
        model, x = self.model(), torch.randn(5, 6)
        run = torch.compile(model)
        with torch.no_grad():
            run(x)  # so the module of it is there before the recording
            plain = run(x)
            with detcheck.trace(eager, keep="all"):
                model(x)
            result = []
            operations = self.recorded(lambda: result.append(run(x)), keep="all")
            again = run(x)
        self.assertEqual((result[0].numpy().tobytes(), again.numpy().tobytes()), (plain.numpy().tobytes(),) * 2)
        products = [one for one in operations if one["name"].startswith("aten.addmm")]
        kernel, = (one for one in operations if one["name"].startswith("inductor.cpp_fused"))
        self.assertRegex(kernel["name"], "gelu.*layer_norm$")
        self.assertIn(products[0]["outputs"][0]["digest"], [one.get("digest") for one in kernel["inputs"]])
        self.assertEqual(kernel["outputs"][0]["digest"], products[1]["inputs"][1]["digest"])
        self.assertEqual(products[1]["outputs"][0]["digest"], xxh3(plain.numpy().tobytes()))
        hidden = torch.nn.functional.linear(x, model[0].weight, model[0].bias)
        wanted = model[2][0](model[1](hidden)).detach().numpy()
        np.testing.assert_allclose(kept(self.path, kernel["outputs"][0]), wanted, rtol=1e-5, atol=1e-6)
        self.assertFalse(any("digest" in one for one in kernel["inputs"] if one["shape"] == [5, 1]))  # what lay there before
        done = subprocess.run([PROGRAM, "trace", "compare", eager, self.path], capture_output=True, check=False, text=True)
        self.assertRegex(done.stdout, r"^First to part: inductor\.cpp_fused\w+ .*\nA group of 2 operations here stands for inductor\.cpp_fused\w+ there")
        self.assertIn("Inputs equal.", done.stdout)

    def slow_softmax_of_instruction_sets_differs_by_the_width_of_vectors(self):
        """Lines of 3 to 100, of which some keys are hidden; lines of fewer than 8 and of 16 are added alike by both."""
        script = os.path.join(self.path, "softmax.py")
        os.makedirs(self.path, exist_ok=True)
        with open(script, "w", encoding="utf-8") as stream:
            stream.write("import sys, numpy, torch, detcheck\n"
                         "draw = numpy.random.default_rng(1)\n"
                         "with detcheck.trace(sys.argv[1], keep='all'):\n"
                         "    for length in (3, 16, 37, 100):\n"
                         "        x = draw.standard_normal((60, length)).astype('f4') * 4\n"
                         "        x[draw.random(x.shape) < .2] = -numpy.inf\n"
                         "        x[:, 0] = 0\n"
                         "        torch.softmax(torch.from_numpy(x), -1)\n"
                         "print(torch.backends.cpu.get_cpu_capability())\n")
        folders, sets = [], []
        for name in ("avx2", "avx512"):
            folders.append(os.path.join(self.path, name))
            ran = subprocess.run([sys.executable, "-W", "ignore", script, folders[-1]], stdout=subprocess.PIPE, text=True, check=True,
                                 env={**os.environ, "ATEN_CPU_CAPABILITY": name})
            sets.append(ran.stdout.strip())
        if sets != ["AVX2", "AVX512"]:
            self.skipTest(f"PyTorch has {sets[0]} and {sets[1]} here, not AVX2 and AVX512")
        run = subprocess.run([PROGRAM, "trace", "compare", *folders, "--json", "-", "--all"], capture_output=True, text=True, check=False)
        rows = [row for row in json.loads(run.stdout)["operations"] if row["name"] == "aten._softmax.default"]
        self.assertEqual([row["verdict"] for row in rows], ["equal", "equal", "parted", "parted"])
        for row in rows[2:]:
            found = row["judgement"]
            self.assertEqual(found["cause"], "both-sides", found)
            for side, lanes in (("here", 8), ("there", 16)):
                self.assertEqual(found[f"cause_{side}"], "multiplies by the rounded reciprocal of the sum (form torch, "
                                                         f"sums in {lanes} lanes, folded, functions as in PyTorch's vectors)")

    def test_a_script_that_dies_leaves_what_it_did(self):
        script = self.script("import os, signal, sys, torch\nx = torch.ones(4)\n(x + 1).sum()\nif os.fork() == 0:\n    torch.ones(2)\n"
                             "    os._exit(0)\nos.wait()\nos.kill(os.getpid(), signal.SIGKILL)\n")
        done = self.run_record("-o", self.path, "--", sys.executable, script)
        document = self.document()
        self.assertEqual((done.returncode, document["complete"], document["recorder"], [one["name"] for one in document["operations"]]),
                         (-9, False, "torch", ["aten.ones.default", "aten.add.Tensor", "aten.sum.default"]))


@needs("sklearn")
class ScikitLearn(Case):
    def test_an_array_stays_traced_in_an_estimator_and_results_are_the_same(self):
        """A perceptron is trained and asked: its products of matrices, and what comes before and behind them."""
        from sklearn.neural_network import MLPClassifier
        x = self.random.standard_normal((60, 12)).astype(np.float32)
        y = (x[:, 0] + x[:, 1] ** 2 > 0.7).astype(int)

        def run(traced):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it has not converged
                model = MLPClassifier((8,), max_iter=2, random_state=1).fit(traced(x), y)
            return [*map(np.asarray, [model.predict_proba(traced(x)), *model.coefs_])]
        wanted, made = run(lambda array: array), np.asarray
        with detcheck.trace(self.path, keep="all"):
            found = run(detcheck.trace.numpy)
        self.assertIs(np.asarray, made)
        self.assertEqual([one.tobytes() for one in found], [one.tobytes() for one in wanted])
        document = self.document()
        products = [one for one in document["operations"] if one["name"] == "numpy.matmul"]
        self.assertEqual(len(products), 2 * 5 + 2)  # of each epoch two forward and three backward
        first, last = products[0], document["operations"][-1]
        self.assertEqual(kept(self.path, first["outputs"][0]).tobytes(),
                         (kept(self.path, first["inputs"][0]) @ kept(self.path, first["inputs"][1])).tobytes())
        self.assertEqual(kept(self.path, last["outputs"][0]).T.tobytes(), wanted[0].tobytes())  # stacked the other way round
        self.assertTrue(any("compiled code" in one["what"] and "sklearn" in one["what"] for one in document["left_out"]))

    def test_two_settings_of_openblas_part_at_a_product_if_results_differ(self):
        script = self.script("import sys, warnings\nimport numpy as np, detcheck\nwarnings.simplefilter('ignore')\n"
                             "from sklearn.linear_model import LogisticRegression\ndraw = np.random.default_rng(3)\n"
                             "x = draw.standard_normal((300, 200)).astype('f4')\nmodel = LogisticRegression(max_iter=1)\n"
                             "model.classes_, model.coef_, model.intercept_ = np.arange(2), x[:1], x[0, :1]\n"
                             "with detcheck.trace(sys.argv[1], keep='all'):\n    found = model.predict_proba(detcheck.trace.numpy(x))\n"
                             "sys.stdout.write(np.asarray(found).tobytes().hex())\n")
        folders, results = [os.path.join(self.directory.name, name) for name in ("here.trace", "there.trace")], []
        for folder, core in zip(folders, ("Prescott", "")):
            settings = {"OPENBLAS_CORETYPE": core} if core else {}
            results.append(subprocess.run([sys.executable, script, folder], stdout=subprocess.PIPE, check=True, env={**os.environ, **settings}).stdout)
        done = subprocess.run([PROGRAM, "trace", "compare", *folders], capture_output=True, check=False, text=True)
        self.assertEqual((done.returncode, done.stderr), (results[0] != results[1], ""))
        self.assertRegex(done.stdout, "^First to part: .*numpy.matmul" if done.returncode else "^Nothing parts|equal")


@needs("jax")
class Jax(Case):
    def test_equations_are_recorded_with_sub_jaxprs_opened(self):
        import jax
        import jax.numpy as jnp

        def body(carry, x):
            return carry * 0.5 + x, carry.sum()

        def function(w, x):
            with jax.named_scope("layer0"):
                h = jax.nn.gelu(x @ w)
            carry, sums = jax.lax.scan(body, h[0], h)
            found = jax.lax.cond(sums[0] > 0, lambda v: v + 1, lambda v: v - 1, carry)
            return jax.lax.while_loop(lambda v: v.sum() < 50, lambda v: v * 2 + 1, found), jax.jit(jnp.exp)(sums)
        w, x = jnp.asarray(self.random.standard_normal((4, 4)), jnp.float32), jnp.ones((3, 4), jnp.bfloat16)

        def both(w, x):
            return jax.value_and_grad(lambda w: jnp.sum(jax.nn.softmax(x @ w)[0] ** 2))(w), function(w, x)
        with detcheck.trace(self.path, keep="all"):
            found = detcheck.trace.jax(both)(w, x)
        with jax.disable_jit():
            wanted = both(w, x)
        for one, other in zip(*map(jax.tree_util.tree_leaves, (found, wanted))):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)
        operations = self.document()["operations"]
        names, paths = {one["name"] for one in operations}, {one.get("path", "") for one in operations}
        self.assertLessEqual({"jax.dot_general", "jax.exp", "jax.reduce_sum", "jax.tanh"}, names)
        self.assertFalse(names & {"jax.scan", "jax.cond", "jax.while", "jax.jit", "jax.pjit"})
        self.assertLessEqual({"layer0", "scan0", "scan2", "while0"}, paths)
        self.assertTrue(any(one.get("phase") == "backward" for one in operations))
        dot = next(one for one in operations if one["name"] == "jax.dot_general" and one.get("path") == "layer0")
        self.assertEqual(dot["attributes"]["dimension_numbers"], [[[1], [0]], [[], []]])
        self.assertRegex(dot["source"], r"trace_libraries_test\.py:\d+$")
        with detcheck.trace(self.path, replace=True):
            detcheck.trace.jax(function, whole=True)(w, x)
        self.assertIn("jax.jit", {one["name"].replace("pjit", "jit") for one in self.document()["operations"]})

    def test_arrays_that_a_compiled_function_closes_over_are_inputs(self):
        import jax
        x = np.float32([1, 2, 3])
        w = jax.numpy.asarray(x + 4)
        with detcheck.trace(self.path):
            detcheck.trace.jax(jax.jit(lambda x: jax.numpy.tanh(x) * w), whole=True)(x)
        operation, = self.document()["operations"]
        self.assertEqual([one["digest"] for one in operation["inputs"]], [xxh3(one.tobytes()) for one in (x, x + 4)])

    def test_keys_of_random_numbers_are_integers_and_checkpoints_are_opened(self):
        import jax

        def function(x):
            noise = jax.random.normal(jax.random.key(3), (4,))
            return jax.grad(lambda x: jax.checkpoint(lambda y: jax.numpy.sin(y) * noise)(x).sum())(x)
        x = jax.numpy.arange(4.0)
        with detcheck.trace(self.path, keep="all"):
            found = detcheck.trace.jax(function)(x)
        np.testing.assert_allclose(found, function(x), rtol=1e-6)
        document = self.document()
        self.assertEqual(document["left_out"], [])
        drawn, = (one for one in document["operations"] if one["name"] == "jax.random_bits")
        self.assertEqual([kept(self.path, one).tolist() for one in drawn["inputs"]], [[0, 3]])
        self.assertIn("jax.cos", {one["name"] for one in document["operations"]})


@needs("onnxruntime", "onnx")
class Onnx(Case):
    def test_nodes_are_recorded_as_onnxruntime_has_optimised_them(self):
        import onnx
        from onnx import TensorProto, helper, numpy_helper
        weight = self.random.standard_normal((4, 4)).astype(np.float32)
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="first"), helper.make_node("Add", ["y", "b"], ["z"], name="second"),
                 helper.make_node("Softmax", ["z"], ["out"], name="third", axis=-1)]
        graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
                                  [helper.make_tensor_value_info("out", TensorProto.FLOAT, [2, 4])],
                                  [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(weight[0], "b")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        x = self.random.standard_normal((2, 4)).astype(np.float32)
        import onnxruntime
        for level, names in (("disabled", ["onnx.MatMul", "onnx.Add", "onnx.Softmax"]), ("all", ["onnx.Gemm", "onnx.Softmax"])):
            with detcheck.trace(self.path, keep="all", replace=True):
                found, = detcheck.trace.onnx(model, {"x": x}, level=level)
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, "ORT_DISABLE_ALL" if level == "disabled" else "ORT_ENABLE_ALL")
            wanted, = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})
            self.assertEqual(found.tobytes(), wanted.tobytes())
            operations = self.document()["operations"]
            self.assertEqual([one["name"] for one in operations], names)
            self.assertEqual(kept(self.path, operations[0]["inputs"][1]).tobytes(), weight.tobytes())
            self.assertEqual(kept(self.path, operations[-1]["outputs"][0]).tobytes(), found.tobytes())
            self.assertEqual(operations[-1]["attributes"]["axis"], -1)
            self.assertEqual(operations[-1]["attributes"]["opset"], 17)
        with self.assertRaises(detcheck.UsageError):
            detcheck.trace.onnx(model, {"x": x}, level="most")

    def test_nodes_of_the_branch_that_ran_are_recorded_in_the_place_of_an_if(self):
        """Branches in branches, that use the names of the graph around them, and give what they were given."""
        from onnx import TensorProto, helper, numpy_helper
        value = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "abt"}
        inner = [helper.make_graph([helper.make_node(kind, ["t"], ["a"])], "inner", [], [value["a"]]) for kind in ("Exp", "Neg")]
        outer = [helper.make_graph([helper.make_node("Mul", ["x", "two"], ["t"], name="m"), helper.make_node("Equal", ["x", "x"], ["q"]),
                                    helper.make_node("Cast", ["q"], ["r"], to=TensorProto.INT32), helper.make_node("ReduceMin", ["r"], ["s"], keepdims=0),
                                    helper.make_node("Cast", ["s"], ["k"], to=TensorProto.BOOL),
                                    helper.make_node("If", ["k"], ["b"], then_branch=inner[0], else_branch=inner[1], name="deep")],
                                   "outer", [], [value["b"], value["t"]], [numpy_helper.from_array(np.float32([2]), "two")]),
                 helper.make_graph([helper.make_node("Sin", ["x"], ["b"])], "outer", [], [value["b"], value["t"]],
                                   [numpy_helper.from_array(np.float32([5, 6, 7]), "t")])]
        results = (("y", "z"), ("y2", "z2"))  # of two Ifs, whose branches use the same names
        graph = helper.make_graph([helper.make_node("Abs", ["x"], ["w"], name="first"),
                                   *(helper.make_node("If", ["flag"], both, then_branch=outer[0], else_branch=outer[1], name=f"choice{at}")
                                     for at, both in enumerate(results)), helper.make_node("Add", ["y", "w"], ["out"])], "graph",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3]), helper.make_tensor_value_info("flag", TensorProto.BOOL, [])],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("out", "z", "y2", "z2")])
        taken, other = "Mul Equal Cast ReduceMin Cast {0} " * 2, "Sin Identity " * 2
        self.same_as_without(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), [
            ({"x": np.float32([1, -2, 3]), "flag": np.array(True)}, f"Abs {taken}Add".format("Exp")),
            ({"x": np.float32([1, -2, np.nan]), "flag": np.array(True)}, f"Abs {taken}Add".format("Neg")),
            ({"x": np.float32([1, -2, 3]), "flag": np.array(False)}, f"Abs {other}Add")])
        self.assertEqual([one.get("path", "") for one in self.document()["operations"]][:2], ["first", "choice0.y"])

    def same_as_without(self, model, cases):
        """The outputs are those of onnxruntime alone, and the nodes these."""
        import onnxruntime
        for inputs, names in cases:
            with detcheck.trace(self.path, keep="all", replace=True):
                found = detcheck.trace.onnx(model, inputs, level="disabled")
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            wanted = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)
            self.assertEqual([one.tobytes() for one in found], [one.tobytes() for one in wanted])
            document = self.document()
            self.assertEqual(" ".join(one["name"].removeprefix("onnx.") for one in document["operations"]), names)
            self.assertEqual(document["left_out"], [])
            given = {tensor["digest"] for one in document["operations"] for tensor in one["outputs"]}
            self.assertLessEqual({xxh3(one.tobytes()) for one in wanted}, given)

    def test_each_turn_of_a_loop_is_recorded_also_with_a_branch_in_it(self):
        from onnx import TensorProto, helper, numpy_helper
        scalar = [helper.make_tensor_value_info(name, kind, []) for name, kind in (("i", TensorProto.INT64), ("go", TensorProto.BOOL))]
        more, carried, row = helper.make_tensor_value_info("more", TensorProto.BOOL, []), *(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("next", "row"))
        branches = [helper.make_graph([helper.make_node(kind, ["sum"], ["made"])], kind, [], [helper.make_tensor_value_info("made", TensorProto.FLOAT, None)])
                    for kind in ("Exp", "Sqrt")]
        body = helper.make_graph([helper.make_node("Add", ["v", "w"], ["sum"], name="add"), helper.make_node("Less", ["i", "limit"], ["more"]),
                                  helper.make_node("If", ["more"], ["next"], then_branch=branches[0], else_branch=branches[1]),
                                  helper.make_node("Neg", ["sum"], ["row"])], "body",
                                 [*scalar, helper.make_tensor_value_info("v", TensorProto.FLOAT, [2])], [more, carried, row],
                                 [numpy_helper.from_array(np.int64(1), "limit")])
        graph = helper.make_graph([helper.make_node("Abs", ["x"], ["w"]), helper.make_node("Loop", ["most", "", "x"], ["last", "rows"], body=body, name="loop")],
                                  "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("most", TensorProto.INT64, [])],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("last", "rows")])
        turn = "Add Less {} Neg"
        self.same_as_without(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), [
            ({"x": np.float32([0.5, -1]), "most": np.array(9)}, " ".join(("Abs", turn.format("Exp"), turn.format("Sqrt"), "Loop.stack"))),
            ({"x": np.float32([0.5, -1]), "most": np.array(1)}, " ".join(("Abs", turn.format("Exp"), "Loop.stack")))])
        self.assertEqual([one.get("path", "") for one in self.document()["operations"]][1:3], ["loop.turn0.add", "loop.turn0"])

    def test_softmax_before_opset_13_is_judged_by_what_onnxruntime_does(self):
        from onnx import TensorProto, helper
        x = self.random.standard_normal((2, 3, 4)).astype(np.float32)
        traces = []
        for opset in (11, 17):
            ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3, 4]) for name in "xy"]
            graph = helper.make_graph([helper.make_node("Softmax", ["x"], ["y"], axis=1)], "graph", ends[:1], ends[1:])
            traces.append(f"{self.path}.{opset}")
            with detcheck.trace(traces[-1], keep="all"):
                detcheck.trace.onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), {"x": x}, level="disabled")
        run = subprocess.run([PROGRAM, "trace", "compare", *traces, "--json", "-"], capture_output=True, text=True, check=False)
        found = json.loads(run.stdout)["operations"][0]["judgement"]
        self.assertEqual(found["outputs"], 24)
        self.assertLess(max(found["error_here"], found["error_there"]), 4)  # of the other axes it would be millions of ulps


if __name__ == "__main__":
    unittest.main()
