/* Columns of 16 numbers each, for rows that error_function_f64_lanes.inc has, of the coefficients of a polynomial: both parts of
 * the first, both of the second, all others, and the second parts of five of these; of erfc after the point that it is around.
 * Made by error_function_f64.sollya, which prints each second part beside the first. */
#ifndef DETMATH_ERROR_FUNCTION_F64_TABLE_H
#define DETMATH_ERROR_FUNCTION_F64_TABLE_H

#include "core.h"

#if !defined(DETMATH_NO_DOUBLE)
/* clang-format off */
#define DETMATH_ERF_F64_COLUMNS(COLUMN) \
    COLUMN(0.0, 0x1.ad68966569a87p-2, 0x1.762870f720c6fp-1, 0x1.ce1962c0e0d8bp-1, \
           0x1.f21c9f12f0677p-1, 0x1.fd0f5317f582fp-1, 0x1.ff87b1913e853p-1, 0x1.fff18ebe2b0e1p-1, \
           0x1.fffeb3ebb267bp-1, 0x1.ffffe9bf4098cp-1, 0x1.fffffee3cc32cp-1, 0x1.fffffff57632dp-1, \
           0x1.ffffffffb5be5p-1, 0x1.fffffffffe7cp-1, 0x1.fffffffffffa2p-1, 0x1.fffffffffffffp-1) \
    COLUMN(0.0, -0x1.be29b0c63c263p-56, 0x1.118a1b821cf7cp-55, 0x1.18d61bf7e554bp-55, \
           -0x1.7efe429672266p-58, -0x1.c8821e4d91d38p-55, -0x1.3ca99c8d2cea5p-56, -0x1.9834155e7a96bp-57, \
           0x1.e47f697047cbap-57, -0x1.4c976a857e98dp-55, 0x1.e429188c25b27p-56, 0x1.933c09746690ep-59, \
           -0x1.729d6819c7f34p-56, -0x1.b5336a8a00d3cp-57, 0x1.d07509a1a9433p-57, -0x1.a4702e8f38ceap-58) \
    COLUMN(0x1.20dd750429b6dp0, 0x1.eff8c4b1375dbp-1, 0x1.39ccc1b136d5ap-1, 0x1.24a55399ea239p-2, \
           0x1.92470a61b6965p-4, 0x1.978ae8b55ce1bp-6, 0x1.30499b503957fp-8, 0x1.4ee1429bf7ccp-11, \
           0x1.0f9e1b4dd36dfp-14, 0x1.44ba864670882p-18, 0x1.1e1e857adc568p-22, 0x1.7397c5a66e307p-27, \
           0x1.63ac6b4edc88ep-32, 0x1.f5cc7718082a8p-38, 0x1.04e15ecc7f3d3p-43, 0x1.8fd4e01891adbp-50) \
    COLUMN(0x1.1ae3a914fed8p-56, 0x1.2b9baba856cb9p-57, 0x1.fa58cbcc6d184p-58, 0x1.487f6a6c6f0cbp-57, \
           0x1.c6b5e1153d14fp-58, -0x1.79272f9d7a15cp-62, -0x1.d4537b5da5651p-64, 0x1.cf579a12ee607p-66, \
           -0x1.3d7260cca42cfp-71, -0x1.2e19465c5cafep-72, 0x1.84e50b95e5df9p-77, -0x1.c536a71594045p-82, \
           -0x1.840d392752af7p-88, -0x1.d504692cf677bp-92, -0x1.116a9eea8645ap-98, -0x1.3e4d6b627e08ep-104) \
    COLUMN(0.0, -0x1.837a59aa73413p-2, -0x1.ea4feea4e5addp-2, -0x1.56f1bdf85e61bp-2, \
           -0x1.3a47801c56a57p-3, -0x1.8dfda7411cb46p-5, -0x1.6496420203331p-7, -0x1.c9d7f9113cc8fp-10, \
           -0x1.a8670aa99a5bcp-13, -0x1.1d67f003e8e7ap-16, -0x1.1769ce59fb2c8p-20, -0x1.8f2c0951c85ep-25, \
           -0x1.a0ce0dc06a706p-30, -0x1.3e864998c12f4p-35, -0x1.64ac1f9b95f87p-41, -0x1.24d86a21febedp-47) \
    COLUMN(-0x1.812746b0379e7p-2, -0x1.cb7bf78e2dcbp-3, 0x1.715e595343362p-5, 0x1.54c0d66d7760fp-3, \
           0x1.0453f90d3bd35p-3, 0x1.c24b2053e33aap-5, 0x1.fa73d7eb1b712p-7, 0x1.85661421616b7p-9, \
           0x1.a3737e2a2f2bcp-12, 0x1.40ee07ac503f2p-15, 0x1.5fe5d4756088fp-19, 0x1.161fb53919dc5p-23, \
           0x1.3e380dd7593a3p-28, 0x1.085b8661b37e9p-33, 0x1.3fa8302ae2b69p-39, 0x1.19d11ffa4954ep-45) \
    COLUMN(0.0, 0x1.5c0fc77611c7cp-3, 0x1.22cdbdb4cce39p-3, 0x1.cf82bac1af9p-7, \
           -0x1.8a7c6a239217bp-5, -0x1.33137b26e255cp-5, -0x1.daa3005c2dc23p-7, -0x1.c812e602c3ba2p-9, \
           -0x1.24544f02d2a7ep-11, -0x1.02488b68c9c98p-14, -0x1.405da04876021p-18, -0x1.1a2239f39919bp-22, \
           -0x1.638bc4fb02cb4p-27, -0x1.42569933ab66cp-32, -0x1.a62b70897ae89p-38, -0x1.909da6c0de0d6p-44) \
    COLUMN(0x1.ce2f21a042bd5p-4, 0x1.4dd7b2cd9f0e7p-5, -0x1.da50ae549444fp-5, -0x1.cf38b99941d7bp-5, \
           -0x1.075c088031e64p-7, 0x1.a342ba0e729f5p-7, 0x1.250942c315dbep-7, 0x1.7e02d8bc35a92p-9, \
           0x1.2e7e763d3372cp-11, 0x1.3b124fb182e3ap-14, 0x1.bfc96a92d053ep-18, 0x1.bb32ded21ef26p-22, \
           0x1.35753ad4c58e5p-26, 0x1.338c4984525e3p-31, 0x1.b5c61912e9563p-37, 0x1.c055dd030fe21p-43) \
    COLUMN(0.0, -0x1.9ebc1de82e557p-5, -0x1.75578f3e306afp-6, 0x1.2c1727080a6cfp-6, \
           0x1.16f9c9c127b87p-6, 0x1.b4bbc50d5cc19p-10, -0x1.997578c7d9eap-9, -0x1.c522939e26362p-10, \
           -0x1.da496e53546f7p-12, -0x1.2c59503702cfep-14, -0x1.f19ff5e45fbc5p-18, -0x1.17c6ef0b98aa6p-21, \
           -0x1.b41f33cafd137p-26, -0x1.dd9c519daacf5p-31, -0x1.72de3204c8681p-36, -0x1.9b1eac95adbb8p-42) \
    COLUMN(-0x1.b82ce312854cfp-6, -0x1.099776d3dfdd7p-8, 0x1.35331b5e88014p-6, 0x1.e06b841abf58bp-8, \
           -0x1.74c2fc9bea2e8p-8, -0x1.04937e7844975p-8, -0x1.3903ddbfb928ap-15, 0x1.583413aab1264p-11, \
           0x1.176cf6641c25p-12, 0x1.c5586b3269932p-15, 0x1.c0c4db581a843p-18, 0x1.22b6eec0e0351p-21, \
           0x1.fe694e3715f95p-26, 0x1.35de39526b49p-30, 0x1.07aec04a41333p-35, 0x1.3d7153d8a9fap-41) \
    COLUMN(0.0, 0x1.70749138e84cbp-7, 0x1.39c7ec7281ec3p-10, -0x1.8df7ea4d01b67p-8, \
           -0x1.760c522bda41cp-10, 0x1.9f5a1fa4a2a7p-10, 0x1.6a6d7e0eca68ap-11, -0x1.48c1acdd1d397p-14, \
           -0x1.d2ac6c8cd6972p-14, -0x1.0dba261fb2eb2p-15, -0x1.4b9df739fd70cp-18, -0x1.f8ad79edaa432p-22, \
           -0x1.f8af01217850dp-26, -0x1.5636f17251cb9p-30, -0x1.40c48a11bbf21p-35, -0x1.a4f493bd2f2cbp-41) \
    COLUMN(0x1.565bcd07c4835p-8, -0x1.8a675edf5a4c1p-13, -0x1.fc37138654015p-9, 0x1.471fa29aa756ap-13, \
           0x1.a3cdb664b59p-10, 0x1.665611372e742p-14, -0x1.71ebbd15154b4p-12, -0x1.4fa98bb47589cp-14, \
           0x1.aafdbd3b089b7p-16, 0x1.ea4b9c95eacd8p-17, 0x1.9133e9b2e2f58p-19, 0x1.70d7650411359p-22, \
           0x1.aa77274f235cdp-26, 0x1.45ed748b9f97cp-30, 0x1.528cdb750dbb5p-35, 0x1.e664d074726b1p-41) \
    COLUMN(0.0, -0x1.04163e348d3f1p-9, 0x1.9c22c3ff8a051p-12, 0x1.116a834d3c558p-10, \
           -0x1.02c3c1a4e2a8ap-12, -0x1.4a5af00016b41p-12, 0x1.644c380587822p-15, 0x1.e40597985441fp-15, \
           0x1.03f2f261345dep-18, -0x1.31ddac444cdbap-18, -0x1.871012497c7a6p-20, -0x1.c6815418d98fp-23, \
           -0x1.3616fea97e7bbp-26, -0x1.0e2e99ac2789fp-30, -0x1.3943939e2aca4p-35, -0x1.ef2808d6cfa7dp-41) \
    COLUMN(-0x1.c02da6adcf71dp-11, 0x1.681761a1f354dp-13, 0x1.2f60fbf35689p-11, -0x1.03ca16910b94bp-12, \
           -0x1.928935d5662a9p-13, 0x1.9a9e249d40d7cp-14, 0x1.4c6dcd64c407ep-15, -0x1.0590d272a0863p-16, \
           -0x1.ab2efb433843ap-18, 0x1.1867ca5c67413p-21, 0x1.24e1a48179b9p-21, 0x1.d4bd96f0e2eb6p-24, \
           0x1.84fddec141941p-27, 0x1.883fe961ea92bp-31, 0x1.0016665ae70e2p-35, 0x1.bfedd9d5572bap-41) \
    COLUMN(0.0, 0x1.2f88f1f67804p-12, -0x1.1ae63068c0094p-13, -0x1.cbddc94341cb9p-14, \
           0x1.6e7b21cccd4aep-14, 0x1.0a33fec6ccc95p-16, -0x1.6fadd55bb002cp-16, -0x1.b7863c7ba52c5p-20, \
           0x1.6e35e4dbf35d1p-19, 0x1.9ce4c466f265ap-22, -0x1.20b25eb1a135cp-23, -0x1.8bea742a919b3p-25, \
           -0x1.a3ddb8fe84297p-28, -0x1.f4374ff8782d1p-32, -0x1.73e511773cfefp-36, -0x1.6a66c2071a104p-41) \
    COLUMN(0x1.f994d8a959198p-14, -0x1.5cf96124ae151p-15, -0x1.12418460580a9p-14, 0x1.cad80c60dafa5p-15, \
           0x1.97543b73376aep-18, -0x1.379e884672a12p-16, 0x1.3660b69716f25p-19, 0x1.8398b5d9ce88p-19, \
           -0x1.bc8f3c593f583p-22, -0x1.2e73efc531919p-22, 0x1.09124d79233cap-28, 0x1.0310a4f3dc82bp-26, \
           0x1.8225620f45b9cp-29, 0x1.1817d7f9298ebp-32, 0x1.e10906c95b61ep-37, 0x1.07380bdfeefb1p-41) \
    COLUMN(0.0, -0x1.2cb3a3ccaedacp-15, 0x1.a4d0c33dcc668p-16, 0x1.63c27446f6a12p-18, \
           -0x1.b0073cb29d5d3p-17, 0x1.9ea4088b51ecap-19, 0x1.1bf42711be041p-19, -0x1.e99d4cbb1403fp-21, \
           -0x1.77cb5a5cb0e3bp-23, 0x1.85c2c0ae1425bp-24, 0x1.0ba0c4c6ca6e8p-26, -0x1.b4c0bd2b68103p-29, \
           -0x1.27b62253f641ep-30, -0x1.12877cf234da4p-33, -0x1.15da40c05b805p-37, -0x1.5950fe82973ffp-42) \
    COLUMN(-0x1.ecfca6fa48c9fp-17, 0x1.cccf7e83ee917p-18, 0x1.6cd31a986cad2p-18, -0x1.f5cb481d6c6cdp-18, \
           0x1.f46e161b2ff66p-20, 0x1.914d642f9ec69p-20, -0x1.f4561ea51664cp-21, -0x1.05da1cbfcac1bp-25, \
           0x1.096d4f7cfb4cdp-23, -0x1.e429025077d9fp-28, -0x1.27e7c65bb928cp-27, -0x1.57731a6cf0a6cp-34, \
           0x1.64acd31d25211p-32, 0x1.da047bc5e272p-35, 0x1.26c4494b79a1ap-38, 0x1.aae9ae24ab129p-43) \
    COLUMN(0.0, 0x1.fb978bfedab89p-19, -0x1.c8587b1f958c6p-19, 0x1.f993047e5f10ep-22, \
           0x1.2c02c5e2dc4ffp-20, -0x1.7ef4b0b5c2c62p-21, 0x1.c347eefc45f5fp-26, 0x1.ec7c7ebb3eb11p-24, \
           -0x1.d7280299ad3bfp-26, -0x1.f82acf55c1f14p-28, 0x1.42875e7b61a4p-29, 0x1.bc25009a63babp-32, \
           -0x1.1742d7e67aaacp-34, -0x1.52b16b2a3aa03p-36, -0x1.0b7c4e14199d7p-39, -0x1.c5a53259e5f89p-44) \
    COLUMN(0.0, -0x1.3500e639e7ec6p-57, 0x1.1d19cb9eca03bp-56, 0x1.f0285fe606034p-61, \
           -0x1.0336864591bb4p-57, -0x1.1bef294a7d5aap-59, 0x1.3911f287cdc47p-61, 0x1.878d8c78d05d9p-65, \
           -0x1.81b19f1419a75p-67, -0x1.7889e81973983p-77, 0x1.06089101ef14ep-74, -0x1.252b0d1f5871ep-80, \
           -0x1.43b7054689d9bp-84, -0x1.d02154ddfea55p-90, -0x1.acea83c499174p-97, 0x1.382c6c28a5b77p-101) \
    COLUMN(0x1.f4848e05823b2p-57, 0x1.fa3a9980dbcp-57, -0x1.9bee4f4a0978ap-62, -0x1.e3f6951b2b404p-58, \
           -0x1.7ead072e8f79fp-57, -0x1.3ebe0f78f6b3cp-59, -0x1.43111d5a0481p-61, 0x1.762f38abe896dp-63, \
           0x1.bc001b5dacddbp-67, 0x1.90d71d2984f5cp-69, 0x1.2c282ce4116dep-73, -0x1.a0a63a77ea22p-79, \
           0x1.89dc66d0241b4p-82, -0x1.1d818020df85ap-94, 0x1.1c2fa6dfe6dap-93, 0x1.d19de4ec76337p-99) \
    COLUMN(0.0, 0x1.67185fc46793ep-57, 0x1.0d7b2fd4dd72ep-57, 0x1.62992dbe37845p-61, \
           0x1.17078af090b2bp-60, -0x1.14bcfd167ef11p-59, -0x1.68f6c32f2b942p-63, 0x1.1d9bc8db8b37bp-63, \
           -0x1.078457012481dp-68, 0x1.b4917669303a1p-70, -0x1.8da5c62b64fb5p-72, -0x1.7b70b3aaa2ae9p-76, \
           0x1.9b3d26b7e191ep-82, 0x1.59c1bf1b74781p-86, 0x1.50e080c8b9334p-92, -0x1.70a5880ce29c6p-101) \
    COLUMN(0x1.912dd2317f327p-58, -0x1.51c1d94cf3521p-59, 0x1.09db026ff4697p-59, 0x1.7bba2171fc971p-59, \
           0x1.ad2a06b11e5aap-61, -0x1.05fe290525e9ep-64, -0x1.ef5d8ab5f153fp-67, -0x1.2a7215ea00bb1p-64, \
           0x1.c119994974ab7p-65, 0x1.c154dc5cac5cbp-70, -0x1.3d33af4b8f97cp-72, -0x1.b83e6f0691218p-77, \
           -0x1.f9c5115969bfbp-85, -0x1.d4bacd0663629p-86, -0x1.163b1016c86a8p-92, 0x1.f014d587004a6p-98) \
    COLUMN(0.0, -0x1.73e0d55a5f09ep-59, -0x1.f0ae1651f56bbp-60, -0x1.8d05526c357f7p-60, \
           -0x1.b22c757971e1fp-62, -0x1.12040fde3063ap-66, -0x1.c37e6a99049dcp-65, -0x1.445a7e213579cp-64, \
           -0x1.98d50041e811dp-68, -0x1.b224d7527eb81p-68, 0x1.1bccedb5c17d9p-72, 0x1.e5d8855243838p-77, \
           0x1.cb57243edea5bp-81, -0x1.f20d774cbc7d9p-87, 0x1.1f8534cc7e9a6p-90, 0x1.30cc07fe6042p-96)
