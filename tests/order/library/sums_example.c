/* The sum of eight numbers in four lanes, as a library has it that 'detcheck reveal sum --output kernel.order' looked at. */
#include <detmath/sums.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    static const char document[] =
        "{\"schema\": \"detcheck/order/1\", \"name\": \"four lanes\", \"source\": \"by hand\", "
        "\"operation\": \"sum\", \"format\": \"fp32\", \"result\": \"fp32\", \"least\": 1, "
        "\"most\": 4096, \"nodes\": [{\"result\": \"fp32\", \"nan\": \"0x7fc00000\"}], "
        "\"rule\": {\"kind\": \"lanes\", \"size\": 4}, \"open\": [], \"replayed\": 0, "
        "\"different\": 0}";
    const float numbers[] = {0x1p24f, 1, 1, 1, 1, 1, 1, 1};
    const size_t extent = 8;
    const struct detmath_order_array x = {numbers, 1, &extent, NULL};
    struct detmath_error error;
    struct detmath_order *order = detmath_order_parse(document, strlen(document), &error);
    float sum;
    if (!order || detmath_sum_by_order(order, &x, 0, &sum, 1, &error)) {
        fprintf(stderr, "%s\n", error.text);
        detmath_order_free(order);
        return 1;
    }
    printf("2^24 + %g\n", (double)(sum - 0x1p24f)); /* 7 from the right, 0 from the left */
    detmath_order_free(order);
    return 0;
}
