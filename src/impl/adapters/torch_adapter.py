"""detcheck asks, PyTorch answers, on the CPU, or on the device that TORCH_DEVICE names:

    detcheck sweep gelu --format bf16 --impl 'exec:python3 torch_adapter.py'
    detcheck sweep logcumsumexp --exclusive --impl 'exec:env TORCH_DEVICE=cuda python3 torch_adapter.py'
    detcheck sweep cast --from fp32 --to fp8_e4m3fn --profile ml_dtypes --impl 'exec:python3 torch_adapter.py'

PyTorch scans neither exclusively nor from the end: such a scan is its own of what is turned round, or one place on.
"""

import os

from adapter import along, need, np, numbers_format, serve, takes_c_alone, type_of
from adapter_conditions import Conditions
from library_names import function_of

torch = need("torch")

DEVICE = os.environ.get("TORCH_DEVICE", "cpu")
FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64}
PRODUCTS = {
    "dot": lambda x, y, dim: torch.dot(x, y) if x.ndim == 1 else torch.sum(x * y, dim),
    "matmul": lambda x, y, *c, dim: torch.addmm(*c, x, y) if c else x @ y,
}


def on_arrays(request):
    function = PRODUCTS.get(request.operation) or function_of(torch, "torch", request.operation)
    accumulated = FORMATS.get(numbers_format(request))
    if not function or not accumulated or "accumulate" in request.parameters or takes_c_alone(request):
        return None
    return lambda *numbers, **shapes: along(request, function, [x.to(accumulated) if x.is_floating_point() else x for x in numbers], torch,
                                            "dim", **shapes)


def start(request):
    arrays, casts = "arrays" in request.parameters, request.operation == "cast"
    kind, target = (type_of(name, torch) if casts else FORMATS.get(name) for name in (request.format, numbers_format(request)))
    function = on_arrays(request) if arrays else (lambda x: x) if casts else function_of(torch, "torch", request.operation)
    if request.rounding != "nearest-even":
        return None, "PyTorch rounds to nearest-even only"
    if not kind or not target or not function or request.result_format != request.format and not (arrays or casts):
        return None, f"this adapter has no {request.operation} in {request.format}" + casts * f" to {request.result_format}"
    # Codes as signed integers of the same width, which every version has. Positions are integers.
    kinds = [kind if request.parameters.get(f"operand{i + 1}") != "int64" else torch.int64 for i in range(request.operands)]
    signed = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[request.result_bytes]

    def compute(*operands, **shapes):
        codes = [torch.from_numpy(operand.view(f"<i{operand.itemsize}").copy()).to(DEVICE) for operand in operands]
        with torch.no_grad():
            results = function(*(one.view(of) for one, of in zip(codes, kinds)), **shapes)
        results = results if isinstance(results, tuple) else [results]
        results = [(one.to(target).contiguous().view(signed) if one.is_floating_point() else one).cpu().numpy() for one in results]
        return [one.view(f"u{one.itemsize}") for one in map(np.asarray, results)]

    compute.takes_shapes = arrays
    name = torch.cuda.get_device_name() if DEVICE.startswith("cuda") else DEVICE
    return compute, f"PyTorch {torch.__version__}, {name}, {torch.get_num_threads()} threads"


CONDITIONS = Conditions("length threads rounding flushing precision flags left",
                        "PyTorch itself decides where its tensors are in memory, and what is beside them",
                        lambda: [f"ATEN_CPU_CAPABILITY={name}" for name in ("default", "avx2", "avx512")])

if __name__ == "__main__":
    serve(start, arrays=True, conditions=CONDITIONS)
