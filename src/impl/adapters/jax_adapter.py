"""detcheck asks, JAX answers, on its default device (CPU, GPU or TPU; JAX_PLATFORMS chooses):

    detcheck sweep gelu --format bf16 --impl 'exec:python3 jax_adapter.py'
"""

import jax
import jax.numpy as jnp
import numpy as np

from adapter import serve

FORMATS = {"fp16": jnp.float16, "bf16": jnp.bfloat16, "fp32": jnp.float32, "fp64": jnp.float64}
FUNCTIONS = {
    "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan, "asinh": jnp.arcsinh,
    "acosh": jnp.arccosh, "atanh": jnp.arctanh, "recip": jnp.reciprocal, "add": jnp.add,
    "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "pow": jnp.power,
    "atan2": jnp.arctan2, "hypot": jnp.hypot, "fmod": jnp.fmod, "logaddexp": jnp.logaddexp,
    "rsqrt": jax.lax.rsqrt, "erf": jax.lax.erf, "erfc": jax.lax.erfc, "lgamma": jax.lax.lgamma,
    "sigmoid": jax.nn.sigmoid, "softplus": jax.nn.softplus, "silu": jax.nn.silu, "mish": jax.nn.mish,
    "logsigmoid": jax.nn.log_sigmoid, "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
}
FUNCTIONS |= {name: getattr(jnp, name) for name in
              "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt cbrt".split()}


def start(request):
    kind, function = FORMATS.get(request.format), FUNCTIONS.get(request.operation)
    if request.rounding != "nearest-even":
        return None, "JAX rounds to nearest-even only"
    if not kind or not function or request.result_format != request.format:
        return None, f"this adapter has no {request.operation} in {request.format}"
    code = {1: jnp.uint8, 2: jnp.uint16, 4: jnp.uint32, 8: jnp.uint64}[request.result_bytes]

    @jax.jit
    def on_codes(*operands):
        numbers = [jax.lax.bitcast_convert_type(operand, kind) for operand in operands]
        return jax.lax.bitcast_convert_type(function(*numbers).astype(kind), code)

    def compute(*operands):
        # Always as many, filled up with zeros: JAX compiles anew for every length.
        count = len(operands[0])
        filled = [np.pad(operand, (0, 32768 - count)) for operand in operands]
        return [np.asarray(on_codes(*filled))[:count]]

    device = jax.devices()[0]
    return compute, f"JAX {jax.__version__}, {device.platform} {device.device_kind}"


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    serve(start)
