"""Plain texts of the kernels in operations on arrays, in the format of the operands: numpy's, and what JAX has of its own
or as flax and optax have it (library_kernels.py)."""

import itertools
import math

try:
    from .kernels_pulled import Pulled  # in the package
except ImportError:
    from kernels_pulled import Pulled


def pooled_length(length, window, stride, padding, ceil_mode):
    """How many windows there are: the last begins before the end."""
    places = length + 2 * padding - window
    count = (-(-places // stride) if ceil_mode else places // stride) + 1
    return count - (ceil_mode and (count - 1) * stride >= length + padding)


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

    def beside(self, x, axis, *sides):
        """A weight and a bias, as they stand beside x along that axis."""
        shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
        return [None if one is None else one.reshape(shape) for one in sides]

    def product(self, x, y):
        """numpy multiplies matrices of bf16 in fp32."""
        return self.np.matmul(x, y).astype(x.dtype)

    def scaled(self, y, weight, bias):
        y = y if weight is None else y * weight
        return y if bias is None else y + bias

    def rms_norm(self, x, weight=None, *, axis=-1, epsilon=0.0):
        v = self.np.mean(x * x, axis, keepdims=True)
        return self.scaled(x / self.np.sqrt(v + x.dtype.type(epsilon)), *self.beside(x, axis, weight, None))

    def normed(self, x, axes, weight, bias, epsilon):
        d = x - self.np.mean(x, axes, keepdims=True)
        v = self.np.mean(d * d, axes, keepdims=True)
        return self.scaled(d / self.np.sqrt(v + x.dtype.type(epsilon)), weight, bias)

    def layer_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-5):
        return self.normed(x, (axis % x.ndim,), *self.beside(x, axis, weight, bias), epsilon)

    def batch_norm(self, x, weight=None, bias=None, *, epsilon=1e-5):
        return self.normed(x, tuple(i for i in range(x.ndim) if i != 1), *self.beside(x, 1, weight, bias), epsilon)

    def group_norm(self, x, weight=None, bias=None, *, groups=1, epsilon=1e-5):
        shape = (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        sides = [None if one is None else one.reshape(1, *shape[1:3], *(1,) * (x.ndim - 2)) for one in (weight, bias)]
        return self.normed(x.reshape(shape), tuple(range(2, len(shape))), *sides, epsilon).reshape(x.shape)

    def l2_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=1e-12):
        norm = self.np.sqrt(self.np.sum(x * x, axis, keepdims=True))
        return self.scaled(x / self.np.maximum(norm, x.dtype.type(epsilon)), *self.beside(x, axis, weight, bias))

    def softmax(self, x, *, axis=-1):
        y = self.np.exp(x - self.np.max(x, axis, keepdims=True))
        return y / self.np.sum(y, axis, keepdims=True)

    def log_softmax(self, x, *, axis=-1):
        y = x - self.np.max(x, axis, keepdims=True)
        return y - self.np.log(self.np.sum(self.np.exp(y), axis, keepdims=True))

    def cross_entropy(self, x, target, weight=None, *, axis=-1, weighted=False, smoothing=0.0, ignore_index=-100, reduction="none"):
        """With weights a mean is over those of the targets."""
        np, t = self.np, x.dtype.type
        shares = self.log_softmax(x, axis=axis)
        each = 1 if weight is None else self.beside(x, axis, weight)[0]
        target = target.reshape([n for i, n in enumerate(x.shape) if i != axis % x.ndim])  # of one line it has an axis too much
        chosen = np.expand_dims(np.where(target == ignore_index, 0, target), axis)
        loss = -np.squeeze(np.take_along_axis(shares * each, chosen, axis), axis)
        if smoothing:
            loss = t(1 - smoothing) * loss - t(smoothing / x.shape[axis]) * np.sum(shares * each, axis)
        loss = np.where(target == ignore_index, t(0), loss)
        counts = np.where(target == ignore_index, t(0), t(1) if weight is None else weight[np.squeeze(chosen, axis)])
        return loss if reduction == "none" else np.sum(loss) if reduction == "sum" else np.sum(loss) / np.sum(counts)

    def embedding_bag(self, table, index, weight=None, *, mode="sum", weighted=False, padding_index=None):
        return self.pooled(table, index, weight, mode, index != (-1 if padding_index is None else padding_index))

    def pooled(self, table, index, weight, mode, kept):
        """Bags of the rows that are kept."""
        np, t, kept = self.np, table.dtype.type, kept[..., None]
        rows = table[index]
        rows = rows if weight is None else rows * weight[..., None]
        count = np.sum(kept, 1)
        if mode == "max":
            return np.where(count == 0, t(0), np.max(np.where(kept, rows, t(-math.inf)), 1))
        total = np.sum(np.where(kept, rows, t(0)), 1)
        return total if mode == "sum" else total / np.maximum(count, 1).astype(table.dtype)

    def embedding_bag_offsets(self, table, index, offset, weight=None, *, mode="sum", weighted=False, padding_index=None):
        """Each bag from its offset to the next one: the rows of others stand for none."""
        np, at = self.np, self.np.arange(index.shape[0])
        end = np.concatenate([offset[1:], np.array([index.shape[0]], offset.dtype)])
        own = (at >= offset[:, None]) & (at < end[:, None])
        none = -1 if padding_index is None else padding_index
        sides = None if weight is None else np.broadcast_to(weight, own.shape)
        return self.pooled(table, np.broadcast_to(index, own.shape), sides, mode, own & (index != none))

    def taps(self, x, sizes, stride, dilation, counts):
        """For each place in a window, its index and the elements there, a window each: of an x that is long enough."""
        for at in itertools.product(*map(range, sizes)):
            yield at, x[(..., *(slice(i * dilation, i * dilation + (n - 1) * stride + 1, stride) for i, n in zip(at, counts)))]

    def average_pool(self, x, *, window=2, stride=None, padding=0, count_include_pad=False, ceil_mode=False):
        np, stride, lengths = self.np, stride or window, x.shape[2:]
        counts = [pooled_length(n, window, stride, padding, ceil_mode) for n in lengths]
        behind = [max((c - 1) * stride + window - n - padding, padding) for c, n in zip(counts, lengths)]
        wide = [(0, 0), (0, 0), *((padding, more) for more in behind)]
        ones = np.pad(np.ones(x.shape, x.dtype), [(0, 0), (0, 0), *[(padding, padding)] * len(lengths)],
                      constant_values=1 if count_include_pad else 0)
        ones = np.pad(ones, [(0, 0), (0, 0), *((0, more - padding) for more in behind)])
        total, number = (sum(part for _, part in self.taps(one, [window] * len(lengths), stride, 1, counts))
                         for one in (np.pad(x, wide), ones))
        return total / number

    def convolution(self, x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
        np, sizes = self.np, weight.shape[2:]
        counts = [(n + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], sizes)]
        x = np.pad(x, [(0, 0), (0, 0), *[(padding, padding)] * len(sizes)])
        x = x.reshape(x.shape[0], groups, -1, *x.shape[2:])
        w = weight.reshape(groups, -1, *weight.shape[1:])
        y = sum(self.product(w[(..., *at)], part.reshape(*part.shape[:3], -1)) for at, part in self.taps(x, sizes, stride, dilation, counts))
        y = y.reshape(x.shape[0], -1, *counts)
        return y if bias is None else y + self.beside(y, 1, bias)[0]

    def sgd(self, parameter, gradient, velocity=None, *, learning_rate, momentum=0.0, dampening=0.0, nesterov=False, weight_decay=0.0,
            step=2):
        t = parameter.dtype.type
        gradient = gradient + t(weight_decay) * parameter
        velocity = gradient if velocity is None else t(momentum) * velocity + t(1 - dampening) * gradient
        return parameter - t(learning_rate) * (gradient + t(momentum) * velocity if nesterov else velocity), velocity

    def adam(self, parameter, gradient, mean, square, *, learning_rate, beta1, beta2, epsilon, weight_decay=0.0, step=1):
        """As optax has it."""
        return self.adam_step(parameter, gradient + parameter.dtype.type(weight_decay) * parameter, mean, square, learning_rate, beta1,
                              beta2, epsilon, 0.0, step)

    def adamw(self, parameter, gradient, mean, square, *, learning_rate, beta1, beta2, epsilon, weight_decay=0.0, step=1):
        return self.adam_step(parameter, gradient, mean, square, learning_rate, beta1, beta2, epsilon, weight_decay, step)

    def adam_step(self, parameter, gradient, mean, square, rate, beta1, beta2, epsilon, decay, step):
        t = parameter.dtype.type
        mean = t(1 - beta1) * gradient + t(beta1) * mean
        square = t(1 - beta2) * (gradient * gradient) + t(beta2) * square
        update = (mean / t(1 - beta1 ** step)) / (self.np.sqrt(square / t(1 - beta2 ** step)) + t(epsilon))
        return parameter + t(-rate) * (update + t(decay) * parameter), mean, square

    def sort(self, x, *, axis=-1, reverse=False):
        """Stable, NaN above all; from the greatest on by the order of the array turned round."""
        np, n = self.np, x.shape[axis]
        at = np.argsort(np.flip(x, axis) if reverse else x, axis, kind="stable")
        at = np.flip(n - 1 - at, axis) if reverse else at
        return np.take_along_axis(x, at, axis), at.astype("int64")

    def top_k(self, x, *, axis=-1, k=1, reverse=False):
        part = tuple(slice(k) if i == axis % x.ndim else slice(None) for i in range(x.ndim))
        return tuple(one[part] for one in self.sort(x, axis=axis, reverse=not reverse))

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
        angle = (position.reshape(x.shape[:-1]).astype(np.float32) / np.float32(factor))[..., None] * inverse
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
        s = self.product(q, np.swapaxes(k, -1, -2)) * q.dtype.type(1 / math.sqrt(q.shape[-1]))
        s = s if soft_cap in (None, "none") else q.dtype.type(soft_cap) * np.tanh(s / q.dtype.type(soft_cap))
        s = s + self.added_to_scores(q, k, added, causal, window, bias)
        e = np.exp(s - np.max(s, -1, keepdims=True))
        return self.product(e / np.sum(e, -1, keepdims=True), v)

    def argmax(self, x, *, axis=-1, reverse=False):
        return (self.np.argmin if reverse else self.np.argmax)(x, axis)


class Jax(Numpy, Pulled):
    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax

    def rms_norm(self, x, weight=None, *, axis=-1, epsilon=0.0):
        """As flax has it: in fp32 or wider, the weight times the reciprocal of the root first."""
        wide = self.widened(x)
        scale = self.jax.lax.rsqrt(self.np.mean(self.jax.lax.square(wide), axis, keepdims=True) + wide.dtype.type(epsilon))
        return (wide * self.scaled(scale, *self.beside(x, axis, weight, None))).astype(x.dtype)

    def widened(self, x):
        return x.astype(self.np.promote_types(x.dtype, self.np.float32))

    def normed(self, x, axes, weight, bias, epsilon):
        """As flax has it, its fast variance."""
        np, wide = self.np, self.widened(x)
        m = np.mean(wide, axes, keepdims=True)
        v = np.maximum(0, np.mean(self.jax.lax.square(wide), axes, keepdims=True) - self.jax.lax.square(m))
        scale = self.scaled(self.jax.lax.rsqrt(v + wide.dtype.type(epsilon)), weight, None)
        return self.scaled((wide - m) * scale, None, bias).astype(x.dtype)

    def log_softmax(self, x, *, axis=-1):
        return self.jax.nn.log_softmax(x, axis)

    def average_pool(self, x, *, window=2, stride=None, padding=0, count_include_pad=False, ceil_mode=False):
        """As flax has it: a sum by reduce_window over the number of elements."""
        np, axes, stride = self.np, x.ndim - 2, stride or window
        behind = [max((pooled_length(n, window, stride, padding, ceil_mode) - 1) * stride + window - n - padding, 0) for n in x.shape[2:]]
        own = [(0, 0), (0, 0), *[(padding, padding)] * axes]
        ones = np.pad(np.ones(x.shape, x.dtype), own) if not count_include_pad else np.ones(np.pad(x, own).shape, x.dtype)
        more = [(0, 0), (0, 0), *((0, max(one - padding, 0)) for one in behind)]

        def total(one):
            return self.jax.lax.reduce_window(one, one.dtype.type(0), self.jax.lax.add, (1, 1, *[window] * axes), (1, 1, *[stride] * axes), more)

        return total(np.pad(x, own)) / total(ones)

    def convolution(self, x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
        axes = x.ndim - 2
        y = self.jax.lax.conv_general_dilated(x, weight, [stride] * axes, [(padding, padding)] * axes, rhs_dilation=[dilation] * axes,
                                              feature_group_count=groups)
        return y if bias is None else y + self.beside(y, 1, bias)[0]

    def pulled(self, function, operands, g):
        """The gradients with respect to operands, of that of the result."""
        found = self.jax.vjp(function, *operands)[1](g)
        return found if len(found) > 1 else found[0]

    def full(self, shape, value, x):
        return self.np.full(shape, value, x.dtype)

    def rms_norm_weight_gradient(self, x, g, *, axis=-1, epsilon=0.0):
        return self.rms_gradient(x, g, "axis", axis, epsilon)

    def top_k(self, x, *, axis=-1, k=1, reverse=False):
        if reverse:
            return super().top_k(x, axis=axis, k=k, reverse=True)
        values, at = self.jax.lax.top_k(self.np.moveaxis(x, axis, -1), k)
        return self.np.moveaxis(values, -1, axis), self.np.moveaxis(at, -1, axis).astype("int64")

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
