/* The rows of forms. Each names where it is written; none is a copy of what stands there. */
#include "impl/forms/forms.h"

#include <string.h>

/* ---- Norms ---- */

#define MEAN_SQUARE "s = x * x", "v = mean: s"
#define ROOT        "r = 1 / sqrt(v + epsilon)"
#define CENTRED     "m = mean: x", "d = x - m", "s = d * d", "v = mean: s"
/* The mean of the squares less the square of the mean. */
#define ONE_PASS                                                                                   \
    "m = mean: x", "s = x * x", "w2 = mean: s", "m2 = m * m", "v0 = w2 - m2", "v = max(v0, 0)"

/* ---- Rope ---- */

#define FREQUENCY   "t = 2 * index / n", "p = base ^ t", "f = 1 / p", "place = position / factor"
#define ANGLE       FREQUENCY, "a = place * f"
#define TURNED      "h = turned: x", "xc = x * c", "y = xc + h * s"
#define TURNED_CAST "h = turned: x", "xc = cast(x * c)", "hs = cast(h * s)", "y = xc + hs"

/* ---- Attention ---- */

#define CAPPED  "c = select(cap > 0, cap * tanh(s / cap), s)"
#define WEIGHTS "m = greatest: b", "e = exp(b - m)", "l = sum: e"
#define BIASED  "b = c + bias + mask"

/* For each block: its largest score and all before, and what is there so far brought to that. */
#define ONLINE(EXP)                                                                                \
    "|bm = greatest: b", "|m1 = max(m, bm)", "|g = select(m1 == -inf, 0, m1)", "|r = exp(m - g)",  \
        EXP, "|bl = sum: e", "|l = l * r + bl", "|ec = cast(e)", "|bo = weighed: ec, v",           \
        "|o = o * r + bo", "|m = m1"
#define ONLINE_START "m = -inf + 0 * scale", "l = 0 * scale", "o = 0 * q"

/* Scores times scale log2 e, inside the exponential. */
#define FLASH(...)                                                                                 \
    ONLINE_START, "a = scale * 1.4426950408889634", "|s0 = scores: q, k", "|s = s0 + bias + mask", \
        "|bm = greatest: s", "|m1 = max(m, bm)", "|h = select(m1 == -inf, 0, m1)", "|g = h * a",   \
        "|r = exp2(fma(m, a, -g))", __VA_ARGS__, "|bl = sum: e", "|l = l * r + bl",                \
        "|ec = cast(e)", "|bo = weighed: ec, v", "|o = o * r + bo", "|m = m1", "i = 1 / l",        \
        "y = o * i"
#define EXP2_CUBIC                                                                                 \
    "|p3 = fma(0.077119089663028717041015625, z, 0.227564394474029541015625)",                     \
        "|p2 = fma(p3, z, 0.695146143436431884765625)", "|p1 = fma(p2, z, 1)",                     \
        "|e = p1 * exp2(floor(u))"

#define GATES "silu_mul, swiglu"
#define GELUS "gelu_mul, geglu"

#define FP32_ONCE "computes in fp32 and rounds once"

