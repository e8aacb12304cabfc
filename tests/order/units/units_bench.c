/* How fast a unit's products of 16 x 16 x 16 are, beside a plain loop in fp32: units_bench [UNIT [FORMAT]]. */
#include "base/clock.h"
#include "order/unit_lanes.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16, ROUNDS = 7 };

static void plain(const float *a, const float *b, float *d) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i * SIDE + k] * b[j * SIDE + k];
            d[i * SIDE + j] = sum;
        }
}

int main(int count, char **words) {
    static uint64_t a[SIDE * SIDE], b[SIDE * SIDE], d[SIDE * SIDE];
    static float x[SIDE * SIDE], y[SIDE * SIDE], z[SIDE * SIDE];
    struct error error;
    const struct format *format = format_find(count > 2 ? words[2] : "fp16", &error);
    const struct unit *unit =
        format ? unit_find(count > 1 ? words[1] : "h100", format, &formats[FORMAT_FP32], &error)
               : NULL;
    if (!unit) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        x[i] = (float)(rand() % 2000 - 1000) / 512;
        y[i] = (float)(rand() % 2000 - 1000) / 512;
        struct real p = real_from_double(x[i]), q = real_from_double(y[i]);
        a[i] = format_encode(format, &p, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        b[i] = format_encode(format, &q, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    const struct unit_product product = {.unit = unit,
                                         .rows = SIDE,
                                         .inner = SIDE,
                                         .columns = SIDE,
                                         .count = SIDE,
                                         .a = a,
                                         .b = b,
                                         .d = d};
    double best[3] = {1e9, 1e9, 1e9}, sink = 0;
    const uint64_t zero = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int repeats[3] = {4000, 20000, 20};
        for (int way = 0; way < 3; way++) {
            double start = clock_seconds();
            for (int i = 0; i < repeats[way]; i++) {
                if (way == 0 && !unit_multiply(&product))
                    return 2;
                if (way == 1)
                    plain(x, y, z);
                for (int j = 0; way == 2 && j < SIDE * SIDE; j++)
                    d[j] = unit_dot(unit, a + j / SIDE * SIDE, b + j % SIDE * SIDE, SIDE, &zero);
                x[i % (SIDE * SIDE)] += 0.0f * z[i % (SIDE * SIDE)];
                sink += (double)d[i % (SIDE * SIDE)];
            }
            double seconds = (clock_seconds() - start) / repeats[way];
            best[way] = seconds < best[way] ? seconds : best[way];
        }
    }
    printf("%s %s: %.2f us a product, %.1f million a minute, %.1f times a plain fp32 loop (%.2f "
           "us); by the definition %.0f "
           "us, %.0f times as long%s\n",
           unit->name, format->name, best[0] * 1e6, 60 / best[0] / 1e6, best[0] / best[1],
           best[1] * 1e6, best[2] * 1e6, best[2] / best[0], sink < 0 ? "" : " (least of 7 rounds)");
    return 0;
}
