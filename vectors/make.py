#!/usr/bin/env python3
"""Makes the full set of vectors, of which the folder small holds a part:

    vectors/make.py build/release/detcheck FOLDER [NAME...]    into FOLDER: all files, or those named (fp16/exp.json)
    vectors/make.py build/release/detcheck --renew [FOLDER [NAME...]]
                                                               small and the digests again: all, or the files that have
                                                               a part of those named
    vectors/make.py --check FOLDER                             whether FOLDER has the files of the digests

All files take some five minutes of two processors: for fp32 all inputs of each function are searched for the hardest.
The same bytes come out every time, on any machine and with any number of processors. The lines "generator" and
"oracle" name versions, so digests.txt leaves them out.

hard-fp64.txt and hard-fp32.txt have inputs that hard.py found by searches. So files do not change when the search does.
published-fp64.txt and published-fp32.txt have inputs of pairs that others found, and say who.
"""

import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL_SET = os.path.join(HERE, "small")
INDEX = os.path.join(SMALL_SET, "index.json")  # the files of each operation
DIGESTS = os.path.join(HERE, "digests.txt")
# "exp 0x3fe...": a function, or several with commas between, and an input.
HARD, PUBLISHED = ({form: os.path.join(HERE, f"{whose}-{form}.txt") for form in ("fp64", "fp32")}
                   for whose in ("hard", "published"))
CODE_DIGITS = {"fp64": 16, "fp32": 8}

# Functions of two operands whose hard inputs of fp32 searches found, of most of which cr is not proved to be right; the
# second operand of some is an integer.
OF_INTEGERS = ("pown", "rootn", "compoundn")
HARD_PAIRS = ("pow", "powr", *OF_INTEGERS, "atan2", "atan2pi", "hypot", "logaddexp")

FLOAT8 = ("fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz")
OCP = ("fp8_e4m3fn", "fp8_e5m2")
# What onnx.quantise makes, and onnx.dequantise takes.
QUANTISED = ("int8", "uint8", "int16", "uint16", "int4", "uint4", "int2", "uint2", *FLOAT8, "fp4_e2m1fn", "fp6_e2m3fn",
             "fp6_e3m2fn")
# Of functions: the folder of each file, the formats in it, and the count that keeps it below 1 MiB.
FUNCTIONS = (("fp64", ("fp64",), 100), ("fp32", ("fp32",), 280), ("fp16", ("fp16",), 100), ("bf16", ("bf16",), 100),
             ("fp8", FLOAT8, 64))

# Functions of which a few tests are here, in the formats of two folders.
FEW = ("rint nearbyint roundeven round trunc ceil floor lrint llrint lround llround logb ilogb frexp modf nextup "
       "nextdown nextafter scalbn ldexp remquo fmin fmax fminimum fmaximum fminimum_num fmaximum_num fminimum_mag "
       "fmaximum_mag fminimum_mag_num fmaximum_mag_num relu relu6 hardsigmoid hardswish elu selu softsign quick_gelu "
       "erfcx erfinv ndtr log_ndtr logit digamma j0 j1 y0 y1 jn yn i0 i1 i0e i1e atan2pi powr pown rootn "
       "compoundn").split()
FEW_HERE = ("fp32", "fp16")
ORDERS = ("jn", "yn")

# Of casts a file for each target and profile, with a group for each of these sources: of the targets of 16
# bits fp64 too, where whoever goes by way of fp32 rounds twice.
SOURCES, WIDE_SOURCES = ("fp32", "fp16", "bf16"), ("fp64", "fp32", "fp16", "bf16")
WIDE = ("fp16", "bf16")
SMALL = (*FLOAT8, "fp8_e4m3", "fp8_e3m4", "fp8_e4m3b11fnuz", "fp8_e8m0fnu", "fp6_e2m3fn", "fp6_e3m2fn",
         "fp4_e2m1fn")
# A profile, its targets, and the count: all numbers of fp8 once; profiles part only at the ends.
CASTS = (("ieee", SMALL, 128), ("saturate", SMALL, 12), ("onnx-19", FLOAT8, 12),
         ("onnx-19-unsaturated", FLOAT8, 12), ("onnx-24", (*FLOAT8, "fp4_e2m1fn", "fp8_e8m0fnu"), 12),
         ("onnx-24-unsaturated", (*FLOAT8, "fp4_e2m1fn", "fp8_e8m0fnu"), 12),
         ("ocp", (*OCP, "fp6_e2m3fn", "fp6_e3m2fn", "fp4_e2m1fn"), 12), ("ocp-unsaturated", OCP, 12),
         ("ml_dtypes", SMALL, 12), ("ieee", WIDE, 128), ("saturate", WIDE, 12), ("ml_dtypes", ("bf16",), 12))

