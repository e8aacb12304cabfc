"""What the libraries of Python call detcheck's operations: the one table of that, which the adapters and the package
detcheck read.

A name is what stands behind "py:" on the command line: MODULE:PATH, such as torch:nn.functional.gelu; behind a comma
stand arguments (torch:nn.functional.gelu,approximate=tanh); functions that give one result each stand with a + between
them (numpy:sin+cos). In the table it has no module. A file takes the place of a module: ./mine.py:gelu.
"""

import ast
import importlib
import importlib.util
import os

try:
    from . import library_kernels  # in the package
except ImportError:
    import library_kernels


def same(folder, names):
    return {name: folder + name for name in names.split()}


NAMES = {
    "numpy": {
        **same("", "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt cbrt hypot fmod logaddexp rint trunc "
                   "ceil floor fmin fmax nextafter sum mean cumsum dot matmul"),
        "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
        "recip": "reciprocal", "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power",
        "atan2": "arctan2", "fminimum": "minimum", "fmaximum": "maximum", "sincos": "sin+cos", "roundeven": "rint",
        "logsumexp": "logaddexp.reduce", "logcumsumexp": "logaddexp.accumulate",
    },
    "scipy": {
        **same("special.", "exp2 exp10 expm1 log1p cbrt erf erfc erfcx erfinv digamma ndtr log_ndtr logit j0 j1 y0 y1 i0 i1 "
                           "i0e i1e logsumexp softmax log_softmax"),
        "sigmoid": "special.expit", "tgamma": "special.gamma", "lgamma": "special.gammaln",
        "logsigmoid": "special.log_expit",
    },
    "jax": {
        **same("numpy.", "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt cbrt hypot fmod logaddexp rint "
                         "trunc ceil floor fmin fmax nextafter sum mean cumsum"),
        **same("lax.", "rsqrt erf erfc lgamma"),
        **same("nn.", "sigmoid softplus silu mish relu relu6 elu selu logsumexp softmax log_softmax"),
        **same("scipy.special.", "digamma erfcx erfinv ndtr log_ndtr logit i0 i1 i0e i1e"),
        "asin": "numpy.arcsin", "acos": "numpy.arccos", "atan": "numpy.arctan", "asinh": "numpy.arcsinh",
        "acosh": "numpy.arccosh", "atanh": "numpy.arctanh", "recip": "numpy.reciprocal", "add": "numpy.add",
        "sub": "numpy.subtract", "mul": "numpy.multiply", "div": "numpy.divide", "pow": "numpy.power",
        "atan2": "numpy.arctan2", "fminimum": "numpy.minimum", "fmaximum": "numpy.maximum", "roundeven": "numpy.rint",
        "sincos": "numpy.sin+numpy.cos", "tgamma": "scipy.special.gamma", "logsigmoid": "nn.log_sigmoid",
        "gelu": "nn.gelu,approximate=False", "gelu_tanh": "nn.gelu,approximate=True", "hardsigmoid": "nn.hard_sigmoid",
        "hardswish": "nn.hard_swish", "softsign": "nn.soft_sign", "logcumsumexp": "lax.cumlogsumexp",
    },
    "torch": {
        **same("", "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt "
                   "rsqrt erf erfc lgamma sigmoid pow atan2 hypot fmod logaddexp trunc ceil floor fmin fmax nextafter add "
                   "sub mul div sum mean cumsum logsumexp logcumsumexp softmax log_softmax"),
        **same("nn.functional.", "logsigmoid softplus silu mish gelu relu relu6 hardsigmoid hardswish elu selu softsign"),
        **same("special.", "digamma erfcx erfinv ndtr log_ndtr logit i0 i1 i0e i1e"),
        **{name: f"special.bessel_{name}" for name in "j0 j1 y0 y1".split()},
        "recip": "reciprocal", "gelu_tanh": "nn.functional.gelu,approximate=tanh", "rint": "round", "roundeven": "round",
        "fminimum": "minimum", "fmaximum": "maximum", "sincos": "sin+cos",
    },
    "onnxruntime": {},  # kernels alone
}


def load_module(name):
    """A module by its name, or a file of Python by its path."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    place = importlib.util.spec_from_file_location(os.path.basename(name)[:-len(".py")], name)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name}")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def follow(module, path):
    """module.path, whose modules are imported where that has not been done."""
    at = module
    for name in path.split("."):
        if not hasattr(at, name) and hasattr(at, "__path__") and importlib.util.find_spec(f"{at.__name__}.{name}"):
            importlib.import_module(f"{at.__name__}.{name}")
        at = getattr(at, name)
    return at


def with_arguments(module, text):
    """One function of a name, with its arguments."""
    path, *arguments = text.split(",")
    function, given = follow(module, path), {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise ValueError(f"'{argument}' is not an argument; it is NAME=VALUE")
        try:
            given[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            given[name] = value  # a word
    return (lambda *operands, **more: function(*operands, **given, **more)) if given else function


def resolve(module, text):
    """The function of that name: of several, one that gives a tuple of their results."""
    functions = [with_arguments(module, one) for one in text.split("+")]
    if len(functions) == 1:
        return functions[0]
    return lambda *operands: tuple(function(*operands) for function in functions)


def function_of(module, library, operation):
    """The library's function for an operation, or None."""
    text = NAMES[library].get(operation)
    if not text:
        return library_kernels.kernel_of(module, library, operation)
    try:
        return resolve(module, text)
    except (AttributeError, ImportError):
        return None  # of another version
