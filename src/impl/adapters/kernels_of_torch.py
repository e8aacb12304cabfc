"""The kernels of PyTorch (library_kernels.py)."""

import importlib
import math

try:
    from .kernels_of_numpy import turned  # in the package
    from .kernels_pulled import Pulled
except ImportError:
    from kernels_of_numpy import turned
    from kernels_pulled import Pulled


def is_last(x, axis):
    return axis % x.ndim == x.ndim - 1


def step_of(name):
    """The function behind a class of torch.optim, which hides its modules."""
    return getattr(importlib.import_module(f"torch.optim.{name}"), name)


class Torch(Pulled):
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
        return self.torch.group_norm(x, groups, weight, bias, epsilon)  # that of torch.nn refuses a group of one number

    def batch_norm(self, x, weight=None, bias=None, *, epsilon=1e-5):
        return self.torch.batch_norm(x, weight, bias, None, None, True, 0.0, epsilon, False)

    def cross_entropy(self, x, target, weight=None, *, dim=-1, weighted=False, smoothing=0.0, ignore_index=-100, reduction="none"):
        lines = x.movedim(dim, -1)
        loss = self.nn.cross_entropy(lines.reshape(-1, lines.shape[-1]), target.reshape(-1), weight, ignore_index=ignore_index, reduction=reduction,
                                     label_smoothing=smoothing)
        return loss.reshape(target.shape) if reduction == "none" else loss

    def embedding_bag(self, table, index, weight=None, *, mode="sum", weighted=False, padding_index=None):
        return self.nn.embedding_bag(index, table, mode=mode, per_sample_weights=weight, padding_idx=padding_index)

    def embedding_bag_offsets(self, table, index, offset, weight=None, *, mode="sum", weighted=False, padding_index=None):
        return self.nn.embedding_bag(index, table, offset, mode=mode, per_sample_weights=weight, padding_idx=padding_index)

    def average_pool(self, x, *, window=2, stride=None, padding=0, count_include_pad=False, ceil_mode=False):
        pool = (self.nn.avg_pool1d, self.nn.avg_pool2d, self.nn.avg_pool3d)[x.ndim - 3]
        return pool(x, window, stride, padding, bool(ceil_mode), bool(count_include_pad))

    def convolution(self, x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
        convolve = (self.nn.conv1d, self.nn.conv2d, self.nn.conv3d)[x.ndim - 3]
        return convolve(x, weight, bias, stride, padding, dilation, groups)

    def sgd(self, parameter, gradient, velocity=None, *, learning_rate, momentum=0.0, dampening=0.0, nesterov=False, weight_decay=0.0,
            step=2):
        """torch.optim.SGD, one tensor at a time; what it keeps without a momentum is the gradient with the decay."""
        kept, decayed = [velocity], gradient.add(parameter, alpha=weight_decay)
        step_of("sgd")([parameter], [gradient], kept, foreach=False, weight_decay=weight_decay, momentum=momentum,
                                 lr=learning_rate, dampening=dampening, nesterov=bool(nesterov), maximize=False)
        return parameter, decayed if kept[0] is None else kept[0]

    def adam(self, parameter, gradient, mean, square, *, learning_rate, beta1, beta2, epsilon, weight_decay=0.0, step=1):
        return self.adam_step(step_of("adam"), parameter, gradient, mean, square, learning_rate, beta1, beta2, epsilon,
                              weight_decay, step)

    def adamw(self, parameter, gradient, mean, square, *, learning_rate, beta1, beta2, epsilon, weight_decay=0.0, step=1):
        return self.adam_step(step_of("adamw"), parameter, gradient, mean, square, learning_rate, beta1, beta2, epsilon,
                              weight_decay, step)

    def adam_step(self, made, parameter, gradient, mean, square, learning_rate, beta1, beta2, epsilon, weight_decay, step):
        """torch.optim.Adam and AdamW, one tensor at a time."""
        steps = self.torch.tensor(float(step - 1))
        made([parameter], [gradient], [mean], [square], [], [steps], foreach=False, amsgrad=False, beta1=beta1, beta2=beta2,
             lr=learning_rate, weight_decay=weight_decay, eps=epsilon, maximize=False)
        return parameter, mean, square

    def pulled(self, function, operands, g):
        """The gradients with respect to operands, of that of the result."""
        with self.torch.enable_grad():
            own = [x.detach().requires_grad_() for x in operands]
            found = self.torch.autograd.grad(function(*own), own, g)
        return found if len(found) > 1 else found[0]

    def full(self, shape, value, x):
        return self.torch.full(tuple(shape), value, dtype=x.dtype, device=x.device)

    def rms_norm_weight_gradient(self, x, g, *, dim=-1, epsilon=None):
        return self.rms_gradient(x, g, "dim", dim, epsilon)

    def softmax(self, x, *, dim=-1):
        return self.torch.softmax(x, dim)

    def log_softmax(self, x, *, dim=-1):
        return self.torch.log_softmax(x, dim)

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
        angle = (position.reshape(x.shape[:-1]).float() / factor)[..., None] * inverse
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