#define DETMATH_ERFC_F64_COLUMNS(COLUMN) \
    COLUMN(0x1.d8p-3, 0x1.6p-1, 0x1.25p0, 0x1.9ap0, \
           0x1.248p1, 0x1.998p1, 0x1.074p2, 0x1.41cp2, \
           0x1.998p2, 0x1.076p3, 0x1.41ep3, 0x1.7c6p3, \
           0x1.d42p3, 0x1.249p4, 0x1.5f1p4, 0x1.99ap4) \
    COLUMN(0x1.91f71726f58ffp-1, 0x1.0fce4e96dd619p-1, 0x1.907baf4036c66p-2, 0x1.390e9e6161ccdp-2, \
           0x1.d2f9c6e5247cep-3, 0x1.59a1fe8791d57p-3, 0x1.1140d3e8abc26p-3, 0x1.c311b96c3de04p-4, \
           0x1.64e93adf4b93bp-4, 0x1.16bf8605579c1p-4, 0x1.c940fd32be0fep-5, 0x1.83765e5d9fc48p-5, \
           0x1.3b34b55247996p-5, 0x1.f8c6d392d3693p-6, 0x1.a4da6ce8b4ffap-6, 0x1.68c8d46ccd1c8p-6) \
    COLUMN(-0x1.fce7187b141b2p-55, -0x1.7210607953137p-57, 0x1.fb7c3d52dbb99p-59, 0x1.6eb504cf3a32bp-56, \
           0x1.37fbf2a5e02e2p-58, 0x1.94fdc1dd1c6e1p-57, -0x1.8b6b7d1634c6ep-57, -0x1.b96e0e8fd5f0bp-58, \
           -0x1.7059d1ed793e5p-58, -0x1.3fd638f324cfp-61, -0x1.809b3ed8f81a1p-60, -0x1.66a09a6636a21p-59, \
           0x1.78e199b8b8b8ep-60, 0x1.0bd60b05d8439p-61, -0x1.f8f81d60afc88p-63, 0x1.ce78b2a3549d9p-60) \
    COLUMN(-0x1.8873055c5e3d5p-1, -0x1.97fe7bf1c60fp-2, -0x1.dd7569cf52f25p-3, -0x1.31660181732e5p-3, \
           -0x1.6164323c19e79p-4, -0x1.8da496277a6adp-5, -0x1.f7e2c6c9c5cd9p-6, -0x1.59ec679115225p-6, \
           -0x1.b3f59709023b6p-7, -0x1.0b1541355a516p-7, -0x1.6829d7135ab82p-8, -0x1.02f4c8fb95097p-8, \
           -0x1.5727f73e40462p-9, -0x1.b861bbaf6573dp-10, -0x1.32421ce96fae7p-10, -0x1.c24486eeeb715p-11) \
    COLUMN(0x1.5ff70b9f80fecp-56, 0x1.cd6220328682fp-57, -0x1.335cb9d20aafep-57, 0x1.770549296501fp-61, \
           0x1.0648d3045813dp-58, -0x1.b9def693b56a2p-59, 0x1.519a895dd2995p-63, 0x1.e00c52fe1c51p-62, \
           0x1.d592ceeb03658p-61, -0x1.2d459b8a513ccp-61, 0x1.c4929e55a57ffp-63, 0x1.b14a0babee8e7p-63, \
           -0x1.dc143d87fe7cbp-63, 0x1.66478cfee3aap-65, 0x1.facdefa2a8e9p-65, -0x1.c7cecfb1288f4p-65) \
    COLUMN(0x1.378494eaabd7cp-1, 0x1.071da7f78298dp-2, 0x1.fcfff8cc473adp-4, 0x1.11ffbcb2e243p-4, \
           0x1.f9965bfbc71eap-6, 0x1.b989b6f7eac83p-7, 0x1.c59b4e65add12p-8, 0x1.04cda41a5905bp-8, \
           0x1.0751ca5ae1566p-9, 0x1.fc440789e8493p-11, 0x1.1a5879d217e81p-11, 0x1.58f41e68194cdp-12, \
           0x1.74bad3ecf53e8p-13, 0x1.7fa28531080aep-14, 0x1.bd4645ac90fbfp-15, 0x1.18c2718ebdd37p-15) \
    COLUMN(-0x1.ab89f40db62e2p-2, -0x1.2ecd75f4d05d4p-3, -0x1.f077cfd1207ddp-5, -0x1.ca967ccbbff8ep-6, \
           -0x1.584aeba81221bp-7, -0x1.daa760b20ecd2p-9, -0x1.8f48c47cf3582p-10, -0x1.82e98c14a548p-11, \
           -0x1.3ab02762e5f8dp-12, -0x1.e05631888c149p-14, -0x1.b89da2c64dbdap-15, -0x1.c9f31869d3c72p-16, \
           -0x1.93ee919b87cabp-17, -0x1.4db5905dcc90dp-18, -0x1.435d449bdc379p-19, -0x1.5ddd4e869a8e6p-20) \
    COLUMN(0x1.06402f4b17597p-2, 0x1.3e0e0ed6b5f18p-4, 0x1.c1c6d0be3445ap-6, 0x1.6989eeed37977p-7, \
           0x1.c0d306e8f99c6p-9, 0x1.ef42c30c0b8cfp-11, 0x1.581dd2c184a5fp-12, 0x1.1a92032dfa819p-13, \
           0x1.742cdb50fcf3fp-15, 0x1.c2eb4a81a570ep-17, 0x1.563813635a2a3p-18, 0x1.2ef52d3e91d48p-19, \
           0x1.b4c1f5d8b35dbp-21, 0x1.21db326af953fp-22, 0x1.d52ec6944dfc5p-24, 0x1.b3a6575a98d4cp-25) \
    COLUMN(-0x1.25adba85eca3ap-3, -0x1.358dce2b361d3p-5, -0x1.7e85a893a5b99p-7, -0x1.0e84da5943edbp-8, \
           -0x1.193ac31184e8ep-10, -0x1.f6ab14745067dp-13, -0x1.22b3d67c7e035p-14, -0x1.96a06de16261ap-16, \
           -0x1.b3ba4c2ff74e5p-18, -0x1.a48993577328fp-20, -0x1.08968a2d132f8p-21, -0x1.8f82a998c4ffbp-23, \
           -0x1.d7311b3c1e5dap-25, -0x1.f6cc72bccd7b7p-27, -0x1.540802634bba5p-28, -0x1.0f07cf8c2085ap-29) \
    COLUMN(0x1.308b8dbb8b70ep-4, 0x1.1a31bff52474bp-6, 0x1.33d46fb247e94p-8, 0x1.826ecadf4b304p-10, \
           0x1.53fe5d6938b43p-12, 0x1.f1324d0016a19p-15, 0x1.e1eeda15560b8p-17, 0x1.206a16b4fdefap-18, \
           0x1.f9223d77feaadp-21, 0x1.85b00ba11c995p-23, 0x1.974cbbfcf1d01p-25, 0x1.068c7a907ef8bp-26, \
           0x1.fb354b594ab44p-29, 0x1.b374fcaf5bef3p-31, 0x1.ec5c89574ccf8p-33, 0x1.50fa96ab874dfp-34) \
    COLUMN(-0x1.27867437c91e1p-5, -0x1.e5d3e4fd95d7dp-8, -0x1.d7af0f3723932p-10, -0x1.08ac8dfd654ecp-11, \
           -0x1.8db0e580b2c97p-14, -0x1.e009988b64fc8p-17, -0x1.8855fc670eea6p-19, -0x1.9389fe8cdd75ap-21, \
           -0x1.22017ba6c1614p-23, -0x1.66d3d00a7325cp-26, -0x1.381af6ad8f1fcp-28, -0x1.57f46d305587cp-30, \
           -0x1.10626ed3c189ap-32, -0x1.78970f9d224d2p-35, -0x1.641b0d847b216p-37, -0x1.a2a9012aaaebcp-39) \
    COLUMN(0x1.0e7d8f571db06p-6, 0x1.8d62a9331d598p-9, 0x1.59bb312f81f13p-11, 0x1.5cf93a56c21ddp-13, \
           0x1.c3303931b9958p-16, 0x1.c50a80fa6290bp-19, 0x1.39f1b9216f249p-21, 0x1.1695f6f1c1f6dp-23, \
           0x1.49e6f16568d11p-26, 0x1.485e1785b1a28p-29, 0x1.dc3aa2af2a34dp-32, 0x1.c124ec899a5dap-34, \
           0x1.23e98e0888c2fp-36, 0x1.453679d5df265p-39, 0x1.014c0773e5231p-41, 0x1.03e0364a35ca4p-43) \
    COLUMN(-0x1.d5f715b0b5c2bp-8, -0x1.366c6d2e4f926p-10, -0x1.e6d0c657f71e7p-13, -0x1.bc42b95b401cfp-15, \
           -0x1.f1893bdc505d1p-18, -0x1.a276ea454d7fdp-21, -0x1.ee3a13c3684d8p-24, -0x1.7bc018674c77cp-26, \
           -0x1.73e3e4c5dcaefp-29, -0x1.2aaacf8581a28p-32, -0x1.69c2e465b8714p-35, -0x1.244fdb514c975p-37, \
           -0x1.382816f1e411bp-40, -0x1.1871557b995f8p-43, -0x1.736f5ab7ab29p-46, -0x1.4262cc85a577dp-48) \
    COLUMN(0x1.8575b7bee2176p-9, 0x1.d1156c453d166p-12, 0x1.4a4cba4afd762p-14, 0x1.11c0d1cc60e8p-16, \
           0x1.0b1f513b00c4bp-19, 0x1.7ab9438f44269p-23, 0x1.7eed849ba136bp-26, 0x1.ff47fafeb6ebfp-29, \
           0x1.9f85693d98365p-32, 0x1.0e07d05e9bea2p-35, 0x1.11a2c9cf5c1d3p-38, 0x1.7b46e77a2294ep-41, \
           0x1.4d1484a3fcb97p-44, 0x1.e2fb6f3573763p-48, 0x1.0bd5501fe1098p-50, 0x1.8fa26e0f00966p-53) \
    COLUMN(-0x1.3527494370edep-10, -0x1.4f4115150b9cep-13, -0x1.b1288843e4f94p-16, -0x1.475647c1db3fap-18, \
           -0x1.17bfeb4acde5cp-21, -0x1.502c54d139798p-25, -0x1.243b25f969763p-28, -0x1.5415bd4176d32p-31, \
           -0x1.cc45163871349p-35, -0x1.e569386ad6316p-39, -0x1.9c3671b1d67ccp-42, -0x1.ea9121809eb96p-45, \
           -0x1.62a3aef585d91p-48, -0x1.9f4f0711a2e1ep-52, -0x1.81debc58fac6p-55, -0x1.ef066e9a23493p-58) \
    COLUMN(0x1.d7c79620f621dp-12, 0x1.d274112f94739p-15, 0x1.13252c55dc39dp-17, 0x1.7c82101e46124p-20, \
           0x1.1e251c9c5af08p-23, 0x1.24ef79cf7f9e9p-27, 0x1.b793b265de37dp-31, 0x1.bf338118892abp-34, \
           0x1.f98bea0a7e588p-38, 0x1.b1c53d573693dp-42, 0x1.35314819f832ep-45, 0x1.3c44703f8f5c5p-48, \
           0x1.78c8e88a9b829p-52, 0x1.649cce7a02e7ap-56, 0x1.15af98ef94bd3p-59, 0x1.325d8738fd782p-62) \
    COLUMN(-0x1.5b0ab0be25cbbp-13, -0x1.39f2ba714971ep-16, -0x1.5353770d2f321p-19, -0x1.aebba277eefbfp-22, \
           -0x1.1e3a57da544a2p-25, -0x1.f593939182878p-30, -0x1.45ff6fd356746p-33, -0x1.22bc682fd77edp-36, \
           -0x1.135d4245d4846p-40, -0x1.816c9f06ff5e1p-45, -0x1.cdeedad8d05b8p-49, -0x1.9688dfbc15e8p-52, \
           -0x1.8f794a066912p-56, -0x1.31c8a2dda8e0ep-60, -0x1.8f44d9ca0fb66p-64, -0x1.7aee9f4bc8852p-67) \
    COLUMN(0x1.ed7938d30c4eep-15, 0x1.99c0dfdaea766p-18, 0x1.96fa7f1e36edep-21, 0x1.db89197a204c3p-24, \
           0x1.184c617cbea86p-27, 0x1.a632abd77e37bp-32, 0x1.dd05196aec4ffp-36, 0x1.75ead904e8eb4p-39, \
           0x1.298ccdfecd513p-43, 0x1.548bf1cbb5d6ap-48, 0x1.57a8f69f293fap-52, 0x1.047b84aead0cbp-55, \
           0x1.a69e357d89d75p-60, 0x1.05d461763d207p-64, 0x1.1ec1e08fec276p-68, 0x1.d45749ba868bfp-72) \
    COLUMN(-0x1.53c03b68a8b7cp-16, -0x1.03b38757dca8dp-19, -0x1.db651053ea1a3p-23, -0x1.00535ae2a4e15p-25, \
           -0x1.0cae399fe7f43p-29, -0x1.5d6a113d8f636p-34, -0x1.5852606c24df1p-38, -0x1.dbb25317bef16p-42, \
           -0x1.3e4fadc5e17ep-46, -0x1.2af2a1a93cadbp-51, -0x1.fd094f340a85bp-56, -0x1.4cb32457d7fc5p-59, \
           -0x1.bd386072bb52ep-64, -0x1.bf5c484ec9efap-69, -0x1.9b501412b9dafp-73, -0x1.2123eee082e3p-76) \
    COLUMN(0x1.c63131c94859p-18, 0x1.406673f4202c1p-21, 0x1.0ee479732d108p-24, 0x1.0e38efc492db2p-27, \
           0x1.f9e7e19596ec3p-32, 0x1.1ce6d164aa679p-36, 0x1.eb06331ec0412p-41, 0x1.2b8e422e75ef9p-44, \
           0x1.52a431427f4a8p-49, 0x1.0543b966a17e2p-54, 0x1.77afd3d6d37e4p-59, 0x1.a7c6b61fa21fap-63, \
           0x1.d50ca4cf1bfafp-68, 0x1.7dfdaf3fe359ap-73, 0x1.26d30510c7c3ap-77, 0x1.64d67d61e8d68p-81) \
    COLUMN(-0x1.2e95deb007fe1p-19, -0x1.898703cae048dp-23, -0x1.33224078a5598p-26, -0x1.1b4d3170fc037p-29, \
           -0x1.ec52fe07bef08p-34, -0x1.dbee65219f5d2p-39, -0x1.6477376802254p-43, -0x1.7e7e2240d39c4p-47, \
           -0x1.7f87bae9b9c1fp-52, -0x1.dc453cd30e121p-58, -0x1.1dac8429b9391p-62, -0x1.13f132a1ded13p-66, \
           -0x1.08975c479ae7bp-71, -0x1.550c4acd9a923p-77, -0x1.b4171dbc95485p-82, -0x1.c2b02a47db49cp-86) \
    COLUMN(0x1.7e74e89ea383fp-21, 0x1.cd3c15f3d018dp-25, 0x1.4e0cadc0c1a62p-28, 0x1.1e4219080b937p-31, \
           0x1.be495544b29f7p-36, 0x1.7859847f1a2e1p-41, 0x1.efdae5c5eba0ap-46, 0x1.d809b011a64b4p-50, \
           0x1.918829fea0746p-55, 0x1.9ba024c1f64d3p-61, 0x1.a24734cf88b1p-66, 0x1.5d584e3bd5d5cp-70, \
           0x1.1584031893a9dp-75, 0x1.225f10eebee8dp-81, 0x1.37f35f1536745p-86, 0x1.15b01b42d20e9p-90) \
    COLUMN(0x1.cfa7f08db8ed2p-55, -0x1.a6e70d2522f41p-60, -0x1.13a8412b9dc17p-59, -0x1.4303b2f1d8f11p-63, \
           -0x1.d2624d28e5068p-60, -0x1.b58a8fd1c942fp-64, -0x1.c6bd58cb90ea4p-68, 0x1.a67d120a6737cp-62, \
           0x1.506f11b7efcffp-64, 0x1.11e949961e779p-66, -0x1.64d80850e29efp-66, 0x1.8b309ac304109p-68, \
           0x1.590190208560fp-68, 0x1.64b9b6896db89p-68, 0x1.4203631f9dc7bp-69, -0x1.c9cb5886f93b1p-70) \
    COLUMN(0x1.e4e761249bca5p-56, 0x1.8c5d1cdc00e3p-58, -0x1.28c51c84e0f75p-68, 0x1.a73d648b2200bp-60, \
           -0x1.1f8628016ae39p-71, -0x1.0317d7d140a36p-64, -0x1.96dd16d0d19c6p-65, 0x1.55dfaff89ac88p-66, \
           -0x1.557a8d9f478aap-68, -0x1.aab12db4375d8p-69, 0x1.f0f6507549c14p-71, -0x1.1a155208374e9p-73, \
           -0x1.4510967fc0c29p-71, 0x1.bc8b0adf0201ep-75, -0x1.3cbed92f92464p-73, 0x1.e998ef87c7393p-74) \
    COLUMN(0x1.db11bd175597ep-56, 0x1.5331998eef32fp-58, -0x1.b0d05d75bb62fp-61, 0x1.9ae4c477fea08p-62, \
           0x1.f7eceab1c5b05p-63, 0x1.cd98e32d431c6p-68, -0x1.2b4b986019d89p-67, 0x1.1e1e2b8f049dp-67, \
           0x1.c6f53b6aff494p-69, -0x1.38a419ee370e6p-73, -0x1.818cf18255bcp-72, 0x1.8a3a9aeaae104p-74, \
           0x1.37b560795f27fp-76, -0x1.b15a8e7ed708dp-76, 0x1.3caa2686775cfp-78, -0x1.689f810b90b31p-79) \
    COLUMN(-0x1.2116633cf2c3p-61, 0x1.f6965a7ff4d0ap-59, -0x1.c5ad69e0748f1p-64, -0x1.b46b26e4ca03cp-62, \
           -0x1.04ca9f3b707a6p-65, -0x1.c439e43bcce88p-69, 0x1.38b014ca7c3e3p-68, -0x1.ee98a472d7137p-70, \
           0x1.c72b3ed723c04p-73, 0x1.a835d59fcb3edp-74, 0x1.4b2ec620a1dbdp-75, 0x1.9e46a52efb577p-77, \
           0x1.5cf36f7635774p-82, -0x1.a0fb59f5f7b22p-81, 0x1.f940fc899bb0bp-82, 0x1.8c0459e272a1fp-83) \
    COLUMN(-0x1.aa982c598591ep-58, -0x1.5cff58196b213p-61, -0x1.40c1bfa96050ap-62, 0x1.48a8846856587p-69, \
           -0x1.b6db1b8ec6196p-69, 0x1.483bd1f182f94p-77, -0x1.3972fb7462f13p-71, 0x1.aa7f0f3be1e45p-73, \
           -0x1.ff1c40fe53cecp-77, -0x1.e421301e3239cp-80, -0x1.bdffb775bf035p-79, 0x1.5099925991eaep-80, \
           0x1.cb247c1e82618p-83, 0x1.f59bda222c613p-85, -0x1.9ebf9a1e44a3ep-88, -0x1.dafb37e4c4ecfp-89)
/* clang-format on */

#define DETMATH_ERROR_F64_COLUMN(...) __VA_ARGS__,
DETMATH_CONSTANT double detmath_erf_f64_columns[24 * 16] = {
    DETMATH_ERF_F64_COLUMNS(DETMATH_ERROR_F64_COLUMN)};
DETMATH_CONSTANT double detmath_erfc_f64_columns[27 * 16] = {
    DETMATH_ERFC_F64_COLUMNS(DETMATH_ERROR_F64_COLUMN)};
#undef DETMATH_ERROR_F64_COLUMN
#endif

#endif