# Operations on arrays: the operations, the formats, and the command's further words.
REDUCTIONS = "sum mean dot cumsum logsumexp logcumsumexp softmax log_softmax"
GRADIENT = "logcumsumexp_gradient"
GRADIENTS = (GRADIENT, "logsumexp_gradient", "log_softmax_gradient")
DYADIC = "dyadic.align dyadic.add dyadic.sub dyadic.mul dyadic.div dyadic.requantise dyadic.gradient"
SCALED = "scaled.add scaled.sub scaled.mul scaled.div scaled.max scaled.min scaled.relu scaled.reduce_max"
GATES = "silu_mul gelu_mul swiglu geglu"
KERNELS = f"rms_norm layer_norm l2_norm batch_norm group_norm {GATES} rope sort argmax top_k attention" \
          " rms_norm_gradient layer_norm_gradient rope_gradient cross_entropy cross_entropy_gradient embedding_bag embedding_bag_offsets average_pool convolution sgd adam adamw"
SLOPES = "l2_norm_gradient group_norm_gradient batch_norm_gradient rms_norm_weight_gradient layer_norm_weight_gradient" \
         " l2_norm_weight_gradient group_norm_weight_gradient batch_norm_weight_gradient silu_mul_gradient gelu_mul_gradient" \
         " swiglu_gradient geglu_gradient softmax_gradient convolution_gradient average_pool_gradient embedding_bag_gradient" \
         " embedding_bag_offsets_gradient embedding_bag_weight_gradient embedding_bag_offsets_weight_gradient attention_gradient"
