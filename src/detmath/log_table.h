/* For piece i of the significands, 1/c with c near its middle, and ln c, log2 c, log10 c; made by
 * log.sollya. Pieces are 1/64 of a binade, the first starts at DETMATH_LOG_START. The piece around
 * 1 has c = 1, so that logarithms near 0 come from the polynomial alone. */
#ifndef DETMATH_LOG_TABLE_H
#define DETMATH_LOG_TABLE_H

#include "core.h"

/* The rows of log_lanes.inc: 1/c, and the two parts of ln c, log2 c and log10 c. */
DETMATH_CONSTANT float detmath_log_row_inverses[16] = {
    0x1p0f,    0x1.dp-1f, 0x1.cp-1f,  0x1.ap-1f,  0x1.9p-1f, 0x1.8p-1f,  0x1.7p-1f, 0x1.6p-1f,
    0x1.5p-1f, 0x1.4p-1f, 0x1.38p-1f, 0x1.28p-1f, 0x1.2p-1f, 0x1.18p-1f, 0x1.1p-1f, 0x1p-1f};
DETMATH_CONSTANT float detmath_log_row_highs[16] = {
    0.0f,         0x1.933p-4f,  0x1.1178p-3f, 0x1.a94p-3f,  0x1.f99p-3f,  0x1.2698p-2f,
    0x1.522cp-2f, 0x1.7fbp-2f,  0x1.af54p-2f, 0x1.e148p-2f, 0x1.fb34p-2f, 0x1.188ep-1f,
    0x1.2696p-1f, 0x1.3502p-1f, 0x1.43dap-1f, 0x1.62e4p-1f};
DETMATH_CONSTANT float detmath_log_row_lows[16] = {0.0f,
                                                   0x1.797566p-18f,
                                                   0x1.d044fcp-20f,
                                                   -0x1.2c3752p-19f,
                                                   0x1.c6cb3cp-19f,
                                                   -0x1.deecb2p-18f,
                                                   -0x1.1f8c76p-18f,
                                                   -0x1.7109fap-20f,
                                                   -0x1.6adb74p-18f,
                                                   0x1.4344e4p-19f,
                                                   0x1.8af7a4p-18f,
                                                   0x1.c81e48p-18f,
                                                   0x1.089a6ep-20f,
                                                   0x1.15b3b2p-18f,
                                                   -0x1.a0db88p-26f,
                                                   0x1.7f7d1cp-20f};
DETMATH_CONSTANT float detmath_log2_row_highs[16] = {
    0.0f,        0x1.22d8p-3f, 0x1.8a88p-3f, 0x1.32cp-2f,  0x1.6cbp-2f, 0x1.a9p-2f,
    0x1.e7ep-2f, 0x1.14c6p-1f, 0x1.3722p-1f, 0x1.5b2cp-1f, 0x1.6dep-1f, 0x1.94c2p-1f,
    0x1.a9p-1f,  0x1.bdcep-1f, 0x1.d338p-1f, 0x1p0f};
DETMATH_CONSTANT float detmath_log2_row_lows[16] = {0.0f,
                                                    0x1.6e155ap-18f,
                                                    0x1.80abfcp-19f,
                                                    -0x1.1c8f12p-22f,
                                                    0x1.ed0cbap-19f,
                                                    -0x1.a39fbep-20f,
                                                    -0x1.40358ep-19f,
                                                    -0x1.3e032ep-18f,
                                                    0x1.5db83ap-20f,
                                                    0x1.ed0cbap-20f,
                                                    -0x1.eac382p-20f,
                                                    0x1.0e9258p-18f,
                                                    -0x1.a39fbep-19f,
                                                    0x1.3b992cp-18f,
                                                    0x1.20a6dep-21f,
                                                    0.0f};
