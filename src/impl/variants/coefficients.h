/* What coefficients.sollya beside this file prints: of each function the coefficients of the polynomial,
 * and of pi/2 and log(2) the constants of range reductions of 1 to 4 steps. */
#ifndef DETCHECK_IMPL_VARIANTS_COEFFICIENTS_H
#define DETCHECK_IMPL_VARIANTS_COEFFICIENTS_H

enum { VARIANT_COEFFICIENTS = 9, VARIANT_TERMS = 4 };

enum variant_polynomial { POLYNOMIAL_EXP, POLYNOMIAL_LOG, POLYNOMIAL_SIN, POLYNOMIAL_COS };

/* Ascending, the first that is not a part of the function's exact beginning at first. */
static const struct {
    enum variant_polynomial polynomial;
    int degree; /* of the whole */
    float coefficients[VARIANT_COEFFICIENTS];
} variant_minimax[] = {
    {POLYNOMIAL_EXP, 3, {0x1.0148e8p-1f, 0x1.57639ep-3f}},
    {POLYNOMIAL_EXP, 4, {0x1.fffeaep-2f, 0x1.56dfd8p-3f, 0x1.570bfp-5f}},
    {POLYNOMIAL_EXP, 5, {0x1.ffff58p-2f, 0x1.555494p-3f, 0x1.56b3b4p-5f, 0x1.123dfep-7f}},
    {POLYNOMIAL_EXP, 6, {0x1p-1f, 0x1.5554dcp-3f, 0x1.5554eap-5f, 0x1.120c04p-7f, 0x1.6d4bfcp-10f}},
    {POLYNOMIAL_EXP,
     7,
     {0x1p-1f, 0x1.555556p-3f, 0x1.555502p-5f, 0x1.110fc2p-7f, 0x1.6d2e04p-10f, 0x1.a2d9ap-13f}},
    {POLYNOMIAL_LOG, 5, {-0x1.ffb8b2p-2f, 0x1.56aa7ep-2f, -0x1.12e4fep-2f, 0x1.7d733ep-3f}},
    {POLYNOMIAL_LOG,
     6,
     {-0x1.fff9f4p-2f, 0x1.54cae8p-2f, -0x1.02418cp-2f, 0x1.c0674ap-3f, -0x1.351128p-3f}},
    {POLYNOMIAL_LOG,
     7,
     {-0x1.0000a4p-1f, 0x1.5541bap-2f, -0x1.fe77a4p-3f, 0x1.9ffc58p-3f, -0x1.7c552cp-3f,
      0x1.017b96p-3f}},
    {POLYNOMIAL_LOG,
     8,
     {-0x1.00001ap-1f, 0x1.55589cp-2f, -0x1.ffafb2p-3f, 0x1.97b672p-3f, -0x1.5d909ap-3f,
      0x1.4b353ep-3f, -0x1.b5bfaap-4f}},
    {POLYNOMIAL_LOG,
     9,
     {-0x1.fffffcp-2f, 0x1.555626p-2f, -0x1.00051p-2f, 0x1.9912cep-3f, -0x1.533f2p-3f,
      0x1.2eaf82p-3f, -0x1.25952ap-3f, 0x1.788abcp-4f}},
    {POLYNOMIAL_LOG,
     10,
     {-0x1.fffffep-2f, 0x1.555548p-2f, -0x1.000222p-2f, 0x1.99a7a8p-3f, -0x1.5487e2p-3f,
      0x1.22446ap-3f, -0x1.0bf544p-3f, 0x1.08a6a2p-3f, -0x1.496a52p-4f}},
    {POLYNOMIAL_SIN, 3, {-0x1.50256ep-3f}},
    {POLYNOMIAL_SIN, 5, {-0x1.555072p-3f, 0x1.0d1702p-7f}},
    {POLYNOMIAL_SIN, 7, {-0x1.555552p-3f, 0x1.110be6p-7f, -0x1.9ab41ap-13f}},
    {POLYNOMIAL_SIN, 9, {-0x1.555556p-3f, 0x1.11119ap-7f, -0x1.a08584p-13f, 0x1.88275ap-19f}},
    {POLYNOMIAL_COS, 4, {-0x1.ffeef8p-2f, 0x1.4e6452p-5f}},
    {POLYNOMIAL_COS, 6, {-0x1.fffff4p-2f, 0x1.554a56p-5f, -0x1.661fc6p-10f}},
    {POLYNOMIAL_COS, 8, {-0x1p-1f, 0x1.55554ep-5f, -0x1.6c0e66p-10f, 0x1.9a8004p-16f}},
    {POLYNOMIAL_COS,
     10,
     {-0x1p-1f, 0x1.555556p-5f, -0x1.6c177p-10f, 0x1.a08474p-16f, -0x1.3ac9f2p-22f}},
};

/* Of any degree. */
static const float variant_taylor[][VARIANT_COEFFICIENTS] = {
    [POLYNOMIAL_EXP] = {0x1p-1f, 0x1.555556p-3f, 0x1.555556p-5f, 0x1.111112p-7f, 0x1.6c16c2p-10f,
                        0x1.a01a02p-13f},
    [POLYNOMIAL_LOG] = {-0x1p-1f, 0x1.555556p-2f, -0x1p-2f, 0x1.99999ap-3f, -0x1.555556p-3f,
                        0x1.24924ap-3f, -0x1p-3f, 0x1.c71c72p-4f, -0x1.99999ap-4f},
    [POLYNOMIAL_SIN] = {-0x1.555556p-3f, 0x1.111112p-7f, -0x1.a01a02p-13f, 0x1.71de3ap-19f},
    [POLYNOMIAL_COS] = {-0x1p-1f, 0x1.555556p-5f, -0x1.6c16c2p-10f, 0x1.a01a02p-16f,
                        -0x1.27e4fcp-22f},
};

/* pi/2: row n - 1 has n terms. */
static const float variant_half_pi[VARIANT_TERMS][VARIANT_TERMS] = {
    {0x1.921fb6p+0f},
    {0x1.92p+0f, 0x1.fb5444p-12f},
    {0x1.92p+0f, 0x1.fap-12f, 0x1.54442ep-20f},
    {0x1.92p+0f, 0x1.fap-12f, 0x1.54p-20f, 0x1.10b462p-30f},
};

/* log(2): row n - 1 has n terms. */
static const float variant_log_2[VARIANT_TERMS][VARIANT_TERMS] = {
    {0x1.62e43p-1f},
    {0x1.62e4p-1f, 0x1.7f7d1cp-20f},
    {0x1.62e4p-1f, 0x1.7f7cp-20f, 0x1.1cf79ap-36f},
    {0x1.62e4p-1f, 0x1.7f7cp-20f, 0x1.1cf6p-36f, 0x1.9abc9ep-52f},
};

#define VARIANT_TWO_OVER_PI    0x1.45f306p-1f
#define VARIANT_ONE_OVER_LOG_2 0x1.715476p+0f

#endif
