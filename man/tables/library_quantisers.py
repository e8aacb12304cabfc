#!/usr/bin/env python3
"""Writes the table of detcheck-quantisers(7): which bytes packages make of blocks beside the rule that is read from them.

    man/tables/library_quantisers.py DETCHECK [--blocks N] [--more] [--layout LAYOUT]... [--python PACKAGE=PROGRAM]... [--ggml PATH]
        [--ggml-cpu PATH] [PACKAGE...]

--python says which Python has a package (this one), and --ggml where libggml-base.so is, which llama-cpp-python has in its folder
lib; --ggml-cpu is libggml-cpu.so there. Packages and layouts that are not named keep their lines. With --more a line's counts go on
from what the page has, with seeds of their own, for the same versions of packages. Each package computes packed.quantise or
packed.nearest as a worker of the program (--serve), on seeded blocks: normal numbers, ties, zeros, subnormal numbers, blocks of any exponent, of one sign, any
codes, and NaN, infinities and the largest numbers among others.
"""
import argparse
import ctypes
import json
import math
import os
import shlex
import subprocess
import sys
from importlib.metadata import version

from library_page import ROOT, Page

PAGE = Page("detcheck-quantisers.7.in", "library_quantisers.py")
CALL = 65536  # numbers of a call
PART = 1024  # calls, at most, between two lines
# How many numbers and bytes a block has.
SIZES = {"q4_0": (32, 18), "q4_1": (32, 20), "q5_0": (32, 22), "q5_1": (32, 24), "q8_0": (32, 34), "q2_K": (256, 84), "q3_K": (256, 110),
         "q4_K": (256, 144), "q5_K": (256, 176), "q6_K": (256, 210), "q8_K": (256, 292), "iq4_nl": (32, 18), "nvfp4": (16, 9), "mxfp4": (32, 17),
         "mxfp6_e2m3": (32, 25), "mxfp6_e3m2": (32, 25), "mxfp8_e4m3": (32, 33), "mxfp8_e5m2": (32, 33), "int4": (32, 20), "int8": (32, 36),
         "mxint8": (32, 33), "uint4_zero": (32, 21), "int8_zero": (32, 37), "nf4": (64, 36), "fp4": (64, 36)}
