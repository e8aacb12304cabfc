/* Powers of e in two parts of double (twofold.h) by a table of 2^(j/128): to 2^-88, in a quarter of
 * the time that detmath_twofold_power takes, which is to 2^-96. Made by exp.sollya. */
#ifndef DETMATH_TWOFOLD_POWER_H
#define DETMATH_TWOFOLD_POWER_H

#include "twofold.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* 2^(j/128) in two parts. */
DETMATH_CONSTANT double detmath_power_rows[128][2] = {{0x1p0, 0.0},
                                                      {0x1.0163da9fb3335p0, 0x1.b61299ab8cdb7p-54},
                                                      {0x1.02c9a3e778061p0, -0x1.19083535b085dp-56},
                                                      {0x1.04315e86e7f85p0, -0x1.0a31c1977c96ep-54},
                                                      {0x1.059b0d3158574p0, 0x1.d73e2a475b465p-55},
                                                      {0x1.0706b29ddf6dep0, -0x1.c91dfe2b13c27p-55},
                                                      {0x1.0874518759bc8p0, 0x1.186be4bb284ffp-57},
                                                      {0x1.09e3ecac6f383p0, 0x1.1487818316136p-54},
                                                      {0x1.0b5586cf9890fp0, 0x1.8a62e4adc610bp-54},
                                                      {0x1.0cc922b7247f7p0, 0x1.01edc16e24f71p-54},
                                                      {0x1.0e3ec32d3d1a2p0, 0x1.03a1727c57b53p-59},
                                                      {0x1.0fb66affed31bp0, -0x1.b9bedc44ebd7bp-57},
                                                      {0x1.11301d0125b51p0, -0x1.6c51039449b3ap-54},
                                                      {0x1.12abdc06c31ccp0, -0x1.1b514b36ca5c7p-58},
                                                      {0x1.1429aaea92dep0, -0x1.32fbf9af1369ep-54},
                                                      {0x1.15a98c8a58e51p0, 0x1.2406ab9eeab0ap-55},
                                                      {0x1.172b83c7d517bp0, -0x1.19041b9d78a76p-55},
                                                      {0x1.18af9388c8deap0, -0x1.11023d1970f6cp-54},
                                                      {0x1.1a35beb6fcb75p0, 0x1.e5b4c7b4968e4p-55},
                                                      {0x1.1bbe084045cd4p0, -0x1.95386352ef607p-54},
                                                      {0x1.1d4873168b9aap0, 0x1.e016e00a2643cp-54},
                                                      {0x1.1ed5022fcd91dp0, -0x1.1df98027bb78cp-54},
                                                      {0x1.2063b88628cd6p0, 0x1.dc775814a8495p-55},
                                                      {0x1.21f49917ddc96p0, 0x1.2a97e9494a5eep-55},
                                                      {0x1.2387a6e756238p0, 0x1.9b07eb6c70573p-54},
                                                      {0x1.251ce4fb2a63fp0, 0x1.ac155bef4f4a4p-55},
                                                      {0x1.26b4565e27cddp0, 0x1.2bd339940e9d9p-55},
                                                      {0x1.284dfe1f56381p0, -0x1.a4c3a8c3f0d7ep-54},
                                                      {0x1.29e9df51fdee1p0, 0x1.612e8afad1255p-55},
                                                      {0x1.2b87fd0dad99p0, -0x1.10adcd6381aa4p-59},
                                                      {0x1.2d285a6e4030bp0, 0x1.0024754db41d5p-54},
                                                      {0x1.2ecafa93e2f56p0, 0x1.1ca0f45d52383p-56},
                                                      {0x1.306fe0a31b715p0, 0x1.6f46ad23182e4p-55},
                                                      {0x1.32170fc4cd831p0, 0x1.a9ce78e18047cp-55},
                                                      {0x1.33c08b26416ffp0, 0x1.32721843659a6p-54},
                                                      {0x1.356c55f929ff1p0, -0x1.b5cee5c4e4628p-55},
                                                      {0x1.371a7373aa9cbp0, -0x1.63aeabf42eae2p-54},
                                                      {0x1.38cae6d05d866p0, -0x1.e958d3c9904bdp-54},
                                                      {0x1.3a7db34e59ff7p0, -0x1.5e436d661f5e3p-56},
                                                      {0x1.3c32dc313a8e5p0, -0x1.efff8375d29c3p-54},
                                                      {0x1.3dea64c123422p0, 0x1.ada0911f09ebcp-55},
                                                      {0x1.3fa4504ac801cp0, -0x1.7d023f956f9f3p-54},
                                                      {0x1.4160a21f72e2ap0, -0x1.ef3691c309278p-58},
                                                      {0x1.431f5d950a897p0, -0x1.1c7dde35f7999p-55},
                                                      {0x1.44e086061892dp0, 0x1.89b7a04ef80dp-59},
                                                      {0x1.46a41ed1d0057p0, 0x1.c944bd1648a76p-54},
                                                      {0x1.486a2b5c13cdp0, 0x1.3c1a3b69062fp-56},
                                                      {0x1.4a32af0d7d3dep0, 0x1.9cb62f3d1be56p-54},
                                                      {0x1.4bfdad5362a27p0, 0x1.d4397afec42e2p-56},
                                                      {0x1.4dcb299fddd0dp0, 0x1.8ecdbbc6a7833p-54},
                                                      {0x1.4f9b2769d2ca7p0, -0x1.4b309d25957e3p-54},
                                                      {0x1.516daa2cf6642p0, -0x1.f768569bd93efp-55},
                                                      {0x1.5342b569d4f82p0, -0x1.07abe1db13cadp-55},
                                                      {0x1.551a4ca5d920fp0, -0x1.d689cefede59bp-55},
                                                      {0x1.56f4736b527dap0, 0x1.9bb2c011d93adp-54},
                                                      {0x1.58d12d497c7fdp0, 0x1.295e15b9a1de8p-55},
                                                      {0x1.5ab07dd485429p0, 0x1.6324c054647adp-54},
                                                      {0x1.5c9268a5946b7p0, 0x1.c4b1b816986a2p-60},
                                                      {0x1.5e76f15ad2148p0, 0x1.ba6f93080e65ep-54},
                                                      {0x1.605e1b976dc09p0, -0x1.3e2429b56de47p-54},
                                                      {0x1.6247eb03a5585p0, -0x1.383c17e40b497p-54},
                                                      {0x1.6434634ccc32p0, -0x1.c483c759d8933p-55},
                                                      {0x1.6623882552225p0, -0x1.bb60987591c34p-54},
                                                      {0x1.68155d44ca973p0, 0x1.038ae44f73e65p-57},
                                                      {0x1.6a09e667f3bcdp0, -0x1.bdd3413b26456p-54},
                                                      {0x1.6c012750bdabfp0, -0x1.2895667ff0b0dp-56},
                                                      {0x1.6dfb23c651a2fp0, -0x1.bbe3a683c88abp-57},
                                                      {0x1.6ff7df9519484p0, -0x1.83c0f25860ef6p-55},
                                                      {0x1.71f75e8ec5f74p0, -0x1.16e4786887a99p-55},
                                                      {0x1.73f9a48a58174p0, -0x1.0a8d96c65d53cp-54},
                                                      {0x1.75feb564267c9p0, -0x1.0245957316dd3p-54},
                                                      {0x1.780694fde5d3fp0, 0x1.866b80a02162dp-54},
                                                      {0x1.7a11473eb0187p0, -0x1.41577ee04992fp-55},
                                                      {0x1.7c1ed0130c132p0, 0x1.f124cd1164dd6p-54},
                                                      {0x1.7e2f336cf4e62p0, 0x1.05d02ba15797ep-56},
                                                      {0x1.80427543e1a12p0, -0x1.27c86626d972bp-54},
                                                      {0x1.82589994cce13p0, -0x1.d4c1dd41532d8p-54},
                                                      {0x1.8471a4623c7adp0, -0x1.8d684a341cdfbp-55},
                                                      {0x1.868d99b4492edp0, -0x1.fc6f89bd4f6bap-54},
                                                      {0x1.88ac7d98a6699p0, 0x1.994c2f37cb53ap-54},
                                                      {0x1.8ace5422aa0dbp0, 0x1.6e9f156864b27p-54},
                                                      {0x1.8cf3216b5448cp0, -0x1.0d55e32e9e3aap-56},
                                                      {0x1.8f1ae99157736p0, 0x1.5cc13a2e3976cp-55},
                                                      {0x1.9145b0b91ffc6p0, -0x1.dd6792e582524p-54},
                                                      {0x1.93737b0cdc5e5p0, -0x1.75fc781b57ebcp-57},
                                                      {0x1.95a44cbc8520fp0, -0x1.64b7c96a5f039p-56},
                                                      {0x1.97d829fde4e5p0, -0x1.d185b7c1b85d1p-54},
                                                      {0x1.9a0f170ca07bap0, -0x1.173bd91cee632p-54},
                                                      {0x1.9c49182a3f09p0, 0x1.c7c46b071f2bep-56},
                                                      {0x1.9e86319e32323p0, 0x1.824ca78e64c6ep-56},
                                                      {0x1.a0c667b5de565p0, -0x1.359495d1cd533p-54},
                                                      {0x1.a309bec4a2d33p0, 0x1.6305c7ddc36abp-54},
                                                      {0x1.a5503b23e255dp0, -0x1.d2f6edb8d41e1p-54},
                                                      {0x1.a799e1330b358p0, 0x1.bcb7ecac563c7p-54},
                                                      {0x1.a9e6b5579fdbfp0, 0x1.0fac90ef7fd31p-54},
                                                      {0x1.ac36bbfd3f37ap0, -0x1.f9234cae76cdp-55},
                                                      {0x1.ae89f995ad3adp0, 0x1.7a1cd345dcc81p-54},
                                                      {0x1.b0e07298db666p0, -0x1.bdef54c80e425p-54},
                                                      {0x1.b33a2b84f15fbp0, -0x1.2805e3084d708p-57},
                                                      {0x1.b59728de5593ap0, -0x1.c71dfbbba6de3p-54},
                                                      {0x1.b7f76f2fb5e47p0, -0x1.5584f7e54ac3bp-56},
                                                      {0x1.ba5b030a1064ap0, -0x1.efcd30e54292ep-54},
                                                      {0x1.bcc1e904bc1d2p0, 0x1.23dd07a2d9e84p-55},
                                                      {0x1.bf2c25bd71e09p0, -0x1.efdca3f6b9c73p-54},
                                                      {0x1.c199bdd85529cp0, 0x1.11065895048ddp-55},
                                                      {0x1.c40ab5fffd07ap0, 0x1.b4537e083c60ap-54},
                                                      {0x1.c67f12e57d14bp0, 0x1.2884dff483cadp-54},
                                                      {0x1.c8f6d9406e7b5p0, 0x1.1acbc48805c44p-56},
                                                      {0x1.cb720dcef9069p0, 0x1.503cbd1e949dbp-56},
                                                      {0x1.cdf0b555dc3fap0, -0x1.dd83b53829d72p-55},
                                                      {0x1.d072d4a07897cp0, -0x1.cbc3743797a9cp-54},
                                                      {0x1.d2f87080d89f2p0, -0x1.d487b719d8578p-54},
                                                      {0x1.d5818dcfba487p0, 0x1.2ed02d75b3707p-55},
                                                      {0x1.d80e316c98398p0, -0x1.11ec18beddfe8p-54},
                                                      {0x1.da9e603db3285p0, 0x1.c2300696db532p-54},
                                                      {0x1.dd321f301b46p0, 0x1.2da5778f018c3p-54},
                                                      {0x1.dfc97337b9b5fp0, -0x1.1a5cd4f184b5cp-54},
                                                      {0x1.e264614f5a129p0, -0x1.7b627817a1496p-54},
                                                      {0x1.e502ee78b3ff6p0, 0x1.39e8980a9cc8fp-55},
                                                      {0x1.e7a51fbc74c83p0, 0x1.2d522ca0c8de2p-54},
                                                      {0x1.ea4afa2a490dap0, -0x1.e9c23179c2893p-54},
                                                      {0x1.ecf482d8e67f1p0, -0x1.c93f3b411ad8cp-54},
                                                      {0x1.efa1bee615a27p0, 0x1.dc7f486a4b6bp-54},
                                                      {0x1.f252b376bba97p0, 0x1.3a1a5bf0d8e43p-54},
                                                      {0x1.f50765b6e454p0, 0x1.9d3e12dd8a18bp-54},
                                                      {0x1.f7bfdad9cbe14p0, -0x1.dbb12d006350ap-54},
                                                      {0x1.fa7c1819e90d8p0, 0x1.74853f3a5931ep-55},
                                                      {0x1.fd3c22b8f71f1p0, 0x1.2eb74966579e7p-57}};