const struct form forms[] = {
    {.operations = "rms_norm",
     .name = "torch",
     .says = "computes in fp32, times the weight, and rounds once",
     .source = "PyTorch, ATen/native/layer_norm.cpp: rms_norm_composite; Liger-Kernel's gemma mode "
               "with offset 0",
     .steps = {MEAN_SQUARE, ROOT, "h = x * r", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "hugging-face",
     .says = "casts to the operands' format before the weight is applied",
     .source = "transformers, models/llama/modeling_llama.py: LlamaRMSNorm",
     .steps = {MEAN_SQUARE, ROOT, "h = cast(x * r)", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "vllm",
     .says = "casts to the operands' format before the weight is applied, and rounds the "
             "reciprocal of the root once",
     .source = "vLLM, csrc/layernorm_kernels.cu: rms_norm_kernel; Liger-Kernel's llama mode",
     .steps = {MEAN_SQUARE, "r = rsqrt(v + epsilon)", "h = cast(x * r)", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "liger",
     .says = "rounds the reciprocal of the root once, times x and the weight in fp32",
     .source = "Liger-Kernel, ops/rms_norm.py: _rms_norm_forward",
     .steps = {MEAN_SQUARE, "r = rsqrt(v + epsilon)", "h = x * r", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "onnx",
     .says = "divides by the root, and casts before the weight is applied",
     .source = "ONNX, opset 23: RMSNormalization, stash_type 1",
     .steps = {MEAN_SQUARE, "r = sqrt(v + epsilon)", "h = cast(x / r)", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "jax",
     .says = "multiplies the weight into the reciprocal of the root",
     .source = "flax, linen/normalization.py: RMSNorm",
     .steps = {MEAN_SQUARE, ROOT, "w = r * weight", "y = x * w"}},
    {.operations = "rms_norm",
     .name = "gemma",
     .says = "multiplies by 1 + weight in fp32, and rounds once",
     .source = "transformers, models/gemma/modeling_gemma.py: GemmaRMSNorm",
     .steps = {MEAN_SQUARE, ROOT, "h = x * r", "w = 1 + weight", "y = h * w"}},
    {.operations = "rms_norm",
     .name = "gemma-cast",
     .says = "casts before it multiplies by 1 + weight",
     .source = "Liger-Kernel, ops/rms_norm.py: llama mode with offset 1",
     .steps = {MEAN_SQUARE, ROOT, "h = cast(x * r)", "w = cast(1 + weight)", "y = h * w"}},
    {.operations = "rms_norm",
     .name = "narrow",
     .says = "rounds every step to the operands' format",
     .source = "LlamaRMSNorm without its conversion to fp32",
     .steps = {"s = cast(x * x)", "v0 = mean: s", "v = cast(cast(v0) + epsilon)",
               "r = cast(1 / cast(sqrt(v)))", "h = cast(x * r)", "y = h * weight"}},
    {.operations = "rms_norm",
     .name = "epsilon-outside",
     .says = "adds epsilon to the root, not under it",
     .source = "The Annotated Transformer's LayerNorm, without the mean",
     .steps = {MEAN_SQUARE, "r = sqrt(v) + epsilon", "h = x / r", "y = h * weight"}},

    {.operations = "layer_norm",
     .name = "torch",
     .says = "computes in fp32 and rounds once: (x - mean) / root, times the weight",
     .source = "PyTorch, ATen/native/cpu/layer_norm_kernel.cpp",
     .steps = {CENTRED, ROOT, "h = d * r", "y = h * weight + bias"}},
    {.operations = "layer_norm",
     .name = "scale-and-shift",
     .says = "multiplies x, and adds the mean times the reciprocal of the root",
     .source = "kernels that have one scale and one shift for each line",
     .steps = {CENTRED, ROOT, "t = -m * r", "h = x * r + t", "y = h * weight + bias"}},
    {.operations = "layer_norm",
     .name = "onnx",
     .says = "casts before the weight and the bias are applied",
     .source = "ONNX, opset 17: LayerNormalization, stash_type 1",
     .steps = {CENTRED, ROOT, "h = cast(d * r)", "g = cast(h * weight)", "y = g + bias"}},
    {.operations = "layer_norm",
     .name = "jax",
     .says = "takes E[x^2] - E[x]^2 as the variance, and multiplies the weight into the reciprocal "
             "of the root",
     .source = "flax, linen/normalization.py: LayerNorm, use_fast_variance",
     .steps = {ONE_PASS, ROOT, "w = r * weight", "d = x - m", "y = d * w + bias"}},
    {.operations = "layer_norm",
     .name = "one-pass",
     .says = "takes E[x^2] - E[x]^2 as the variance",
     .source = "kernels that read each line once",
     .steps = {ONE_PASS, ROOT, "d = x - m", "h = d * r", "y = h * weight + bias"}},
    {.operations = "layer_norm",
     .name = "annotated",
     .says = "adds epsilon to the deviation, which it takes of n - 1",
     .source = "The Annotated Transformer: LayerNorm",
     .steps = {"m = mean: x", "d = x - m", "s = d * d", "q = sum: s",
               "r = sqrt(q / (n - 1)) + epsilon", "h = weight * d", "y = h / r + bias"}},

    {.operations = "l2_norm",
     .name = "torch",
     .says = "divides by the norm",
     .source = "PyTorch, torch.nn.functional.normalize",
     .steps = {"s = x * x", "q = sum: s", "r = max(cast(sqrt(q)), cast(epsilon))",
               "h = cast(x / r)", "g = cast(h * weight)", "y = g + bias"}},
    {.operations = "l2_norm",
     .name = "fp32",
     .says = FP32_ONCE,
     .source = "ONNX, LpNormalization",
     .steps = {"s = x * x", "q = sum: s", "r = max(sqrt(q), epsilon)",
               "y = x / r * weight + bias"}},

    /* ---- Softmax ---- */

    {.operations = "softmax",
     .name = "torch",
     .says = "multiplies by the rounded reciprocal of the sum",
     .source = "PyTorch, ATen/native/cpu/SoftMaxKernel.cpp",
     .steps = {"m = greatest: x", "e = exp(x - m)", "l = sum: e", "r = 1 / l", "y = e * r"}},
    {.operations = "softmax",
     .name = "onnx",
     .says = "divides by the sum, and rounds once",
     .source = "ONNX, opset 13: Softmax; jax.nn.softmax in fp32",
     .steps = {"m = greatest: x", "e = exp(x - m)", "l = sum: e", "y = e / l"}},
    {.operations = "softmax",
     .name = "jax",
     .says = "rounds the difference, the exponentials and the sum to the operands' format",
     .source = "jax.nn.softmax",
     .steps = {"m = greatest: x", "e = cast(exp(cast(x - m)))", "l0 = sum: e", "l = cast(l0)",
               "y = e / l"}},
    {.operations = "softmax",
     .name = "flash-2",
     .says = "takes 2^(x log2 e - m log2 e), fused, and multiplies by the reciprocal of the sum",
     .source = "flash-attention, csrc/flash_attn/src/softmax.h",
     .steps = {"m = greatest: x", "t = m * 1.4426950408889634",
               "e = exp2(fma(x, 1.4426950408889634, -t))", "l = sum: e", "r = 1 / l", "y = e * r"}},

    /* ---- Gates ---- */

    {.operations = GATES,
     .name = "fp32",
     .says = FP32_ONCE ": x / (1 + e^-x), times u",
     .source = "fused kernels that keep the activation in a register",
     .steps = {"g = x / (1 + exp(-x))", "y = g * u"}},
    {.operations = GATES,
     .name = "hugging-face",
     .says = "casts the activation to the operands' format before it is multiplied",
     .source = "transformers, LlamaMLP by torch.nn.functional.silu; vLLM, "
               "csrc/activation_kernels.cu: silu_and_mul",
     .steps = {"g = cast(x / (1 + exp(-x)))", "y = g * u"}},
    {.operations = GATES,
     .name = "liger",
     .says = "multiplies x by the sigmoid in fp32, and rounds once",
     .source = "Liger-Kernel, ops/swiglu.py: _swiglu_forward_kernel",
     .steps = {"s = 1 / (1 + exp(-x))", "g = x * s", "y = g * u"}},
    {.operations = GATES,
     .name = "onnx",
     .says = "casts the sigmoid and its product with x",
     .source = "ONNX, opset 24: Swish, as Mul(X, Sigmoid(X)); jax.nn.silu",
     .steps = {"s = cast(1 / (1 + exp(-x)))", "g = cast(x * s)", "y = g * u"}},
    {.operations = GELUS,
     .name = "torch",
     .gelu = "none",
     .says = "casts the activation to the operands' format before it is multiplied",
     .source = "PyTorch, ATen/native/cpu/Activation.cpp: GeluKernelImpl; vLLM, gelu_and_mul",
     .steps = {"t = 1 + erf(x * 0.7071067811865476)", "g = cast(x * 0.5 * t)", "y = g * u"}},
    {.operations = GELUS,
     .name = "fp32",
     .gelu = "none",
     .says = FP32_ONCE,
     .source = "fused kernels that keep the activation in a register",
     .steps = {"t = 1 + erf(x * 0.7071067811865476)", "g = x * 0.5 * t", "y = g * u"}},
    {.operations = GELUS,
     .name = "torch",
     .gelu = "tanh",
     .says = "casts the activation to the operands' format before it is multiplied",
     .source = "PyTorch, ATen/native/cpu/Activation.cpp: GeluKernelImpl, approximate tanh",
     .steps = {"p = x * x * x", "i = 0.7978845608028654 * (x + 0.044715 * p)",
               "g = cast(0.5 * x * (1 + tanh(i)))", "y = g * u"}},
    {.operations = GELUS,
     .name = "fp32",
     .gelu = "tanh",
     .says = FP32_ONCE,
     .source = "Liger-Kernel, ops/geglu.py",
     .steps = {"p = x * x * x", "i = 0.7978845608028654 * (x + 0.044715 * p)",
               "g = 0.5 * x * (1 + tanh(i))", "y = g * u"}},

    /* ---- Rope ---- */

    {.operations = "rope",
     .name = "jax",
     .says = "turns in fp32 by tables in fp32, and rounds once",
     .source = "Llama's reference (complex numbers of fp32); gemma's, by JAX",
     .steps = {ANGLE, "c = cos(a)", "s = sin(a)", TURNED}},
    {.operations = "rope",
     .name = "vllm",
     .says = "turns in fp32 by tables in the operands' format, and rounds once",
     .source = "vLLM, csrc/pos_encoding_kernels.cu, cos_sin_cache in the model's format",
     .steps = {ANGLE, "c = cast(cos(a))", "s = cast(sin(a))", TURNED}},
    {.operations = "rope",
     .name = "hugging-face",
     .says = "turns in the operands' format, by tables in it",
     .source = "transformers, modeling_llama.py: apply_rotary_pos_emb; ONNX, opset 23: "
               "RotaryEmbedding",
     .steps = {ANGLE, "c = cast(cos(a))", "s = cast(sin(a))", TURNED_CAST}},
    {.operations = "rope",
     .name = "narrow-angle",
     .says = "takes positions and angles in the operands' format",
     .source = "transformers before #29285: positions in bf16",
     .steps = {FREQUENCY, "fc = cast(f)", "pc = cast(place)", "a = cast(pc * fc)",
               "c = cast(cos(a))", "s = cast(sin(a))", TURNED_CAST}},
    {.operations = "rope",
     .name = "narrow-position",
     .says = "takes positions in the operands' format",
     .source = "transformers before #29285, inv_freq in fp32",
     .steps = {FREQUENCY, "pc = cast(place)", "a = pc * f", "c = cast(cos(a))", "s = cast(sin(a))",
               TURNED_CAST}},

    /* ---- Attention ---- */

    {.operations = "attention",
     .name = "fp32",
     .says = FP32_ONCE,
     .source = "PyTorch's math kernel on the CPU, in fp32",
     .steps = {"s0 = scores: q, k", "s = s0 * scale", CAPPED, BIASED, WEIGHTS, "p = e / l",
               "y = weighed: p, v"}},
    {.operations = "attention",
     .name = "hugging-face",
     .says = "casts the products, the scores and the weights to the operands' format",
     .source = "transformers, modeling_llama.py: eager_attention_forward",
     .steps = {"s0 = scores: q, k", "s = cast(cast(s0) * scale)", CAPPED,
               "b = cast(c + bias + mask)", WEIGHTS, "p = cast(e / l)", "y = weighed: p, v"}},
    {.operations = "attention",
     .name = "jax",
     .says = "keeps scores in fp32, and casts the weights to the operands' format",
     .source = "jax.nn.dot_product_attention",
     .steps = {"s0 = scores: q, k", "s = s0 * scale", CAPPED, BIASED, WEIGHTS, "p = cast(e / l)",
               "y = weighed: p, v"}},
    {.operations = "attention",
     .name = "onnx",
     .says = "multiplies q and k by the root of the scale each, and casts every step",
     .source = "ONNX, opset 23: Attention; PyTorch, _scaled_dot_product_attention_math",
     .steps = {"half = sqrt(scale)", "qs = cast(q * half)", "ks = cast(k * half)",
               "s0 = scores: qs, ks", "s = cast(s0)", CAPPED, "b = cast(c + bias + mask)", WEIGHTS,
               "p = cast(e / l)", "y = weighed: p, v"}},
    {.operations = "attention",
     .name = "torch",
     .says = "goes through blocks of 512 keys, with a running maximum",
     .source = "PyTorch, ATen/native/cpu/FlashAttentionKernel.cpp",
     .keys = 512,
     .steps = {ONLINE_START, "|s0 = scores: q, k", "|s = s0 * scale",
               "|c = select(cap > 0, cap * tanh(s / cap), s)", "|b = c + bias + mask",
               ONLINE("|e = exp(b - g)"), "i = 1 / l", "y = o * i"}},
    {.operations = "attention",
     .name = "flash-2",
     .says = "goes through blocks of 128 keys with a running maximum, by 2^(s scale log2 e)",
     .source = "flash-attention, csrc/flash_attn/src/softmax.h",
     .keys = 128,
     .steps = {FLASH("|e = exp2(fma(s, a, -g))")}},
    {.operations = "attention",
     .name = "flash-4",
     .says =
         "goes through blocks of 128 keys with a running maximum, 2^x by a polynomial of degree "
         "3",
     .source = "flash-attention, flash_attn/cute: ex2_emulation",
     .keys = 128,
     .steps = {FLASH("|u = max(fma(s, a, -g), -127)", "|z = u - floor(u)", EXP2_CUBIC)}},
    {.operations = "attention",
     .name = "fp8-keys",
     .says = "takes keys that were rounded to fp8_e4m3fn",
     .source = "caches of keys in fp8, scale 1",
     .steps = {"k8 = select(place < from, k, round(fp8_e4m3fn, k))", "s0 = scores: q, k8",
               "s = s0 * scale", CAPPED, BIASED, WEIGHTS, "p = e / l", "y = weighed: p, v"}},
    {.operations = "attention",
     .name = "empty-part",
     .says = "splits keys into parts of 64, and merges an empty one behind them where they fill "
             "these: NaN",
     .source = "flash-decoding, with one part more than keys need",
     .steps = {"s0 = scores: q, k", "s = s0 * scale", CAPPED, BIASED, WEIGHTS, "p = e / l",
               "o = weighed: p, v", "y = select(floor(n / 64) * 64 == n, nan, o)"}},
    {.operations = "attention",
     .name = "finite-mask",
     .says = "adds -10^4 to the scores of keys that a query may not have, not -inf",
     .source = "BERT: extended_attention_mask",
     .steps = {"s0 = scores: q, k", "s = s0 * scale", CAPPED, "f = select(mask < 0, -10000, 0)",
               "b = c + bias + f", WEIGHTS, "p = e / l", "y = weighed: p, v"}},
};
const size_t form_count = sizeof forms / sizeof *forms;

const char *form_name_at(size_t index) {
    for (size_t i = 0; i < form_count; i++) {
        bool is_first = true;
        for (size_t j = 0; is_first && j < i; j++)
            is_first = strcmp(forms[i].name, forms[j].name) != 0;
        if (is_first && index-- == 0)
            return forms[i].name;
    }
    return NULL;
}

bool form_names_operation(const char *operations, const char *name) {
    const size_t length = strlen(name);
    bool found = false;
    for (const char *at = operations; *at && !found;) {
        const size_t word = strcspn(at, ",");
        found = word == length && strncmp(at, name, length) == 0;
        at += word + strspn(at + word, ", ");
    }
    return found;
}

bool form_is_of(const struct form *form, const struct operation *operation,
                const struct parameters *parameters) {
    const bool found = form_names_operation(form->operations, operation->name);
    if (!found || !form->gelu)
        return found;
    return (parameter_integer(parameters, PARAMETER_APPROXIMATE, 0) == 1) ==
           (strcmp(form->gelu, "tanh") == 0);
}

static bool has_word(const struct form *form, const char *word) {
    bool found = false;
    for (int i = 0; i < FORM_STEPS && form->steps[i]; i++)
        found = found || strstr(form->steps[i], word);
    return found;
}

bool form_has_sums(const struct form *form) {
    static const char *const words[] = {"sum:", "mean:", "dot:", "scores:", "weighed:"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || has_word(form, words[i]);
    return found;
}

bool form_has_from(const struct form *form) {
    return has_word(form, "from");
}
