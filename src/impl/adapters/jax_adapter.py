"""detcheck asks, JAX answers, on its default device (CPU, GPU or TPU; JAX_PLATFORMS chooses):

    detcheck sweep gelu --format bf16 --impl 'exec:python3 jax_adapter.py'
    detcheck sweep softmax --format bf16 --impl 'exec:python3 jax_adapter.py'
    detcheck sweep cast --from fp32 --to fp8_e4m3fn --profile ml_dtypes --impl 'exec:python3 jax_adapter.py'
"""

import functools

from adapter import along, need, np, numbers_format, serve, takes_c_alone, type_of
from adapter_conditions import Conditions
from library_names import function_of

jax = need("jax")
jnp = need("jax.numpy")

FORMATS = {"fp16": jnp.float16, "bf16": jnp.bfloat16, "fp32": jnp.float32, "fp64": jnp.float64}
PRODUCTS = {
    "dot": lambda x, y, axis: jnp.dot(x, y) if x.ndim == 1 else jnp.sum(x * y, axis),
    "matmul": lambda x, y, *c, axis: sum(c, x @ y),
}


def on_arrays(request):
    function = PRODUCTS.get(request.operation) or function_of(jax, "jax", request.operation)
    accumulated = FORMATS.get(numbers_format(request))
    if not function or not accumulated or "accumulate" in request.parameters or takes_c_alone(request):
        return None
    return lambda *numbers, **shapes: along(request, function, [x.astype(accumulated) if x.dtype != jnp.int64 else x for x in numbers], jnp,
                                            **shapes)


def start(request):
    arrays, casts = "arrays" in request.parameters, request.operation == "cast"
    kind, target = (type_of(name, jnp) if casts else FORMATS.get(name) for name in (request.format, numbers_format(request)))
    function = on_arrays(request) if arrays else (lambda x: x) if casts else function_of(jax, "jax", request.operation)
    if request.rounding != "nearest-even":
        return None, "JAX rounds to nearest-even only"
    # The integers of a format's own width: a code of 4 bits comes and goes in 8. There are none of 6.
    codes, code = (one and getattr(jnp, f"uint{jnp.finfo(one).bits}", None) for one in (kind, target))
    if not codes or not code or not function or request.result_format != request.format and not (arrays or casts):
        return None, f"this adapter has no {request.operation} in {request.format}" + casts * f" to {request.result_format}"

    positions = [request.parameters.get(f"operand{i + 1}") == "int64" for i in range(request.operands)]

    @functools.partial(jax.jit, static_argnames="shapes")
    def on_codes(*operands, **shapes):
        numbers = [operand.astype(jnp.int64) if is_position else jax.lax.bitcast_convert_type(operand.astype(codes), kind)
                   for operand, is_position in zip(operands, positions)]
        results = function(*numbers, **shapes)
        results = results if isinstance(results, tuple) else [results]
        return [jax.lax.bitcast_convert_type(one.astype(target), code) if jnp.issubdtype(one.dtype, jnp.floating) else one.astype(jnp.uint64)
                for one in results]

    def compute(*operands, shapes=()):
        if arrays or "conditions" in request.parameters:
            return [np.asarray(one) for one in on_codes(*operands, **({"shapes": tuple(shapes)} if arrays else {}))]
        # Always as many, filled up with zeros: JAX compiles anew for every length.
        count = len(operands[0])
        filled = [np.pad(operand, (0, 32768 - count)) for operand in operands]
        return [np.asarray(one)[:count] for one in on_codes(*filled)]

    compute.takes_shapes = arrays
    device = jax.devices()[0]
    return compute, f"JAX {jax.__version__}, {device.platform} {device.device_kind}"


def variants():
    return [f"XLA_FLAGS=--xla_cpu_max_isa={name}" for name in ("SSE4_2", "AVX", "AVX2", "AVX512")]


CONDITIONS = Conditions("length threads rounding flushing precision flags left",
                        "JAX itself decides where its arrays are in memory, and what is beside them", variants)

if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    serve(start, arrays=True, conditions=CONDITIONS)