/* e^(x + low) = 2^n T (1 + p), T the row j, with *code that of 1.5 2^52 + k, k = n 128 + j, for |x|
 * <= 700 and |low| at most half a unit of x's last place. What is returned is p, which is below
 * 2^-8.5, within 2^-88 of 1 + p, and where k is 0 within 2^-79 of itself.
 *
 * ln 2 / 128 has three parts, of 35, 35 and 53 bits, so that its products with k, below 2^18, are
 * exact but the last, which is below 2^-60 and rounded with `low` (at most 2^-44) to 2^-97; where k
 * is 0 nothing is lost. With h + l what is left, the series is
 *   (h + h^2/2 + h^3/6) + h^3 q + (l + h l + h^2 l/2), where q = h/24 + ... + h^6/9! .
 * With these coefficients it is e^r - 1 to 2^-84.16 (rows_series) of that. h, h^2/2 and h^3/6 have
 * two parts, whose roundings are below 2^-104 of h. h^3 q, below 2^-38.6, has one part: the last
 * two roundings of q, that of the product and those of two sums with it each lose 2^-92 at most,
 * which is 2^-83.4 of the largest h (and less of a smaller one, by its third power). That is 2^-89
 * in all with the series' error, and 2^-80.4 of h: half of what is claimed. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_rest(double x, double low,
                                                             detmath_u64 *code) {
    double shifted = detmath_fma(x, 0x1.71547652b82fep7, 0x1.8p52), whole = shifted - 0x1.8p52;
    *code = detmath_bits_f64(shifted);
    double exact = detmath_fma(whole, -0x1.62e42fefcp-8, x);
    struct detmath_twofold r =
        detmath_twofold_exact_sum(exact, detmath_product(whole, 0x1.c610ca86cp-44));
    r = detmath_twofold_settled(r.high, r.low + detmath_fma(whole, 0x1.c4c67fc0d0951p-83, low));
    double h = r.high, q = detmath_fma(h, 0x1.71de3a556c734p-19, 0x1.a01a01a01a01ap-16);
    q = detmath_fma(h, q, 0x1.a01a01a01a01ap-13);
    q = detmath_fma(h, q, 0x1.6c16c16c16c17p-10);
    q = detmath_fma(h, q, 0x1.1111111111111p-7);
    q = detmath_fma(h, q, 0x1.5555555555555p-5);
    q = detmath_fma(h, q, 0x1.5555555555555p-57);
    double square = detmath_product(h, h), square_low = detmath_fma(h, h, -square);
    square_low = detmath_fma(h + h, r.low, square_low);
    double cube = detmath_product(square, h), cube_low = detmath_fma(square, h, -cube);
    cube_low = detmath_fma(square_low, h, detmath_fma(square, r.low, cube_low));
    double third = detmath_product(cube, 0x1.5555555555555p-3),
           third_low = detmath_fma(cube, 0x1.5555555555555p-3, -third);
    third_low = detmath_fma(cube, q, detmath_fma(cube_low, 0x1.5555555555555p-3, third_low));
    struct detmath_twofold p = detmath_twofold_settled(h, detmath_product(square, 0.5));
    struct detmath_twofold sum = detmath_twofold_settled(p.high, third);
    double rest = (p.low + sum.low) + (detmath_fma(square_low, 0.5, r.low) + third_low);
    return detmath_twofold_settled(sum.high, rest);
}

/* The code of k = 0. */
#define DETMATH_POWER_OF_NONE 0x4338000000000000u

/* e^(x + low) = *power, of 2, times what is returned, from 1 to below 2.01 and within 2^-88 of
 * itself: of that p and code, of which all but k is shifted out. */
DETMATH_FUNCTION struct detmath_twofold detmath_twofold_of_rest(struct detmath_twofold p,
                                                                detmath_u64 code, double *power) {
    detmath_u64 row = code & 127u;
    double two = detmath_power_rows[row][0], low = detmath_power_rows[row][1];
    double product = detmath_product(two, p.high), rest = detmath_fma(two, p.high, -product);
    struct detmath_twofold sum = detmath_twofold_settled(two, product);
    *power = detmath_from_bits_f64(((code - row) << 45) + 0x3ff0000000000000u);
    rest += detmath_fma(two, p.low, detmath_fma(low, p.high, low));
    return detmath_twofold_settled(sum.high, sum.low + rest);
}

DETMATH_FUNCTION struct detmath_twofold detmath_twofold_by_rows(double x, double low,
                                                                double *power) {
    detmath_u64 code;
    struct detmath_twofold p = detmath_twofold_rest(x, low, &code);
    return detmath_twofold_of_rest(p, code, power);
}

#endif

#include "shield_end.inc"

#endif
