/* Gathering variants, and telling those that have no effect. */
#include "invariance/variants.h"

#include "impl/detmath.h"
#include "invariance/invariance.h"

#include <stdio.h>
#include <string.h>

/* Another one, unless it is there. */
static void add(struct variants *variants, const char *text) {
    size_t at = 0;
    while (at < variants->count && strcmp(variants->rows[at].text, text) != 0)
        at++;
    if (at == variants->count && at < MOST_VARIANTS)
        variants->rows[variants->count++] = (struct variant){.text = text};
}

void variants_gather(struct variants *variants, const struct invariance_request *request,
                     const char *reported) {
    variants->count = 0;
    snprintf(variants->reported, sizeof variants->reported, "%s", reported);
    for (size_t i = 0; i < request->variant_count; i++)
        add(variants, request->variants[i]);
    for (char *line = variants->reported, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        add(variants, line);
    }
}

bool variants_tell(const char *reported, const char *setting) {
    for (size_t length; *reported; reported += length + (reported[length] == '\n')) {
        length = strcspn(reported, "\n");
        if (length == strlen(setting) && strncmp(reported, setting, length) == 0)
            return true;
    }
    return false;
}

/* det and cr heed nothing of the environment but their level, which they tell; and what a variable of
 * detcheck's own chooses is told by the others, too. */
static bool is_reported_of(const struct variant *variant,
                           const struct invariance_request *request) {
    const struct foreign_settings settings = {.variant = variant->text};
    const struct implementation_kind *kind = request->implementation->kind;
    return !foreign_runner(&settings) &&
           (kind == &implementation_det || kind == &implementation_cr ||
            strncmp(variant->text, "DETCHECK_", 9) == 0);
}

void variant_settle(struct variant *variant, const struct invariance_request *request,
                    const char *detail, const char *plain) {
    variant->is_tried =
        !is_reported_of(variant, request) || strcmp(detail, plain) != 0 ||
        error_set(&variant->why, "it has no effect: %.200s computes without it, too", plain);
}

bool variants_any(const struct variants *variants, const struct invariance_request *request,
                  struct error *why) {
    for (size_t i = 0; i < variants->count; i++)
        if (variants->rows[i].is_tried)
            return true;
    if (!variants->count)
        return error_set(why, "%.80s names no settings for it; name one by --variant",
                         request->implementation->name);
    return error_set(why, "%.200s: %.400s", variants->rows[0].text, variants->rows[0].why.text);
}
