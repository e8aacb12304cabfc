/* A row, or a line, for each variant. */
#include "report/variants.h"

#include "base/foreign.h"
#include "invariance/property.h"
#include "report/text.h"

void variants_print(FILE *stream, const struct property_outcome *one,
                    const struct variants *variants, int result) {
    char count[32];
    for (size_t i = 0; one->property->variants && variants && i < variants->count; i++)
        if (variants->rows[i].is_tried)
            fprintf(stream, "      %s changed with %s\n",
                    text_grouped(one->tally.by_variant[i][result], count),
                    FOREIGN(variants->rows[i].text));
        else
            fprintf(stream, "      not tested with %s: %s\n", FOREIGN(variants->rows[i].text),
                    FOREIGN(variants->rows[i].why.text));
}
