/* The rows of atan (inverse_trigonometric_lanes.inc), each a column of 16 beside the others, and those of atan2; made by
 * inverse_trigonometric.sollya. */
#ifndef DETMATH_INVERSE_TRIGONOMETRIC_TABLE_H
#define DETMATH_INVERSE_TRIGONOMETRIC_TABLE_H

#include "core.h"

/* First the middles, then what stands before the polynomial, then the coefficients from the last to the first. Column 8
 * is that of what is above 59/8, column 9 that of what is below 1/8. */
DETMATH_CONSTANT float detmath_atan_rows[128] = {
    /* middles */
    0x1.a0002ap0f, 0x1.0fffecp1f, 0x1.4fffcap1f, 0x1.8fff94p1f, 0x1.effc42p1f, 0x1.380034p2f,
    0x1.78p2f, 0x1.b8004cp2f, 0x1.777a5cp-25f, 0.0f, 0.0f, 0.0f, 0x1.ffdf8ap-2f, 0x1.7ff8fep-1f,
    0x1.ffe8fap-1f, 0x1.400022p0f,
    /* numbers */
    0x1.04e67ep0f, 0x1.218628p0f, 0x1.34f1eep0f, 0x1.42d6fp0f, 0x1.5177d8p0f, 0x1.5e5464p0f,
    0x1.66f68ap0f, 0x1.6d259cp0f, 0x1.921fb6p0f, 0.0f, 0.0f, 0.0f, 0x1.daac78p-2f, 0x1.49747ep-1f,
    0x1.921432p-1f, 0x1.cac7ep-1f,
    /* r^5 */
    0x1.61cecep-11f, -0x1.fd54d2p-12f, -0x1.fd8b9p-13f, -0x1.73cbdep-14f, -0x1.5c6bbcp-15f,
    -0x1.5af8e8p-17f, -0x1.f1a74cp-19f, -0x1.264d58p-21f, 0x1.eedb04p-5f, -0x1.805aa6p-5f,
    -0x1.c5fdep-4f, -0x1.0e09eep-3f, -0x1.faf78ep-6f, 0x1.d66288p-6f, 0x1.6fb28cp-6f,
    0x1.2f8c5ep-7f,
    /* r^4 */
    0x1.7391f2p-9f, 0x1.2987e4p-9f, 0x1.233b5cp-10f, 0x1.142d1p-11f, 0x1.8d46ap-13f,
    0x1.d8a788p-15f, 0x1.4fcbfap-16f, 0x1.13fc12p-17f, 0x1.ae11e6p-3f, 0x1.a508acp-3f,
    0x1.e577dp-3f, 0x1.067376p-2f, -0x1.37057p-4f, -0x1.0c0266p-4f, -0x1.998f0cp-6f,
    -0x1.1e380cp-8f,
    /* r^3 */
    -0x1.f16e36p-7f, -0x1.087772p-7f, -0x1.05a6c2p-8f, -0x1.0bd004p-9f, -0x1.b0bd8p-11f,
    -0x1.3560dp-12f, -0x1.03148cp-13f, -0x1.ed94ap-15f, 0x1.9de894p-11f, -0x1.240da2p-12f,
    -0x1.a0a9fcp-8f, -0x1.aa59dap-7f, 0x1.3aafb8p-3f, 0x1.c30812p-5f, -0x1.4d616ap-16f,
    -0x1.0bc57ep-6f,
    /* r^2 */
    0x1.87be82p-5f, 0x1.985c8ep-6f, 0x1.b55dep-7f, 0x1.ef7006p-8f, 0x1.d472ccp-9f, 0x1.945dfcp-10f,
    0x1.900b18p-11f, 0x1.b5ab42p-12f, -0x1.554dbp-2f, -0x1.555414p-2f, -0x1.54c53ep-2f,
    -0x1.53b798p-2f, -0x1.5e4798p-5f, 0x1.ec1128p-5f, 0x1.55517p-4f, 0x1.2b3404p-4f,
    /* r */
    -0x1.f62e3ap-4f, -0x1.1e1bc6p-4f, -0x1.596178p-5f, -0x1.b9c4b2p-6f, -0x1.ef12c4p-7f,
    -0x1.0472eap-7f, -0x1.313f2ap-8f, -0x1.82cfeap-9f, 0x1.773c84p-22f, 0.0f, -0x1.3e572cp-16f,
    -0x1.4b9582p-14f, -0x1.47a9ecp-2f, -0x1.3a9522p-2f, -0x1.000b7p-2f, -0x1.85dc9ep-3f,
    /* 1 */
    0x1.19450cp-2f, 0x1.734f3ap-3f, 0x1.038cb4p-3f, 0x1.7c791cp-4f, 0x1.ff8764p-5f, 0x1.4ac78cp-5f,
    0x1.cd516ep-6f, 0x1.5373fep-6f, 0x1p0f, 0.0f, 0.0f, 0.0f, 0x1.99a3fep-1f, 0x1.47b262p-1f,
    0x1.000b84p-1f, 0x1.8f9be6p-2f};

/* The same of atan2 (atan2_lanes.inc), columns of 8. */
DETMATH_CONSTANT float detmath_atan2_rows[56] = {
    /* middles */
    0.0f, 0x1.818p-3f, 0x1.414p-2f, 0x1.c1cp-2f, 0x1.2120d6p-1f, 0x1.616048p-1f, 0x1.a1a134p-1f,
    0x1.e1e1d4p-1f,
    /* numbers */
    0.0f, -0x1.1d58a2p-9f, -0x1.3ea3dap-7f, -0x1.9f9498p-6f, 0x1.07331ep-1f, 0x1.354decp-1f,
    0x1.5e5382p-1f, 0x1.829d04p-1f,
    /* r^4 */
    0x1.8783bcp-3f, 0x1.bff542p-4f, 0x1.04767ep-7f, -0x1.f3ae38p-5f, -0x1.5cd118p-4f,
    -0x1.3899a4p-4f, -0x1.cdf45p-5f, -0x1.ebc99ep-6f,
    /* r^3 */
    0x1.475e42p-10f, 0x1.41e42p-3f, 0x1.8c5096p-3f, 0x1.65be32p-3f, 0x1.043e12p-3f, 0x1.389866p-4f,
    0x1.23b09cp-5f, 0x1.1b8d9ap-7f,
    /* r^2 */
    -0x1.5564cep-2f, -0x1.12cb84p-2f, -0x1.6b041cp-3f, -0x1.52d8f8p-4f, -0x1.9c36f4p-8f,
    0x1.6c29f6p-5f, 0x1.267e8ep-4f, 0x1.515dd2p-4f,
    /* r */
    0x1.bc5908p-21f, -0x1.6790f4p-3f, -0x1.0a422ap-2f, -0x1.3c0d62p-2f, -0x1.4c6ea6p-2f,
    -0x1.4440c4p-2f, -0x1.2d2c5p-2f, -0x1.0f00ccp-2f,
    /* 1 */
    0.0f, -0x1.18527ap-5f, -0x1.6f028p-4f, -0x1.4b2e96p-3f, 0x1.843486p-1f, 0x1.5acc92p-1f,
    0x1.3371e8p-1f, 0x1.0f8044p-1f};

#endif
