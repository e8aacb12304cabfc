/* From "Exp<fx, fr, ρ>(x) -> r", Requires: and Projections: to operation specializations with a kappa each. */
#include "gate/kappa_draft.h"

#include "gate/kappa_interval.h"
#include "gate/kappa_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KAPPAS = 1 << 16, TEXT = 2 * KAPPA_NAME, WRONG = 384 };

/* ρ may be spelled in ASCII. */
static const char *const projection_names[] = {"\xcf\x81", "rho"};

bool kappa_draft_approximates(struct kappa_draft *draft, const char *text, size_t line) {
    draft->approximates_line = line;
    return (draft->approximates = strdup(text)) != NULL;
}

bool kappa_draft_add(struct kappa_draft *draft, const char *text, size_t line, bool whole) {
    struct kappa_text *more = realloc(draft->texts, (draft->count + 1) * sizeof *more);
    if (!more)
        return false;
    draft->texts = more;
    more[draft->count] = (struct kappa_text){strdup(text), line, whole};
    return more[draft->count++].text != NULL;
}

void kappa_draft_clear(struct kappa_draft *draft) {
    for (size_t i = 0; i < draft->count; i++)
        free(draft->texts[i].text);
    free(draft->texts);
    free(draft->approximates);
    *draft = (struct kappa_draft){0};
}

/* ---- The parameters between < and > ---- */

/* The length of ρ that begins there; 0: it does not. */
static size_t projection_at(const char *at) {
    for (size_t i = 0; i < sizeof projection_names / sizeof *projection_names; i++) {
        const size_t length = strlen(projection_names[i]);
        if (strncmp(at, projection_names[i], length) == 0 && !isalnum((unsigned char)at[length]))
            return length;
    }
    return 0;
}

/* The length of the word that begins there. */
static size_t word_at(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.')
        length++;
    return length;
}

/* A parameter is f and small letters or digits, and no format. */
static bool is_parameter(const char *at, size_t length) {
    char name[KAPPA_WORD];
    if (*at != 'f' || length >= KAPPA_WORD)
        return false;
    memcpy(name, at, length);
    name[length] = '\0';
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") == length && !kappa_format(name);
}

/* The parameter of that name, which is added if it is new; NULL: there are too many. */
static struct kappa_binding *parameter_of(struct kappa_bindings *bindings, const char *at,
                                          size_t length) {
    for (size_t i = 0; i < bindings->count; i++)
        if (strlen(bindings->items[i].name) == length &&
            strncmp(bindings->items[i].name, at, length) == 0)
            return &bindings->items[i];
    if (bindings->count == KAPPA_PARAMETERS)
        return NULL;
    struct kappa_binding *binding = &bindings->items[bindings->count++];
    memcpy(binding->name, at, length);
    binding->name[length] = '\0';
    return binding;
}

/* The specialization with what the parameters stand for; with bindings that are not known yet it only collects them.
 * *projection: it has ρ. False: it has too many parameters or characters. */
static bool substitute(const char *from, struct kappa_bindings *bindings, const char *pair,
                       bool *projection, char text[TEXT]) {
    size_t used = 0, length;
    bool inside = false;
    for (; *from; from += length) {
        char one[KAPPA_WORD];
        const char *piece = from;
        size_t size = length = 1;
        inside = (inside || *from == '<') && *from != '>';
        if (inside && projection_at(from)) {
            length = projection_at(from);
            *projection = true;
            piece = pair;
            size = strlen(pair);
        } else if (word_at(from)) {
            size = length = word_at(from);
            if (inside && is_parameter(from, length)) {
                const struct kappa_binding *binding = parameter_of(bindings, from, length);
                if (!binding)
                    return false;
                size = (size_t)snprintf(one, sizeof one, "%s", binding->written);
                piece = one;
            }
        }
        if (used + size >= TEXT)
            return false;
        memcpy(text + used, piece, size);
        used += size;
    }
    text[used] = '\0';
    return true;
}

/* ---- What they stand for ---- */

struct expansion {
    const struct kappa_draft *draft;
    struct declared_kappas *kappas;
    struct kappa_bindings bindings;
    bool has_projection;
    size_t made;
    size_t *line;
    char *wrong;
    size_t room;
};

static bool refuse(struct expansion *expansion, size_t line, const char *text, const char *name) {
    *expansion->line = line;
    snprintf(expansion->wrong, expansion->room, text, name);
    return false;
}

/* Takes over the item's interval. */
static bool add_item(struct expansion *expansion, struct declared_kappa *item) {
    struct declared_kappas *kappas = expansion->kappas;
    struct declared_kappa *more = kappas->count < MOST_KAPPAS
                                      ? realloc(kappas->items, (kappas->count + 1) * sizeof *more)
                                      : NULL;
    if (!more) {
        free(item->interval);
        return refuse(expansion, expansion->draft->approximates_line, "%s",
                      kappas->count < MOST_KAPPAS
                          ? "out of memory"
                          : "a file declares at most 65,536 kappas: list fewer formats");
    }
    kappas->items = more;
    kappas->items[kappas->count++] = *item;
    return true;
}

