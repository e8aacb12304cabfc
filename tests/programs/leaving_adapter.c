/* An adapter whose function leaves outputs as they were: of exp those of negative inputs, and of cumsum the
 * last element. Of exp in fp32 it can be asked under conditions, and for flags. */
#define ADAPTER_ARRAYS
#define ADAPTER_CONDITIONS
#define ADAPTER_FLAGS
#include "adapter.h"

#include <math.h>

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    snprintf(text, ADAPTER_TEXT, "leaving_adapter");
    return strcmp(request->operation, "exp") == 0 || strcmp(request->operation, "cumsum") == 0;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    const float *from = (const float *)x[0];
    float *to = (float *)z[0];
    for (size_t i = 0; i < count; i++)
        if (!(from[i] < 0))
            to[i] = expf(from[i]);
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    const float *x = (const float *)operands[0].codes;
    float *y = (float *)results[0].codes, sum = 0;
    for (size_t i = 0; i + 1 < operands[0].elements; i++)
        y[i] = sum += x[i];
}

static const char *adapter_variants(void) {
    return "";
}

int main(void) {
    return adapter_serve();
}
