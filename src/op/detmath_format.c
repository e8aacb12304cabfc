/* The formats of both sides, each by its number. */
#include "op/detmath_format.h"

#include "detmath/formats.h"

static const enum format_number numbers[DETMATH_ALL_FORMATS + 1] = {
    [DETMATH_F32] = FORMAT_FP32,
    [DETMATH_F16] = FORMAT_FP16,
    [DETMATH_BF16] = FORMAT_BF16,
    [DETMATH_E4M3FN] = FORMAT_FP8_E4M3FN,
    [DETMATH_E4M3FNUZ] = FORMAT_FP8_E4M3FNUZ,
    [DETMATH_E5M2] = FORMAT_FP8_E5M2,
    [DETMATH_E5M2FNUZ] = FORMAT_FP8_E5M2FNUZ,
    [DETMATH_E4M3] = FORMAT_FP8_E4M3,
    [DETMATH_E3M4] = FORMAT_FP8_E3M4,
    [DETMATH_E4M3B11FNUZ] = FORMAT_FP8_E4M3B11FNUZ,
    [DETMATH_E2M3FN] = FORMAT_FP6_E2M3FN,
    [DETMATH_E3M2FN] = FORMAT_FP6_E3M2FN,
    [DETMATH_E2M1FN] = FORMAT_FP4_E2M1FN,
    [DETMATH_E8M0FNU] = FORMAT_FP8_E8M0FNU,
    [DETMATH_TF32] = FORMAT_TF32,
    [DETMATH_F64] = FORMAT_FP64,
};

int detmath_index_of(const struct format *format) {
    for (int i = 0; i <= DETMATH_F64; i++)
        if (format == &formats[numbers[i]])
            return i;
    return -1;
}

int detmath_any_index_of(const struct format *format) {
    static const int indices[] = {[FORMAT_INT2] = DETMATH_INT2,   [FORMAT_UINT2] = DETMATH_UINT2,
                                  [FORMAT_INT4] = DETMATH_INT4,   [FORMAT_UINT4] = DETMATH_UINT4,
                                  [FORMAT_INT8] = DETMATH_INT8,   [FORMAT_UINT8] = DETMATH_UINT8,
                                  [FORMAT_INT16] = DETMATH_INT16, [FORMAT_UINT16] = DETMATH_UINT16,
                                  [FORMAT_INT32] = DETMATH_INT32, [FORMAT_UINT32] = DETMATH_UINT32,
                                  [FORMAT_INT64] = DETMATH_INT64, [FORMAT_UINT64] = DETMATH_UINT64};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        if (format == &integer_formats[i])
            return indices[i];
    return detmath_index_of(format);
}

bool detmath_has_functions(const struct format *format) {
    int index = detmath_index_of(format);
    return index >= 0 && index < DETMATH_FORMATS;
}
