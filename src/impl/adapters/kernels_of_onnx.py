"""The kernels of ONNX, by onnxruntime (library_kernels.py)."""

try:
    from .kernels_of_numpy import Numpy  # in the package
except ImportError:
    from kernels_of_numpy import Numpy


INDICES = {"TopK": ["y1"], "ArgMax": ["y0"], "ArgMin": ["y0"]}  # results that are


class Onnxruntime:
    """Models of one node, of opset 23, in one thread on the CPU."""

    def __init__(self, runtime):
        self.runtime, self.sessions = runtime, {}

    def run(self, kind, operands, results=1, **attributes):
        import onnx
        import numpy as np
        names = [f"x{i}" * (one is not None) for i, one in enumerate(operands)]
        given = {name: np.ascontiguousarray(one) for name, one in zip(names, operands) if name}
        key = (kind, *names, *((one.dtype.str, one.ndim) for one in given.values()), *attributes.items())
        if key not in self.sessions:
            types = {name: onnx.helper.np_dtype_to_tensor_dtype(one.dtype) for name, one in given.items()}
            ends = [onnx.helper.make_tensor_value_info(name, types[name], [None] * given[name].ndim) for name in given]
            named = [f"y{i}" for i in range(results)]
            node = onnx.helper.make_node(kind, names, named, **attributes)
            y = [onnx.helper.make_tensor_value_info(one, onnx.TensorProto.INT64 if named[i:] == INDICES.get(kind) else types[names[0]], None)
                 for i, one in enumerate(named)]
            model = onnx.helper.make_model(onnx.helper.make_graph([node], kind, ends, y),
                                           opset_imports=[onnx.helper.make_opsetid("", 23)], ir_version=11)
            options = self.runtime.SessionOptions()
            options.intra_op_num_threads, options.log_severity_level = 1, 4
            self.sessions[key] = self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        found = self.sessions[key].run(None, given)
        return found if results > 1 else found[0]

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

    def log_softmax(self, x, *, axis=-1):
        return self.run("LogSoftmax", [x], axis=axis)

    def group_norm(self, x, weight=None, bias=None, *, groups=1, epsilon=1e-5):
        weight, bias = self.sides(x, weight, bias)
        return self.run("GroupNormalization", [x, weight, bias], num_groups=groups, epsilon=epsilon)

    def batch_norm(self, x, weight=None, bias=None, *, epsilon=1e-5):
        """By the mean and the variance of the batch, in training mode."""
        weight, bias = self.sides(x, weight, bias)
        zero, one = self.sides(x, None, None)[::-1]
        return self.run("BatchNormalization", [x, weight, bias, zero, one], results=3, epsilon=epsilon, training_mode=1)[0]

    def sides(self, x, weight, bias):
        import numpy as np
        return [np.full(x.shape[1], value, x.dtype) if one is None else one for one, value in ((weight, 1), (bias, 0))]

    def l2_norm(self, x, weight=None, bias=None, *, axis=-1, epsilon=0.0):
        import numpy as np
        if epsilon != 0:
            raise ValueError("LpNormalization has no epsilon")
        y = np.moveaxis(self.run("LpNormalization", [x], axis=axis, p=2), axis, -1)
        y = y if weight is None else self.run("Mul", [y, weight])
        return np.moveaxis(y if bias is None else self.run("Add", [y, bias]), -1, axis)

    def silu_mul(self, x, u):
        return self.run("Mul", [self.run("Mul", [x, self.run("Sigmoid", [x])]), u])

    def gelu_mul(self, x, u, *, approximate="none"):
        return self.run("Mul", [self.run("Gelu", [x], approximate=approximate), u])

    def swiglu(self, x, *, axis=-1):
        return self.silu_mul(*self.halves(x, axis))

    def geglu(self, x, *, axis=-1, approximate="none"):
        return self.gelu_mul(*self.halves(x, axis), approximate=approximate)

    def halves(self, x, axis):
        import numpy as np
        return np.split(x, 2, axis)

    def average_pool(self, x, *, window=2, stride=None, padding=0, count_include_pad=False, ceil_mode=False):
        axes = x.ndim - 2
        return self.run("AveragePool", [x], kernel_shape=(window,) * axes, strides=(stride or window,) * axes, pads=(padding,) * (2 * axes),
                        count_include_pad=int(count_include_pad), ceil_mode=int(ceil_mode))

    def convolution(self, x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
        axes = x.ndim - 2
        return self.run("Conv", [x, weight, bias], strides=(stride,) * axes, pads=(padding,) * (2 * axes), dilations=(dilation,) * axes,
                        group=groups)

    def cross_entropy(self, x, target, weight=None, *, axis=-1, weighted=False, smoothing=0.0, ignore_index=-100, reduction="none"):
        import numpy as np
        if smoothing:
            raise ValueError("SoftmaxCrossEntropyLoss has no smoothing")
        lines = np.moveaxis(x, axis, -1)
        sides = [] if weight is None else [weight]
        loss = self.run("SoftmaxCrossEntropyLoss", [lines.reshape(-1, lines.shape[-1]), target.reshape(-1), *sides], ignore_index=ignore_index,
                        reduction=reduction)
        return loss.reshape(target.shape) if reduction == "none" else loss

    def embedding_bag(self, table, index, weight=None, *, mode="sum", weighted=False, padding_index=None):
        import numpy as np
        if padding_index is not None:
            raise ValueError("Gather knows no padding")
        rows = self.run("Gather", [table, index])
        rows = rows if weight is None else self.run("Mul", [rows, weight[..., None]])
        return self.run({"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax"}[mode], [rows, np.array([1])], keepdims=0)

    def top_k(self, x, *, axis=-1, k=1, reverse=False):
        import numpy as np
        return tuple(self.run("TopK", [x, np.array([k])], results=2, axis=axis, largest=int(not reverse)))

    def sort(self, x, *, axis=-1, reverse=False):
        return self.top_k(x, axis=axis, k=x.shape[axis], reverse=not reverse)

    def argmax(self, x, *, axis=-1, reverse=False):
        return self.run("ArgMin" if reverse else "ArgMax", [x], axis=axis, keepdims=0)

    def cumsum(self, x, *, axis=-1):
        import numpy as np
        return self.run("CumSum", [x, np.array(axis)])

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
