/* For the zeros of lgamma from -2 to -10: the zero in two parts, (|1 / gamma| - 1) / d as a polynomial in the distance d
 * from it, slope first, and the distance up to which that serves; made by log_gamma.sollya. Row i, from 0 on, is that of
 * the zero next to the integer -2 - i/2, rounded down: below it where i is even, above it where i is odd. */
#ifndef DETMATH_LOG_GAMMA_TABLE_H
#define DETMATH_LOG_GAMMA_TABLE_H

#include "core.h"

struct detmath_log_gamma_row {
    float zero, zero_low, slope, slope_low, second, third, fourth, fifth, sixth, reach;
};

DETMATH_CONSTANT struct detmath_log_gamma_row detmath_log_gamma_table[16] = {
    {-0x1.3a7fcap1f, 0x1.3fe0f2p-24f, -0x1.83fe96p0f, -0x1.abd4d8p-26f, -0x1.dada88p1f,
     0x1.57cae8p2f, -0x1.214404p-3f, -0x1.3d6dcep1f, 0x1.22a352p0f, 0x1p-4f},
    {-0x1.5fb41p1f, -0x1.437b2p-24f, 0x1.ea12dap0f, 0x1.209632p-25f, -0x1.ef8a62p2f, 0x1.779196p1f,
     0x1.2cb1dp2f, -0x1.f7fecep1f, 0x1.2a067ap-2f, 0x1p-4f},
    {-0x1.9260dcp1f, 0x1.b0d328p-26f, -0x1.f20a66p2f, 0x1.a0a756p-27f, 0x1.1ca444p2f, 0x1.4691dp3f,
     -0x1.5e06cap3f, 0x1.dfd2c6p-1f, -0x1.14ecacp-2f, 0x1p-6f},
    {-0x1.fa4716p1f, 0x1.707a04p-24f, 0x1.4b99dap4f, -0x1.327538p-21f, -0x1.279ad8p5f,
     -0x1.43ff7p1f, 0x1.24d80ap5f, -0x1.6522c2p4f, 0x1.7910ap14f, 0x1p-8f},
    {-0x1.0284e8p2f, 0x1.e99aap-24f, -0x1.aca5dp4f, 0x1.6dbd38p-21f, 0x1.14e07cp5f, 0x1.08af72p4f,
     -0x1.7412bap5f, 0x1.49150cp4f, 0x1.2b64dcp14f, 0x1p-8f},
    {-0x1.3f7578p2f, 0x1.64454p-24f, 0x1.d224a4p6f, -0x1.061bep-22f, -0x1.99e22ep7f, -0x1.22d892p2f,
     0x1.b0cc2ap7f, -0x1.2c6896p7f, -0x1.477d38p21f, 0x1p-10f},
    {-0x1.4086a6p2f, 0x1.01e924p-23f, -0x1.ed72ep6f, -0x1.0535cp-19f, 0x1.98b426p7f, 0x1.32e4e8p4f,
     -0x1.957f6p7f, 0x1.2d74d8p7f, -0x1.25fa4cp24f, 0x1p-10f},
    {-0x1.7fe93p2f, 0x1.4dc17ep-23f, 0x1.661f6ap9f, 0x1.0e9784p-17f, -0x1.50f534p10f, 0x1.19e1c8p7f,
     -0x1.096c58p13f, -0x1.9811e6p10f, 0x1.eabe5ep38f, 0x1p-13f},
    {-0x1.8016b2p2f, -0x1.625f24p-24f, -0x1.69de4ap9f, 0x1.c50d56p-19f, 0x1.513c72p10f,
     -0x1.f8b114p6f, -0x1.32b4fp12f, 0x1.37a11ep10f, 0x1.650ab4p37f, 0x1p-13f},
    {-0x1.bffccp2f, 0x1.128f22p-23f, 0x1.3abf7ap12f, 0x1.73aa46p-14f, -0x1.3d6bc6p13f,
     0x1.1e532p11f, 0x1.e3fa28p22f, -0x1.2947dep19f, -0x1.82bc02p54f, 0x1p-16f},
    {-0x1.c0034p2f, 0x1.0900fp-25f, -0x1.3b407ap12f, -0x1.470f7ap-13f, 0x1.3d8184p13f,
     -0x1.1c8154p11f, 0x1.a059ecp16f, 0x1.ee74bap16f, -0x1.69c444p48f, 0x1p-16f},
    {-0x1.ffff98p2f, 0x1.fa98c4p-28f, 0x1.3af77p15f, -0x1.b3d054p-13f, -0x1.51248cp16f,
     0x1.bc41c8p14f, -0x1.1aafeap31f, 0x1.f6bb36p27f, 0x1.c45022p68f, 0x1p-19f},
    {-0x1.000034p3f, -0x1.459fcap-28f, -0x1.3b089p15f, 0x1.2988e8p-13f, 0x1.5128c8p16f,
     -0x1.bc096p14f, -0x1.26bfe8p31f, 0x1.a022e8p27f, 0x1.d795fap68f, 0x1p-19f},
    {-0x1.1ffffap3f, -0x1.c425e8p-24f, 0x1.625eep18f, -0x1.ce1268p-9f, -0x1.8efb24p19f,
     0x1.4e207ep18f, -0x1.a90dccp40f, -0x1.084a8p38f, 0x1.540b1p84f, 0x1p-22f},
    {-0x1.200006p3f, 0x1.c44b82p-24f, -0x1.62612p18f, -0x1.c8ca2p-9f, 0x1.8efbdap19f,
     -0x1.4e1d1ep18f, -0x1.2673fp38f, -0x1.89f946p37f, 0x1.d71faap81f, 0x1p-22f},
    {-0x1.4p3f, 0x1.27e508p-22f, 0x1.baf7dap21f, 0x1.7cde58p-5f, -0x1.047028p23f, 0x1.02b2cap22f,
     -0x1.2a2154p50f, 0x1.de468p44f, 0x1.dd022p99f, 0x1p-25f},
};

