/* detcheck asks, a port of det answers: each function of detmath, in fp32 and fp64.
 *
 *     cc -O2 -I INCLUDE port_adapter.c -o port_adapter
 *     detcheck sweep exp --impl det --impl exec:./port_adapter
 *
 * INCLUDE is the folder that has detmath/all.h. As it stands, the port is det itself. To prove a port of your own, include
 * it, and change the one line of PORT: detcheck-porting(7). */

/* For expf, in fp32, NAME is exp and SUFFIX is f; in fp64 SUFFIX is empty. */
#define PORT(NAME, SUFFIX) detmath_##NAME##SUFFIX

#include "adapter.h"
#include "port_rows.h"

#include <detmath/all.h>

#define UNARY(NAME, SUFFIX, NUMBER)                                                                \
    static void NAME##_of_##NUMBER(size_t count, void *const *x, void *const *z) {                 \
        const NUMBER *a = x[0];                                                                    \
        NUMBER *y = z[0];                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            y[i] = PORT(NAME, SUFFIX)(a[i]);                                                       \
    }
#define BINARY(NAME, SUFFIX, NUMBER)                                                               \
    static void NAME##_of_##NUMBER(size_t count, void *const *x, void *const *z) {                 \
        const NUMBER *a = x[0], *b = x[1];                                                         \
        NUMBER *y = z[0];                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            y[i] = PORT(NAME, SUFFIX)(a[i], b[i]);                                                 \
    }
#define PAIR(NAME, SUFFIX, NUMBER)                                                                 \
    static void NAME##_of_##NUMBER(size_t count, void *const *x, void *const *z) {                 \
        const NUMBER *a = x[0];                                                                    \
        NUMBER *y = z[0], *w = z[1];                                                               \
        for (size_t i = 0; i < count; i++)                                                         \
            PORT(NAME, SUFFIX)(a[i], &y[i], &w[i]);                                                \
    }
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT) KIND(NAME, SUFFIX, NUMBER)
#include "port_rows.h"

static const struct row {
    const char *name, *format;
    void (*compute)(size_t count, void *const *x, void *const *z);
} rows[] = {
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT) {#NAME, FORMAT, NAME##_of_##NUMBER},
#include "port_rows.h"
};
static const struct row *row;

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    PORT_FIND(row, rows, request, text);
    if (row)
        snprintf(text, ADAPTER_TEXT, "a port of det in C");
    return row != NULL;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    row->compute(count, x, z);
}

int main(void) {
    return adapter_serve();
}