/* The draft's kappas for one specialization. */
static bool declare(struct expansion *expansion, const char *text) {
    const struct kappa_draft *draft = expansion->draft;
    struct declared_kappa named = {0};
    char wrong[WRONG];
    if (!kappa_name(text, &named, wrong, sizeof wrong))
        return refuse(expansion, draft->approximates_line, "%s", wrong);
    for (size_t i = 0; i < draft->count; i++) {
        const struct kappa_text *one = &draft->texts[i];
        struct declared_kappa item = named;
        const char *unfit = NULL;
        item.whole = one->whole;
        if (one->whole)
            kappa_number(one->text, &item.kappa);
        else
            unfit = item.format ? kappa_interval(one->text, &item)
                                : "the first operand has a scale, so that its numbers are in no "
                                  "order: declare Kappa: without intervals";
        if (unfit) {
            free(item.interval);
            return refuse(expansion, one->line, "%s", unfit);
        }
        if (!add_item(expansion, &item))
            return false;
    }
    expansion->made++;
    return true;
}

/* With all parameters bound: for each projection. */
static bool declare_projections(struct expansion *expansion) {
    const struct kappa_draft *draft = expansion->draft;
    const size_t count =
        expansion->has_projection ? kappa_projections_count(&draft->projections) : 1;
    for (size_t pair = 0; pair < count; pair++) {
        char text[TEXT], projection[2 * KAPPA_WORD + 5] = "";
        bool has_projection = false;
        if (expansion->has_projection)
            kappa_projections_text(&draft->projections, pair, projection);
        if (!substitute(draft->approximates, &expansion->bindings, projection, &has_projection,
                        text))
            return refuse(expansion, draft->approximates_line, "%s",
                          "the specialization has too many characters");
        if (!declare(expansion, text))
            return false;
    }
    return true;
}

/* Binds a parameter that conditions give formats, each in turn, until all are bound. */
static bool bind(struct expansion *expansion) {
    struct kappa_bindings *bindings = &expansion->bindings;
    const struct kappa_requires *requires = &expansion->draft->requires;
    const char *choices[KAPPA_CHOICES];
    size_t open = bindings->count, first = open, count = 0;
    for (size_t i = 0; i < bindings->count && !count; i++)
        if (!*bindings->items[i].written) {
            open = i;
            first = first == bindings->count ? i : first;
            count = kappa_requires_choices(requires, bindings, i, choices);
        }
    if (open == bindings->count)
        return kappa_requires_broken(requires, bindings) || declare_projections(expansion);
    struct kappa_binding *binding = &bindings->items[open];
    if (!count)
        return refuse(expansion, expansion->draft->approximates_line,
                      "nothing says which formats %s stands for: wanted a format in its place, or "
                      "Requires: with a line such as - ('fx in [Binary8p3se, Binary8p4se]')",
                      bindings->items[first].name);
    for (size_t i = 0; i < count; i++) {
        snprintf(binding->written, sizeof binding->written, "%s", choices[i]);
        binding->format = kappa_format(choices[i]);
        if (!bind(expansion))
            return false;
    }
    *binding->written = '\0';
    return true;
}

/* Whether Requires: and Projections: fit to Approximates. */
static bool is_consistent(struct expansion *expansion) {
    const struct kappa_draft *draft = expansion->draft;
    const struct kappa_projections *projections = &draft->projections;
    const char *name;
    char wrong[WRONG];
    const struct kappa_condition *unknown =
        kappa_requires_unknown(&draft->requires, &expansion->bindings, &name);
    if (unknown)
        return refuse(expansion, unknown->line,
                      "%s is neither a format nor a parameter of Approximates", name);
    if (expansion->has_projection && !projections->line)
        return refuse(expansion, draft->approximates_line, "%s",
                      "nothing says which projections \xcf\x81 stands for: wanted (rounding, "
                      "saturation) in its place, or Projections: with RoundingMode: and "
                      "SaturationMode:");
    if (!expansion->has_projection && projections->line)
        return refuse(expansion, projections->line, "%s",
                      "Approximates has no parameter \xcf\x81 that Projections: could stand for");
    return !projections->line || kappa_projections_end(projections, wrong, sizeof wrong) ||
           refuse(expansion, projections->line, "%s", wrong);
}

bool kappa_draft_expand(const struct kappa_draft *draft, struct declared_kappas *kappas,
                        size_t *line, char *wrong, size_t room) {
    struct expansion expansion = {
        .draft = draft, .kappas = kappas, .line = line, .wrong = wrong, .room = room};
    char text[TEXT];
    if (!substitute(draft->approximates, &expansion.bindings, "", &expansion.has_projection, text))
        return refuse(&expansion, draft->approximates_line, "%s",
                      "the specialization has too many parameters or characters");
    if (!is_consistent(&expansion) || !bind(&expansion))
        return false;
    return expansion.made || refuse(&expansion, draft->approximates_line, "%s",
                                    "no choice of formats fulfils all conditions of Requires:");
}
