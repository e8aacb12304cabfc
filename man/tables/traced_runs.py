"""Runs for library_traces.py, which records them: models with weights from numpy's generator, whose bits no setting changes.

    python traced_runs.py RUN [WORD...]

answers each line of standard input, a document of JSON with the folder for a trace ("out") and the names of operations that det
computes in the library's place ("det"), by a line, once the run is recorded.
"""
import contextlib
import json
import sys

import numpy as np

import detcheck
from detcheck import kernels

det = detcheck.det


# ---- Operations by det ----

def matrices(x, y):
    """matmul of each pair of matrices."""
    return np.stack([det.matmul(np.ascontiguousarray(one), np.ascontiguousarray(other)) for one, other in zip(x, y)])


def product(x, y):
    return matrices(x[None], y[None])[0]


def normalised(x, shape, weight, bias, epsilon):
    """What native_layer_norm returns: beside the result the mean and 1 / root, which backward passes take."""
    lines = np.ascontiguousarray(x).reshape(-1, shape[-1])
    mean = det.mean(lines, axis=1)[:, None]
    variance = det.mean((lines - mean) * (lines - mean), axis=1)[:, None]
    sides = x.shape[:-1] + (1,)
    return (kernels.layer_norm(x, weight, bias, epsilon=epsilon), mean.reshape(sides),
            (1 / np.sqrt(variance + np.float32(epsilon))).reshape(sides))


def reduced(function):
    def by_det(x, axes, keepdim=False, **_):
        axes = sorted(axis % x.ndim for axis in axes)
        moved = np.ascontiguousarray(np.moveaxis(x, axes, range(-len(axes), 0)))
        found = np.asarray(function(moved.reshape(moved.shape[:x.ndim - len(axes)] + (-1,)), axis=-1))
        return np.expand_dims(found, tuple(axes)) if keepdim else found
    return by_det


def softmax_gradient(gradient, shares, axis, _):
    weighed = gradient * shares
    return weighed - shares * reduced(det.sum)(weighed, [axis], keepdim=True)


def log_softmax_gradient(gradient, logarithms, axis, _):
    return gradient - det.exp(np.ascontiguousarray(logarithms)) * reduced(det.sum)(gradient, [axis], keepdim=True)


def of_one(function):
    return lambda x, **_: function(np.ascontiguousarray(x))


BY_DET = {
    "aten.mm.default": product, "numpy.matmul": product, "aten.bmm.default": matrices,
    "aten.addmm.default": lambda bias, x, y: product(x, y) + bias,
    "aten._softmax.default": lambda x, axis, _: det.softmax(np.ascontiguousarray(x), axis=axis),
    "aten._log_softmax.default": lambda x, axis, _: det.log_softmax(np.ascontiguousarray(x), axis=axis),
    "aten._softmax_backward_data.default": softmax_gradient, "aten._log_softmax_backward_data.default": log_softmax_gradient,
    "aten.sqrt.default": np.sqrt, "aten.native_layer_norm.default": normalised, "aten.mean.dim": reduced(det.mean), "aten.sum.dim_IntList": reduced(det.sum),
    "aten.silu.default": of_one(det.silu), "aten.tanh.default": of_one(det.tanh), "aten.exp.default": of_one(det.exp),
    "aten.sin.default": of_one(det.sin), "aten.cos.default": of_one(det.cos), "aten.rsqrt.default": of_one(det.rsqrt),
    "numpy.exp": of_one(det.exp), "numpy.tanh": of_one(det.tanh), "numpy.sum": lambda x, axis: reduced(det.sum)(x, [axis], keepdim=True),
}


# ---- PyTorch ----

