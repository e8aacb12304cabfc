"""detcheck asks for casts and kernels; onnx's reference implementation answers casts, and onnxruntime on the CPU both:

    detcheck sweep cast --from fp32 --to fp8_e4m3fn --profile onnx-24 --impl 'exec:python3 onnx_adapter.py'
    detcheck sweep cast --from fp16 --to fp8_e5m2 --profile onnx-19-unsaturated \\
        --impl 'exec:python3 onnx_adapter.py onnxruntime --opset 19 --unsaturated'

    detcheck sweep rms_norm --impl 'exec:python3 onnx_adapter.py onnxruntime'

The answer is that of a model of one node, of casts the operator Cast. The highest operator set that the package has is taken,
of casts unless --opset names another; kernels have 23.
"""

import argparse
import ctypes

from adapter import along, codes_of, need, np, numbers_format, serve, type_of
from library_names import function_of

onnx = need("onnx")
ml_dtypes = need("ml_dtypes")
# Formats whose names in ONNX are not those of the types without "_".
NAMES = {"fp64": "DOUBLE", "fp32": "FLOAT", "fp8_e8m0fnu": "FLOAT8E8M0", "fp4_e2m1fn": "FLOAT4E2M1",
         "fp6_e2m3fn": "FLOAT6E2M3", "fp6_e3m2fn": "FLOAT6E3M2"}
# Of casts to scales, where a tie goes up.
ROUNDINGS = {"nearest-away": "nearest", "up": "up", "toward-zero": "down"}


def element_type(format_):
    name = NAMES.get(format_) or type_of_name(format_)
    return getattr(onnx.TensorProto, name, None)


def type_of_name(format_):
    return "BFLOAT16" if format_ == "bf16" else format_.replace("fp", "FLOAT", 1).replace("_", "").upper()


def model_of(request, given):
    """The model; None where ONNX lacks a type, or the rounding."""
    kinds = [element_type(name) for name in (request.format, request.result_format)]
    rounding = {} if request.rounding == "nearest-even" else {"round_mode": ROUNDINGS.get(request.rounding)}
    if None in kinds or None in rounding.values() or bool(rounding) != (request.result_format == "fp8_e8m0fnu"):
        return None
    saturate = {"saturate": 0} if given.unsaturated else {}
    ends = [onnx.helper.make_tensor_value_info(name, kind, ["n"]) for name, kind in zip("xy", kinds)]
    node = onnx.helper.make_node("Cast", ["x"], ["y"], to=kinds[1], **saturate, **rounding)
    graph = onnx.helper.make_graph([node], "cast", ends[:1], ends[1:])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", given.opset)], ir_version=11)


def by_reference(request, model):
    session = need("onnx.reference").ReferenceEvaluator(model)
    kind = type_of(request.format, np, ml_dtypes)

    def compute(x):
        result, = session.run(None, {"x": x.view(kind)})
        return [np.ascontiguousarray(result).view(f"u{request.result_bytes}")]

    return compute, f"onnx {onnx.__version__}, reference implementation"


def by_runtime(request, model):
    runtime = need("onnxruntime")
    runtime.set_default_logger_severity(3)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def compute(x):
        given = runtime.OrtValue.ortvalue_from_numpy_with_onnx_type(x.copy(), element_type(request.format))
        result, = session.run_with_ort_values(["y"], {"x": given})
        # numpy has no types for most of these: the bytes where they lie.
        held = ctypes.string_at(result.data_ptr(), len(x) * request.result_bytes)
        return [np.frombuffer(held, f"u{request.result_bytes}")]

    return compute, f"onnxruntime {runtime.__version__}, CPU"


RUNTIMES = {"reference": by_reference, "onnxruntime": by_runtime}


FORMATS = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}


def on_arrays(request, given):
    kind = FORMATS.get(request.format)
    runtime = need("onnxruntime") if given.runtime == "onnxruntime" else None
    function = runtime and function_of(runtime, "onnxruntime", request.operation)
    if not function or not kind or numbers_format(request) != request.format or request.rounding != "nearest-even":
        return None, f"onnx_adapter {given.runtime} has no {request.operation} in {request.format}, {request.rounding}"
    positions = [request.parameters.get(f"operand{i + 1}") == "int64" for i in range(request.operands)]

    def compute(*operands):
        numbers = [x.view(np.int64 if is_position else kind) for x, is_position in zip(operands, positions)]
        results = along(request, function, numbers, np)
        return [codes_of(one, kind) for one in (results if isinstance(results, tuple) else [results])]

    return compute, f"onnxruntime {runtime.__version__}, CPU, opset 23"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runtime", nargs="?", choices=RUNTIMES, default="reference")
    parser.add_argument("--opset", type=int, default=onnx.defs.onnx_opset_version(), help="operator set")
    parser.add_argument("--unsaturated", action="store_true", help="Cast with saturate=0")
    return parser.parse_args()


def start(request):
    given = parse()
    if "arrays" in request.parameters:
        return on_arrays(request, given)
    none = f"onnx_adapter has no {request.operation} from {request.format} to {request.result_format}, {request.rounding}"
    model = model_of(request, given) if request.operation == "cast" else None
    if not model:
        return None, none
    try:
        compute, text = RUNTIMES[given.runtime](request, model)
        compute(np.zeros(1, f"u{request.operand_bytes}"))
    except Exception as error:  # what a package raises for a type that it lacks differs
        return None, f"{none}: {error}".splitlines()[0]
    return compute, f"{text}, opset {given.opset}{', saturate=0' if given.unsaturated else ''}"


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(start, arrays=True)
