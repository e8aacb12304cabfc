"""detcheck asks, numpy answers:

    detcheck sweep sin --impl 'exec:python3 numpy_adapter.py'
    detcheck sweep softmax --impl 'exec:python3 numpy_adapter.py'
    detcheck sweep cast --from fp32 --to fp8_e4m3fn --profile ml_dtypes --impl 'exec:python3 numpy_adapter.py'

Types that numpy lacks are those of ml_dtypes, where it is installed. Other functions on arrays: detcheck-python(7).
"""

from adapter import along, codes_of, np, numbers_format, serve, takes_c_alone, type_of
from adapter_conditions import Conditions, numpy_variants
from library_names import function_of

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None  # casts are those of numpy's own types then

FORMATS = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}


# Where numpy has none, or one of another form. All are along an axis.
LINES = {"matmul": lambda x, y, *c, axis: sum(c, x @ y),
         "dot": lambda x, y, axis: np.dot(x, y) if x.ndim == 1 else (x * y).sum(axis)}


def on_arrays(request):
    kind, accumulated = FORMATS.get(request.format), FORMATS.get(numbers_format(request))
    function = LINES.get(request.operation) or function_of(np, "numpy", request.operation)
    if not kind or not accumulated or not function or "accumulate" in request.parameters or takes_c_alone(request):
        return None

    positions = [request.parameters.get(f"operand{i + 1}") == "int64" for i in range(request.operands)]

    def compute(*operands, shapes):
        numbers = [x.view(np.int64) if is_position else x.view(kind).astype(accumulated) for x, is_position in zip(operands, positions)]
        results = along(request, function, numbers, np, shapes=shapes)
        return [codes_of(one, accumulated) for one in (results if isinstance(results, tuple) else [results])]

    compute.takes_shapes = True
    return compute


def on_numbers(request):
    kind = FORMATS.get(request.format)
    functions = [function_of(np, "numpy", name)
                 for name in (["sin", "cos"] if request.operation == "sincos" else [request.operation])]
    if not kind or request.result_format != request.format or None in functions:
        return None

    def compute(*operands, out=None, by_number=False):
        numbers = [x.view(kind) for x in operands]
        if by_number:
            return [np.array([function(*x) for x in zip(*numbers)], kind).view(operands[0].dtype) for function in functions]
        # The first result last: it may lie over the operand.
        for function, into in reversed([*zip(functions, out or [])]):
            function(*numbers, out=into.view(kind))
        return out or [function(*numbers).astype(kind, copy=False).view(operands[0].dtype) for function in functions]

    return compute


def on_casts(request):
    kind, target = (type_of(name, np, ml_dtypes) for name in (request.format, request.result_format))
    if not kind or not target:
        return None

    def compute(x, out=None, by_number=False):
        numbers = x.view(kind)
        result = np.array([number.astype(target) for number in numbers], target) if by_number else numbers.astype(target)
        if not out:
            return [result.view(f"u{request.result_bytes}")]
        out[0][:] = result.view(out[0].dtype)
        return out

    return compute


def start(request):
    kind = on_arrays if "arrays" in request.parameters else on_casts if request.operation == "cast" else on_numbers
    compute = kind(request)
    if request.rounding != "nearest-even":
        return None, "numpy rounds to nearest-even only"
    if not compute:
        settings = ", ".join(f"{name} {value}" for name, value in request.parameters.items())
        return None, f"numpy_adapter has no {request.operation} in {request.format} {settings}".strip()
    casts = f", ml_dtypes {ml_dtypes.__version__}" if request.operation == "cast" and ml_dtypes else ""
    return compute, f"numpy {np.__version__}{casts}"


CONDITIONS = Conditions("length offset stride in-place threads rounding flushing precision flags by-number around left",
                        "numpy does not survive traps", numpy_variants)

if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(start, arrays=True, conditions=CONDITIONS)