# The elements of MX blocks.
ELEMENTS = ("mxfp8_e5m2", "mxfp8_e4m3", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8")
ARRAYS = {
    "arrays": (REDUCTIONS, "fp32", "--shape 33 -e both"),
    "arrays-narrow": (REDUCTIONS, "fp16 bf16", "--shape 33 -e both"),
    "matmul": ("matmul", "fp32 fp16 bf16", "--shape 3x7x5 -e both"),
    "rms-norm": ("rms_norm", "fp32 fp16 bf16", "--shape 2x9 --axis 0 -n 1"),
    "norms": ("layer_norm l2_norm batch_norm", "fp32 fp16 bf16", "--affine bias --shape 4x5 -n 1 -e both"),
    "group-norm": ("group_norm", "fp32 fp16 bf16", "--groups 2 --shape 2x4x3 -n 1 -e both"),
    "gates": (GATES, "fp32 fp16 bf16", "--shape 3x4 -n 1 -e both"),
    "gates-tanh": ("gelu_mul geglu", "fp32", "--approximate tanh --shape 3x4 -n 1 -e both"),
    "rope": ("rope", "fp32 fp16 bf16", "--shape 2x6 -n 1 -e both"),
    "rope-interleaved": ("rope", "fp32", "--interleaved --base 500000 --factor 8 --rotary 4 --shape 2x6 -n 1 -e both"),
    "sorted": ("sort argmax", "fp32 fp16 bf16", "--shape 3x5 -n 1"),
    "top-k": ("top_k", "fp32 fp16 bf16", "--k 3 --shape 2x7 -n 1"),
    "attention": ("attention", "fp32 fp16 bf16", "--causal --groups 1 --shape 1x2x2x3x2 -n 1"),
    "cross-entropy": ("cross_entropy", "fp32 fp16 bf16", "--shape 3x5 -n 1 -e both"),
    "cross-entropy-smoothed": ("cross_entropy", "fp32", "--smoothing 0.1 --reduction mean --shape 3x5 -n 1 -e both"),
    "cross-entropy-weighted": ("cross_entropy cross_entropy_gradient", "fp32", "--weighted --smoothing 0.1 --distribution normal --shape 2x2 -n 1"),
    "cross-entropy-gradient": ("cross_entropy_gradient", "fp32 fp16 bf16", "--shape 3x4 -n 1"),
    "rope-gradient": ("rope_gradient", "fp32 fp16 bf16", "--shape 2x6 -n 1"),
    "norm-gradients": ("rms_norm_gradient layer_norm_gradient", "fp32 fp16 bf16", "--affine weight --shape 2x4 -n 1"),
    "norm-gradients-more": ("l2_norm_gradient batch_norm_gradient", "fp32", "--affine weight --shape 2x4 -n 1"),
    "norm-weights": ("rms_norm_weight_gradient layer_norm_weight_gradient l2_norm_weight_gradient batch_norm_weight_gradient", "fp32",
                     "--shape 3x2 -n 1"),
    "group-norm-gradients": ("group_norm_gradient group_norm_weight_gradient", "fp32", "--groups 2 --shape 1x4x2 -n 1"),
    "gate-gradients": ("silu_mul_gradient gelu_mul_gradient swiglu_gradient geglu_gradient softmax_gradient", "fp32", "--shape 2x2 -n 1"),
    "embedding-bag": ("embedding_bag", "fp32 fp16 bf16", "--padding-index 0 --shape 2x3x5x2 -n 1"),
    "embedding-bag-weighted": ("embedding_bag", "fp32", "--mode sum --weighted --shape 2x3x5x2 -n 1"),
    "embedding-bag-offsets": ("embedding_bag_offsets", "fp32 fp16 bf16", "--shape 2x3x5x2 -n 1"),
    "embedding-bag-gradients": ("embedding_bag_gradient embedding_bag_offsets_gradient embedding_bag_weight_gradient"
                                " embedding_bag_offsets_weight_gradient", "fp32", "--padding-index 0 --shape 2x3x3x2 -n 1"),
    "attention-gradient": ("attention_gradient", "fp32", "--causal --groups 1 --shape 1x2x2x2x2 -n 1"),
    "average-pool-gradient": ("average_pool_gradient", "fp32", "--window 3 --stride 2 --padding 1 --ceil-mode --shape 1x1x4x5 -n 1"),
    "convolution-gradient": ("convolution_gradient", "fp32", "--groups 2 --padding 1 --shape 1x2x3 -n 1"),
    "average-pool": ("average_pool", "fp32 fp16 bf16", "--window 3 --stride 2 --padding 1 --ceil-mode --shape 1x2x4x5 -n 1"),
    "convolution": ("convolution", "fp32 fp16 bf16", "--affine bias --groups 2 --padding 1 --shape 1x4x3x3 -n 1"),
    "optimisers": ("sgd adam adamw", "fp32 fp16 bf16", "--momentum 0.9 --step 3 --shape 5 -n 1"),
    "attention-bias": ("attention", "fp32", "--bias alibi --window 2 --soft-cap 20 --shape 1x2x2x3x2 -n 1"),
    "mx-matmul": ("mx.matmul", " ".join(ELEMENTS), "--shape 2x64x3 -n 1"),
    "mx-matmul-nvfp4": ("mx.matmul", "mxfp4_e2m1", "--scale-format fp8_e4m3fn --block 16 --shape 2x64x3 -n 1"),
    "logcumsumexp-large": ("logcumsumexp", "fp32", "--distribution large --shape 3x11 -n 2"),
    "logcumsumexp-axis": ("logcumsumexp", "fp32 bf16", "--axis 0 --shape 4x3 -n 1 -e both"),
    "logcumsumexp-exclusive": ("logcumsumexp", "fp32 fp16", "--axis 1 --exclusive --shape 2x9 -n 1 -e both"),
    "logcumsumexp-reverse": ("logcumsumexp", "fp32 fp64", "--axis -1 --reverse --shape 2x9 -n 1 -e both"),
    "logcumsumexp-suffixes": ("logcumsumexp", "fp32", "--axis -2 --exclusive --reverse --shape 2x3x3 -n 1 -e both"),
    "logcumsumexp-dtype": ("logcumsumexp", "fp16 bf16 fp64", "--dtype fp32 --shape 12 -n 1 -e both"),
    "logcumsumexp-narrowed": ("logcumsumexp", "fp32", "--dtype bf16 --shape 12 -n 1 -e both"),
    **{f"logcumsumexp-{form}": ("logcumsumexp", "fp32", f"--dtype {form} --shape 12 -n 1 -e both")
       for form in ("fp64", "fp16", *FLOAT8)},
    "logcumsumexp-accumulate": ("logcumsumexp", "fp32 fp16", "--accumulate fp64 --shape 12 -n 1 -e both"),
    "logcumsumexp-gradient": (GRADIENT, "fp32 fp16 bf16", "--shape 12 -n 1 -e both"),
    "logcumsumexp-gradient-axis": (GRADIENT, "fp32 fp64", "--axis 0 --exclusive --shape 4x3 -n 1 -e both"),
    "logcumsumexp-gradient-dtype": (GRADIENT, "fp16 fp64", "--reverse --dtype fp32 --shape 12 -n 1 -e both"),
    "logsumexp-gradient": (" ".join(GRADIENTS[1:]), "fp32 fp16 bf16", "--shape 7 -n 1 -e both"),
    "logsumexp-gradient-axis": (" ".join(GRADIENTS[1:]), "fp32 fp64",
                                "--axis 0 --shape 4x2 -n 1 -e both"),
    "dyadic": (DYADIC, "int8 int32", "-r nearest-even,down --s1 3 --s2 1 --target 2 --q 2 --p 3 --bits 6 --shape 16"),
    "dyadic-wide": (DYADIC, "int16 int64", "--s1 3 --s2 1 --target 2 --q 2 --p 3 --bits 12 --accumulator 64 --shape 16"),
    "dyadic-equal": ("dyadic.equal dyadic.relu dyadic.relu_gradient", "int8 int16 int32 int64", "--s1 3 --s2 2 --shape 5"),
    "dyadic-products": ("dyadic.dot dyadic.matmul dyadic.affine dyadic.mse dyadic.step", "int8 int16 int32 int64",
                        "--s1 4 --s2 3 --q 3 --p 2 --lr-shift 2 --momentum-shift 1 --clip 64 --shape 1x2x2"),
    "dyadic-from-real": ("dyadic.from_real", "fp32 fp16 bf16", "-r nearest-even,down --target 3 --bits 6 --shape 8"),
    "dyadic-to-real": ("dyadic.to_real", "int8 int16 int32 int64", "-r nearest-even,down --s1 30 --to fp16 --shape 5"),
    "dyadic-stochastic": ("dyadic.align dyadic.requantise dyadic.mul", "int16",
                          "--s1 3 --target 1 --q 2 --stochastic 7 --shape 16"),
    "scaled": (SCALED, "fp8_e4m3fn fp16", "--per row --shape 3x4 --distribution signs -n 4"),
    "scaled-power": (SCALED, "fp8_e5m2 bf16", "--per row --shape 3x4 --scale power --distribution signs -n 4"),
    "scaled-matmul": ("scaled.matmul", "fp8_e4m3fn fp16", "--per row --shape 3x5x2"),
    "scaled-convert": ("scaled.cast scaled.rebalance", "fp16", "--to fp8_e4m3fn --per row --shape 3x4 -n 4"),
    "scaled-squares": ("scaled.rebalance", "fp16 fp32", "--to fp8_e5m2 --by squares --per row --shape 3x8 -n 2"),
    "scaled-softmax": ("scaled.softmax", "fp8_e4m3fn fp16", "--per row --shape 3x6 -n 2"),
    "scaled-functions": ("scaled.exp scaled.log scaled.sigmoid scaled.tanh", "fp8_e4m3fn fp16",
                         "--per row --shape 3x4 --distribution signs -n 3"),
    "scaled-broadcast": ("scaled.mul scaled.rescale scaled.relu_gradient scaled.sigmoid_gradient "
                         "scaled.tanh_gradient", "fp8_e4m3fn fp16",
                         "--shape 4x6 --scales 2x3 --second-shape 6 --second-scales 2 --second-format fp8_e5m2 "
                         "--to fp16 --profile saturate --distribution signs -n 3"),
    "scaled-sums": ("scaled.sum scaled.mean scaled.reduce_max", "fp8_e4m3fn fp16",
                    "--shape 4x6 --scales 2x3 --axis 0 --to fp16 --distribution signs -n 2"),
    "scaled-batch": ("scaled.matmul", "fp8_e4m3fn fp16",
                     "--shape 2x1x3x4 --second-shape 3x4x2 --scales 2x1x3x2 --second-scales 3x1x1 --second-format fp8_e5m2 "
                     "--to fp16 --static power --distribution signs -n 2"),
    "scaled-convolution": ("scaled.convolution", "fp8_e4m3fn fp16",
                           "--shape 1x4x5x3 --second-shape 4x2x3x2 --groups 2 --padding 1 --stride 2 "
                           "--scales 4x1x1 --second-scales 4x1x1x1 --second-format fp8_e5m2 --to fp16 --static power --distribution signs -n 1"),
    "scaled-convolution-line": ("scaled.convolution", "fp8_e5m2 bf16",
                                "--shape 2x2x9 --second-shape 3x2x3 --dilation 2 --scale power --static power "
                                "--distribution apart -n 1"),
    "scaled-step": ("scaled.step", "fp8_e5m2 bf16", "--shape 2x4 --second-shape 4 --scales 2x1 --distribution signs -n 2"),
    "scaled-quotients-back": ("scaled.div_gradient", "fp8_e5m2 bf16",
                              "--shape 2x4 --second-shape 4 --scales 2x1 --distribution signs -n 2"),
    "scaled-measured": ("scaled.matmul", "fp8_e4m3fn", "--static measured --shape 2x4x3 --per row -n 2"),
    "scaled-gradients": ("scaled.gelu_gradient scaled.exp_gradient", "fp8_e4m3fn fp16",
                         "--per row --shape 3x4 --distribution signs -n 2"),
    "scaled-lines-back": ("scaled.reduce_max_gradient scaled.softmax_gradient", "fp8_e4m3fn fp16",
                          "--shape 3x4 --axis 0 --second-scales 2 --second-format fp8_e5m2 --to fp16 --distribution signs -n 2"),
    "scaled-products-first": ("scaled.mul_gradient scaled.matmul_gradient", "fp8_e4m3fn fp16",
                              "--shape 2x2x2 --second-shape 2x2 --second-scales 2x1 --to fp16 --static power --of first "
                              "--distribution signs -n 2"),
    "scaled-products-second": ("scaled.mul_gradient scaled.matmul_gradient", "fp8_e4m3fn fp16",
                               "--shape 2x2x2 --second-shape 2x2 --second-scales 2x1x1 --to fp16 --static power --of second "
                               "--distribution signs -n 2"),
    "scaled-convolution-first": ("scaled.convolution_gradient", "fp8_e4m3fn fp16",
                                 "--shape 2x2x5 --second-shape 2x2x3 --padding 1 --stride 2 --second-scales 2x1x1 "
                                 "--static power --of first --distribution signs -n 2"),
    "scaled-convolution-second": ("scaled.convolution_gradient", "fp8_e4m3fn fp16",
                                  "--shape 1x2x4x3 --second-shape 2x1x2x2 --groups 2 --second-scales 2x1x1 --static one "
                                  "--of second --distribution signs -n 1"),
    "onnx-quantise": ("onnx.quantise", "fp32 fp16 bf16 int32", "--axis 0 --shape 2x4 -n 1"),
    "onnx-quantise-blocks": ("onnx.quantise", "fp32 bf16", "--to int4 --axis 1 --block 4 --shape 2x6 --precision fp16 -n 1"),
    "onnx-quantise-fp8": ("onnx.quantise", "fp32 fp16", "--to fp8_e4m3fn --opset 19 --unsaturated --shape 8 -n 1"),
    "onnx-dequantise": ("onnx.dequantise", " ".join(QUANTISED) + " int32", "--axis 1 --shape 2x3 -n 1"),
    "onnx-dequantise-scales": ("onnx.dequantise", "int8 uint4", "--to bf16 --scale-format fp8_e8m0fnu --block 3 --axis 0 "
                               "--shape 5x2 -n 1"),
    "from-decimal": ("from_decimal", "uint8", "--shape 12x40 -n 1"),
    "from-decimal-directed": ("from_decimal", "uint8", "--to fp32 --rounding up --shape 8x40 -n 1"),
    "to-decimal": ("to_decimal", "fp64 fp32", "--shape 12 -n 1"),
    "to-decimal-digits": ("to_decimal", "fp64", "--style exponent --digits 16 --shape 8 -n 1"),
    "requantise": ("requantise", "int32", "--rounding nearest-up --to uint8 --shape 8 -n 4"),
    "requantise-gemmlowp": ("requantise", "int32", "--form gemmlowp --shape 8 -n 4"),
    "requantise-tosa": ("requantise", "int32", "--form tosa-double --shape 8 -n 4"),
    "requantise-fp32": ("requantise", "int32", "--form fp32 --to int16 --shape 8 -n 4"),
    "scaled-axis": ("scaled.softmax", "fp8_e4m3fn fp16", "--shape 4x3 --axis 0 --scales 3 --distribution signs -n 3"),
    "scaled-gelu": ("scaled.gelu", "fp8_e5m2 bf16", "--per row --shape 3x6 -n 2"),
}

# In the formats of P3109, which are too many for files of each: the operations, the formats, and further words.
DRAFT = {
    "conversions": ("cast", "binary8p4se binary8p3se", "--to binary4p2sf"),
    "conversions-odd": ("cast", "binary8p3se", "--to binary6p3ue -r to-odd,down --saturation sat-propagate"),
    "conversions-from": ("cast", "fp16 bf16 fp32", "--to binary8p4se --saturation sat-finite -n 20"),
    "functions": ("exp log log2 sqrt rsqrt recip tanh p3109.negate p3109.abs nextup", "binary8p4se", ""),
    "predicates": ("p3109.class p3109.is_zero p3109.is_one p3109.is_nan p3109.is_infinite p3109.is_finite p3109.is_sign_minus"
                   " p3109.is_normal p3109.is_subnormal", "binary8p4se", ""),
    "pairs": ("add sub mul div hypot atan2 fminimum fmaximum_num p3109.minimum_finite p3109.maximum_finite p3109.copysign"
              " p3109.compare_less p3109.compare_less_equal p3109.compare_equal p3109.compare_greater_equal"
              " p3109.compare_greater p3109.total_order p3109.to_block", "binary8p4se", "-n 24"),
    "narrow-pairs": ("add mul p3109.minimum_finite", "binary4p2sf", "-n 24"),
    "triples": ("fma p3109.faa p3109.clamp", "binary8p4se", "-n 24"),
    "scaled-pairs": ("add sub mul", "binary8p1uf*binary8p4se binary8p1uf*binary8p3se:binary8p1uf*binary4p2sf", "--to binary8p4se -n 24"),
    "scaled-results": ("mul", "binary4p1uf*binary4p2sf", "--to binary6p3se --result-scale binary8p3se:3 -n 4"),
    "blocks": ("p3109.reduce_add p3109.reduce_multiply p3109.dot_product", "binary8p1uf*binary8p4se", "--to fp32 --shape 2x4 --distribution spread -n 1"),
    "to_block": ("p3109.to_block_max_abs_finite", "fp32", "--to binary4p2sf --scale-format binary8p1uf --scale-rounding up --shape 2x4 --distribution codes -n 1"),
    "mixed-triples": ("fma p3109.faa", "binary8p4se:binary4p2sf:fp32", "--to fp32 -n 24"),
    "stochastic": ("exp", "binary8p4se", "-r stochastic-a,stochastic-b,stochastic-c --random-bits 3 --random 5 --to binary6p3se"),
    "stochastic-pairs": ("add", "binary8p4se", "-r stochastic-a,stochastic-b,stochastic-c --random-bits 3 --random 5 -n 24"),
}

# MX blocks: a file for each profile and its formats.
BLOCKS = {"ocp": ELEMENTS, "ocp-up": ELEMENTS, "microxcaling": ELEMENTS, "torchao-floor": ELEMENTS[:5],
          "torchao-ceil": ELEMENTS[:5], "torchao-even": ELEMENTS[:5], "torchao-rceil": ELEMENTS[:5],
          "transformer-engine": ELEMENTS[:2]}

# Operations and formats without vectors, which detcheck emit writes at once, and why. A test holds that there are no
# others.
NARROW = "tf32 fp8_e3m4 fp8_e4m3 fp8_e4m3b11fnuz fp8_e8m0fnu fp6_* fp4_*"
EXCEPTIONS = (
    ("functions", NARROW, "casts meet these formats; a function in them is that of fp32 with a cast behind"),
    ("orders", NARROW + " " + " ".join(FLOAT8), "to look at every order and argument takes long, and few are in use"),
    ("cast", NARROW + " " + " ".join(FLOAT8), "a source whose numbers fp32 has: a cast from it is one from fp32"),
    ("arrays", NARROW + " fp64 " + " ".join(FLOAT8), "the order of operations is that of fp32; the last rounding differs"),
    ("gradients", NARROW + " fp64 fp16 bf16 " + " ".join(FLOAT8), "the same, and the folder has no room for more"),
    ("dyadic.from_real", "fp64 " + NARROW + " " + " ".join(FLOAT8), "the number counts, not its format"),
    ("to_decimal", NARROW + " fp16 bf16 " + " ".join(FLOAT8), "C's functions on texts have double and float"),
    ("p3109.*", "fp64 fp32 fp16 bf16 " + NARROW + " " + " ".join(FLOAT8), "they are the draft's, for the draft's formats"),
    ("scaled.*", "fp32 fp16 bf16 " + " ".join(FLOAT8), "each has a format of 8 bits and one of 16"),
)


def category(operation):
    """What EXCEPTIONS call it."""
    if operation in SLOPES.split():
        return "gradients"
    if operation in ORDERS:
        return "orders"
    if operation in (*REDUCTIONS.split(), "matmul", *KERNELS.split(), *GRADIENTS):
        return "arrays"
    return operation if operation in ("cast", "from_decimal", "to_decimal") or "." in operation else "functions"


class File:
    """What one file of the full set is made of, and which file of `small` has a part of it: one a format and family."""

    def __init__(self, home, operations, formats, *words):
        self.home, self.operations, self.formats, self.words = home, tuple(operations), tuple(formats), words

    def command(self):
        return ["emit", *self.operations, "-f", ",".join(self.formats), *self.words]


def has_det(program, name):
    """Whether det provides an operation; ends where the program cannot tell."""
    done = subprocess.run([program, "emit", name, "-f", "fp8_e5m2", "-n", "1", "-e", "det"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode and "no bits of det to write" not in done.stderr:
        sys.exit(f"make.py: whether det has {name} is not known: exit {done.returncode}\n{done.stderr}")
    return done.returncode == 0


# Operations without any vectors, and why.
WITHOUT = {"packed.*": "bytes have no format; the packages that write them are what a sweep holds them to"}


def operations(program):
    """The program's rows of operations that have vectors, by name."""
    rows = subprocess.run([program, "list", "operations", "--json", "-"], stdout=subprocess.PIPE, check=True).stdout
    return {row["name"]: row for row in json.loads(rows)["operations"]
            if not any(fnmatch.fnmatch(row["name"], pattern) for pattern in WITHOUT)}


def arrays(rows):
    found = {f"{name}.json": File(rows[names.split()[0]]["family"] + ".json", names.split(), formats.split(), *words.split())
             for name, (names, formats, words) in ARRAYS.items()}
    found.update({f"p3109/{name}.json": File("p3109.json", names.split(), formats.split(), *words.split())
                  for name, (names, formats, words) in DRAFT.items()})
    # Each row of 40 numbers is a block of 32 and one of 8, each of another kind.
    for profile, elements in BLOCKS.items():
        for element in elements:
            found[f"mx/{element}.{profile}.json"] = File(
                f"mx/{profile}.json", ["mx.quantise"], SOURCES if profile == "ocp" else ("fp32",), "--to", element, "--profile", profile,
                "--shape", "13x40", "--distribution", "mixed", "-n", "1")
    for target in ("fp32", "bf16"):
        found[f"mx/dequantise.{target}.json"] = File("mx/dequantise.json", ["mx.dequantise"], ELEMENTS, "--to", target,
                                                     "--shape", "32x32", "-n", "1")
    return found


def casts():
    return {f"cast/{target}.{profile}.json":
            File(f"cast/{profile}.json", ["cast"], WIDE_SOURCES if target in WIDE else SOURCES, "--to", target,
                 "--profile", profile, "-n", str(count))
            for profile, targets, count in CASTS for target in targets}


def full_set(program):
    """{"fp32/exp.json": what it is made of}."""
    rows = operations(program)
    found = {**arrays(rows), **casts()}
    for name, row in rows.items():
        known_to_det = not row["parameters"] and has_det(program, name)
        for folder, formats, count in FUNCTIONS:
            if row["parameters"] or row["family"] == "p3109" or name in ORDERS and folder == "fp8":
                continue
            both = known_to_det and folder != "fp64"  # det computes in fp32
            found[f"{folder}/{name}.json"] = File(f"{folder}/{row['family']}.json", [name], formats, "-n", str(count), "-e",
                                                  "both" if both else "correctly_rounded")
    return found


def make(program, folder, names=()):
    program = os.path.abspath(program)
    known, hard = full_set(program), {form: hard_inputs(HARD[form], PUBLISHED[form]) for form in HARD}
    for name in names or known:
        if name not in known:
            sys.exit(f"make.py: there is no {name}; there are {', '.join(known)}")
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        found = hard.get(os.path.dirname(name), {}).get(known[name].operations[0])
        with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".txt") as stream:
            stream.write("\n".join(found or []))
            stream.flush()
            words = ["--hard", stream.name] if found else []
            subprocess.run([program, *known[name].command(), *words, "-o", path], check=True)


def hard_inputs(*paths):
    """{"exp": ["0x3fe..."]}, each once."""
    found = {}
    for path in paths:
        with open(path, encoding="ascii") as stream:
            for names, line in (line.strip().split(" ", 1) for line in stream if not line.startswith("#")):
                for name in names.split(","):
                    found.setdefault(name, {})[line] = True
    return {name: list(lines) for name, lines in found.items()}


# The small part: patterns of files; of their formats, or all; groups of so many tests are whole; of others the first
# that are special, the first at boundaries, and the hardest. Of fp64 and P3109 those are from everywhere among the special
# ones and the boundaries. Files that no row matches are whole.
EVERY, SPREAD = 1 << 30, ("fp64/*", "p3109/*")
KEPT = (*((f"fp32/{name}.json", None, 0, (8 if name in FEW else 30, 0, 36)) for name in HARD_PAIRS),
        *((f"{folder}/{name}.json", None if folder in FEW_HERE else (), 0, (8, 0, 10))
          for name in FEW for folder, _, _ in FUNCTIONS),
        ("fp64/*", None, 0, (12, 10, 14)), ("fp32/*", None, 0, (30, 0, 24)), ("fp16/*", None, 0, (0, 0, 12)),
        ("bf16/*", None, 0, (0, 0, 12)), ("fp8/*", OCP, 256, (60, 60, 60)),
        ("cast/*.ieee.json", None, 0, (EVERY, 24, 24)), ("cast/*", None, 0, (EVERY, 8, 8)),
        ("p3109/*pairs.json", None, 0, (3, 2, 2)), ("p3109/triples.json", None, 0, (3, 2, 2)),
        ("p3109/conversions-from.json", None, 0, (4, 4, 4)), ("p3109/*", None, 256, (8, 6, 6)),
        ("mx/*", ("fp32", "mxfp4_e2m1"), EVERY, ()), ("arrays-narrow.json", (), 0, ()))


def kept_tests(tests, special, boundary, hard, spread):
    """The tcId of the tests that the small part has."""
    found = set()
    for flag, most in (("special", special), ("boundary", boundary)):
        ids = [test["tcId"] for test in tests if test["flags"][0] == flag]
        step = max(1, len(ids) // most) if spread and most else 1
        found.update(ids[::step][:most])
    nearest = sorted((test for test in tests if "distance" in test), key=lambda test: test["distance"])
    return found.union(test["tcId"] for test in nearest[:hard])


def codes(values):
    """Several numbers as one text: their bits, without 0x."""
    return " ".join(value.removeprefix("0x") for value in values)


def as_table(tests):
    """Of tests of every input there is: the outputs alone, in the order of the inputs' codes."""
    tests = sorted(tests, key=lambda test: test["in"])
    return {whose: [codes(outputs) for outputs in zip(*(test[whose] for test in tests))]
            for whose in ("out", "det") if whose in tests[0]}


def with_texts(test):
    """The test with each array of bits as one text; integers stay as they are."""
    return {name: [codes(value) if isinstance(value, list) and value[0].startswith("0x") else value for value in member]
            if name in ("in", "out", "det") else member for name, member in test.items()}


def small(name, text):
    """Of a file of the full set what `small` has: the meanings of its flags, and its groups, of which some may be left."""
    formats, whole, counts = next((row[1:] for row in KEPT if fnmatch.fnmatch(name, row[0])), (None, EVERY, ()))
    document, groups = json.loads(text), []
    for group in document["testGroups"]:
        tests = group.pop("tests") if formats is None or group["format"] in formats else []
        if len(tests) > whole:
            ids = kept_tests(tests, *counts, any(fnmatch.fnmatch(name, pattern) for pattern in SPREAD))
            tests = [test for test in tests if test["tcId"] in ids]
        is_table = tests and len(tests[0]["in"]) == 1 and all("every" in test["flags"] for test in tests)
        if tests:
            groups.append({**group, "table": as_table(tests)} if is_table else {**group, "tests": [*map(with_texts, tests)]})
    return document["notes"], groups


def joined_notes(parts):
    """Each flag's meaning in all parts; where it has several, with the operations that each is of."""
    meanings = {}
    for notes, groups in parts:
        flags = {flag for group in groups for test in group.get("tests", ({"flags": ["every"]},)) for flag in test["flags"]}
        for flag in (flag for flag in notes if flag in flags):
            names = meanings.setdefault(flag, {}).setdefault(notes[flag], {})
            names.update((group["operation"], None) for group in groups)
    return {flag: "; ".join(f"{', '.join(names)}: {meaning}" if len(texts) > 1 else meaning
                            for meaning, names in texts.items()) for flag, texts in meanings.items()}


def written(head, parts):
    """The text of a file of `small`: a line for each test, and for the outputs of each table. `head` has the versions."""
    texts, tests = [], 0
    for group in (group for _, groups in parts for group in groups):
        members = json.dumps({name: value for name, value in group.items() if name not in ("tests", "table")})[:-1]
        if "table" in group:
            rows = "".join(f',\n   "{whose}": {json.dumps(columns)}' for whose, columns in group["table"].items())
            texts.append(f' {members},\n  "table": {{"tcId": {tests + 1}{rows}}}}}')
            tests += len(group["table"]["out"][0].split())
        else:
            lines = [json.dumps({**test, "tcId": tests + at}, separators=(",", ":")) for at, test in enumerate(group["tests"], 1)]
            texts.append(f' {members},\n  "tests": [\n' + ",\n".join(lines) + " ]}")
            tests += len(lines)
    notes = ",\n".join(f"  {json.dumps(flag)}: {json.dumps(meaning)}" for flag, meaning in joined_notes(parts).items())
    return (f'{head} "numberOfTests": {tests},\n "notes": {{\n{notes}}},\n "testGroups": [\n' + ",\n".join(texts) +
            "\n ]}\n") if texts else None


def small_files(program, folder, names):
    """{file of `small`: its text, or None where nothing of it is kept}, of files of the full set in `folder`, which must be
    all that these files have a part of."""
    known, parts, head = full_set(program), {}, ""
    for name in (name for name in known if name in names):
        with open(os.path.join(folder, name), encoding="ascii") as stream:
            text = stream.read()
        head = text[:text.index(' "numberOfTests"')]
        parts.setdefault(known[name].home, []).append(small(name, text))
    return {home: written(head, of_home) for home, of_home in parts.items()}


def of_one_home(program, names):
    """All files of the full set of which one of the names, or none, shares a file of `small`."""
    known = full_set(program)
    for name in names:
        if name not in known:
            sys.exit(f"make.py: there is no {name}; there are {', '.join(known)}")
    homes = {known[name].home for name in names}
    return [name for name, file in known.items() if not names or file.home in homes]


def index_of(texts):
    """The text of the index of {file: text}: the files of each operation."""
    found = {}
    for name in sorted(texts):
        for operation in re.findall(r'^ {"operation": "([^"]*)"', texts[name], re.MULTILINE):
            found.setdefault(operation, {})[name] = None
    return "{\n" + ",\n".join(f"{json.dumps(operation)}: {json.dumps([*found[operation]])}"
                              for operation in sorted(found)) + "\n}\n"


def digest(path):
    """Of a file without the versions of what made it."""
    with open(path, encoding="ascii") as stream:
        text = re.sub(r'\n "(generator|oracle)": "[^"]*",', "", stream.read(), count=2)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def digests():
    """{name: digest} as they are committed."""
    with open(DIGESTS, encoding="ascii") as stream:
        return {name: found for found, name in map(str.split, stream)}


def files_in(folder):
    """Of vectors: neither schemas, nor policies, nor the index, nor the table of libraries.py."""
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder)
                  for name in names if os.path.basename(place) != "policies" and name.endswith(".json") and
                  not name.endswith((".schema.json", "libraries.json", "index.json")))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as stream:
        stream.write(text)


def replace(parts):
    """Writes {path: text} beside this folder's files, and only then puts each in its place, or removes what has no
    text: what is there is old or new, never a part."""
    with tempfile.TemporaryDirectory(prefix=".renewed-", dir=HERE) as beside:
        for number, text in enumerate(parts.values()):
            write(os.path.join(beside, str(number)), text or "")
        for number, (path, text) in enumerate(parts.items()):
            if text:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.replace(os.path.join(beside, str(number)), path)
            elif os.path.exists(path):
                os.remove(path)


def renew(program, folder, only=()):
    """All files, or those that share one of `small` with those named, by way of a folder for the full set."""
    names = of_one_home(program, only)
    make(program, folder, names)
    new = small_files(program, folder, names)
    texts = {}
    for name in files_in(SMALL_SET):
        with open(os.path.join(SMALL_SET, name), encoding="ascii") as stream:
            texts[name] = stream.read() if only else None
    texts.update(new)
    found = digests() if only else {}
    found.update((name, digest(os.path.join(folder, name))) for name in names)
    replace({**{os.path.join(SMALL_SET, name): text for name, text in texts.items()},
             INDEX: index_of({name: text for name, text in texts.items() if text}),
             DIGESTS: "".join(f"{found[name]}  {name}\n" for name in sorted(found))})
    print(f"small has {len(files_in(SMALL_SET))} files, and there are digests of {len(found)}, of which {len(names)} new")


def check(folder):
    """The names of what differs, as far as there are digests; all are looked for."""
    found, wanted = files_in(folder), digests()
    return sorted({*found} ^ {*wanted}) + [name for name in found if name in wanted and
                                           digest(os.path.join(folder, name)) != wanted[name]]


def main(words):
    if len(words) >= 2 and words[1] == "--renew":
        with tempfile.TemporaryDirectory(prefix="detcheck-vectors-") as folder:
            renew(words[0], words[2] if len(words) > 2 else folder, words[3:])
    elif len(words) == 2 and words[0] == "--check":
        wrong = check(words[1])
        if wrong:
            sys.exit(f"make.py: {len(wrong)} files of {words[1]} are not as digests.txt says: {', '.join(wrong[:5])}")
    elif len(words) >= 2 and not words[0].startswith("-"):
        make(words[0], words[1], words[2:])
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main(sys.argv[1:])
