/* --all, --range, --samples, --special and --inputs. */
#include "inputs.h"

#include "inputs_text.h"
#include "lines/lines.h"
#include "oracle/fast/filter.h"
#include "report/text.h"
#include "signals.h"
#include "sweep/built/specials.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct input_defaults judged_inputs = {32, 1000000, 0, true, 0, false};

static bool read_ranges(struct input_choice *choice, const struct arguments *arguments,
                        const struct operation *operation, struct error *error) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "range") != 0)
            continue;
        if (choice->range_count == (size_t)operation->operands)
            return error_set(error, "%s has %d operand%s, and takes as many --range at most",
                             operation->name, operation->operands,
                             operation->operands == 1 ? "" : "s");
        choice->ranges[choice->range_count++] = arguments->given[i].value;
    }
    if (choice->range_count > 1 && choice->range_count < (size_t)operation->operands)
        return error_set(error, "%s has %d operands; give one --range for all, or one for each",
                         operation->name, operation->operands);
    return true;
}

static bool read_choice(struct input_choice *choice, const struct arguments *arguments,
                        const struct operation *operation, const struct input_defaults *defaults,
                        struct error *error) {
    *choice = (struct input_choice){.file = argument_value(arguments, "inputs", NULL),
                                    .all = argument_given(arguments, "all"),
                                    .special = argument_given(arguments, "special"),
                                    .sampled = argument_given(arguments, "samples")};
    if (!read_ranges(choice, arguments, operation, error))
        return false;
    int kinds = choice->all + choice->special + (choice->file != NULL) + (choice->range_count > 0);
    if (kinds > 1)
        return error_set(error, "--all, --range, --special and --inputs exclude each other");
    if (choice->sampled && (choice->special || choice->file))
        return error_set(error, "--samples goes with --range or --all, not with %s",
                         choice->file ? "--inputs" : "--special");
    if (argument_given(arguments, "seed") && !choice->sampled)
        return error_set(error, "--seed goes with --samples");
    if (argument_given(arguments, "run-length") && !choice->sampled)
        return error_set(error, "--run-length goes with --samples");
    const char *kind = argument_value(arguments, "inputs-as", NULL);
    if (kind && !choice->file)
        return error_set(error, "--inputs-as goes with --inputs");
    return select_line_kind(kind, &choice->kind, error) &&
           argument_number(arguments, "samples", 1, 1ULL << 48, defaults->samples, &choice->samples,
                           error) &&
           argument_number(arguments, "seed", 0, UINT64_MAX, 1, &choice->seed, error) &&
           argument_number(arguments, "run-length", 1, MOST_RUN_LENGTH, defaults->run_length,
                           &choice->run_length, error);
}

/* Of samples in fp64, where the fast oracle judges runs and nothing else does but MPFR: as long as
 * there are still so many runs, and no longer than what makes the cost of a run vanish. (Exact results
 * cost little one by one.) */
enum { LEAST_RUNS = 4096, LONGEST_RUN = 1 << 14 };

static uint64_t default_run_length(const struct operation *operation, const struct format *format,
                                   uint64_t samples, uint64_t values) {
    uint64_t length = 1;
    struct integer_place place;
    bool has_integer = operation_integer_place(operation, &place);
    /* Neighbouring integers are no neighbouring codes; beside one of many steps, each sample is dear. */
    bool by_integers = has_integer && place.operand + 1 == operation->operands;
    unsigned least_width = has_integer || operation->made_of ? 32 : 64;
    for (int i = 0; i < operation->results; i++)
        if (format->width < least_width || by_integers || operation->converts ||
            operation->result[i].exact || !filter_is_for(operation, format, i))
            return 1;
    /* A set of few values is drawn from as it is. 0 stands for 2^64. */
    if (values && values / 2 < samples)
        return 1;
    while (length < LONGEST_RUN && samples / (2 * length) >= LEAST_RUNS)
        length *= 2;
    return length;
}

/* Of an operation on arrays: --shape and a file of one's own. */
static bool make_own_arrays(struct domain *domain, const struct arguments *arguments,
                            const char *path, const struct operation *operation,
                            const struct format *format, const struct parameters *parameters,
                            struct error *note, struct error *error) {
    bool waits = is_read_once(path), before = waits && signals_leave_to_command(false);
    for (int i = 0; i < 2; i++)
        if (argument_given(arguments, i ? "samples" : "seed"))
            return error_set(error, "--%s is for arrays drawn at random, so leave out --inputs",
                             i ? "samples" : "seed");
    if (parameters->values[PARAMETER_DISTRIBUTION].present)
        return error_set(error, "--distribution and --inputs exclude each other");
    bool read = words_calls(path, operation, format, parameters, &domain->cases, note, error);
    if (waits)
        signals_leave_to_command(before);
    return read;
}

