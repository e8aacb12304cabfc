"""How libraries compute the kernels of a transformer: functions of their arrays, which name the parameters of detcheck that they
take among their own (causal, epsilon, rotary ...). library_names.function_of finds them where a library has no function of the
operation's own form.

What is here calls the library's own kernel where it has one, and is written in its operations otherwise: rope in all of them, norms in
JAX and numpy. Operands that a call has not are None.
"""

import math


def is_last(x, axis):
    return axis % x.ndim == x.ndim - 1


class Torch:
    def __init__(self, torch):
        self.torch, self.nn = torch, torch.nn.functional

    def along_last(self, norm, x, dim):
        """Of functions that norm the last axis alone."""
        return norm(x) if is_last(x, dim) else norm(x.movedim(dim, -1)).movedim(-1, dim)

    def rms_norm(self, x, weight=None, *, dim=-1, epsilon=None):
        return self.along_last(lambda y: self.nn.rms_norm(y, y.shape[-1:], weight, epsilon), x, dim)

    def layer_norm(self, x, weight=None, bias=None, *, dim=-1, epsilon=1e-5):
        return self.along_last(lambda y: self.nn.layer_norm(y, y.shape[-1:], weight, bias, epsilon), x, dim)

    def l2_norm(self, x, weight=None, bias=None, *, dim=-1, epsilon=1e-12):
        y = self.nn.normalize(x, dim=dim, eps=epsilon).movedim(dim, -1)
        y = y if weight is None else y * weight
        return (y if bias is None else y + bias).movedim(-1, dim)

    def group_norm(self, x, weight=None, bias=None, *, groups=1, epsilon=1e-5):
        return self.nn.group_norm(x, groups, weight, bias, epsilon)

    def batch_norm(self, x, weight=None, bias=None, *, epsilon=1e-5):
        return self.nn.batch_norm(x, None, None, weight, bias, True, eps=epsilon)

    def silu_mul(self, x, u):
        return self.nn.silu(x) * u

    def gelu_mul(self, x, u, *, approximate="none"):
        return self.nn.gelu(x, approximate=approximate) * u

    def swiglu(self, x, *, dim=-1):
        return self.silu_mul(*x.chunk(2, dim))

    def geglu(self, x, *, dim=-1, approximate="none"):
        return self.gelu_mul(*x.chunk(2, dim), approximate=approximate)

    def rope(self, x, position, *, base=10000.0, factor=1.0, rotary=None, interleaved=False):
        torch = self.torch
        n = rotary or x.shape[-1]
        inverse = 1.0 / base ** (torch.arange(0, n, 2, dtype=torch.int64).float() / n)
        angle = (position.float() / factor)[..., None] * inverse
        c, s = (one(angle).to(x.dtype) for one in (torch.cos, torch.sin))
        return turned(torch.stack, torch.cat, x, c, s, n, interleaved)

    def attention(self, q, k, v, added=None, *, causal=False, window=None, bias="none", soft_cap=None):
        torch = self.torch
        if soft_cap not in (None, "none"):
            raise ValueError("scaled_dot_product_attention has no soft cap")
        distance = torch.arange(k.shape[-2])[None, :] - torch.arange(q.shape[-2])[:, None] + q.shape[-2] - k.shape[-2]
        mask = added if bias == "mask" else None
        if bias == "alibi":
            mask = added[:, None, None] * distance
        is_causal = causal and mask is None and window is None and q.shape[-2] == k.shape[-2]
        hidden = distance > 0 if causal and not is_causal else torch.zeros(distance.shape, dtype=torch.bool)
        hidden = hidden if window is None else hidden | (distance.abs() >= window)
        if bool(hidden.any()):
            mask = torch.zeros(distance.shape, dtype=q.dtype) if mask is None else mask
            mask = mask.masked_fill(hidden, -math.inf)
        return self.nn.scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal, enable_gqa=q.shape[1] != k.shape[1])

    def sort(self, x, *, dim=-1, reverse=False):
        return tuple(self.torch.sort(x, dim=dim, descending=reverse, stable=True))

    def top_k(self, x, *, dim=-1, k=1, reverse=False):
        return tuple(self.torch.topk(x, k, dim, largest=not reverse))

    def argmax(self, x, *, dim=-1, reverse=False):
        return (self.torch.argmin if reverse else self.torch.argmax)(x, dim)


