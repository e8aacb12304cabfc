"""The catalogue of faults: operations that are rounded wrongly in rare places, nearly all after faults that were published.

tests/programs/misrounding_library.c has the functions, in code of our own. man/tables/faults.py measures how many inputs and how much
time each method takes to show a wrong output, and writes the rows of detcheck-wrong-roundings(7).
"""

from collections import namedtuple

# A function of the library, the operation that it claims to be, its options, what is wrong, and where that was published.
Fault = namedtuple("Fault", "function operation options wrong published")

FAULTS = [
    Fault("fma_not_fused", "fma", "-f fp32", "product and sum rounded each", "Debian bug 372544 (glibc bug 3268)"),
    Fault("fma_rounded_twice", "fma", "-f fp32", "rounded to fp64 first", "openjdk/jdk#2684"),
    Fault("fma_musl", "fma", "-f fp32", "rounded twice where results are subnormal", "musl 1.2.3, fmaf"),
    Fault("fma_dotnet_133349", "fma", "-f fp32", "rounded twice where results are subnormal", "dotnet/runtime#133349"),
    Fault("fma_rust_1262", "fma", "-f fp32", "by fp64, rounded twice where results are subnormal", "rust-lang/compiler-builtins#1262"),
    Fault("fma_rust_1270", "fma", "-f fp64", "by 113 bits, rounded twice where results are subnormal",
          "rust-lang/compiler-builtins#1270"),
    Fault("fma_openlibm_357", "fma", "-f fp32", "a sum that is not exact is taken for one", "JuliaMath/openlibm#357 (#160)"),
    # What commit bf211c3499 (2025-11-26) of glibc does; the report of the bug itself could not be read.
    Fault("fma_glibc_34183", "fma", "-f fp64", "a shift by 64 bits, where the addend begins there", "glibc bug 34183 (bf211c3499)"),
    Fault("fma_by_fround", "fma", "-f fp32", "Math.fround(x * y + z)", "JavaScript; triton-lang/triton#11610"),
    Fault("fma_not_fused_fp64", "fma", "-f fp64", "product and sum rounded each", "Debian bug 372544 (glibc bug 3268)"),
    Fault("fma_by_x87", "fma", "-f fp64", "rounded to 64 bits, twice", "mingw-w64 c7fb1a6e"),
    Fault("div_by_reciprocal", "div", "-f fp32", "a times 1/b", "GCC's -freciprocal-math"),
    Fault("div_by_rcp", "div", "-f fp32", "a times rcp(b) of a device", "CUDA's __fdividef; WGSL, accuracy of division"),
    Fault("div_by_reciprocal_fp64", "div", "-f fp64", "a times 1/b", "GCC's -freciprocal-math"),
    Fault("add_by_x87", "add", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("sub_by_x87", "sub", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("mul_by_x87", "mul", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("div_by_x87", "div", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("sqrt_by_x87", "sqrt", "-f fp64", "rounded to 64 bits first", "JuliaMath/openlibm#256"),
    Fault("fma_by_fp32", "fma", "-f fp16", "by fmaf, and rounded to fp16", "rust-lang/libm#419"),
    Fault("fma_by_fp32", "fma", "-f bf16", "by fmaf, and rounded to bf16", "rust-lang/libm#419, in bf16"),
    Fault("fma_by_x87_fp32", "fma", "-f fp32", "rounded to 64 bits first", "mingw-w64 c7fb1a6e"),
    Fault("fma_ties_to_odd", "fma", "-f fp32", "ties go to the odd neighbour", "dotnet/runtime#98704"),
    Fault("fma_without_sticky", "fma", "-f fp32", "what lies beyond the guard bit is lost", "Z3Prover/z3#10608"),
    Fault("fma_of_rests", "fma", "-f fp64", "the rests are rounded before they are added", "Boldo and Melquiond, 2008"),
    Fault("fma_low_word_lost", "fma", "-f fp64", "the product's low word gets lost", "rust-lang/libm#242"),
    Fault("fma_zero_product", "fma", "-f fp64", "a product that is 0 takes the third operand with it", "glibc bug 17932"),
    Fault("mul_subnormal_without_sticky", "mul", "-f fp32", "bits of subnormal products are lost",
          "rust-lang/compiler-builtins#616, #637"),
    Fault("mul_flushed", "mul", "-f fp32", "subnormal products become 0", "rust-lang/rust#129853"),
    Fault("add_zero_folded", "add", "-f fp32", "x + 0 is x", "GCC's -fno-signed-zeros"),
    Fault("add_without_sticky", "add", "-f fp32", "shifted bits of an addend are lost", "SDL-Hercules-390/SoftFloat#1"),
    Fault("add_in_nearest", "add", "-f fp32 --rounding up", "computed in another rounding", "GCC bug 34678"),
    Fault("div_in_nearest", "div", "-f fp64 --rounding down", "computed in another rounding", "GCC bug 34678"),
    Fault("sub_subnormal_doubled", "sub", "-f fp32", "subnormal differences are doubled", "llvm-mos/llvm-mos#575"),
    Fault("div_by_newton", "div", "-f fp32", "a quotient by a reciprocal, mended once", "CUDA's -prec-div=false"),
    Fault("div_chopped", "div", "-f fp32", "cut off, not rounded", "ikysil/ikforth#32"),
    Fault("sqrt_by_reciprocal", "sqrt", "-f fp32", "x times 1/sqrt(x)", "WGSL, accuracy of sqrt"),
    Fault("recip_by_newton", "recip", "-f fp32", "an approximation, mended once", "Intel's optimization manual, RCPPS"),
    Fault("rsqrt_of_two", "rsqrt", "-f fp64", "square root and reciprocal rounded each", "the usual fallback of rsqrt"),
    Fault("cbrt_by_x87", "cbrt", "-f fp64", "rounded to 64 bits first", "GCC bug 323"),
    Fault("hypot_by_squares", "hypot", "-f fp32", "squares overflow and are rounded", "the usual naive hypot"),
    Fault("hypot_by_double", "hypot", "-f fp32", "rounded to fp64 first", "the usual hypotf"),
    Fault("fmod_by_quotient", "fmod", "-f fp64", "x - y trunc(x / y)", "esbmc/esbmc#6896"),
    Fault("fmod_by_reciprocal", "fmod", "-f fp32", "the quotient is x times 1/y", "tenstorrent/tt-metal#56384, #51895"),
    Fault("remainder_by_fmod", "remainder", "-f fp64", "the quotient is cut off", "Rinzii/ccmath#208"),
    Fault("remainder_ties_away", "remainder", "-f fp64", "ties of the quotient go away from 0",
          "round in place of rint, as in esbmc/esbmc#6896"),
    Fault("pow_by_squaring", "pow", "-f fp64", "each product is rounded", "the usual power by squaring"),
    Fault("powf_by_logarithm", "pow", "-f fp32", "exp2 of y log2 x", "WGSL, accuracy of pow"),
    Fault("pown_by_squaring", "pown", "-f fp64", "each product is rounded", "the usual power by squaring"),
    Fault("pown_by_fp64", "pown", "-f fp32", "rounded to fp64 first", "the usual pow of floats"),
    Fault("rootn_by_pow", "rootn", "-f fp64", "the power of 1/n, which is rounded", "the usual fallback of rootn"),
    Fault("compoundn_by_pow", "compoundn", "-f fp64", "the power of 1 + x, which is rounded", "the usual fallback of compoundn"),
    Fault("remquo_ties_away", "remquo", "-f fp64", "ties of the quotient go away from 0", "as remainder_ties_away"),
    Fault("fp16_by_fp32", "cast", "-f fp64 --to fp16", "rounded to fp32 first", "JuliaLang/julia#40315; boa-dev/boa#5237"),
    Fault("bf16_by_fp32", "cast", "-f fp64 --to bf16", "rounded to fp32 first", "halide/Halide#8906"),
    Fault("e5m2_by_fp32", "cast", "-f fp64 --to fp8_e5m2", "rounded to fp32 first", "uxlfoundation/oneDNN#2361"),
    Fault("e5m2_by_fp16", "cast", "-f fp32 --to fp8_e5m2", "rounded to fp16 first", "triton-lang/triton#10846"),
    Fault("e4m3_by_fp16", "cast", "-f fp32 --to fp8_e4m3fn", "rounded to fp16 first", "triton-lang/triton#10846"),
    Fault("e4m3_by_bf16", "cast", "-f fp32 --to fp8_e4m3fn", "rounded to bf16 first", "MurrellGroup/Microfloats.jl#25"),
    Fault("e4m3_ties_away", "cast", "-f fp32 --to fp8_e4m3fn", "ties go away from 0", "onnx/onnx#5456"),
    Fault("e4m3_cut", "cast", "-f fp32 --to fp8_e4m3fn", "cut off, not rounded", "scott-griffiths/bitstring#342"),
    Fault("e5m2_ties_away", "cast", "-f fp32 --to fp8_e5m2", "ties go away from 0", "triton-lang/triton#5925"),
    Fault("fp16_subnormal_cut", "cast", "-f fp64 --to fp16", "subnormal results are cut off", "petamoriken/float16#952"),
    Fault("uint64_by_fp64", "cast", "-f uint64 --to fp32", "rounded to fp64 first", "golang/go#48807"),
    Fault("uint64_in_parts", "cast", "-f uint64 --to fp64", "63 bits are rounded, and the sum again",
          "eclipse-milo/milo#2029; dotnet/runtime#43895"),
    Fault("int32_end_rounded", "cast", "-f fp32 --to int32 --profile saturate --rounding toward-zero",
          "2^31 counts as the largest int32", "gnuradio/volk#400; google/xls#1557"),
    Fault("uint64_end_rounded", "cast", "-f fp64 --to uint64 --profile saturate --rounding toward-zero",
          "2^64 counts as the largest uint64", "model-checking/kani#4573"),
    Fault("int8_fits_before", "cast", "-f fp32 --to int8 --profile saturate", "whether it fits is asked before it is rounded",
          "openhwgroup/cvfpu#64"),
    Fault("int32_by_half", "cast", "-f fp32 --to int32 --profile saturate --rounding nearest-up", "floor(x + 0.5), where the sum is rounded",
          "boostorg/math#8"),
    Fault("wrapped_by_int64", "cast", "-f fp64 --to int32 --profile wrap", "by way of an int64 that saturates",
          "sebastienros/jint#902; pmatos/jsse#212"),
    Fault("fround_carry_lost", "cast", "-f fp64 --to fp32", "a carry does not reach the exponent", "paulmillr/es6-shim#140"),
    Fault("fp16_carry_lost", "cast", "-f fp64 --to fp16", "a carry does not reach the exponent", "petamoriken/float16#1046"),
]

# What `explain` names as the cause of each that differs by such a one: the hypothesis, and what its line says. Of some it is the
# interval of all differences.
PLACE = "one-interval"
CAUSES = {
    "fma_not_fused": ("rewritten", "computes x*y + z, each step rounded to fp32"),
    "fma_rounded_twice": ("rounded-twice-by-fp64", ""),
    "fma_musl": ("rounded-twice-by-fp64-where-subnormal", ""),
    "fma_dotnet_133349": ("rounded-twice-by-fp64-where-subnormal", ""),
    "fma_rust_1262": ("rounded-twice-by-fp64-where-subnormal", ""),
    "fma_by_fround": ("rounded-twice-by-fp64", ""),
    "fma_not_fused_fp64": ("rewritten", "computes x*y + z, each step rounded to fp64"),
    "fma_by_x87": ("steps-by-x87", ""),
    "div_by_reciprocal": ("rewritten", "computes x*recip(y), each step rounded to fp32"),
    "div_by_reciprocal_fp64": ("rewritten", "computes x*recip(y), each step rounded to fp64"),
    "add_by_x87": ("rounded-twice-by-x87", ""),
    "sub_by_x87": ("rounded-twice-by-x87", ""),
    "mul_by_x87": ("rounded-twice-by-x87", ""),
    "div_by_x87": ("rounded-twice-by-x87", ""),
    "sqrt_by_x87": ("rounded-twice-by-x87", ""),
    "fma_by_fp32": ("rounded-twice-by-fp32", ""),
    "fma_by_x87_fp32": ("rounded-twice-by-x87", ""),
    "fma_ties_to_odd": ("rounded-to-nearest-odd", ""),
    "fma_without_sticky": ("cut-behind-2-bits", ""),
    "fma_of_rests": ("rewritten", "computes with_rounded_rests(x, y, z), each step rounded to fp64"),
    "fma_low_word_lost": ("rewritten", "computes without_the_products_rest(x, y, z), each step rounded to fp64"),
    "mul_subnormal_without_sticky": ("cut-behind-1-bit-where-subnormal", ""),
    "mul_flushed": ("flushed-results", ""),
    "add_zero_folded": ("zero-signs", ""),
    "add_in_nearest": ("rounded-to-nearest-even", ""),
    "div_in_nearest": ("rounded-to-nearest-even", ""),
    "div_by_newton": ("rewritten", "computes let r = recip(y) in let q = x*r in fma(fma(-(q), y, x), r, q), each step rounded to fp32, and "
                      "where that is NaN div(x, y) itself"),
    "div_chopped": ("rounded-toward-zero", ""),
    "sqrt_by_reciprocal": ("rewritten", "computes x*(1/sqrt(x)), each step rounded to fp32"),
    "rsqrt_of_two": ("rewritten", "computes 1/sqrt(x), each step rounded to fp64"),
    "cbrt_by_x87": ("rounded-twice-by-x87", ""),
    "hypot_by_squares": ("rewritten", "computes sqrt(x*x + y*y), each step rounded to fp32"),
    "hypot_by_double": ("rewritten", "computes sqrt(x*x + y*y), each step rounded to fp64 and the result from there, and where that is NaN "
                        "hypot(x, y) itself"),
    "fmod_by_quotient": ("rewritten", "computes x - y*trunc(x/y), each step rounded to fp64"),
    "fmod_by_reciprocal": ("rewritten", "computes fma(-(trunc(x*recip(y))), y, x), each step rounded to fp32"),
    "remainder_by_fmod": ("rewritten", "computes fmod(x, y), each step rounded to fp64"),
    "remainder_ties_away": ("rewritten", "computes ties_away(x, y), each step rounded to fp64"),
    "pow_by_squaring": ("rewritten", "computes by_squaring(x, y), each step rounded to fp64"),
    "powf_by_logarithm": ("rewritten", "computes exp2(y*log2(x)), each step rounded to fp32, and where that is NaN pow(x, y) itself"),
    "fp16_by_fp32": ("converted-by-fp32", ""),
    "bf16_by_fp32": ("converted-by-fp32", ""),
    "e5m2_by_fp32": ("converted-by-fp32", ""),
    "e5m2_by_fp16": ("converted-by-fp16", ""),
    "e4m3_by_fp16": ("converted-by-fp16", ""),
    "e4m3_by_bf16": ("converted-by-bf16", ""),
    "e4m3_ties_away": ("converted-to-nearest-away", ""),
    "e4m3_cut": ("converted-toward-zero", ""),
    "e5m2_ties_away": ("converted-to-nearest-away", ""),
    "fp16_subnormal_cut": ("subnormal-results-cut", ""),
    "uint64_by_fp64": ("converted-by-fp64", ""),
    "fma_zero_product": ("rewritten", "computes without_z_where_x_is_0(x, y, z), each step rounded to fp64"),
    "add_without_sticky": ("rewritten", "computes with_3_bits_behind_the_larger(x, y), each step rounded to fp64"),
    "sub_subnormal_doubled": ("doubled-subnormal-results", ""),
    "recip_by_newton": ("rewritten", "computes by_newton_from_12_bits(x), each step rounded to fp32"),
    "pown_by_squaring": ("rewritten", "computes by_squaring(x, y), each step rounded to fp64"),
    "pown_by_fp64": ("rounded-twice-by-fp64", ""),
    "rootn_by_pow": ("rewritten", "computes pow(x, 1/y), each step rounded to fp64"),
    "compoundn_by_pow": ("rewritten", "computes pow(1 + x, y), each step rounded to fp64"),
    "uint64_in_parts": ("converted-in-parts", ""),
    "wrapped_by_int64": ("wrapped-by-int64", ""),
    "fp16_carry_lost": ("carry-lost", ""),
    "fround_carry_lost": ("carry-lost", ""),
    "int32_by_half": ("converted-by-half", ""),
    "int32_end_rounded": (PLACE, ": 2.1474836e+09 (0x4f000000)"),
    "uint64_end_rounded": (PLACE, ": 1.8446744073709552e+19 (0x43f0000000000000)"),
    "int8_fits_before": (PLACE, "from 127.5 to 127.99999 (0x42ff0000, 0x42ffffff)"),
}

# Why ten seconds of samples show no wrong output of a fault.
TWICE_SUBNORMAL = "The result must be subnormal, and the first rounding must end at a midpoint of two such numbers."
TWICE = "The first rounding must end at a midpoint of two numbers of the second format."
BETWEEN_INTEGERS = "The quotient must be the middle of two integers."
ZERO = "An operand must be 0."
RARE = {
    "fma_rounded_twice": TWICE,
    "fma_musl": TWICE_SUBNORMAL,
    "fma_dotnet_133349": TWICE_SUBNORMAL,
    "fma_rust_1262": TWICE_SUBNORMAL,
    "fma_rust_1270": TWICE_SUBNORMAL,
    "fma_openlibm_357": TWICE,
    "fma_glibc_34183": "The addend must begin 64 bits above the product.",
    "fma_by_fround": TWICE,
    "fma_zero_product": ZERO,
    "add_zero_folded": ZERO,
    "hypot_by_double": TWICE,
    "remainder_ties_away": BETWEEN_INTEGERS,
    "remquo_ties_away": BETWEEN_INTEGERS,
    "pown_by_fp64": TWICE,
    "e5m2_by_fp32": TWICE,
    "uint64_by_fp64": TWICE,
    "int32_end_rounded": "The operand must be 2^31.",
    "uint64_end_rounded": "The operand must be 2^64.",
    "fround_carry_lost": "The result must be a power of two, and the operand a little smaller.",
    "fp16_carry_lost": "The result must be a power of two, and the operand a little smaller.",
}

ONE_OPERAND = ("sqrt", "recip", "rsqrt", "cbrt", "cast")


def cause_of(fault):
    """What `explain` names, as the table of detcheck-wrong-roundings(7) says it."""
    return "no" if fault.function not in CAUSES else "place" if CAUSES[fault.function][0] == PLACE else "yes"


def is_swept(fault):
    """Whether there are so few inputs that a sweep tries all, and a search for errors refuses the operation."""
    return fault.operation in ONE_OPERAND and not fault.options.split()[1].endswith("64")


def words_of(fault, library):
    return [fault.operation, *fault.options.split(), "--impl", f"lib:{library}:{fault.function}", "--threads", "1"]


def wrong_of(result):
    """How many outputs of a result are wrong."""
    one = result["implementations"][0]
    return one["incorrectly_rounded"] + one["nan_mismatches"]
