"""detcheck asks, numpy answers:

    detcheck sweep sin --impl 'exec:python3 numpy_adapter.py'

To measure something else that works on arrays, change the table.
"""

import numpy as np

from adapter import serve

FORMATS = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}
NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh", "recip": "reciprocal", "add": "add", "sub": "subtract", "mul": "multiply",
         "div": "divide", "pow": "power", "atan2": "arctan2", "hypot": "hypot", "fmod": "fmod",
         "logaddexp": "logaddexp"}
NAMES |= {name: name for name in ("exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh "
                                  "sqrt cbrt").split()}


def start(request):
    kind = FORMATS.get(request.format)
    names = ["sin", "cos"] if request.operation == "sincos" else [NAMES.get(request.operation)]
    if request.rounding != "nearest-even":
        return None, "numpy rounds to nearest-even only"
    if not kind or request.result_format != request.format or None in names:
        return None, f"numpy has no {request.operation} in {request.format}"
    functions = [getattr(np, name) for name in names]
    code = f"u{request.result_bytes}"

    def compute(*operands):
        numbers = [operand.view(kind) for operand in operands]
        return [function(*numbers).astype(kind, copy=False).view(code) for function in functions]

    return compute, f"numpy {np.__version__}"


if __name__ == "__main__":
    np.seterr(all="ignore")
    serve(start)
