/* The formats' other names, which the library and the program know. Not installed. */
#ifndef DETMATH_LIBRARY_FORMAT_NAMES_H
#define DETMATH_LIBRARY_FORMAT_NAMES_H

#define DETMATH_ALIASES_F64      "binary64 float64 f64 double"
#define DETMATH_ALIASES_F32      "binary32 float32 f32 float single"
#define DETMATH_ALIASES_TF32     "tensorfloat32 tensorfloat tensorfloat_32 float19"
#define DETMATH_ALIASES_F16      "binary16 float16 f16 half"
#define DETMATH_ALIASES_BF16     "bfloat16 brain16"
#define DETMATH_ALIASES_E5M2     "float8_e5m2 float8e5m2 f8e5m2"
#define DETMATH_ALIASES_E5M2FNUZ "float8_e5m2fnuz float8e5m2fnuz e5m2fnuz f8e5m2fnuz"
#define DETMATH_ALIASES_E4M3     "float8_e4m3 float8e4m3 f8e4m3"
#define DETMATH_ALIASES_E4M3FN   "float8_e4m3fn float8e4m3fn e4m3fn f8e4m3fn"
#define DETMATH_ALIASES_E4M3FNUZ "float8_e4m3fnuz float8e4m3fnuz e4m3fnuz f8e4m3fnuz"
#define DETMATH_ALIASES_E4M3B11FNUZ                                                                \
    "float8_e4m3b11fnuz float8e4m3b11fnuz e4m3b11fnuz f8e4m3b11fnuz float8_e4m3b11"
#define DETMATH_ALIASES_E3M4   "float8_e3m4 float8e3m4 e3m4 f8e3m4"
#define DETMATH_ALIASES_E3M2FN "float6_e3m2fn float6e3m2fn e3m2fn e3m2 f6e3m2fn fp6_e3m2"
#define DETMATH_ALIASES_E2M3FN "float6_e2m3fn float6e2m3fn e2m3fn e2m3 f6e2m3fn fp6_e2m3"
#define DETMATH_ALIASES_E2M1FN "float4_e2m1fn float4e2m1fn float4e2m1 e2m1fn e2m1 f4e2m1fn fp4_e2m1"
#define DETMATH_ALIASES_E8M0FNU                                                                    \
    "float8_e8m0fnu float8e8m0fnu float8e8m0 e8m0fnu e8m0 f8e8m0fnu fp8_e8m0"

#endif
