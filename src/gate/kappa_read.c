/* Reading a Kappas.yaml: Metadata, then groups of declarations, and in each declaration the fields of a table. At the end
 * of a declaration its kappas are added, for all that its parameters stand for (gate/kappa_draft.h). What has another form
 * is refused, since a kappa that is passed over would be held against nothing. */
#include "gate/kappa_read.h"

#include "gate/kappa_draft.h"
#include "gate/kappa_interval.h"
#include "gate/kappa_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS                                                                                    \
    "Approximates, Kappa, Kappas, Requires, Projections, Implementation, Witness, Verification "   \
    "and note"

#define STRAY "the indentation fits no line above it"

enum kind { APPROXIMATES, WHOLE, LIST, REQUIRES, PROJECTIONS, FREE };

/* Members of a declaration. FREE ones are for people. */
static const struct field {
    const char *name;
    enum kind kind;
} fields[] = {{"Approximates", APPROXIMATES},
              {"Kappa", WHOLE},
              {"Kappas", LIST},
              {"Implementation", FREE},
              {"Witness", FREE},
              {"Verification", FREE},
              {"note", FREE},
              {"Requires", REQUIRES},
              {"Projections", PROJECTIONS}};
enum { FIELDS = sizeof fields / sizeof *fields };

enum { MOST_DEPTH = 32 };

struct reader {
    struct kappa_line line;
    struct declared_kappas *kappas;
    struct kappa_draft draft; /* the declaration */
    char name[KAPPA_NAME];    /* its name; "" before the first one of a group */
    size_t head;              /* its line */
    /* A declaration without kappas, such as ExpFast: it says what ExpFast.1 and ExpFast.2 approximate. */
    struct base {
        char name[KAPPA_NAME], *approximates;
        size_t head, line;
        bool used;
    } base;
    bool in_metadata, in_group, is_empty;
    /* Columns of the metadata's members or of a group's declarations, of a declaration's members, of what stands behind
     * their dashes, and of the dashes of intervals; 0: not known yet. */
    size_t outer, inner, content, list;
    bool listed; /* members are items of a list */
    const struct field *field;
    unsigned seen; /* a bit for each field */
    size_t text;   /* the column of the key whose text stands on the lines below it; 0: none */
    size_t columns[MOST_DEPTH], depth; /* of the lines above that a line for people is below */
    bool opens;                        /* the line before may have lines below it */
};

#define REFUSE(...) kappa_line_refuse(&reader->line, error, __VA_ARGS__)

/* Whether the list of intervals before this line has some. */
static bool end_list(struct reader *reader, struct error *error) {
    const bool good = !reader->field || reader->field->kind != LIST || reader->list;
    return good || REFUSE("%.60s has no interval below Kappas:", reader->name);
}

/* Refuses a declaration by its line. */
static bool lacks_kappa(struct reader *reader, const char *name, size_t head, struct error *error) {
    reader->line.number = head;
    return REFUSE(
        "%.60s declares no kappa: wanted Kappa: with a number, or intervals below Kappas:", name);
}

/* The base before this line, which another declaration has to use. */
static bool end_base(struct reader *reader, struct error *error) {
    struct base *base = &reader->base;
    if (*base->name && !base->used)
        return lacks_kappa(reader, base->name, base->head, error);
    free(base->approximates);
    *base = (struct base){0};
    return true;
}

/* A declaration without kappas becomes the base of those that follow. */
static bool begin_base(struct reader *reader, struct error *error) {
    struct kappa_draft *draft = &reader->draft;
    if (!draft->approximates || draft->requires.count || draft->projections.line)
        return lacks_kappa(reader, reader->name, reader->head, error);
    if (!end_base(reader, error))
        return false;
    snprintf(reader->base.name, sizeof reader->base.name, "%s", reader->name);
    reader->base.head = reader->head;
    reader->base.line = draft->approximates_line;
    reader->base.approximates = draft->approximates;
    draft->approximates = NULL;
    kappa_draft_clear(draft);
    return true;
}

/* "ExpFast.2" approximates what its base ExpFast does. */
static bool take_base(struct reader *reader, struct error *error) {
    struct base *base = &reader->base;
    const size_t length = strlen(base->name);
    if (!length || strncmp(reader->name, base->name, length) != 0 || reader->name[length] != '.') {
        reader->line.number = reader->head;
        return REFUSE("%.60s does not say what it approximates: wanted Approximates:",
                      reader->name);
    }
    base->used = true;
    return kappa_draft_approximates(&reader->draft, base->approximates, base->line) ||
           error_set(error, "out of memory");
}

/* Adds what the declaration before this line declares. */
static bool end_declaration(struct reader *reader, struct error *error) {
    struct kappa_draft *draft = &reader->draft;
    char wrong[512];
    if (!*reader->name)
        return true;
    if (draft->count && !end_list(reader, error))
        return false;
    if (!draft->count)
        return begin_base(reader, error);
    if (!draft->approximates && !take_base(reader, error))
        return false;
    if (!kappa_draft_expand(draft, reader->kappas, &reader->line.number, wrong, sizeof wrong))
        return REFUSE("%s", wrong);
    kappa_draft_clear(draft);
    return true;
}

