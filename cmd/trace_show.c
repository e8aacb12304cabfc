/* What a trace has. */
#include "trace_text.h"

#include "base/foreign.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPED(COUNT) text_grouped(COUNT, (char[32]){0})

static int by_name(const void *a, const void *b) {
    const struct trace_operation *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* The operations by their names, with the number of calls and of the first one. */
static bool print_kinds(const struct trace *trace) {
    const struct trace_operation **sorted = malloc((trace->count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < trace->count; i++)
        sorted[i] = &trace->operations[i];
    qsort(sorted, trace->count, sizeof *sorted, by_name);
    printf("\n%9s  %9s  %s\n", "calls", "first", "operation");
    for (size_t i = 0, end; i < trace->count; i = end) {
        const struct trace_operation *first = sorted[i];
        for (end = i; end < trace->count && strcmp(sorted[end]->name, first->name) == 0; end++)
            if (sorted[end] < first)
                first = sorted[end];
        printf("%9s  %9s  %s\n", GROUPED(end - i), GROUPED((uint64_t)(first - trace->operations)),
               FOREIGN(first->name));
    }
    free(sorted);
    return true;
}

bool trace_print(const struct trace *trace) {
    uint64_t tensors = 0, kept = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_operation *operation = &trace->operations[i];
        const size_t count = operation->input_count + operation->output_count;
        for (size_t k = 0; k < count; k++) {
            const struct trace_tensor *tensor =
                k < operation->input_count ? &operation->inputs[k]
                                           : &operation->outputs[k - operation->input_count];
            kept += tensor->kept_in >= 0;
        }
        tensors += count;
    }
    printf("%s  recorded by %s %s\n", FOREIGN(trace->path), FOREIGN(trace->recorder),
           FOREIGN(trace->program));
    printf("%s operations, %s tensors, of which %s were kept (--keep %s)\n", GROUPED(trace->count),
           GROUPED(tensors), GROUPED(kept), FOREIGN(trace->keep));
    if (!trace->complete)
        printf("the run did not come to its end\n");
    for (const cJSON *item = trace->left_out ? trace->left_out->child : NULL; item;
         item = item->next)
        printf("left out: %s %s\n",
               GROUPED((uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(item, "count"))),
               FOREIGN(cJSON_GetStringValue(cJSON_GetObjectItem(item, "what"))));
    for (const cJSON *item = trace->environment ? trace->environment->child : NULL; item;
         item = item->next)
        printf("%s: %s\n", FOREIGN(item->string), FOREIGN(item->valuestring));
    return print_kinds(trace);
}

static void print_tensor(const char *kind, size_t number, const struct trace_tensor *tensor) {
    char text[TRACE_TENSOR_TEXT];
    printf("  %s %zu", kind, number);
    if (tensor->name)
        printf(" %s", FOREIGN(tensor->name));
    printf("  %s", FOREIGN(trace_tensor_text(tensor, text)));
    if (tensor->has_digest)
        printf("  %016" PRIx64 "%016" PRIx64, tensor->digest.high, tensor->digest.low);
    else
        printf("  left out: %s", FOREIGN(tensor->left_out));
    if (tensor->kept_in >= 0)
        printf("  tensors/%" PRId64 ".safetensors#%s", tensor->kept_in, FOREIGN(tensor->kept_as));
    printf("%s\n", tensor->is_overwritten ? "  (overwritten)" : "");
}

void trace_print_operation(const struct trace *trace, size_t index) {
    const struct trace_operation *operation = &trace->operations[index];
    printf("operation %s  %s%s%s", GROUPED(index), FOREIGN(operation->name),
           *operation->path ? "  " : "", FOREIGN(operation->path));
    if (*operation->source)
        printf("  %s", FOREIGN(operation->source));
    printf("%s%s\n", operation->is_backward ? "  backward" : "",
           operation->is_random ? "  draws random numbers" : "");
    for (const cJSON *item = operation->settings ? operation->settings->child : NULL; item;
         item = item->next)
        printf("  from here on %s is %s\n", FOREIGN(item->string), FOREIGN(item->valuestring));
    for (const cJSON *item = operation->attributes ? operation->attributes->child : NULL; item;
         item = item->next) {
        char *value = cJSON_PrintUnformatted(item);
        printf("  %s = %s\n", FOREIGN(item->string), value ? FOREIGN(value) : "");
        cJSON_free(value);
    }
    for (size_t i = 0; i < operation->input_count; i++)
        print_tensor("input", i, &operation->inputs[i]);
    for (size_t i = 0; i < operation->output_count; i++)
        print_tensor("output", i, &operation->outputs[i]);
    if (operation->error)
        printf("  raised: %s\n", FOREIGN(operation->error));
}
