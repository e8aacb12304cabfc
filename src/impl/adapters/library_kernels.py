"""How libraries compute the kernels of a transformer: functions of their arrays, which name the parameters of detcheck that they
take among their own (causal, epsilon, rotary ...). library_names.function_of finds them where a library has no function of the
operation's own form.

A library's own kernel is called where it has one; what it has not is written in its operations: rope in all of them, norms and
steps of optimisers in JAX and numpy. Operands that a call has not are None. Gradients are differentiations of these by the library itself.
"""

import inspect

try:
    from .kernels_of_numpy import Jax, Numpy  # in the package
    from .kernels_of_onnx import Onnxruntime
    from .kernels_of_torch import Torch
except ImportError:
    from kernels_of_numpy import Jax, Numpy
    from kernels_of_onnx import Onnxruntime
    from kernels_of_torch import Torch

LIBRARIES = {"torch": Torch, "jax": Jax, "numpy": Numpy, "onnxruntime": Onnxruntime}
NORMS = "rms_norm layer_norm l2_norm group_norm batch_norm".split()
# Of a gradient by differentiation: the place of g among the operands, and of how many of the first ones it is the gradient.
GRADIENTS = {f"{name}_gradient": row for row, names in {
    (1, 1): [*NORMS, *"softmax log_softmax swiglu geglu".split()], (2, 1): ["cross_entropy"], (2, 2): ["silu_mul", "gelu_mul"],
    (3, 3): ["attention"]}.items()
             for name in names}
WEIGHT_GRADIENTS = [f"{name}_weight_gradient" for name in NORMS if name != "rms_norm"]  # rms_norm has no bias there: Pulled has it
KERNELS = [*NORMS, *("softmax log_softmax cross_entropy silu_mul gelu_mul swiglu geglu rope attention embedding_bag average_pool "
                     "embedding_bag_offsets convolution sgd adam adamw sort top_k argmax cumsum").split(), *GRADIENTS, *WEIGHT_GRADIENTS,
           *(f"{name}_gradient" for name in "rope rms_norm_weight convolution average_pool embedding_bag embedding_bag_offsets "
             "embedding_bag_weight embedding_bag_offsets_weight".split())]
_made = {}


def gradient_of(made, operation):
    """By differentiation of the library's own kernel, or None; it names the parameters that this takes."""
    is_weight = operation in WEIGHT_GRADIENTS
    forward = getattr(made, operation.replace("_weight", "").replace("_gradient", ""), None)
    if not forward or not hasattr(made, "pulled"):
        return None

    def gradient(*operands, **settings):
        if is_weight:
            x, g = operands
            sides = made.sides(x, settings.get("axis", settings.get("dim", 1)))
            return made.pulled(lambda weight, bias: forward(x, weight, bias, **settings), sides, g)
        at, count = GRADIENTS[operation]
        own = [*operands[:at], *operands[at + 1:]]
        return made.pulled(lambda *some: forward(*some, *own[count:], **settings), own[:count], operands[at])

    named = [one for one in inspect.signature(forward).parameters.values() if one.kind == one.KEYWORD_ONLY]
    gradient.__signature__ = inspect.Signature([inspect.Parameter("operands", inspect.Parameter.VAR_POSITIONAL), *named])
    return gradient


def kernel_of(module, library, operation):
    """The function, or None."""
    if library not in LIBRARIES or operation not in KERNELS:
        return None
    if library not in _made:
        _made[library] = LIBRARIES[library](module)
    if operation in GRADIENTS or operation in WEIGHT_GRADIENTS:
        return gradient_of(_made[library], operation)
    return getattr(_made[library], operation, None)
