/* Prints a hash of what the kernels of norms, gates, rotary embeddings, losses, gradients, pools and optimisers give: what a
 * compiler and its options make of their headers. C11 and C++17; includes nothing else but the C standard library. */
#include "detmath/all.h"

#include "print.h"

enum { MOST = 2600 };
static const int lengths[] = {1, 2, 33, 64, 65, 1000, 1025, 2600};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static float x[MOST], w[MOST], g[MOST], y[MOST], z[MOST];
static struct detmath_norm_line lines[MOST];

static void add_all(const float *a, int n) {
    for (int i = 0; i < n; i++)
        add_bits(detmath_bits_f32(a[i]), 4);
}

/* Numbers of two kinds: near 1, and of many sizes with a few that are special. */
static void draw(int kind) {
    for (int i = 0; i < MOST; i++) {
        float *arrays[3];
        arrays[0] = &x[i];
        arrays[1] = &w[i];
        arrays[2] = &g[i];
        for (int k = 0; k < 3; k++) {
            detmath_u64 bits =
                detmath_random(1 + 3 * (detmath_u64)kind + (detmath_u64)k, (detmath_u64)i);
            float unit = (float)(bits >> 40) * 0x1p-24f;
            detmath_i64 n = kind ? (detmath_i64)(bits & 63) - 32 : 2;
            *arrays[k] = (unit - 0.5f) * (float)detmath_power_of_two(n);
        }
    }
    if (kind)
        x[700] = detmath_from_bits_f32(0xff800000u);
}

#define EACH(NAME, CALL, COUNT)                                                                    \
    PRINT(                                                                                         \
        "", NAME, for (int kind = 0; kind < 2; kind++) for (int l = 0; l < LENGTHS; l++) {         \
            detmath_u64 n = (detmath_u64)lengths[l];                                               \
            draw(kind);                                                                            \
            CALL;                                                                                  \
            add_all(y, COUNT);                                                                     \
        })
#define ALL (int)n

static void take_steps(detmath_u64 n) {
    struct detmath_sgd sgd;
    struct detmath_adam adam = detmath_adam_of(0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 3u, 0);
    sgd.rate = sgd.momentum = 0.9f;
    sgd.dampening = sgd.decay = 0.01f;
    sgd.nesterov = 1;
    sgd.is_first = 0;
    for (detmath_u64 i = 0; i < n; i++) {
        z[i] = w[i] * w[i];
        y[i] = detmath_sgdf(x[i], g[i], &w[i], &sgd);
        y[i] = detmath_adamf(y[i], g[i], &w[i], &z[i], &adam);
    }
}

static void take_losses(detmath_u64 n) {
    struct detmath_parts loss = detmath_cross_entropyf(x, 0, n, n / 2, 0.125f);
    y[0] = detmath_loss_rounded(loss);
    y[1] = detmath_loss_rounded(detmath_mean_loss(loss, 3));
}

static void take_pools(detmath_u64 n) {
    for (int which = DETMATH_POOL_SUM; which <= DETMATH_POOL_MAX; which++) {
        struct detmath_pool pool = detmath_pool_of_none();
        for (detmath_u64 i = 0; i < n; i++)
            pool = detmath_pool_add(pool, x[i], w[i], which == DETMATH_POOL_SUM, which);
        y[which] = detmath_pool_rounded(pool, n, which);
    }
}

static void take_weights(detmath_u64 n) {
    for (detmath_u64 i = 0; 5 * i < n; i++)
        lines[i] = detmath_norm_line_of(x + 5 * i, 5 * i + 5 > n ? n - 5 * i : 5, 0.5f,
                                        DETMATH_LAYER_NORM);
    y[0] = detmath_norm_weight_gradientf(x, g, lines, n, 5, DETMATH_LAYER_NORM, &y[1]);
}

int main(void) {
    EACH("rms_norm", detmath_normf(y, x, w, g, n, 1e-5f, DETMATH_RMS_NORM), ALL)
    EACH("layer_norm", detmath_normf(y, x, w, g, n, 1e-5f, DETMATH_LAYER_NORM), ALL)
    EACH("l2_norm", detmath_normf(y, x, w, 0, n, 0.0f, DETMATH_L2_NORM), ALL)
    EACH("rms_back", detmath_norm_gradientf(y, x, g, w, n, 1e-5f, DETMATH_RMS_NORM), ALL)
    EACH("layer_back", detmath_norm_gradientf(y, x, g, w, n, 1e-5f, DETMATH_LAYER_NORM), ALL)
    EACH("l2_back", detmath_norm_gradientf(y, x, g, w, n, 0.0f, DETMATH_L2_NORM), ALL)
    EACH("weight_back", take_weights(n), 2)
    EACH("silu", detmath_silu_mulf(y, x, w, n), ALL)
    EACH("gelu", detmath_gelu_mulf(y, x, w, n), ALL)
    EACH("gelu_tanh", detmath_gelu_tanh_mulf(y, x, w, n), ALL)
    EACH("silu_back", detmath_silu_mul_gradientf(y, w, x, w, g, n), ALL)
    EACH("gelu_back", detmath_gelu_mul_gradientf(y, w, x, w, g, n), ALL)
    EACH("tanh_back", detmath_gelu_tanh_mul_gradientf(y, w, x, w, g, n), ALL)
    EACH("softmax_back", detmath_softmax_gradientf(y, x, g, n), ALL)
    EACH("loss", take_losses(n), 2)
    EACH("loss_back", detmath_cross_entropy_gradientf(y, x, 0, n, n / 2, 1.5f, 0.125f), ALL)
    EACH("pools", take_pools(n), 3)
    EACH("optimisers", take_steps(n), ALL)
    return 0;
}