MX = ("mxfp4", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3", "mxfp8_e5m2")
# The package, which quantisers are read from it, and their layouts; "" is the operation packed.nearest.
ROWS = [("gguf", "llama-cpp", ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0")),
        ("ggml", "llama-cpp", ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q2_K", "q3_K", "q4_K", "q5_K", "q6_K", "q8_K", "iq4_nl")),
        ("ggml", "llama-cpp-avx2", ("q8_0",)),
        ("torchao", "torchao", ("nvfp4", *MX, "int4", "int8", "uint4_zero", "int8_zero")), ("torchao", "torchao-ceil", MX),
        ("torchao", "torchao-even", MX), ("torchao", "torchao-rceil", MX), ("modelopt", "modelopt", ("nvfp4", "mxfp4", "mxfp8_e4m3")),
        ("transformer_engine", "transformer-engine", ("nvfp4",)), ("transformer_engine", "four-over-six", ("nvfp4",)),
        ("bitsandbytes", "bitsandbytes", ("nf4", "fp4")), ("ml_dtypes", "", MX), ("gfloat", "", (*MX, "mxint8")),
        ("onnxruntime", "", ("int8", "int8_zero"))]
PACKAGES = list(dict.fromkeys(row[0] for row in ROWS))


# ---- The worker's side: blocks of fp32, and of the tensor scale, to bytes ----

def low_first(codes, width):
    """Codes of a block, low bits first, as bytes."""
    import numpy as np
    bits = (codes.astype(np.uint8)[..., None] >> np.arange(width, dtype=np.uint8)) & 1
    return np.packbits(bits.reshape(len(codes), -1), axis=1, bitorder="little")


def joined(*parts):
    import numpy as np
    return np.concatenate([np.ascontiguousarray(part).view(np.uint8).reshape(len(part), -1) for part in parts], axis=1)


def gguf(layout, _):
    from gguf import GGMLQuantizationType, quants
    kind = GGMLQuantizationType[layout.upper()]
    return lambda x, tensor: quants.quantize(x, kind)


def ggml(layout, quantiser):
    import numpy as np
    is_reference = quantiser == "llama-cpp"
    library = ctypes.CDLL(os.environ["GGML" if is_reference else "GGML_CPU"], mode=os.RTLD_LAZY)
    function = getattr(library, f"quantize_row_{layout}" + ("_ref" if is_reference else ""))
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]

    def compute(x, _tensor):
        made = np.zeros((len(x), SIZES[layout][1]), np.uint8)
        function(x.ctypes.data, made.ctypes.data, x.size)
        return made
    return compute


def torchao(layout, quantiser):
    import numpy as np
    import torch
    from torchao.prototype.mx_formats import config, mx_tensor, nvfp4_tensor
    from torchao.quantization import quant_primitives as primitives
    if layout == "nvfp4":
        def nvfp4(x, tensor):
            scales, codes = nvfp4_tensor.nvfp4_quantize(torch.from_numpy(x), 16, torch.tensor(tensor))
            return joined(scales.view(torch.uint8).numpy(), codes.numpy())
        return nvfp4
    if layout in MX:
        kind = {"mxfp4": torch.float4_e2m1fn_x2, "mxfp8_e4m3": torch.float8_e4m3fn, "mxfp8_e5m2": torch.float8_e5m2}.get(layout) or \
            {"mxfp6_e2m3": mx_tensor.DTYPE_FP6_E2M3, "mxfp6_e3m2": mx_tensor.DTYPE_FP6_E3M2}[layout]
        mode = getattr(config.ScaleCalculationMode, (quantiser.partition("-")[2] or "floor").upper())

        def power(x, _tensor):
            scales, codes = mx_tensor.to_mx(torch.from_numpy(x), kind, 32, mode)
            codes = codes.view(torch.uint8).numpy().reshape(len(x), -1)
            return joined(scales.view(torch.uint8).numpy().reshape(-1, 1), low_first(codes, 6) if layout.startswith("mxfp6") else codes)
        return power
    kind, ends = {"int4": (torch.int8, (-8, 7)), "int8": (torch.int8, (-128, 127)), "uint4_zero": (torch.uint8, (0, 15)),
                  "int8_zero": (torch.int8, (-128, 127))}[layout]
    mapping = primitives.MappingType.ASYMMETRIC if layout.endswith("zero") else primitives.MappingType.SYMMETRIC

    def integers(x, _tensor):
        x = torch.from_numpy(x)
        scales, zeros = primitives.choose_qparams_affine(x, mapping, (1, 32), kind, *ends)
        codes = primitives.quantize_affine(x, (1, 32), scales, zeros, kind, *ends).numpy().view(np.uint8)
        scales, zeros = scales.numpy().reshape(-1, 1), zeros.numpy().astype(np.int8).reshape(-1, 1)
        parts = (scales, zeros) if layout.endswith("zero") else (scales,)
        return joined(*parts, low_first(codes, 4) if "4" in layout else codes)
    return integers


def modelopt(layout, _):
    import torch
    from modelopt.torch.quantization.qtensor import mxfp4_tensor, mxfp8_tensor, nvfp4_tensor

    def compute(x, tensor):
        x = torch.from_numpy(x)
        if layout == "nvfp4":
            made, scales, _ = nvfp4_tensor.NVFP4QTensor.quantize(x, 16, None, torch.tensor(tensor))
        elif layout == "mxfp4":
            made, scales = mxfp4_tensor.MXFP4QTensor.quantize(x, 32)
        else:
            made, scales = mxfp8_tensor.MXFP8QTensor.quantize(x)
        return joined(scales.view(torch.uint8).numpy().reshape(len(x), -1), made._quantized_data.view(torch.uint8).numpy().reshape(len(x), -1))
    return compute


class GivenScale:
    """torch for TransformerEngine's reference, which finds the scale of the tensor by a division that gives `scale` here."""

    def __init__(self, torch, scale, amax):
        self.torch, self.given, self.whole = torch, torch.tensor(scale), amax

    def __getattr__(self, name):
        return getattr(self.torch, name)

    def div(self, a, b, **more):
        return self.given if b is self.whole else self.torch.div(a, b, **more)


def transformer_engine(_, quantiser):
    """reference_nvfp4.py alone: what it imports of its package serves other functions."""
    import types
    from unittest.mock import MagicMock

    import numpy as np
    import torch
    names = ("transformer_engine", "transformer_engine.pytorch", "transformer_engine.pytorch.custom_recipes",
             "transformer_engine.pytorch.quantized_tensor")
    sys.modules.update({name: types.ModuleType(name) for name in names})
    for name in ("gemm", "reference_utils"):
        setattr(sys.modules[names[2]], name, MagicMock())
    for name in ("QuantizedTensorStorage", "Quantizer"):
        setattr(sys.modules[names[3]], name, type(name, (), {}))
    source = os.environ["REFERENCE_NVFP4"]
    module = types.ModuleType("reference_nvfp4")
    sys.modules["reference_nvfp4"] = module
    with open(source, encoding="utf-8") as file:
        exec(compile(file.read(), source, "exec"), module.__dict__)  # pylint: disable=exec-used

    def compute(x, tensor):
        amax = torch.tensor(np.float32(2688) * np.float32(tensor))
        module.torch = GivenScale(torch, np.float32(1) / np.float32(tensor), amax)
        codes, scales = module.NVFP4QuantizerRef._quantize_blockwise_reference(
            torch.from_numpy(x).reshape(-1, 16), amax, 16, 1, pow_2_scales=False,
            nvfp4_use_4over6=quantiser == "four-over-six", eps=0.0)
        return joined(scales.view(torch.uint8).numpy().reshape(-1, 1), codes.numpy())
    return compute


def gfloat(layout, _):
    import gfloat as package
    import numpy as np
    from gfloat import formats
    info = {"mxfp4": formats.format_info_ocp_e2m1, "mxfp6_e2m3": formats.format_info_ocp_e2m3, "mxfp6_e3m2": formats.format_info_ocp_e3m2,
            "mxfp8_e4m3": formats.format_info_ocp_e4m3, "mxfp8_e5m2": formats.format_info_ocp_e5m2, "mxint8": formats.format_info_ocp_int8}[layout]
    width = 8 if layout == "mxint8" else int(layout[4])

    def compute(x, _tensor, given):
        with np.errstate(all="ignore"):
            scales = package.decode_ndarray(formats.format_info_ocp_e8m0, given[:, :1])
            rounded = package.round_ndarray(info, x.astype(np.float64) / scales, package.RoundMode.TiesToEven, sat=True)
            rounded = rounded if info.num_nans else np.where(np.isnan(rounded), 0, rounded)  # which it refuses to encode
            return joined(given[:, :1], low_first(package.encode_ndarray(info, rounded), width))
    return compute


def bitsandbytes(layout, _):
    import torch
    from bitsandbytes import functional

    def compute(x, _tensor):
        codes, state = functional.quantize_4bit(torch.from_numpy(x.reshape(-1)), blocksize=64, quant_type=layout)
        return joined(state.absmax.numpy().reshape(-1, 1), codes.numpy().reshape(len(x), -1))
    return compute


def ml_dtypes(layout, _):
    import ml_dtypes as package
    import numpy as np
    kind = getattr(package, {"mxfp4": "float4_e2m1fn", "mxfp6_e2m3": "float6_e2m3fn", "mxfp6_e3m2": "float6_e3m2fn",
                             "mxfp8_e4m3": "float8_e4m3fn", "mxfp8_e5m2": "float8_e5m2"}[layout])
    width, most = int(layout[4]), float(package.finfo(kind).max)

    def compute(x, _tensor, given):
        with np.errstate(all="ignore"):
            scales = given[:, :1].copy().view(package.float8_e8m0fnu).astype(np.float32)
            return joined(given[:, :1], low_first(np.clip(x / scales, -most, most).astype(kind).view(np.uint8), width))
    return compute


def onnxruntime(layout, _):
    import numpy as np
    import onnx
    import onnxruntime as package
    kind, has_zero = onnx.TensorProto.INT8, layout == "int8_zero"

    def session(blocks, scales, zeros):
        node = onnx.helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], axis=1, block_size=32)
        graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info("x", 1, [blocks, 32])],
                                       [onnx.helper.make_tensor_value_info("y", kind, [blocks, 32])],
                                       [onnx.numpy_helper.from_array(scales, "s"), onnx.numpy_helper.from_array(zeros, "z")])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
        return package.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])

    def compute(x, _tensor, given):
        scales, zeros = given[:, :4].copy().view(np.float32), given[:, 4:5] if has_zero else np.zeros((len(x), 1), np.uint8)
        [made] = session(len(x), scales, zeros.view(np.int8)).run(None, {"x": x})
        return joined(given[:, :4 + has_zero], made.view(np.uint8))
    return compute