DETMATH_CONSTANT float detmath_log10_row_highs[16] = {
    0.0f,         0x1.5e4p-5f,  0x1.db2p-5f,  0x1.716p-4f,  0x1.b72p-4f, 0x1.ffcp-4f,
    0x1.25b8p-3f, 0x1.4d4p-3f,  0x1.76a8p-3f, 0x1.a208p-3f, 0x1.b89p-3f, 0x1.e76p-3f,
    0x1.ffcp-3f,  0x1.0c68p-2f, 0x1.194cp-2f, 0x1.344p-2f};
DETMATH_CONSTANT float detmath_log10_row_lows[16] = {0.0f,
                                                     -0x1.a65206p-19f,
                                                     -0x1.c25132p-18f,
                                                     -0x1.798e4cp-19f,
                                                     0x1.cd1716p-20f,
                                                     -0x1.ea21c4p-23f,
                                                     0x1.410ad8p-18f,
                                                     0x1.fc13aep-18f,
                                                     -0x1.d1a24p-18f,
                                                     0x1.a84fbcp-19f,
                                                     -0x1.983068p-19f,
                                                     0x1.24046cp-19f,
                                                     -0x1.ea21c4p-22f,
                                                     -0x1.dc52a8p-19f,
                                                     -0x1.884212p-19f,
                                                     0x1.3509f8p-18f};

#if !defined(DETMATH_NO_DOUBLE)

/* The bits of 11/16 + 1/256. */
#define DETMATH_LOG_START     0x3fe6200000000000u
#define DETMATH_LOG_START_F32 0x3f310000u

struct detmath_log_row {
    double inverse, ln, log2, log10;
};

