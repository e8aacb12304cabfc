"""What becomes of a number in another format, by the sources that detcheck-parameters(7) names for each profile, and
by IEEE 754 within the range of a format."""

from counted import FORMATS, INF, NAN

FN, FNUZ = ("fp8_e4m3fn", "fp8_e5m2"), ("fp8_e4m3fnuz", "fp8_e5m2fnuz")
SMALL = ("fp4_e2m1fn", "fp6_e2m3fn", "fp6_e3m2fn")
FP8 = FN + FNUZ
WIDE = ("fp16", "bf16", "fp32", "fp64")  # of which ONNX says what IEEE 754 does
# Whether what is beyond the largest number becomes it, and whether infinities do (in these formats); whether NaN keeps
# its sign; and the targets of which the source says something, None for all.
PROFILES = {
    "ieee": (False, False, False, None),
    "saturate": (True, True, False, None),
    "onnx-19": (True, FN, False, FP8 + WIDE),
    "onnx-19-unsaturated": (False, False, True, FP8 + WIDE),
    "onnx-24": (True, True, False, FP8 + WIDE + ("fp4_e2m1fn", "fp8_e8m0fnu")),
    "onnx-24-unsaturated": (False, False, True, FP8 + WIDE + ("fp4_e2m1fn", "fp8_e8m0fnu")),
    "ocp": (True, True, False, FN + SMALL),
    "ocp-unsaturated": (False, False, False, FN),
    "ml_dtypes": (False, False, True, FP8 + SMALL + ("bf16", "fp8_e3m4", "fp8_e4m3", "fp8_e4m3b11fnuz", "fp8_e8m0fnu")),
    "onnx-reference": (True, True, True, FP8 + SMALL + ("bf16",)),
}


def nan_of(to, profile, negative):
    form = FORMATS[to]
    if to in SMALL:
        if profile in ("onnx-24", "onnx-24-unsaturated", "ocp"):
            return form.last
        if profile in ("ml_dtypes", "onnx-reference"):
            return 0 if negative else form.sign
        return form.sign
    if PROFILES[profile][2] and negative and to not in FNUZ and form.style not in ("no -0", "unsigned"):
        return form.nan | form.sign
    return form.nan


def cast(value, to, profile, rounding, chance=None):
    """The code of the result."""
    if to in WIDE and profile.startswith("onnx-") and profile != "onnx-reference":
        profile = "ieee"
    form = FORMATS[to]
    saturate, infinities, _, _ = PROFILES[profile]
    if to in WIDE:
        saturate = infinities = profile == "saturate"
    infinities = infinities is True or (infinities and to in infinities)
    sign = form.sign if value.negative else 0
    if value.kind == NAN:
        return nan_of(to, profile, value.negative)
    if form.style == "unsigned":
        if value.kind != INF and value.is_zero():
            return 0 if profile in ("saturate", "onnx-24") else form.nan
        if value.negative:
            return form.nan
    if value.kind == INF:
        if to in SMALL or infinities:
            return form.last | sign
        return form.infinity | sign if form.infinity is not None else nan_of(to, profile, value.negative)
    if form.style == "unsigned" and form.place(value)[0] < 0:
        return form.nan if profile == "onnx-24-unsaturated" else 0
    count = form.rounded(value, rounding, chance)
    if count > form.last:
        inward = rounding == "toward-zero" or (rounding == "up" and value.negative) or \
            (rounding == "down" and not value.negative)
        if saturate or inward or to in SMALL:
            return form.last | sign
        if form.infinity is not None:
            return form.infinity | sign
        # ONNX's table without saturation has -NaN of -infinity, and NaN of numbers.
        return nan_of(to, profile, value.negative and not profile.startswith("onnx-"))
    if count == 0 and form.style == "no -0":
        return 0
    return count | sign