#if !defined(DETMATH_NO_DOUBLE)

struct detmath_core_log_gamma_row {
    double zero, zero_low, slope, second, third, fourth, fifth, sixth, seventh, reach;
};

DETMATH_CONSTANT struct detmath_core_log_gamma_row detmath_core_log_gamma_table[16] = {
    {-0x1.3a7fc9600f86cp1, -0x1.55f64f98af8dp-55, -0x1.83fe966af535fp0, -0x1.dada8802d12b5p1,
     0x1.57cae9528472fp2, -0x1.21445503429c7p-3, -0x1.3d7b3a9c3170bp1, 0x1.22e7a9c43ec84p0,
     0x1.764b17302720bp-4, 0x1p-9},
    {-0x1.5fb410a1bd901p1, 0x1.a19a96d2e6f85p-54, 0x1.ea12da904b18cp0, -0x1.ef8a61c2507e5p2,
     0x1.7791b44d18198p1, 0x1.2cb0cd1214f47p2, -0x1.f87a22e6895f1p1, 0x1.3868896d1f3b3p-2,
     0x1.8d8c181364aa7p-1, 0x1p-9},
    {-0x1.9260dbc9e59afp1, -0x1.f717cd335a7b3p-53, -0x1.f20a65f2fac55p2, 0x1.1ca444469a3dep2,
     0x1.4691cfe4a366p3, -0x1.5e0f9de79fbedp3, 0x1.e0220ba654cecp-1, 0x1.a36d3a2c00e08p1,
     -0x1.b204dc252537ep0, 0x1p-11},
    {-0x1.fa471547c2fe5p1, -0x1.70d4561291237p-56, 0x1.4b99d966c5647p4, -0x1.279ad8ebae0b7p5,
     -0x1.43ff709bb757p1, 0x1.2886c25bca9b5p5, -0x1.650bc31b57ff4p4, -0x1.1f6cd5b728c96p3,
     0x1.02782fa86be8fp3, 0x1p-13},
    {-0x1.0284e78599581p2, 0x1.e78c1e9e43cfep-53, -0x1.aca5cf4921642p4, 0x1.14e07b44ef45ep5,
     0x1.08af72c007041p4, -0x1.712677da6050bp5, 0x1.482f11842b618p4, -0x1.12d54fdbe22d3p0,
     -0x1.e36ddf3c2d786p3, 0x1p-13},
    {-0x1.3f7577a6eeafdp2, 0x1.5de5eab7f12cfp-53, 0x1.d224a3ef9e41fp6, -0x1.99e22de66a31p7,
     -0x1.22d892f5e68c1p2, 0x1.aa66bd83b86f8p7, -0x1.2bd50ec2c8a43p7, -0x1.587fe10e7fd9bp15,
     -0x1.dec092b32f564p9, 0x1p-15},
    {-0x1.4086a57f0b6d9p2, -0x1.95262b72ca9cap-55, -0x1.ed72e0829ae02p6, 0x1.98b426b7bc68ep7,
     0x1.32e4e8673061p4, -0x1.c36e7b74a5f12p7, 0x1.2c7d3782b50b9p7, 0x1.f81651437d5cdp9,
     -0x1.77b0416cf5f9bp10, 0x1p-15},
    {-0x1.7fe92f591f40dp2, -0x1.7dd4ed62cbd32p-52, 0x1.661f6a43a5e12p9, -0x1.50f534995b7d1p10,
     0x1.19e1c72a1b75bp7, 0x1.4a53c3432efbbp10, -0x1.17be26be0dbf9p10, 0x1.0d2f7515a1c56p30,
     -0x1.4b2cee9893bep18, 0x1p-18},
    {-0x1.8016b25897c8dp2, 0x1.27e0f49a4ba72p-54, -0x1.69de49e3af2aap9, 0x1.513c71c83654p10,
     -0x1.f8b1139814377p6, -0x1.4e387a98c5caap10, 0x1.1873446da441ep10, -0x1.a63eb5530d149p28,
     -0x1.c7d764c5c1f68p25, 0x1p-18},
    {-0x1.bffcbf76b86fp2, 0x1.853b29347b806p-57, 0x1.3abf7a5cea91bp12, -0x1.3d6bc50e4a7e7p13,
     0x1.1e531f0c162c1p11, 0x1.1e78a44b94d57p13, -0x1.1e8b47b56f3aep13, -0x1.2c3ea899a7706p44,
     0x1.325d0281a5033p39, 0x1p-21},
    {-0x1.c0033fdedfe1fp2, 0x1.20bb7d2324678p-52, -0x1.3b407aa387bd1p12, 0x1.3d818403886abp13,
     -0x1.1c8153d039ddep11, -0x1.1ef5d8d46a5abp13, 0x1.1eac337cad7c9p13, 0x1.539d74c373185p43,
     0x1.a7536fc9e06a8p41, 0x1p-21},
    {-0x1.ffff97f8159cfp2, -0x1.e54f415a91586p-55, 0x1.3af76fe4c2fabp15, -0x1.51248c8d590a4p16,
     0x1.bc41c8d11e1f3p14, 0x1.2ae6c5ab9640fp16, -0x1.3b23802668ae4p16, -0x1.107d4d4690b21p60,
     -0x1.540d476a50016p58, 0x1p-24},
    {-0x1.000034028b3f9p3, -0x1.f60cb3cec1cedp-52, -0x1.3b088fed67718p15, 0x1.5128c76ca121bp16,
     -0x1.bc095f531cd54p14, -0x1.0756340e6074bp16, 0x1.41a25327504b8p16, -0x1.6f8675024e116p59,
     0x1.093e9b9f031f4p55, 0x1p-24},
    {-0x1.1ffffa3884bdp3, -0x1.ff90c9d2ae925p-53, 0x1.625edfc63db2fp18, -0x1.8efb24d486eb1p19,
     0x1.4e207d213c76fp18, 0x1.d385e95d35ffep20, -0x1.ec7249f46ee3dp20, -0x1.fd41d269b0b23p73,
     0x1.9fd69c36a036bp73, 0x1p-27},
    {-0x1.200005c7768fbp3, -0x1.b5b610ffb70d4p-54, -0x1.626120391944p18, 0x1.8efbd9db31869p19,
     -0x1.4e1d1ea497d68p18, -0x1.cbace24b1f96ep21, 0x1.0310e27a5abeep20, 0x1.340b0986c3ccbp75,
     -0x1.3460f3cfd5a2ap71, 0x1p-27},
    {-0x1.3fffff6c0d7cp3, 0x1.197cea8c42d7dp-51, 0x1.baf7da5f3795dp21, -0x1.0470289510a9cp23,
     0x1.02b2ca0ac256ep22, 0x1.2455314beab77p30, 0x1.853216e8cdf48p30, -0x1.d187f5f2b85e1p89,
     -0x1.1928a6912b78bp90, 0x1p-30},
};

#endif
#endif