def serve(package):
    sys.path.insert(0, str(ROOT / "src" / "impl" / "adapters"))
    import adapter
    import numpy as np

    def start(request):
        layout = request.parameters["layout"]
        if request.operation not in ("packed.quantise", "packed.nearest") or layout not in SIZES:
            return None, f"{package} does not make blocks of {layout}"
        made = globals()[package](layout, request.parameters.get("quantiser", ""))

        def compute(x, tensor, *given):
            x = x.view(np.float32).reshape(-1, SIZES[layout][0])
            more = [one.reshape(len(x), -1) for one in given]
            return [np.ascontiguousarray(made(x, float(tensor.view(np.float32)[0]), *more)).view(np.uint8).reshape(-1)]
        return compute, package if package in ("ggml", "transformer_engine") else f"{package} {version(NAMES.get(package, package))}"
    adapter.serve(start, arrays=True)


NAMES = {"modelopt": "nvidia-modelopt"}


# ---- The table ----

def judge(program, python, package, quantiser, layout, calls, seed):
    """(what the package is, blocks, different bytes)"""
    count, size = SIZES[layout]
    command = shlex.join([python, "-B", __file__, "--serve", package])
    words = ["packed.quantise", "--quantiser", quantiser] if quantiser else ["packed.nearest"]
    done = subprocess.run([program, "sweep", *words, "--layout", layout, "--distribution", "mixed", "--samples", str(calls), "--seed", str(seed),
                           "--threads", "1", "--timeout", "600", "--impl", f"exec:{command}", "--json", "-"], stdout=subprocess.PIPE, check=False)
    [result] = json.loads(done.stdout)["results"]
    [one] = result["implementations"]
    total = calls * (CALL // count) * size
    if not one["provided"] or one["tested"] != total or one["unanswered"]:
        raise SystemExit(f"{package} has not made all blocks of {layout}: {one.get('reason') or one.get('events')}")
    return one["detail"], calls * (CALL // count), one["incorrectly_rounded"]


def before(given, row):
    """Blocks and different bytes that a line of the page has."""
    fields = lines_by_row().get(row, "").split() if given.more else []
    return tuple(int(one.replace(",", "")) for one in fields[-2:]) if fields else (0, 0)


def lines_of(given):
    """Goes round the rows, a part with a seed of its own of each, until all have their blocks: (row, line) after each part."""
    pythons = dict(one.split("=", 1) for one in given.python)
    rows = [(package, quantiser, layout) for package, quantiser, layouts in ROWS for layout in layouts
            if package in given.packages and layout in (given.layout or SIZES)]
    open_rows = {row: before(given, row) for row in rows}
    while open_rows := {row: found for row, found in open_rows.items() if found[0] < given.blocks}:
        for row, (blocks, different) in open_rows.items():
            package, quantiser, layout = row
            calls = min(PART, math.ceil((given.blocks - blocks) * SIZES[layout][0] / CALL))
            seed = blocks * SIZES[layout][0] // CALL + 1
            detail, *more = judge(given.program, pythons.get(package, sys.executable), package, quantiser, layout, calls, seed)
            blocks, different = open_rows[row] = blocks + more[0], different + more[1]
            yield row, f"{quantiser or 'nearest':18} {layout:10} {detail:19} {blocks:>10,} {different:>10,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--serve", choices=PACKAGES, help=argparse.SUPPRESS)
    parser.add_argument("--blocks", type=int, default=10 ** 7)
    parser.add_argument("--more", action="store_true", help="go on from the page's counts")
    parser.add_argument("--layout", action="append", choices=SIZES, help="only lines of this layout")
    parser.add_argument("--python", action="append", default=[], metavar="PACKAGE=PROGRAM", help="the Python of a package")
    parser.add_argument("--ggml", default="", help="the library of llama.cpp")
    parser.add_argument("--ggml-cpu", default="", help="its library for the processor, with AVX2")
    parser.add_argument("--reference-nvfp4", default="", help="TransformerEngine's file of that name")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    given = parser.parse_intermixed_args()
    if given.serve:
        serve(given.serve)
        return
    os.environ.update(GGML=given.ggml, GGML_CPU=given.ggml_cpu, REFERENCE_NVFP4=given.reference_nvfp4)
    for row, line in lines_of(given):
        print(line, flush=True)
        write(*row, line)


def lines_by_row():
    """{(package, quantiser, layout): line} of the page."""
    lines = [one for one in PAGE.read().splitlines() if one[:1].isalpha()]
    fields = {one: one.split() for one in lines}
    return {(package, "" if quantiser == "nearest" else quantiser, layout): one for one, (quantiser, layout, package, *_) in fields.items()}


def write(package, quantiser, layout, line):
    """Puts a line in its place among those that the page has: it is read anew, since several of these commands may run at once."""
    have = {**lines_by_row(), (package, quantiser, layout): line}
    order = [(package, of, each) for package, of, layouts in ROWS for each in layouts]
    PAGE.write("".join(have[key] + "\n" for key in order if key in have))


if __name__ == "__main__":
    main()