def torch_by_det(names):
    """A mode under which det computes operations of these names."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    def here(value):
        return value.detach().float().numpy() if isinstance(value, torch.Tensor) else value

    class ByDet(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if str(func) not in names:
                return func(*args, **(kwargs or {}))
            found = BY_DET[str(func)](*map(here, args), **(kwargs or {}))
            kind = next(one.dtype for one in args if isinstance(one, torch.Tensor))
            given = [torch.from_numpy(np.array(one)).to(kind) for one in (found if isinstance(found, tuple) else (found,))]
            return tuple(given) if isinstance(found, tuple) else given[0]
    return ByDet() if names else contextlib.nullcontext()  # under a mode such as this one no function is compiled


def seeded(model):
    """A model whose matrices have numbers from numpy's generator: torch's normal numbers depend on the instruction set."""
    import torch
    draw = np.random.default_rng(1)
    with torch.no_grad():
        for one in model.parameters():
            if one.dim() > 1:
                one.copy_(torch.from_numpy(draw.standard_normal(tuple(one.shape), np.float32) / np.float32(one.shape[-1] ** 0.5)))
    return model


def llama(hidden, tokens, attention="eager", kind="fp32", by="eager"):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    hidden, tokens = int(hidden), int(tokens)
    model = seeded(LlamaForCausalLM(LlamaConfig(
        vocab_size=512, hidden_size=hidden, intermediate_size=3 * hidden, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        attn_implementation=attention, max_position_embeddings=256))).eval()
    if kind == "bf16":
        model = model.to(torch.bfloat16)
    words = torch.arange(tokens).reshape(1, -1) * 7 % 512
    if by == "compile":  # at the first recording
        model = torch.compile(model)

    def run(out, names):
        cast = torch.autocast("cpu", torch.bfloat16) if kind == "autocast" else contextlib.nullcontext()
        with torch.no_grad(), cast, torch_by_det(names), detcheck.trace(out, keep="all"):
            model(words)
    return run


def gpt2():
    """Forward, backward, and a step of AdamW; from its weights in each run."""
    import copy
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    first = seeded(GPT2LMHeadModel(GPT2Config(vocab_size=300, n_positions=64, n_embd=48, n_layer=2, n_head=4, resid_pdrop=0, embd_pdrop=0,
                                              attn_pdrop=0, attn_implementation="eager")))
    words = torch.arange(20).reshape(1, -1) * 7 % 300

    def run(out, names):
        model = copy.deepcopy(first)
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
        with torch_by_det(names), detcheck.trace(out, keep="all"):
            model(words, labels=words).loss.backward()
            optimiser.step()
    return run


# ---- Others ----

def onnx(model, level):
    """magika's model on bytes of a text; det computes nothing of it."""
    content = (np.arange(2048) * 7 % 90 + 32).astype(np.int32).reshape(1, -1)

    def run(out, _):
        with detcheck.trace(out, keep="all"):
            detcheck.trace.onnx(model, {"bytes": content}, level=level)
    return run


def perceptron(width, lines, order=""):
    """Two layers of numpy, and a softmax; products may have their terms reversed."""
    draw = np.random.default_rng(1)
    width, lines = int(width), int(lines)
    inputs, first, second = (draw.standard_normal(shape, np.float32) for shape in ((lines, width), (width, 96), (96, 10)))

    def run(out, names):
        def called(name, *given, **options):
            """numpy's function, or det's, which is recorded under its name."""
            if name == "numpy.matmul" and order and name not in names:
                x, y = (np.asarray(one) for one in given)
                found = np.stack([np.cumsum((row * y.T)[:, ::-1], axis=1)[:, -1] for row in x])
                detcheck.trace.add("", name, given, [found])
                return detcheck.trace.numpy(found)
            if name not in names:
                return getattr(np, name.partition(".")[2])(*given, **options)
            bare = [np.asarray(one) for one in given]
            found = BY_DET[name](*bare, **{key: value for key, value in options.items() if key != "keepdims"})
            detcheck.trace.add("", name, bare, [found])
            return detcheck.trace.numpy(found)

        with detcheck.trace(out, keep="all"):
            hidden = called("numpy.tanh", called("numpy.matmul", detcheck.trace.numpy(inputs), first) / np.float32(width ** 0.5))
            shares = called("numpy.exp", called("numpy.matmul", hidden, second))
            shares / called("numpy.sum", shares, axis=1, keepdims=True)
    return run


@contextlib.contextmanager
def products_by_det(names):
    """Products of matrices that are traced, where they are among the names."""
    kind = type(detcheck.trace.numpy(np.zeros(1)))

    def matmul(x, y):
        bare = [np.ascontiguousarray(one).view(np.ndarray) for one in (x, y)]
        found = product(*bare)
        detcheck.trace.add("", "numpy.matmul", bare, [found])
        return detcheck.trace.numpy(found)

    if "numpy.matmul" in names:
        kind.__matmul__, kind.__rmatmul__ = matmul, lambda y, x: matmul(x, y)
    try:
        yield
    finally:
        if "numpy.matmul" in names:
            del kind.__matmul__, kind.__rmatmul__


def classifier(width, lines):
    """scikit-learn's perceptron, trained for two epochs, and what it says."""
    import warnings
    from sklearn.neural_network import MLPClassifier
    warnings.simplefilter("ignore")  # it has not converged
    draw = np.random.default_rng(1)
    inputs = draw.standard_normal((int(lines), int(width)), np.float32)
    classes = (inputs[:, 0] + inputs[:, 1] ** 2 > 0.7).astype(int)

    def run(out, names):
        with products_by_det(names), detcheck.trace(out, keep="all"):
            model = MLPClassifier((64,), max_iter=2, random_state=1).fit(detcheck.trace.numpy(inputs), classes)
            model.predict_proba(detcheck.trace.numpy(inputs))
    return run


def main():
    run = {"llama": llama, "gpt2": gpt2, "onnx": onnx, "perceptron": perceptron, "classifier": classifier}[sys.argv[1]](*sys.argv[2:])
    for line in sys.stdin:
        asked = json.loads(line)
        run(asked["out"], asked["det"])
        print("recorded", flush=True)


if __name__ == "__main__":
    main()
