/* The items of each list, by its argument; and the options of a synopsis. */
#include "manual_items.h"

#include "explain/arrays.h"
#include "explain/conversion.h"
#include "explain/hypothesis.h"
#include "explain/identity.h"
#include "explain/quantised.h"
#include "explain/requantised.h"
#include "explain/texts_read.h"
#include "impl/forms/forms.h"
#include "invariance/record.h"
#include "report/digests_record.h"
#include "report/inputs_record.h"
#include "report/run_record.h"
#include "sweep/search/record.h"
#include "sweep/tally_record.h"
#include "trace/record.h"

#include <string.h>

static const struct command *command_of(const struct command *const *commands, const char *name) {
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

size_t manual_options(const struct command *const *commands, const char *argument,
                      struct manual_item *items, size_t most) {
    const struct command *command = command_of(commands, argument);
    size_t count = 0;
    if (!command)
        return 0;
    for (const struct option *option = command->options; option->name && count < most - 1; option++)
        items[count++] = (struct manual_item){.name = option->name, .option = option};
    items[count++] = (struct manual_item){.name = help_option.name, .option = &help_option};
    return count;
}

bool manual_takes(const struct operation *operation, int parameter) {
    return operation->parameters >> parameter & 1;
}

/* The group that every operation which takes the parameter is of, where rows name one. */
static const char *group_of(int parameter) {
    const char *group = NULL;
    bool first = true;
    for (size_t i = 0; operation_at(i); i++) {
        if (!manual_takes(operation_at(i), parameter))
            continue;
        const char *own = operation_at(i)->group;
        group = first ? own : own && group && strcmp(own, group) == 0 ? group : NULL;
        first = false;
    }
    return group;
}

size_t manual_parameters(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    const struct option *options = parameter_options(PARAMETERS_ALL);
    size_t count = 0;
    for (int i = 0; i < PARAMETER_COUNT && count < most; i++) {
        const char *group = group_of(i);
        /* Those of arrays are in the general list: of scaled ones and of integers too, as it is. */
        bool apart = group && strcmp(group, "arrays") != 0;
        if (*argument ? apart && strcmp(group, argument) == 0 : !apart)
            items[count++] = (struct manual_item){
                .name = options[i].name, .option = &options[i], .parameter = &parameter_rows[i]};
    }
    return count;
}

size_t manual_operations(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    size_t count = 0;
    for (size_t i = 0; operation_at(i) && count < most; i++)
        if (*argument ? operation_in_group(operation_at(i), argument) : !operation_at(i)->group)
            items[count++] =
                (struct manual_item){.name = operation_at(i)->name, .operation = operation_at(i)};
    return count;
}

size_t manual_properties(const struct command *const *commands, const char *argument,
                         struct manual_item *items, size_t most) {
    (void)commands;
    const enum call_kind kind = strcmp(argument, "arrays") == 0 ? CALL_ON_ARRAYS : CALL_ON_NUMBERS;
    size_t count = 0;
    for (size_t i = 0; i < property_row_count && count < most; i++)
        if (property_is_of(property_rows[i], kind))
            items[count++] =
                (struct manual_item){.name = property_rows[i]->name, .property = property_rows[i]};
    return count;
}

/* The rewritings, an item for each operation, whose rows are beside one another. */
static size_t gather_rewritings(struct manual_item *items, size_t most) {
    const char *operation, *formula, *before = "";
    size_t count = 0;
    for (size_t i = 0; (formula = identity_row(i, &operation)) && count < most; i++) {
        if (strcmp(operation, before) != 0)
            items[count++] =
                (struct manual_item){.name = operation, .says = formula, .rewriting = i};
        before = operation;
    }
    return count;
}

/* Those of conversions alone: the last ones are those of functions, too. */
static size_t gather_conversions(struct manual_item *items, size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < conversion_hypothesis_count && count < most; i++) {
        const struct hypothesis row = conversion_hypothesis(i);
        if (row.source == FROM_CONVERSION)
            items[count++] =
                (struct manual_item){.name = row.name, .subject = "the side ", .says = row.says};
    }
    return count;
}

static size_t gather_rows(struct hypothesis row_at(size_t index), struct manual_item *items,
                          size_t most) {
    size_t count = 0;
    for (struct hypothesis row = row_at(0); row.name && count < most; row = row_at(count))
        items[count++] =
            (struct manual_item){.name = row.name, .subject = "the side ", .says = row.says};
    return count;
}

size_t manual_causes(const struct command *const *commands, const char *argument,
                     struct manual_item *items, size_t most) {
    const bool bits = strcmp(argument, "bits") == 0;
    size_t count = 0;
    (void)commands;
    if (strcmp(argument, "rewritings") == 0)
        return gather_rewritings(items, most);
    if (strcmp(argument, "conversions") == 0)
        return gather_conversions(items, most);
    if (strcmp(argument, "sums") == 0)
        return gather_rows(sums_hypothesis, items, most);
    if (strcmp(argument, "quantisers") == 0)
        return gather_rows(quantised_hypothesis, items, most);
    if (strcmp(argument, "texts-read") == 0)
        return gather_rows(texts_read_hypothesis, items, most);
    if (strcmp(argument, "requantisations") == 0)
        return gather_rows(requantised_hypothesis, items, most);
    for (size_t i = 0; i < (bits ? hypothesis_count : PLACES) && count < most; i++) {
        const struct hypothesis *row = bits ? &hypotheses[i] : &place_rows[i];
        const bool of_side = bits ? row->source != FROM_BOTH : i <= PLACE_NEAR;
        items[count++] = (struct manual_item){
            .name = row->name, .subject = of_side ? "the side " : "", .says = row->says};
    }
    return count;
}

