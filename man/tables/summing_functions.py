"""Sums and products of libraries as functions of arrays, for library_orders.py: py:man/tables/summing_functions.py:numpy_sum.

A library's function is called for each line alone, so that one call of detcheck has many: a function of a whole array may
sum in another order.
"""

import functools
import importlib
import os

import numpy as np


ALIGNMENT = 64  # some libraries sum in another order where a line begins elsewhere


def lines_of(x):
    """The lines of an array along its last axis, each of which begins at a multiple of so many bytes."""
    count, length = x.size // x.shape[-1], x.shape[-1]
    wide = -(-length * x.itemsize // ALIGNMENT) * ALIGNMENT
    room = np.empty(count * wide + ALIGNMENT, np.uint8)
    room = room[-room.ctypes.data % ALIGNMENT:][:count * wide]
    lines = room.view(x.dtype).reshape(count, wide // x.itemsize)[:, :length]
    lines[:] = x.reshape(count, length)
    return lines


def by_line(function):
    """A function of one line, or of one line of each operand, as one along the last axis."""
    def lines(*operands, axis):
        assert axis == operands[0].ndim - 1
        rows = zip(*map(lines_of, operands))
        return np.array([function(*row) for row in rows], operands[0].dtype).reshape(operands[0].shape[:-1])
    return lines


def product(function):
    return lambda x, y, axis: np.asarray(function(x, y), x.dtype)


def strided(function):
    """The same of lines whose terms are not beside each other."""
    def of_one(*lines):
        spread = [np.zeros((len(line), 3), line.dtype) for line in lines]
        for wide, line in zip(spread, lines):
            wide[:, 1] = line
        return function(*(wide[:, 1] for wide in spread))
    return of_one


@functools.cache
def torch():
    found = importlib.import_module("torch")
    found.set_grad_enabled(False)
    return found


def tensor(x):
    """In the same memory; bf16 by its codes, as numpy has no such type of its own."""
    if x.dtype.name == "bfloat16":
        return torch().from_numpy(x.view(np.int16)).view(torch().bfloat16)
    return torch().from_numpy(x)


def array(y, kind):
    return y.contiguous().view(torch().int16).numpy().view(kind) if y.dtype == torch().bfloat16 else y.numpy()


def torch_by_line(function):
    """As by_line, of tensors."""
    def lines(*operands, axis):
        assert axis == operands[0].ndim - 1
        rows = zip(*(tensor(lines_of(x)).unbind(0) for x in operands))
        results = torch().stack([function(torch(), *row) for row in rows])
        return array(results.reshape(operands[0].shape[:-1]), operands[0].dtype)
    return lines


@functools.cache
def jax(name):
    found = importlib.import_module("jax")
    found.config.update("jax_enable_x64", True)
    return found.jit(getattr(found.numpy, name))


def of_jax(name):
    return lambda *operands: np.asarray(jax(name)(*operands))


@functools.cache
def session(operator, kinds, shapes, **attributes):
    """onnxruntime's session of a model of one operator, in the threads that ORT_THREADS says. int8 gives int32."""
    onnx, onnxruntime = importlib.import_module("onnx"), importlib.import_module("onnxruntime")
    ends = [onnx.helper.make_tensor_value_info(f"x{i}", onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
            for i, (kind, shape) in enumerate(zip(kinds, shapes))]
    node = onnx.helper.make_node(operator, [end.name for end in ends], ["y"], **attributes)
    kind = onnx.TensorProto.INT32 if kinds[0] == "int8" else ends[0].type.tensor_type.elem_type
    result = onnx.helper.make_tensor_value_info("y", kind, None)
    graph = onnx.helper.make_graph([node], "sum", ends, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("ORT_THREADS", "1"))
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def of_onnx(operator, **attributes):
    def call(*operands):
        one = session(operator, tuple(x.dtype.name for x in operands), tuple(x.shape for x in operands), **attributes)
        result, = one.run(None, {f"x{i}": x for i, x in enumerate(operands)})
        return result
    return call


def onnx_matmul_integer(x, y, axis):
    """Of fp6_e2m3fn, which are eighths of integers."""
    eighths = [(8 * a.astype(np.float32)).astype(np.int8) for a in (x, y)]
    return (of_onnx("MatMulInteger")(*eighths) / np.float64(64)).astype(x.dtype)


@by_line
def scipy_dot(x, y):
    return getattr(importlib.import_module("scipy.linalg.blas"), "sdot" if x.dtype == np.float32 else "ddot")(x, y)


numpy_sum = by_line(np.sum)
numpy_sum_strided = by_line(strided(np.sum))
numpy_mean = by_line(np.mean)
numpy_mean_strided = by_line(strided(np.mean))
numpy_dot = by_line(np.dot)
numpy_dot_strided = by_line(strided(np.dot))
numpy_einsum = by_line(functools.partial(np.einsum, "i->"))
numpy_einsum_dot = by_line(functools.partial(np.einsum, "i,i->"))
numpy_einsum_dot_strided = by_line(strided(functools.partial(np.einsum, "i,i->")))
numpy_einsum_matmul = product(functools.partial(np.einsum, "ij,jk->ik"))
numpy_matmul = product(np.matmul)
numpy_gemv = product(lambda x, y: (x[0] @ y)[None])
torch_sum = torch_by_line(lambda torch, x: x.sum())
torch_mean = torch_by_line(lambda torch, x: x.mean())
torch_norm_mean = torch_by_line(lambda torch, x: torch.native_layer_norm(x, x.shape, None, None, 1e-5)[1].reshape(()))
torch_dot = torch_by_line(lambda torch, x, y: x.dot(y))
torch_gemv = product(lambda x, y: array((tensor(x)[0] @ tensor(y))[None], x.dtype))
torch_matmul = product(lambda x, y: array(tensor(x) @ tensor(y), x.dtype))
jax_sum = by_line(of_jax("sum"))
jax_mean = by_line(of_jax("mean"))
jax_dot = by_line(of_jax("dot"))
jax_matmul = product(of_jax("matmul"))
onnx_sum = by_line(of_onnx("ReduceSum", keepdims=0))
onnx_mean = by_line(of_onnx("ReduceMean", keepdims=0))
onnx_matmul = product(of_onnx("MatMul"))