/* A line is as far from the margin as one above it, or further than the last one, if that is a key without a value or
 * an item. */
static bool fits(struct reader *reader) {
    const size_t column = reader->line.column;
    const size_t last = reader->depth ? reader->columns[reader->depth - 1] : 0;
    while (reader->depth && reader->columns[reader->depth - 1] > column)
        reader->depth--;
    if (column > last && (reader->opens || !reader->depth) && reader->depth < MOST_DEPTH)
        reader->columns[reader->depth++] = column;
    reader->opens = (reader->line.key && !*reader->line.value) || reader->line.item;
    return reader->depth && reader->columns[reader->depth - 1] == column;
}

/* A member of the metadata, or of what is for people: "key: value", an item, or a line of a text that "key: >" began. */
static bool read_free(struct reader *reader, struct error *error) {
    struct kappa_line *line = &reader->line;
    if (reader->text && line->column > reader->text)
        return true;
    if (!fits(reader))
        return REFUSE(STRAY);
    for (size_t i = 0; line->key && i < FIELDS; i++)
        if (fields[i].kind < FREE && strcmp(line->key, fields[i].name) == 0)
            return REFUSE("%s: declares nothing here: it stands below Group:, Name:", line->key);
    reader->text = line->key && (*line->value == '>' || *line->value == '|') ? line->content : 0;
    if (line->key && *line->value && !strchr("'\"{[", *line->value) && strstr(line->value, ": "))
        return REFUSE("put what is behind %.60s: into quotes, or on a line below", line->key);
    return line->key || line->item || REFUSE("wanted a key and a colon");
}

static bool read_metadata(struct reader *reader, struct error *error) {
    struct kappa_line *line = &reader->line;
    struct declared_kappas *kappas = reader->kappas;
    char rest;
    reader->outer = reader->outer ? reader->outer : line->column;
    if (line->column != reader->outer || !line->key || line->item)
        return read_free(reader, error);
    if (strcmp(line->key, "shard") == 0 &&
        (sscanf(line->value, "\"%llu/%llu\"%c", &kappas->shard, &kappas->of, &rest) != 2 ||
         !kappas->of))
        return REFUSE("wanted shard: with a shard and their number, such as \"2/5\"");
    if (strcmp(line->key, "sweep") == 0 && !kappas->sweep && !(kappas->sweep = strdup(line->value)))
        return error_set(error, "out of memory");
    return read_free(reader, error);
}

/* Metadata, Empty or a group, at the head of a line. */
static bool read_outermost(struct reader *reader, struct error *error) {
    struct kappa_line *line = &reader->line;
    if (!end_declaration(reader, error) || !end_base(reader, error))
        return false;
    if (!line->key || !*line->key || line->item)
        return REFUSE("wanted a group of declarations, such as Inference:");
    if (reader->is_empty)
        return REFUSE("wanted nothing behind Empty: true");
    const bool is_metadata = strcmp(line->key, "Metadata") == 0;
    if (is_metadata && (reader->in_metadata || reader->in_group))
        return REFUSE("Metadata: comes once, before all groups");
    reader->is_empty = strcmp(line->key, "Empty") == 0;
    if (reader->is_empty && (strcmp(line->value, "true") != 0 || reader->in_group))
        return REFUSE("wanted Empty: true, in a file without declarations");
    if (*line->value && !reader->is_empty)
        return REFUSE("wanted nothing behind %.60s: declarations stand below it, indented",
                      line->key);
    reader->in_metadata = is_metadata;
    reader->in_group = !is_metadata;
    reader->outer = reader->text = reader->depth = 0;
    *reader->name = '\0';
    reader->field = NULL;
    return true;
}

static bool begin_declaration(struct reader *reader, struct error *error) {
    struct kappa_line *line = &reader->line;
    if (!end_declaration(reader, error))
        return false;
    if (!line->key || !*line->key || line->item || *line->value)
        return REFUSE("wanted the name of an implementation and a colon, such as ExpFast:");
    snprintf(reader->name, sizeof reader->name, "%s", line->key);
    reader->head = line->number;
    reader->inner = reader->seen = 0;
    reader->text = 0;
    reader->field = NULL;
    return true;
}

/* Keeps a kappa until the declaration ends. */
static bool read_kappa(struct reader *reader, bool whole, struct error *error) {
    const struct kappa_line *line = &reader->line;
    double ignored;
    if (whole && !kappa_number(line->value, &ignored))
        return REFUSE("wanted a whole number, .inf or .nan behind Kappa:");
    return kappa_draft_add(&reader->draft, line->value, line->number, whole) ||
           error_set(error, "out of memory");
}

