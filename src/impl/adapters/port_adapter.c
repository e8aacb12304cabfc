/* detcheck asks, a port of det answers: each function of detmath, in fp32 and fp64, and the operations on arrays of
 * port_arrays.inc.
 *
 *     cc -O2 -I INCLUDE port_adapter.c -o port_adapter
 *     detcheck sweep exp --impl det --impl exec:./port_adapter
 *
 * INCLUDE is the folder that has detmath/all.h. As it stands, the port is det itself. To prove a port of your own, include
 * it, and change the one line of PORT: detcheck-porting(7). */

/* For expf, in fp32, NAME is exp and SUFFIX is f; in fp64 SUFFIX is empty. */
#define PORT(NAME, SUFFIX) detmath_##NAME##SUFFIX

#define ADAPTER_ARRAYS
#include "adapter.h"
#include "port_rows.h"

#include <detmath/all.h>

#include "port_lines.h"

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
#define ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)                      \
    static void NAME##_lines_of_##NUMBER(struct port_lines *all) {                                 \
        for (size_t at = 0; at < all->lines; at++) {                                               \
            PORT_##CALL(PORT(FUNCTION, SUFFIX), SUFFIX, NUMBER);                                   \
        }                                                                                          \
    }
#include "port_rows.h"

static const struct row {
    const char *name, *format;
    void (*compute)(size_t count, void *const *x, void *const *z);
    /* Of operations on arrays. */
    enum port_lines_kind lines;
    const char *roles;
    void (*run)(struct port_lines *lines);
} rows[] = {
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT)                                                    \
    {#NAME, FORMAT, NAME##_of_##NUMBER, PORT_ALL, NULL, NULL},
#define ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)                      \
    {#NAME, FORMAT, NULL, PORT_##LINES, ROLES, NAME##_lines_of_##NUMBER},
#include "port_rows.h"
};
static const struct row *row;
static struct adapter_request asked;

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    asked = *request;
    port_name_row(&asked);
    PORT_FIND(row, rows, &asked, text);
    if (row)
        snprintf(text, ADAPTER_TEXT, "a port of det in C");
    return row != NULL;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    row->compute(count, x, z);
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    port_call(&asked, row->lines, row->roles, operands, results, row->run);
}

int main(void) {
    return adapter_serve();
}