DETMATH_CONSTANT struct detmath_log_row detmath_log_table[64] = {
    {0x1.702p0, -0x1.73f686ae42e72p-2, -0x1.0c5088789923bp-1, -0x1.43153c3add7cep-3},
    {0x1.6c2p0, -0x1.68c68395480f6p-2, -0x1.043e95c6b6d48p-1, -0x1.395d9602325c7p-3},
    {0x1.682p0, -0x1.5d76dd9a778dp-2, -0x1.f82ba1f212a87p-2, -0x1.2f8a753003532p-3},
    {0x1.642p0, -0x1.5206dfd186716p-2, -0x1.e7ab6f1ad81cp-2, -0x1.259b3c9e7e489p-3},
    {0x1.606p0, -0x1.472fdbe4fd3f2p-2, -0x1.d807eee30042bp-2, -0x1.1c30e39c64a32p-3},
    {0x1.5cap0, -0x1.3c3b2736b3f61p-2, -0x1.c839991829e42p-2, -0x1.12acc0ab50c71p-3},
    {0x1.58ep0, -0x1.31281d5f10fa4p-2, -0x1.b83f808ac29b7p-2, -0x1.090e44fe6f878p-3},
    {0x1.556p0, -0x1.26b620935063cp-2, -0x1.a92dc0ee349a9p-2, -0x1.fff758d39a972p-4},
    {0x1.51ep0, -0x1.1c2895218f2cp-2, -0x1.99f43f9cd490fp-2, -0x1.eda2487c5ddcdp-4},
    {0x1.4e6p0, -0x1.117ee81dfe4c4p-2, -0x1.8a9228a043cdep-2, -0x1.db1c59bcc17b1p-4},
    {0x1.4bp0, -0x1.071b85fcd590dp-2, -0x1.7b957ac51aac4p-2, -0x1.c910874e09f98p-4},
    {0x1.47ap0, -0x1.f939c4e72d59dp-3, -0x1.6c717aa4da7e8p-2, -0x1.b6d55be029a24p-4},
    {0x1.446p0, -0x1.e4ceeda61dda6p-3, -0x1.5db71c433a15ep-2, -0x1.a51961f395842p-4},
    {0x1.414p0, -0x1.d0fb7f2255e51p-3, -0x1.4f69f5d83063dp-2, -0x1.93e0eb2d852c9p-4},
    {0x1.3e2p0, -0x1.bcf6736f7d6c7p-3, -0x1.40f905757a549p-2, -0x1.827d5c4bc75d2p-4},
    {0x1.3b2p0, -0x1.a98ed238b8089p-3, -0x1.32f9a249095a4p-2, -0x1.71a2883bb61a6p-4},
    {0x1.382p0, -0x1.95f7ac2b3b4f5p-3, -0x1.24d7f80912b9ep-2, -0x1.609e6ded020a6p-4},
    {0x1.352p0, -0x1.8230164c1a332p-3, -0x1.16935d34fb22ap-2, -0x1.4f704145c389fp-4},
    {0x1.324p0, -0x1.6f0d28ae56b4cp-3, -0x1.08c588cda79e4p-2, -0x1.3ed1199a5e425p-4},
    {0x1.2f6p0, -0x1.5bbc05f140486p-3, -0x1.f5acbefbb7f8bp-3, -0x1.2e09cf49d1907p-4},
    {0x1.2cap0, -0x1.4915d832fb562p-3, -0x1.dac50fe6d46d9p-3, -0x1.1dd702c404d27p-4},
    {0x1.29ep0, -0x1.3643cad0588f1p-3, -0x1.bf9e14fc5c71p-3, -0x1.0d7e1a900d95dp-4},
    {0x1.274p0, -0x1.2423113ba50e3p-3, -0x1.a576ee5f2fd87p-3, -0x1.fb7e714f13f0cp-5},
    {0x1.24ap0, -0x1.11d8e5e290472p-3, -0x1.8b13fd1976c5p-3, -0x1.dbb8ae706b9d8p-5},
    {0x1.22p0, -0x1.fec9131dbeabbp-4, -0x1.70742d4ef027fp-3, -0x1.bba9a058dfd84p-5},
    {0x1.1f8p0, -0x1.db5270187d927p-4, -0x1.56df5328d58c5p-3, -0x1.9cdc05cad4042p-5},
    {0x1.1dp0, -0x1.b78c82bb0eda1p-4, -0x1.3d1146d9a8a64p-3, -0x1.7dc98c51c8242p-5},
    {0x1.1a8p0, -0x1.9375e55595edep-4, -0x1.2309065d29791p-3, -0x1.5e70fd3ee6b34p-5},
    {0x1.182p0, -0x1.70e12b325c82ap-4, -0x1.0a1721d25fa74p-3, -0x1.40679bb1d7b2dp-5},
    {0x1.15cp0, -0x1.4e01108a35ae6p-4, -0x1.e1ddbb910f003p-4, -0x1.221cc166684ddp-5},
    {0x1.136p0, -0x1.2ad449eff2316p-4, -0x1.af1e965987e96p-4, -0x1.038f4e7d013cp-5},
    {0x1.112p0, -0x1.0939853a1cc8cp-4, -0x1.7ea36a7eb1373p-4, -0x1.ccbe12e5324b1p-6},
    {0x1.0ecp0, -0x1.cae72fb95c20bp-5, -0x1.4b0751e0576bp-4, -0x1.8e991ff31a8b2p-6},
    {0x1.0cap0, -0x1.8a5a9cc614ca4p-5, -0x1.1c775bfd12fd6p-4, -0x1.56880fea9f813p-6},
    {0x1.0a6p0, -0x1.4572e981cad9p-5, -0x1.d58602b4d4917p-5, -0x1.1aae69c7a30c1p-6},
    {0x1.084p0, -0x1.03d5d85e73eefp-5, -0x1.76dcf723ab46ap-5, -0x1.c361551c01a7ep-7},
    {0x1.062p0, -0x1.83624fba83bd7p-6, -0x1.1770421d3f05fp-5, -0x1.507a3cf1182e7p-7},
    {0x1.042p0, -0x1.05e547826bc91p-6, -0x1.79d5e45ac2fcfp-6, -0x1.c6f594542be91p-8},
    {0x1.02p0, -0x1.fe02a6b106789p-8, -0x1.6fe50b6ef0851p-7, -0x1.bafd47221ed26p-9},
    {0x1p0, 0.0, 0.0, 0.0},
    {0x1.f82p-1, 0x1.fbea8b13c03d9p-7, 0x1.6e625317aa9f8p-6, 0x1.b92b9ed83158dp-8},
    {0x1.f08p-1, 0x1.f7a9b16782856p-6, 0x1.6b50e297afccep-5, 0x1.b579db6dec358p-7},
    {0x1.e92p-1, 0x1.766d923c20ff8p-5, 0x1.0e17bc6612984p-4, 0x1.45395aa712624p-6},
    {0x1.e1ep-1, 0x1.f0c30c1116351p-5, 0x1.665684ff81085p-4, 0x1.af7b5e39094ebp-6},
    {0x1.daep-1, 0x1.345179b63dd42p-4, 0x1.bccf29acccf24p-4, 0x1.0bcd4572d84f4p-5},
    {0x1.d42p-1, 0x1.6ef528c056a2cp-4, 0x1.08b438e517a8cp-3, 0x1.3ebc410db0cacp-5},
    {0x1.cd8p-1, 0x1.a956d3ecade63p-4, 0x1.32d13e4692eb7p-3, 0x1.7171e59efcb5fp-5},
    {0x1.c72p-1, 0x1.e2507702af03bp-4, 0x1.5bea8e6f6d659p-3, 0x1.a2eed201552dcp-5},
    {0x1.c0ep-1, 0x1.0d79e7cd48e5ap-3, 0x1.84c59fac3935dp-3, 0x1.d420cad4cc9e1p-5},
    {0x1.bacp-1, 0x1.299d30c606ea7p-3, 0x1.ad5dc4700fe7bp-3, 0x1.0281170d6a6fdp-4},
    {0x1.b4ep-1, 0x1.44f8b726f8efbp-3, 0x1.d4d5b7ceeb816p-3, 0x1.1a4446458f78fp-4},
    {0x1.af2p-1, 0x1.601b076e7a8a9p-3, 0x1.fbfb2152ea4c9p-3, 0x1.31d5c40cfe845p-4},
    {0x1.a98p-1, 0x1.7b0091651528cp-3, 0x1.11646e7791469p-2, 0x1.4932780c56fe2p-4},
    {0x1.a42p-1, 0x1.9509aa0044f8fp-3, 0x1.242c4835c0306p-2, 0x1.5fcfb2a78bfefp-4},
    {0x1.9ecp-1, 0x1.af6895610dbaep-3, 0x1.37320a83c1b0ap-2, 0x1.76b778d4aa701p-4},
    {0x1.99ap-1, 0x1.c8df7cb9a8f77p-3, 0x1.49906fa396a0ep-2, 0x1.8cd5b844e5bbdp-4},
    {0x1.948p-1, 0x1.e2a877a6b2c12p-3, 0x1.5c2a096a135dcp-2, 0x1.a33b4222456f1p-4},
    {0x1.8fap-1, 0x1.fb7d86eee3b9p-3, 0x1.6e13af9f3a147p-2, 0x1.b8ccee237d753p-4},
    {0x1.8acp-1, 0x1.0a504e97bb40cp-2, 0x1.80359eb990407p-2, 0x1.cea2602e9e0dfp-4},
    {0x1.862p-1, 0x1.1661caecb9ba4p-2, 0x1.919ece40d488dp-2, 0x1.e3995cade1ee6p-4},
    {0x1.818p-1, 0x1.22981fbef797bp-2, 0x1.a33d25fcb1facp-2, 0x1.f8d05b16a6d47p-4},
    {0x1.7dp-1, 0x1.2e9e2bce12286p-2, 0x1.b495d4e9185f7p-2, 0x1.06d9bc53c2941p-3},
    {0x1.78ap-1, 0x1.3a71c56bb48c6p-2, 0x1.c5a5bc3b12431p-2, 0x1.111f79c46b494p-3},
    {0x1.746p-1, 0x1.4610bc29c5e18p-2, 0x1.d669b36b069f8p-2, 0x1.1b377f14c2837p-3},
};

#endif
#endif
