/* What was identified, as text and as JSON. */
#include "reveal_blocks.h"

#include "reveal_cases_output.h"
#include "signals.h"

#include "base/json.h"
#include "report/report.h"
#include "report/text.h"
#include "reveal/identify.h"

#include <inttypes.h>
#include <stdio.h>

/* "128 products by scales of fp8_e8m0fnu for 32 and c" */
enum { PRODUCTS_TEXT = 160 };
static const char *products_text(const struct unit_cases *cases, const char *noun,
                                 char text[PRODUCTS_TEXT]) {
    int length = snprintf(text, PRODUCTS_TEXT, "%zu %s", cases->products, noun);
    if (cases->scales)
        length += snprintf(text + length, PRODUCTS_TEXT - (size_t)length,
                           " by scales of %s for %zu", cases->scales->name, cases->block);
    if (cases->has_c)
        snprintf(text + length, PRODUCTS_TEXT - (size_t)length, " and c");
    return text;
}

static void print(const struct reveal_blocks *request, const struct identified *found,
                  bool revealed) {
    const struct unit_cases *cases = &found->cases;
    char arrays[32], text[PRODUCTS_TEXT];
    printf("%s %s %s: %s, summed in %s\n", request->computed.operation->name, cases->format->name,
           request->implementation->name, products_text(cases, "products", text),
           cases->result->name);
    printf(revealed ? "  revealed: 0 of %s cases that were replayed differ from what is below\n"
                    : "  not revealed: no unit and no model gives all of %s cases\n",
           text_grouped(request->arrays, arrays));
    reveal_fit_print(&found->fit, &found->decision);
}

static void add_document(const struct reveal_blocks *request, const struct identified *found,
                         bool revealed, cJSON *results) {
    const struct unit_cases *cases = &found->cases;
    char text[PRODUCTS_TEXT];
    cJSON *object = json_append(results);
    cJSON_AddStringToObject(object, "operation", request->computed.operation->name);
    cJSON_AddStringToObject(object, "format", cases->format->name);
    cJSON *whose = cJSON_AddObjectToObject(object, "implementation");
    cJSON_AddStringToObject(whose, "name", request->implementation->name);
    cJSON_AddStringToObject(whose, "detail", request->implementation->detail);
    report_add_parameters(cJSON_AddObjectToObject(object, "parameters"),
                          &request->computed.parameters);
    cJSON *inputs = cJSON_AddObjectToObject(object, "inputs");
    cJSON_AddStringToObject(inputs, "kind", "cases");
    cJSON_AddStringToObject(inputs, "description", products_text(cases, "terms", text));
    cJSON_AddNumberToObject(inputs, "count", (double)request->arrays);
    if (cases->scales) {
        cJSON_AddStringToObject(object, "scales", cases->scales->name);
        cJSON_AddNumberToObject(object, "block", (double)cases->block);
    }
    if (cases->has_c)
        cJSON_AddTrueToObject(object, "c");
    cJSON_AddNumberToObject(object, "products", (double)cases->products);
    cJSON_AddStringToObject(object, "accumulate", cases->result->name);
    cJSON_AddNumberToObject(object, "chosen_by", IDENTIFY_CHOOSING);
    cJSON_AddNumberToObject(object, "replayed", (double)request->arrays);
    cJSON_AddStringToObject(object, "state", revealed ? "revealed" : "not-told");
    reveal_fit_document(&found->fit, &found->decision, object);
}

bool reveal_blocks(const struct reveal_blocks *request, cJSON *results, bool *revealed,
                   struct error *error) {
    static struct identified found;
    struct called_cases called;
    if (!called_cases_open(&called, request->implementation, &request->computed, error))
        return false;
    const bool good =
        identify(&found, &called, request->arrays, request->seed, &interrupted, error);
    *revealed = identify_any(&found);
    if (good && request->text)
        print(request, &found, *revealed);
    if (good)
        add_document(request, &found, *revealed, results);
    identify_close(&found);
    called_cases_close(&called);
    return good;
}