/* The calls of an operation on arrays: --shape, --distribution, --samples of each shape, --seed; --inputs. */
static bool make_arrays(struct domain *domain, const struct arguments *arguments,
                        const struct operation *operation, const struct format *format,
                        const struct parameters *parameters, const struct input_defaults *defaults,
                        struct error *note, struct error *error) {
    static const char *const others[] = {"all", "range", "special", "inputs-as", "run-length"};
    const char *path = argument_value(arguments, "inputs", NULL);
    unsigned long long draws, seed;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (argument_given(arguments, others[i]))
            return error_set(error,
                             "--%s is for operations on numbers; %s takes --shape, --distribution, "
                             "--samples and --seed, or --inputs",
                             others[i], operation->name);
    if (!argument_number(arguments, "samples", 1, 1u << 20, defaults->calls ? defaults->calls : 1,
                         &draws, error) ||
        !argument_number(arguments, "seed", 0, UINT64_MAX, 1, &seed, error) ||
        !(path
              ? make_own_arrays(domain, arguments, path, operation, format, parameters, note, error)
              : cases_make(&domain->cases, operation, format, parameters, draws, seed, error)))
        return false;
    const struct cases *cases = &domain->cases;
    char count[32];
    domain->kind = DOMAIN_ARRAYS;
    domain->format = format;
    domain->operands = operation->operands;
    domain->count = cases_count(cases);
    if (path) {
        inputs_write_options(domain, &(struct input_choice){.file = path});
        snprintf(domain->text, sizeof domain->text, "%s call%s from %.100s",
                 text_grouped(domain->count, count), domain->count == 1 ? "" : "s", path);
        return true;
    }
    domain->seed = seed;
    snprintf(domain->text, sizeof domain->text, "%s call%s of %zu shape%s, %s, seed %llu",
             text_grouped(domain->count, count), domain->count == 1 ? "" : "s", cases->shape_count,
             cases->shape_count == 1 ? "" : "s", cases->family->name, seed);
    return true;
}

/* The sets that the choice names; a file is read by its own function. */
static bool make_sets(struct code_set *sets, size_t *set_count, const struct input_choice *choice,
                      const struct operation *operation, const struct format *format,
                      struct error *note, struct error *error) {
    code_set_maker *const make = choice->special ? code_set_special : code_set_every;
    const size_t ranges = choice->range_count;
    bool made = ranges || code_sets_make(sets, set_count, make, operation, format, error);
    if (ranges)
        *set_count = format->of[0] ? (size_t)operation->operands : ranges;
    for (size_t i = 0; made && ranges && i < *set_count; i++)
        made = code_set_range(&sets[i], format_of_operand(format, (int)i),
                              choice->ranges[i % ranges], note, error);
    return made && code_sets_keep_calls(sets, set_count, operation, format, error);
}

static bool make_product(struct domain *domain, struct input_choice *choice,
                         const struct operation *operation, const struct format *format,
                         struct error *note, struct error *error) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    size_t set_count;
    if (!make_sets(sets, &set_count, choice, operation, format, note, error)) {
        for (int i = 0; i < MAX_OPERANDS; i++)
            code_set_free(&sets[i]);
        return false;
    }
    if (choice->sampled) {
        uint64_t values = sets[set_count - 1].count;
        if (!choice->run_length)
            choice->run_length = default_run_length(operation, format, choice->samples, values);
        const struct sampling sampling = {choice->samples, choice->seed, choice->run_length,
                                          operation};
        return domain_samples(domain, format, operation->operands, sets, set_count, &sampling,
                              error);
    }
    enum domain_kind kind = choice->special       ? DOMAIN_SPECIAL
                            : choice->range_count ? DOMAIN_RANGE
                                                  : DOMAIN_ALL;
    return domain_product(domain, kind, format, operation->operands, sets, set_count, error);
}

/* Special inputs that nobody asked for. */
static void note_built(const struct domain *domain, struct error *note) {
    error_set(note,
              "%s has 2^%u %s, so special inputs are taken, some of them next to a point where "
              "rounding changes; --samples, --range and --all choose others",
              domain->format->name, format_input_bits(domain->format, domain->operands),
              inputs_noun(domain->operands, 2));
}

/* Samples that nobody asked for. */
static void note_samples(const struct domain *domain, const struct input_defaults *defaults,
                         struct error *note) {
    char runs[64] = "";
    bool in_runs = domain->run_length > 1;
    if (in_runs)
        snprintf(runs, sizeof runs, " in runs of %llu neighbours",
                 (unsigned long long)domain->run_length);
    error_set(
        note,
        "%s has 2^%u %s, so %u samples%s are taken; --samples,%s --range and --all choose others",
        domain->format->name, format_input_bits(domain->format, domain->operands),
        inputs_noun(domain->operands, 2), defaults->samples, runs, in_runs ? " --run-length," : "");
}

/* At a billion inputs a second, which no machine reaches, they take two weeks. */
enum { ENDLESS_LOG2 = 50 };

static void note_endless(const struct domain *domain, struct error *note) {
    char count[32];
    if (!note->text[0] && domain->count >> ENDLESS_LOG2)
        error_set(note, "these are %s %s; --samples N takes N of them",
                  text_grouped(domain->count, count), inputs_noun(domain->operands, domain->count));
}

