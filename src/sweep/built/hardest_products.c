/* Products next to a power of two, which small primes do not show: found among all integers near an end by factoring them.
 *
 * In fp64 an integer within 2^-50 ulp of an end has a divisor of 53 bits in few cases, and these primes are large. By end and side,
 * below and above, these are the four nearest products of two significands of which none is another one times a power of two. */
#include "sweep/built/solver.h"

enum { ENDS_AND_SIDES = 4, NEAREST = 4, PAIRS = ENDS_AND_SIDES * NEAREST };

/* Next to numbers, the one below the power and the one above it; then next to midpoints. */
static const uint64_t pairs_of_24[2][PAIRS][2] = {{{0x800001, 0xfffffd},
                                                   {0x70e0c5, 0x9125d9},
                                                   {0x122c51, 0xe1634f},
                                                   {0x400001, 0xfffffb},
                                                   {0x3ff401, 0x400c01},
                                                   {0x28946f, 0xc9dfad},
                                                   {0x8a00ed, 0xed716b},
                                                   {0x94440d, 0xdd0229},
                                                   {0xa1cf31, 0xca828d},
                                                   {0x400001, 0x7fffff},
                                                   {0x8d1a4d, 0xe83a5d},
                                                   {0x22e8bb, 0xeaaaa7},
                                                   {0x105cef, 0xfa520f},
                                                   {0x9fe8e1, 0xccea6b},
                                                   {0x35f9b5, 0x97c5d7},
                                                   {0x8a7cd, 0xec9d05}},
                                                  {{0x44d94d, 0xedf87b},
                                                   {0xaaaaad, 0xbffffd},
                                                   {0x211e5b, 0xf75a87},
                                                   {0x5cd877, 0xb0770f},
                                                   {0x98573f, 0xd718bf},
                                                   {0x31e2e5, 0xa436a1},
                                                   {0x9b5c33, 0xd2ea97},
                                                   {0x4fad33, 0xcda1a1},
                                                   {0x800001, 0xffffff},
                                                   {0x400001, 0xfffffd},
                                                   {0x555557, 0xbffffd},
                                                   {0x800003, 0xfffffb},
                                                   {0xa4012b, 0xc7cca1},
                                                   {0xacff4d, 0xbd69d5},
                                                   {0x94dd29, 0xdc1edb},
                                                   {0x32b329, 0xa19413}}};
static const uint64_t pairs_of_53[2][PAIRS][2] = {{{0x136191df279b87, 0x1a6addb508c5c9},
                                                   {0xa4d9dd72d6961, 0x18d8bfa777055f},
                                                   {0x10000000000001, 0x1ffffffffffffd},
                                                   {0x840d2fc948109, 0x1f04a8acf9e855},
                                                   {0x10fe52b034a2bd, 0x1e2116fda0b9bf},
                                                   {0x127a5f61dc67e9, 0x1bb566c8a5a3d3},
                                                   {0x5eaa548107abd, 0x15a254979371bf},
                                                   {0xa67c4a6bf362d, 0x189a4d464fc383},
                                                   {0x41759398996ef, 0x1f4960342da7f1},
                                                   {0x80a3e526e3a49, 0x1fd73aea3dc823},
                                                   {0x4238199082a9b, 0x1eed781b73fd47},
                                                   {0x10d9b3df889f9, 0x1e6291927017b7},
                                                   {0x101192f1e89a09, 0x1fdd008d051439},
                                                   {0x8062c1fe90929, 0x1fe7627e41a319},
                                                   {0x52d7f1d65fa1f, 0xc5c539daf01df},
                                                   {0x139c955417e9cd, 0x1a1b5f8a66d937}},
                                                  {{0x1002a315323609, 0x1ffabab3fe05ff},
                                                   {0x118bfe66e3701d, 0x1d2dd49c026611},
                                                   {0x8755f71c55045, 0x1e43f50ad919bd},
                                                   {0x8ac7c36c38abd, 0x1d83a73296b61b},
                                                   {0x8f3c9428850b7, 0x1c9895d1b78d07},
                                                   {0x100584c89406d7, 0x1ff4fa3c1ee6b5},
                                                   {0xffffff6000003, 0x1000000a000003},
                                                   {0x32d803bb0226f, 0x1423de6c876ecb},
                                                   {0x10000000000001, 0x1fffffffffffff},
                                                   {0x1039fe300e7f8b, 0x1f8da22720ef97},
                                                   {0x8000000000001, 0x1ffffffffffffd},
                                                   {0x876ea0d962521, 0x1e3e721742a7d9},
                                                   {0x22e8b6cb4a341, 0x1d55582e11ecc1},
                                                   {0x432477d834d19, 0x1e809773433d7b},
                                                   {0xd5259a19fcb69, 0x13377fe49231ef},
                                                   {0x1372aca46172fb, 0x1a53a1bb134b63}}};

const uint64_t *draw_hardest_product(struct builder *builder, bool midpoint) {
    const int bits = builder->request.format->precision;
    if (bits != builder->request.results->precision || (bits != 24 && bits != 53))
        return NULL;
    const uint64_t side = draw_under(builder, ENDS_AND_SIDES);
    const uint64_t at = draw_under(builder, 1 + draw_under(builder, NEAREST));
    return (bits == 24 ? pairs_of_24 : pairs_of_53)[midpoint][side * NEAREST + at];
}
