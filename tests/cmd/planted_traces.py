"""Pairs of traces (detcheck-trace(7)) of a small model of numpy, of which one has a planted difference.

Every operation is computed here step by step in fp32, by nothing of detcheck's."""

import json
import math
import os
import struct
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import with_numpy  # noqa: E402,F401
import numpy  # noqa: E402

import trace_files  # noqa: E402

F = numpy.float32
WIDTH, LAYERS, TOKENS = 16, 3, 24


def bf16(x):
    """Rounded to bf16, to nearest, ties to even, as fp32."""
    bits = numpy.asarray(x, F).view(numpy.uint32).astype(numpy.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return rounded.astype(numpy.uint32).view(F)


def by_double(function, x):
    """A function of one number, by libm in fp64, rounded to fp32."""
    return numpy.vectorize(lambda one: F(function(float(one))), otypes=[F])(x)


def erf_gelu(x):
    return by_double(lambda one: 0.5 * one * math.erfc(-one / math.sqrt(2)), x)


def tanh_gelu(x):
    return by_double(
        lambda one: 0.5 * one * (1 + math.tanh(math.sqrt(2 / math.pi) * (one + 0.044715 * one**3))), x)


def exp_by_two(x):
    """e^x as 2^(x log2 e), of which the product is rounded."""
    return by_double(lambda one: 2.0**one, F(x * F(1.4426950408889634)))


# ---- Products: of two matrices ----


def products(a, b, start=None, keep=F):
    total = numpy.zeros((a.shape[0], b.shape[1]), keep) if start is None else start.astype(keep)
    for k in range(a.shape[1]):
        total = keep(total + keep(a[:, k, None].astype(keep) * b[k].astype(keep)))
    return total


def from_the_left(a, b):
    return products(a, b)


def from_the_right(a, b):
    return products(a[:, ::-1], b[::-1])


def in_two_halves(a, b):
    half = a.shape[1] // 2
    return F(products(a[:, :half], b[:half]) + products(a[:, half:], b[half:]))


def in_pairs(a, b):
    """Halves of halves, down to 8 terms, which are added from the left."""
    if a.shape[1] <= 8:
        return products(a, b)
    half = a.shape[1] // 2
    return F(in_pairs(a[:, :half], b[:half]) + in_pairs(a[:, half:], b[half:]))


def in_lanes(a, b):
    """Lane l has the terms l, l + 4, ...; then l + 2 onto l, and 1 onto 0."""
    lane = [products(a[:, one::4], b[one::4]) for one in range(4)]
    return F(F(lane[0] + lane[2]) + F(lane[1] + lane[3]))


def in_fp64(a, b):
    return F(products(a, b, keep=numpy.float64))


def flushed(a, b):
    y = products(a, b)
    return numpy.where(numpy.abs(y) < F(2.0**-126), F(0) * y, y)


# ---- Lines ----


def sum_of(x):
    total = x[..., 0]
    for k in range(1, x.shape[-1]):
        total = F(total + x[..., k])
    return total[..., None]


def softmax(x, largest=True, exp=lambda x: by_double(math.exp, x)):
    e = exp(F(x - x.max(-1, keepdims=True)) if largest else x)
    return F(e / sum_of(e))


def norm(x, weight, epsilon=1e-5):
    v = F(sum_of(F(x * x)) / F(x.shape[-1]))
    r = F(F(1) / F(numpy.sqrt(F(v + F(epsilon)))))
    return F(F(x * r) * weight)


def attention(q, k, v, mask=None, scale=None, hidden=-math.inf):
    """One head: scores in fp32, scaled, masked, softmax, weighed."""
    s = F(from_the_left(q, k.T.copy()) * F(scale or 1 / math.sqrt(q.shape[1])))
    if mask is not None:
        s = F(s + numpy.where(numpy.isneginf(mask), F(hidden), mask))
    y = from_the_left(softmax(s), v)
    return y if mask is None else numpy.where(numpy.isneginf(s).all(-1, keepdims=True), F(0), y)


# ---- A trace ----


class Trace:
    def __init__(self, folder, recorder="numpy"):
        self.folder, self.recorder = folder, recorder
        self.environment = {"numpy": numpy.__version__}
        self.operations, self.files, self.kept, self.arrays = [], {}, {}, []

    def tensor(self, array, number, name, parameter=None):
        array = numpy.ascontiguousarray(array)
        digest = trace_files.digest(array)
        kind = {"float16": "fp16", "float32": "fp32", "float64": "fp64", "uint16": "bf16"}[array.dtype.name]
        key = (digest, kind, array.shape)
        if key not in self.kept:
            self.kept[key] = f"{number}:{name}"
            self.files.setdefault(number, {})[name] = (kind, array)
        made = {"type": kind, "shape": list(array.shape), "digest": digest, "kept": self.kept[key]}
        return {"name": parameter, **made} if parameter else made

    def add(self, name, inputs, output, path="", attributes=None, names=(), source="model.py:1"):
        number = len(self.operations)
        names = list(names) + [None] * len(inputs)
        record = {
            "name": name,
            "path": path,
            "source": source,
            "attributes": attributes or {},
            "inputs": [self.tensor(x, number, f"input.{i}", names[i]) for i, x in enumerate(inputs)],
            "outputs": [self.tensor(output, number, "output.0")],
        }
        self.operations.append(record)
        self.arrays.append((inputs, output))
        return output

    def write(self):
        os.makedirs(os.path.join(self.folder, "tensors"), exist_ok=True)
        kinds = {"fp16": "F16", "fp32": "F32", "fp64": "F64", "bf16": "BF16"}
        for number, tensors in self.files.items():
            header, data = {}, b""
            for name, (kind, array) in tensors.items():
                end = len(data) + array.nbytes
                header[name] = {"dtype": kinds[kind], "shape": list(array.shape), "data_offsets": [len(data), end]}
                data += array.tobytes()
            text = json.dumps(header).encode()
            with open(os.path.join(self.folder, "tensors", f"{number}.safetensors"), "wb") as file:
                file.write(struct.pack("<Q", len(text)) + text + data)
        document = {
            "schema": "detcheck/trace/1",
            "recorder": self.recorder,
            "program": "detcheck test",
            "keep": "all",
            "environment": self.environment,
            "operations": self.operations,
            "left_out": [],
            "complete": True,
        }
        with open(os.path.join(self.folder, "trace.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self.folder


# ---- A model ----

USUAL = {
    "norm": norm,
    "q": from_the_left,
    "k": from_the_left,
    "v": from_the_left,
    "attention": attention,
    "scores": lambda x: F(x * F(0.25)),
    "softmax": softmax,
    "exp": lambda x: by_double(math.exp, x),
    "up": from_the_left,
    "gelu": erf_gelu,
    "down": from_the_left,
    "cast": bf16,
}


def model(folder, planted=None, attributes=None, tiny=False, padded=False):
    """Runs it. `planted`: {(layer, step): function in place of the usual one}; a step may be called several times."""
    planted, attributes = planted or {}, attributes or {}
    trace = Trace(folder, "torch")
    generator = numpy.random.default_rng(7)
    draw = lambda *shape: F(generator.standard_normal(shape) / math.sqrt(shape[0]))
    x = F(generator.standard_normal((TOKENS, WIDTH)))
    mask = F(numpy.triu(numpy.full((TOKENS, TOKENS), -math.inf), 1))
    mask[:int(padded)] = -math.inf  # a token of padding, which sees nothing
    for layer in range(LAYERS):
        path = f"layers.{layer}."

        def run(step, name, inputs, where, given=None, names=()):
            function = planted.get((layer, step), USUAL[step])
            own = {**(given or {}), **attributes.get((layer, step), {})}
            return trace.add(name, inputs, function(*inputs), path + where, own, names)

        weight = F(1 + 0.1 * generator.standard_normal(WIDTH))
        h = run("norm", "aten._fused_rms_norm.default", [x, weight], "norm",
                {"normalized_shape": [WIDTH], "eps": 1e-5}, ["input", "weight"])
        q, k, v = (run(step, "aten.mm.default", [h, draw(WIDTH, WIDTH)], "attention." + step) for step in "qkv")
        heads = [one.reshape(1, 1, TOKENS, WIDTH) for one in (q, k, v)]
        inputs = heads + [mask]
        function = planted.get((layer, "attention"), USUAL["attention"])
        y = function(q, k, v, mask).reshape(1, 1, TOKENS, WIDTH)
        trace.add("aten._scaled_dot_product_flash_attention_for_cpu.default", inputs, y, path + "attention", {},
                  ["query", "key", "value", "attn_mask"])
        y = y.reshape(TOKENS, WIDTH)
        x = trace.add("aten.add.Tensor", [x, y], F(x + y), path + "residual")
        s = run("scores", "aten.mul.Tensor", [x], "gate.scale", {"other": 0.25})
        p = run("softmax", "aten._softmax.default", [s], "gate.softmax", {"dim": -1})
        if tiny:
            p = F(p * F(2.0**-120))
        u = run("up", "aten.mm.default", [p if tiny else F(x + p), draw(WIDTH, 2 * WIDTH)], "mlp.up")
        u = run("gelu", "aten.gelu.default", [F(u * F(2.0**118)) if tiny else u], "mlp.gelu", {"approximate": "none"})
        d = run("down", "aten.mm.default", [u, draw(2 * WIDTH, WIDTH)], "mlp.down")
        e = run("exp", "aten.exp.default", [d], "mlp.exp")
        c = run("cast", "mine.narrow", [e], "mlp.narrow")
        x = trace.add("aten.add.Tensor", [x, c], F(x + c), path + "out")
        x = F(x / F(numpy.abs(x).max()))
    return trace