def turned(stack, join, x, c, s, n, interleaved):
    """Rope in the format of x: each product and each sum rounded to it."""
    rest = x[..., n:]
    if interleaved:
        a, b = x[..., 0:n:2], x[..., 1:n:2]
        y = stack([a * c - b * s, b * c + a * s], -1)
        return join([y.reshape(*x.shape[:-1], n), rest], -1)
    a, b = x[..., :n // 2], x[..., n // 2:n]
    return join([a * c - b * s, b * c + a * s, rest], -1)


class Numpy:
    """Plain texts of the kernels in arrays' operations, in the format of the operands: numpy's, and JAX's where JAX has none."""

    def __init__(self, package):
        self.np = package

    def scaled(self, y, weight, bias, axis):
        shape = [-1 if i == axis % y.ndim else 1 for i in range(y.ndim)]
        y = y if weight is None else y * weight.reshape(shape)
        return y if bias is None else y + bias.reshape(shape)

    def rms_norm(self, x, weight=None, *, axis=-1, epsilon=0.0):
        v = self.np.mean(x * x, axis, keepdims=True)
        return self.scaled(x / self.np.sqrt(v + x.dtype.type(epsilon)), weight, None, axis)

    def layer_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-5):
        d = x - self.np.mean(x, axis, keepdims=True)
        v = self.np.mean(d * d, axis, keepdims=True)
        return self.scaled(d / self.np.sqrt(v + x.dtype.type(epsilon)), weight, bias, axis)

    def l2_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-12):
        norm = self.np.sqrt(self.np.sum(x * x, axis, keepdims=True))
        return self.scaled(x / self.np.maximum(norm, x.dtype.type(epsilon)), weight, bias, axis)

    def silu(self, x):
        return x / (1 + self.np.exp(-x))

    def gelu(self, x, approximate):
        if approximate != "tanh":
            raise ValueError("numpy has no erf")
        t = x.dtype.type
        return t(0.5) * x * (1 + self.np.tanh(t(math.sqrt(2 / math.pi)) * (x + t(0.044715) * x * x * x)))

    def silu_mul(self, x, u):
        return self.silu(x) * u

    def gelu_mul(self, x, u, *, approximate="none"):
        return self.gelu(x, approximate) * u

    def swiglu(self, x, *, axis=-1):
        return self.silu_mul(*self.np.split(x, 2, axis))

    def geglu(self, x, *, axis=-1, approximate="none"):
        return self.gelu_mul(*self.np.split(x, 2, axis), approximate=approximate)

    def rope(self, x, position, *, base=10000.0, factor=1.0, rotary=None, interleaved=False):
        np, n = self.np, rotary or x.shape[-1]
        inverse = np.float32(1) / np.float32(base) ** (np.arange(0, n, 2).astype(np.float32) / np.float32(n))
        angle = (position.astype(np.float32) / np.float32(factor))[..., None] * inverse
        return turned(np.stack, np.concatenate, x, np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype), n, interleaved)

    def added_to_scores(self, q, k, added, causal, window, bias):
        """What is added to scores, or None; the last query has all keys."""
        np = self.np
        distance = np.arange(k.shape[-2])[None, :] - np.arange(q.shape[-2])[:, None] + q.shape[-2] - k.shape[-2]
        mask = added if bias == "mask" else (added[:, None, None] * distance).astype(q.dtype) if bias == "alibi" else None
        hidden = distance > 0 if causal else distance > k.shape[-2]
        hidden = hidden if window is None else hidden | (np.abs(distance) >= window)
        nothing = np.where(hidden, -math.inf, 0).astype(q.dtype)
        return nothing if mask is None else mask + nothing

    def attention(self, q, k, v, added=None, *, causal=False, window=None, bias="none", soft_cap=None):
        np = self.np
        k, v = (np.repeat(one, q.shape[1] // k.shape[1], 1) for one in (k, v))
        s = np.matmul(q, np.swapaxes(k, -1, -2)) * q.dtype.type(1 / math.sqrt(q.shape[-1]))
        s = s if soft_cap in (None, "none") else q.dtype.type(soft_cap) * np.tanh(s / q.dtype.type(soft_cap))
        s = s + self.added_to_scores(q, k, added, causal, window, bias)
        e = np.exp(s - np.max(s, -1, keepdims=True))
        return np.matmul(e / np.sum(e, -1, keepdims=True), v)

    def argmax(self, x, *, axis=-1, reverse=False):
        return (self.np.argmin if reverse else self.np.argmax)(x, axis)


class Jax(Numpy):
    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax

    def rms_norm(self, x, weight=None, *, axis=-1, epsilon=0.0):
        """As flax has it: in fp32, the weight times the reciprocal of the root first."""
        wide = x.astype(self.np.float32)
        scale = self.jax.lax.rsqrt(self.np.mean(self.jax.lax.square(wide), axis, keepdims=True) + self.np.float32(epsilon))
        return (wide * self.scaled(scale, weight, None, axis)).astype(x.dtype)

    def layer_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-5):
        """As flax has it, its fast variance."""
        np, wide = self.np, x.astype(self.np.float32)
        m = np.mean(wide, axis, keepdims=True)
        v = np.maximum(0, np.mean(self.jax.lax.square(wide), axis, keepdims=True) - self.jax.lax.square(m))
        scale = self.scaled(self.jax.lax.rsqrt(v + np.float32(epsilon)), weight, None, axis)
        return self.scaled((wide - m) * scale, None, bias, axis).astype(x.dtype)

    def silu(self, x):
        return self.jax.nn.silu(x)

    def gelu(self, x, approximate):
        return self.jax.nn.gelu(x, approximate=approximate == "tanh")

    def attention(self, q, k, v, added=None, *, causal=False, window=None, bias="none", soft_cap=None):
        if soft_cap not in (None, "none"):
            raise ValueError("dot_product_attention has no soft cap")
        turn = lambda one: self.np.swapaxes(one, 1, 2)  # noqa: E731
        mask = self.added_to_scores(q, k, added, causal, window, bias)
        mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        return turn(self.jax.nn.dot_product_attention(turn(q), turn(k), turn(v), bias=mask))

    def sort(self, x, *, axis=-1, reverse=False):
        at = self.np.argsort(x, axis, stable=True, descending=reverse)
        return self.np.take_along_axis(x, at, axis), at.astype("int64")


class Onnxruntime:
    """Models of one node, of opset 23, in one thread on the CPU."""

    def __init__(self, runtime):
        self.runtime, self.sessions = runtime, {}

    def run(self, kind, operands, **attributes):
        import onnx
        import numpy as np
        names = [f"x{i}" * (one is not None) for i, one in enumerate(operands)]
        given = {name: np.ascontiguousarray(one) for name, one in zip(names, operands) if name}
        key = (kind, *names, *((one.dtype.str, one.ndim) for one in given.values()), *attributes.items())
        if key not in self.sessions:
            types = {name: onnx.helper.np_dtype_to_tensor_dtype(one.dtype) for name, one in given.items()}
            ends = [onnx.helper.make_tensor_value_info(name, types[name], [None] * given[name].ndim) for name in given]
            y = onnx.helper.make_tensor_value_info("y", types[names[0]], None)
            node = onnx.helper.make_node(kind, names, ["y"], **attributes)
            model = onnx.helper.make_model(onnx.helper.make_graph([node], kind, ends, [y]),
                                           opset_imports=[onnx.helper.make_opsetid("", 23)], ir_version=11)
            options = self.runtime.SessionOptions()
            options.intra_op_num_threads, options.log_severity_level = 1, 4
            self.sessions[key] = self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return self.sessions[key].run(None, given)[0]

    def softmax(self, x, *, axis=-1):
        return self.run("Softmax", [x], axis=axis)

    def along_last(self, kind, operands, axis, epsilon):
        import numpy as np
        x, weight, *bias = operands
        weight = weight if weight is not None else np.ones(x.shape[axis], x.dtype)
        y = self.run(kind, [np.moveaxis(x, axis, -1), weight, *(one for one in bias if one is not None)], axis=-1, epsilon=epsilon)
        return np.moveaxis(y, -1, axis)

    def rms_norm(self, x, weight=None, *, axis=-1, epsilon=1e-5):
        return self.along_last("RMSNormalization", [x, weight], axis, epsilon)

    def layer_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-5):
        return self.along_last("LayerNormalization", [x, weight, bias], axis, epsilon)

    def rope(self, x, position, *, base=10000.0, factor=1.0, rotary=None, interleaved=False):
        import numpy as np
        n, wide = rotary or x.shape[-1], np.float32
        inverse = wide(1) / wide(base) ** (np.arange(0, n, 2).astype(wide) / wide(n))
        angle = ((position.astype(wide) / wide(factor)).reshape(-1)[:, None] * inverse)[None]
        c, s = (one(angle).astype(x.dtype) for one in (np.cos, np.sin))
        rows = x.reshape(1, 1, -1, x.shape[-1])
        y = self.run("RotaryEmbedding", [rows, c, s], interleaved=int(bool(interleaved)), rotary_embedding_dim=0 if n == x.shape[-1] else n)
        return y.reshape(x.shape)

    def attention(self, q, k, v, added=None, *, causal=False, window=None, bias="none", soft_cap=None):
        import numpy as np
        mask = Numpy(np).added_to_scores(q, k, added, causal, window, bias)
        cap = {} if soft_cap in (None, "none") else {"softcap": float(soft_cap)}
        return self.run("Attention", [q, k, v, np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))], **cap)


LIBRARIES = {"torch": Torch, "jax": Jax, "numpy": Numpy, "onnxruntime": Onnxruntime}
KERNELS = ("rms_norm layer_norm l2_norm group_norm batch_norm silu_mul gelu_mul swiglu geglu rope attention sort top_k argmax").split()
_made = {}


def kernel_of(module, library, operation):
    """The function, or None."""
    if library not in LIBRARIES or not (operation in KERNELS or library == "onnxruntime" and operation == "softmax"):
        return None
    if library not in _made:
        _made[library] = LIBRARIES[library](module)
    return getattr(_made[library], operation, None)
