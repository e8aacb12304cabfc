"""How libraries compute the kernels of a transformer: functions of their arrays, which name the parameters of detcheck that they
take among their own (causal, epsilon, rotary ...). library_names.function_of finds them where a library has no function of the
operation's own form.

A library's own kernel is called where it has one; what it has not is written in its operations: rope in all of them, norms and
steps of optimisers in JAX and numpy. Operands that a call has not are None.
"""

try:
    from .kernels_of_numpy import Jax, Numpy  # in the package
    from .kernels_of_onnx import Onnxruntime
    from .kernels_of_torch import Torch
except ImportError:
    from kernels_of_numpy import Jax, Numpy
    from kernels_of_onnx import Onnxruntime
    from kernels_of_torch import Torch

LIBRARIES = {"torch": Torch, "jax": Jax, "numpy": Numpy, "onnxruntime": Onnxruntime}
KERNELS = ("rms_norm layer_norm l2_norm group_norm batch_norm softmax log_softmax cross_entropy silu_mul gelu_mul swiglu geglu rope attention "
           "embedding_bag average_pool convolution sgd adam adamw sort top_k argmax cumsum rms_norm_gradient layer_norm_gradient "
           "rope_gradient cross_entropy_gradient").split()
_made = {}


def kernel_of(module, library, operation):
    """The function, or None."""
    if library not in LIBRARIES or operation not in KERNELS:
        return None
    if library not in _made:
        _made[library] = LIBRARIES[library](module)
    return getattr(_made[library], operation, None)