/* Whether a form of the same name is for calls without a parameter that this one is for. */
static const char *needed_by(const struct form *form, const char *operation) {
    for (size_t i = 0; i < form_count && !form->without; i++)
        if (forms[i].without && strcmp(forms[i].name, form->name) == 0 &&
            form_names_operation(forms[i].operations, operation))
            return forms[i].without;
    return NULL;
}

/* The options of a call that a form is for, as the beginning of its sentence: "without --affine: "; empty if it is for all. */
static void form_condition(const struct form *form, const char *operation, char *text,
                           size_t room) {
    const char *needed = needed_by(form, operation),
               *names = form->without ? form->without : needed;
    size_t used = 0;
    *text = '\0';
    if (form->gelu)
        used = (size_t)snprintf(text, room, "with --approximate %s: ", form->gelu);
    for (bool begun = false; names && *names && used < room; begun = true) {
        const size_t length = strcspn(names, ",");
        used += (size_t)snprintf(text + used, room - used, "%s --%.*s",
                                 begun    ? " and"
                                 : needed ? "with"
                                          : "without",
                                 (int)length, names);
        names += length + strspn(names + length, ", ");
        if (!*names && used < room)
            snprintf(text + used, room - used, ": ");
    }
}

/* The forms of an operation, each with where it is written. */
size_t manual_forms(const struct command *const *commands, const char *argument,
                    struct manual_item *items, size_t most) {
    enum { MOST_FORMS = 128, SAYS_ROOM = 500 };
    static char says[MOST_FORMS][SAYS_ROOM]; /* for one list after the other */
    char condition[96];
    size_t count = 0;
    (void)commands;
    for (size_t i = 0; i < form_count && i < MOST_FORMS && count < most; i++) {
        if (!form_names_operation(forms[i].operations, argument))
            continue;
        form_condition(&forms[i], argument, condition, sizeof condition);
        snprintf(says[i], SAYS_ROOM, "%s%s. In %s", condition, forms[i].says, forms[i].source);
        items[count++] =
            (struct manual_item){.name = forms[i].name, .subject = "", .says = says[i]};
    }
    return count;
}

/* The members of a record, by their paths; of one member and what is below it, if a name is wanted. */
struct gathered {
    struct manual_item *items;
    size_t count, most;
    const char *wanted;
    size_t wanted_length;
};
enum { MOST_MEMBERS = 128, MOST_PATH = 64 };

static void gather_member(void *context, const char *path, const struct record_member *member) {
    static char paths[MOST_MEMBERS][MOST_PATH]; /* for one list after the other */
    struct gathered *gathered = context;
    size_t at = gathered->count;
    if (at == gathered->most || at == MOST_MEMBERS)
        return;
    if (gathered->wanted && (strcspn(path, ".[") != gathered->wanted_length ||
                             strncmp(path, gathered->wanted, gathered->wanted_length) != 0))
        return;
    snprintf(paths[at], MOST_PATH, "%s", path);
    gathered->items[gathered->count++] = (struct manual_item){.name = paths[at], .member = member};
}

static const struct record *record_named(const char *name, size_t length) {
    static const struct record *const records[] = {&tally_record,
                                                   &search_record,
                                                   &invariance_properties,
                                                   &run_record,
                                                   &inputs_record,
                                                   &digests_record,
                                                   &tool_record,
                                                   &platform_record,
                                                   &trace_comparison_record,
                                                   &trace_judgement_record};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (strlen(records[i]->name) == length && strncmp(name, records[i]->name, length) == 0)
            return records[i];
    return NULL;
}

size_t manual_members(const struct command *const *commands, const char *argument,
                      struct manual_item *items, size_t most) {
    struct gathered gathered = {.items = items, .most = most};
    size_t length = strcspn(argument, " ");
    const struct record *record = record_named(argument, length);
    (void)commands;
    if (record && !argument[length])
        record_walk(record, gather_member, &gathered);
    for (const char *at = argument + length; record && *at; at += gathered.wanted_length) {
        size_t before = gathered.count;
        at += strspn(at, " ");
        gathered.wanted = at;
        gathered.wanted_length = strcspn(at, " ");
        record_walk(record, gather_member, &gathered);
        if (gathered.count == before)
            return 0;
    }
    return gathered.count;
}

bool manual_print_synopsis(FILE *stream, const struct command *const *commands, const char *name) {
    const struct command *command = command_of(commands, name);
    if (!command)
        return false;
    for (const struct option *option = command->options; option->name; option++) {
        if (option->letter)
            fprintf(stream, ".Op Fl %c", option->letter);
        else
            fprintf(stream, ".Op Fl -%s", option->name);
        fprintf(stream, option->value ? " Ar %s\n" : "\n", option->value);
    }
    if (command->parameters)
        fprintf(stream, ".Op Ar PARAMETER ...\n");
    return true;
}