/* Those of the row. */
static bool take_usual_ranges(struct input_choice *choice, const struct operation *operation,
                              const struct format *format) {
    bool any = false;
    for (int i = 0; i < operation->operands; i++)
        any = any || operation->ranges[i];
    if (!any)
        return false;
    snprintf(choice->whole, sizeof choice->whole, "0x0:0x%llx",
             (unsigned long long)format_mask(format));
    choice->range_count = (size_t)operation->operands;
    for (int i = 0; i < operation->operands; i++)
        choice->ranges[i] = operation->ranges[i] ? operation->ranges[i] : choice->whole;
    return true;
}

static void note_ranges(const struct operation *operation, struct error *note) {
    struct integer_place place;
    const char *what = operation_integer_place(operation, &place) ? "integers" : "inputs";
    char ranges[200] = "";
    for (int i = 0; i < operation->operands; i++)
        if (operation->ranges[i] &&
            !(i && ranges[0] && operation->ranges[i] == operation->ranges[0]))
            snprintf(ranges + strlen(ranges), sizeof ranges - strlen(ranges), "%s%.40s",
                     ranges[0] ? ", " : "", operation->ranges[i]);
    error_set(note, "taking %s from %s; --range and --all choose others", what, ranges);
}

enum { BUILT_SEED = 1 };

bool is_read_once(const char *path) {
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

bool inputs_file(struct domain *domain, const struct format *format,
                 const struct operation *operation, const char *path, const struct line_kind *kind,
                 struct error *note, struct error *error) {
    bool waits = is_read_once(path);
    bool before = waits && signals_leave_to_command(false);
    bool read = domain_file(domain, format, operation, path, kind, note, error);
    if (waits)
        signals_leave_to_command(before);
    return read;
}

bool inputs_make(struct domain *domain, const struct arguments *arguments,
                 const struct operation *operation, const struct format *format,
                 const struct parameters *parameters, const struct input_defaults *defaults,
                 struct error *note, struct error *error) {
    *domain = (struct domain){0};
    if (operation->array)
        return make_arrays(domain, arguments, operation, format, parameters, defaults, note, error);
    struct input_choice choice;
    if (!read_choice(&choice, arguments, operation, defaults, error))
        return false;
    unsigned bits = format_input_bits(format, operation->operands);
    bool by_default = false,
         chosen = choice.all || choice.special || choice.file || choice.range_count;
    bool usual = !chosen && take_usual_ranges(&choice, operation, format);
    if (!chosen && !choice.sampled && bits > defaults->most_bits) {
        by_default = true;
        choice.special = defaults->built && !usual && built_is_for(operation, format);
        choice.sampled = !choice.special;
    }
    bool made = choice.file
                    ? inputs_file(domain, format, operation, choice.file, choice.kind, note, error)
                    : make_product(domain, &choice, operation, format, note, error);
    /* The same for all roundings, so that reports of each have the same inputs. */
    const struct built_request built = {operation, format,
                                        parameters_result_format(parameters, format),
                                        ROUNDING_COUNT, BUILT_SEED};
    if (made && choice.special && built_is_for(operation, format))
        made = domain_add_built(domain, &built, error);
    if (!made) {
        domain_free(domain);
        return false;
    }
    if (domain->dropped && !note->text[0])
        error_set(note, "%s: %llu duplicate%s dropped", choice.file,
                  (unsigned long long)domain->dropped, domain->dropped == 1 ? "" : "s");
    if (by_default && choice.special)
        note_built(domain, note);
    else if (by_default && defaults->reported)
        note_samples(domain, defaults, note);
    else if (usual && defaults->reported && !note->text[0])
        note_ranges(operation, note);
    note_endless(domain, note);
    inputs_describe(domain, &choice);
    inputs_write_options(domain, &choice);
    return true;
}

bool inputs_sets(struct code_set sets[MAX_OPERANDS], const struct arguments *arguments,
                 const struct operation *operation, const struct format *format, struct error *note,
                 struct error *error) {
    struct input_choice choice = {0};
    for (int i = 0; i < MAX_OPERANDS; i++)
        sets[i] = (struct code_set){0};
    bool made = read_ranges(&choice, arguments, operation, error);
    if (made && !choice.range_count)
        take_usual_ranges(&choice, operation, format);
    for (size_t i = 0; made && i < (size_t)operation->operands; i++)
        made = choice.range_count
                   ? code_set_range(&sets[i], format_of_operand(format, (int)i),
                                    choice.ranges[i % choice.range_count],
                                    i < choice.range_count ? note : NULL, error)
                   : code_set_all(&sets[i], format_of_operand(format, (int)i), error);
    size_t set_count = (size_t)operation->operands;
    made = made && code_sets_span_calls(sets, &set_count, operation, format, error);
    if (!made)
        inputs_sets_free(sets);
    return made;
}

void inputs_sets_free(struct code_set sets[MAX_OPERANDS]) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
}

bool select_line_kind(const char *name, const struct line_kind **kind, struct error *error) {
    *kind = name ? line_kind_find(name, error) : NULL;
    if (*kind && (*kind)->tensors)
        return error_set(error, "files of %s are tensors, which --inputs reads without --inputs-as",
                         (*kind)->name);
    return !name || *kind;
}