static bool read_projections(struct reader *reader, bool is_head, struct error *error) {
    char wrong[256];
    return kappa_projections_take(&reader->draft.projections, &reader->line, is_head, wrong,
                                  sizeof wrong) ||
           REFUSE("%s", wrong);
}

/* What stands behind the key of a member. */
static bool read_value(struct reader *reader, enum kind kind, struct error *error) {
    const struct kappa_line *line = &reader->line;
    switch (kind) {
    case APPROXIMATES:
        return kappa_draft_approximates(&reader->draft, line->value, line->number) ||
               error_set(error, "out of memory");
    case WHOLE:
        return read_kappa(reader, true, error);
    case LIST:
        return !*line->value || REFUSE("wanted each interval on a line of its own below Kappas:");
    case REQUIRES:
        return !*line->value ||
               REFUSE("wanted each condition on a line of its own below Requires:");
    case PROJECTIONS:
        return read_projections(reader, true, error);
    default:
        return read_free(reader, error);
    }
}

static bool read_member(struct reader *reader, struct error *error) {
    const struct kappa_line *line = &reader->line;
    size_t at = 0;
    while (at < FIELDS && (!line->key || strcmp(line->key, fields[at].name) != 0))
        at++;
    if (at == FIELDS)
        return REFUSE("%.60s is no member of a declaration, which are " MEMBERS,
                      line->key ? line->key : line->value);
    if (reader->seen >> at & 1)
        return REFUSE("%s: is given twice", fields[at].name);
    if (!end_list(reader, error))
        return false;
    reader->seen |= 1u << at;
    reader->field = &fields[at];
    reader->list = reader->text = reader->depth = 0;
    return read_value(reader, fields[at].kind, error);
}

/* An interval or a condition, behind its dash. */
static bool read_item(struct reader *reader, struct error *error) {
    const struct kappa_line *line = &reader->line;
    char wrong[256];
    reader->list = reader->list ? reader->list : line->column;
    if (line->column != reader->list)
        return REFUSE(STRAY);
    if (reader->field->kind == LIST)
        return line->key ? REFUSE("wanted one { interval: '[ -1, 2.5 )', kappa: 1 }")
                         : read_kappa(reader, false, error);
    const char *text = line->key ? line->key : line->value;
    return kappa_requires_take(&reader->draft.requires, text, line->number, wrong, sizeof wrong) ||
           REFUSE("%s", wrong);
}

/* A line of a declaration, below its name. */
static bool read_inner(struct reader *reader, struct error *error) {
    const struct kappa_line *line = &reader->line;
    if (!reader->inner) {
        reader->inner = line->column;
        reader->content = line->content;
        reader->listed = line->item;
    }
    const struct field *field = reader->field;
    const bool lists = field && (field->kind == LIST || field->kind == REQUIRES);
    if (lists && line->item && line->column >= reader->content)
        return read_item(reader, error);
    if ((line->column == reader->inner && line->item == reader->listed) ||
        (line->column == reader->content && !line->item))
        return read_member(reader, error);
    if (line->column <= reader->content || !field)
        return REFUSE(STRAY);
    if (field->kind == PROJECTIONS)
        return read_projections(reader, false, error);
    if (field->kind == FREE)
        return read_free(reader, error);
    return REFUSE("wanted nothing below %s: but %s", field->name,
                  field->kind == LIST       ? "intervals, each behind a dash"
                  : field->kind == REQUIRES ? "conditions, each behind a dash"
                                            : "members of its column");
}

static bool read_line(struct reader *reader, struct error *error) {
    const struct kappa_line *line = &reader->line;
    if (!line->column)
        return read_outermost(reader, error);
    if (reader->in_metadata)
        return read_metadata(reader, error);
    if (!reader->in_group || reader->is_empty)
        return REFUSE("wanted Metadata: or a group of declarations, at the head of a line");
    reader->outer = reader->outer ? reader->outer : line->column;
    if (line->column < reader->outer)
        return REFUSE(STRAY);
    return line->column == reader->outer ? begin_declaration(reader, error)
                                         : read_inner(reader, error);
}

bool kappas_read(const char *path, struct declared_kappas *kappas, struct error *error) {
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    struct reader reader = {.line = {.path = path}, .kappas = kappas};
    bool good = true, end = false;
    while (good && !end)
        good = kappa_line_next(file, &reader.line, &end, error) &&
               (end ? end_declaration(&reader, error) && end_base(&reader, error)
                    : read_line(&reader, error));
    kappa_draft_clear(&reader.draft);
    free(reader.base.approximates);
    kappa_line_free(&reader.line);
    fclose(file);
    return good &&
           (kappas->count || kappas->of || error_set(error, "%.200s declares no kappa", path));
}

void kappas_free(struct declared_kappas *kappas) {
    for (size_t i = 0; i < kappas->count; i++)
        free(kappas->items[i].interval);
    free(kappas->items);
    free(kappas->sweep);
}
