/* The envelope of the signed error: steps as text that envelope.js draws, and lets people zoom into, and
 * a picture that stands in their place where scripts are off. */
#include "page/plot.h"

#include "base/memory.h"
#include "page/columns.h"
#include "sweep/tally_record.h"

#include <inttypes.h>

/* So many steps the page has at most, over all figures; with more, neighbours are drawn as one. */
#define MOST_STEPS 160000.0

static const cJSON *envelope_of(const struct series *series) {
    return json_get(series->one->json, "envelope");
}

/* How many steps become one. */
static unsigned steps_joined(const struct page *page) {
    double steps = 0;
    unsigned joined = 1;
    for (size_t i = 0; i < page->figure_count; i++)
        for (size_t j = 0; j < page->figures[i].series_count; j++)
            steps +=
                cJSON_GetArraySize(json_get(envelope_of(&page->figures[i].series[j]), "least"));
    while (steps / joined > MOST_STEPS)
        joined *= 2;
    return joined;
}

/* "least,largest,incorrect,worst": the worst as codes from the first of its steps on. */
static void print_joined(const struct page *page, const struct envelope_step *joined,
                         uint64_t first) {
    if (joined->has_error)
        fprintf(page->stream, "%.17g,%.17g,%.17g,%" PRIx64 ";", joined->least / ENVELOPE_UNIT,
                joined->largest / ENVELOPE_UNIT, (double)joined->incorrect, joined->worst - first);
    else
        fprintf(page->stream, ",,%.17g;", (double)joined->incorrect);
}

static void print_steps(const struct page *page, const struct envelope *envelope, unsigned factor) {
    for (unsigned run = 0; run < envelope->run_count; run++) {
        const struct envelope_step *steps = &envelope->steps[envelope->runs[run].before];
        uint64_t first = envelope->runs[run].first_step, count = envelope_run_steps(envelope, run);
        for (uint64_t i = 0; i < count; i += factor) {
            struct envelope_step joined = {0};
            for (uint64_t j = i; j < i + factor && j < count; j++)
                envelope_step_merge(&joined, &steps[j]);
            print_joined(page, &joined, (first + i) << envelope->log2_codes);
        }
    }
}

static void print_series(const struct page *page, const struct series *series, unsigned factor) {
    struct envelope envelope;
    char letters[64];
    int report = 0;
    if (!envelope_take(envelope_of(series), &envelope))
        memory_exhausted();
    while (!(series->reports >> report & 1))
        report++;
    fputs("<i data-name=\"", page->stream);
    page_text(page, series->one->name);
    fprintf(page->stream, "%s%s\" data-class=\"c%zu d%d\" data-step=\"%d\" data-joined=\"%u\"",
            page->report_count > 1 ? " " : "", series_letters(page, series, letters),
            series->colour % 8, report % 4, envelope.log2_codes, factor);
    fputs(" data-runs=\"", page->stream);
    for (unsigned run = 0; run < envelope.run_count; run++)
        fprintf(page->stream, "%" PRIx64 " %" PRIu64 ";",
                envelope.runs[run].first_step << envelope.log2_codes,
                envelope_run_steps(&envelope, run));
    fputs("\" data-counts=\"", page->stream);
    double counts[COLUMNS];
    columns_of(json_get(series->one->json, "histogram"), counts);
    for (int at = 0; at < columns_used(counts); at++)
        fprintf(page->stream, "%s%.0f", at ? "," : "", counts[at]);
    fputs("\" data-steps=\"", page->stream);
    print_steps(page, &envelope, factor);
    fputs("\"></i>\n", page->stream);
    envelope_close(&envelope);
}

void plot_envelope(const struct page *page, const struct figure *figure) {
    struct error unused;
    const struct format *format = format_find(figure->result->format, &unused);
    unsigned factor = 0;
    for (size_t i = 0; format && i < figure->series_count; i++) {
        const struct series *series = &figure->series[i];
        if (!series->one->provided || !envelope_of(series))
            continue;
        if (!factor) {
            factor = steps_joined(page);
            fputs("<div class=\"envelope\" data-operation=\"", page->stream);
            page_text(page, figure->result->operation);
            fputs("\" data-rounding=\"", page->stream);
            page_text(page, figure->result->rounding);
            fprintf(page->stream,
                    "\" data-format=\"%s\" data-width=\"%u\" data-precision=\"%d\" "
                    "data-emin=\"%d\" data-sign=\"%" PRIx64 "\" data-most=\"%" PRIx64
                    "\" data-infinity=\"%d\">\n",
                    format->name, format->width, format->precision, format->emin, format->sign_bit,
                    format->max_finite, format->has_infinity);
            plot_still(page, figure, format);
        }
        print_series(page, series, factor);
    }
    if (factor)
        fputs("</div>\n", page->stream);
}
