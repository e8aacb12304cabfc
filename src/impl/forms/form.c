/* Forms as implementations. */
#include "impl/forms/form.h"

#include "base/names.h"
#include "impl/array.h"
#include "impl/forms/lines.h"
#include "impl/steps_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "form:NAME@FROM:SUMS:FUNCTIONS", with what is not named. */
struct spelling {
    double from;
    char name[48], functions[32];
    const struct form_sums *sums;
};

static bool is_known(const char *name) {
    bool known = false;
    for (size_t i = 0; i < form_count; i++)
        known = known || strcmp(forms[i].name, name) == 0;
    return known;
}

static const struct form_sums *find_sums(const char *name, struct error *error) {
    char known[256] = "";
    for (size_t i = 0; i < form_sums_count; i++) {
        if (strcmp(form_sums[i].name, name) == 0)
            return &form_sums[i];
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 form_sums[i].name);
    }
    error_set(error, "'%.40s' is not the name of a form's sums; the names are: %s", name, known);
    return NULL;
}

static bool spell_out(const char *name, struct spelling *spelling, struct error *error) {
    char parts[3][48] = {"", "exact", "cr"};
    const char *at = name + strlen("form:");
    for (int i = 0; i < 3 && *at; i++) {
        const size_t length = strcspn(at, ":");
        snprintf(parts[i], sizeof parts[i], "%.*s", (int)(length < 47 ? length : 47), at);
        at += length + (at[length] == ':');
    }
    char *place = strchr(parts[0], '@');
    spelling->from = place ? strtod(place + 1, NULL) : 0;
    if (place && (!place[1] || place[1 + strspn(place + 1, "0123456789")]))
        return error_set(error, "'%.80s' needs a whole number behind its @", name);
    if (place)
        *place = '\0';
    snprintf(spelling->name, sizeof spelling->name, "%s", parts[0]);
    snprintf(spelling->functions, sizeof spelling->functions, "%.31s", parts[2]);
    if (*at)
        return error_set(
            error,
            "'%.80s' has more parts than a form has: form:NAME:SUMS:FUNCTIONS, such as "
            "form:torch:left:libm",
            name);
    if (!is_known(spelling->name)) {
        char known[1024] = "";
        for (size_t i = 0; form_name_at(i); i++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                     form_name_at(i));
        return error_set(error, "there is no form '%.47s'; there are: %s", spelling->name, known);
    }
    spelling->sums = find_sums(parts[1], error);
    return spelling->sums;
}

static bool form_open(struct implementation *implementation, struct error *error) {
    struct spelling spelling;
    struct step_functions functions;
    if (!spell_out(implementation->name, &spelling, error) ||
        !step_functions_open(&functions, spelling.functions, implementation->foreign, error))
        return false;
    snprintf(implementation->detail, sizeof implementation->detail,
             "detcheck %s, step by step, %s, functions by %.20s", DETCHECK_VERSION,
             spelling.sums->says, spelling.functions);
    return true;
}

static const struct form *find_form(const char *name, const struct binding_request *request,
                                    struct error *why) {
    char known[1024] = "";
    for (size_t i = 0; i < form_count; i++) {
        if (!form_is_of(&forms[i], request->operation, &request->parameters))
            continue;
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "",
                 forms[i].name);
    }
    error_set(why, "%s has no form '%s'; there %s %s", request->operation->name, name,
              strchr(known, ',') ? "are:" : "is", *known ? known : "none");
    return NULL;
}

/* What it works in, beside the lines' kind. */
struct form_state {
    const struct form_lines *lines;
    struct step_functions functions;
    struct form_run *run;
};

static void form_unbind(struct binding *binding) {
    struct form_state *state = binding->state;
    if (state)
        form_run_close(state->run);
    free(state);
    binding->state = NULL;
}

struct form_run *form_read(const struct form *form, const struct form_sums *sums, double from,
                           const struct step_functions *functions,
                           const struct binding_request *request, bool *broken, struct error *why) {
    const struct format *format = request_result_format(request);
    const struct form_lines *lines = form_lines_find(request->operation);
    *broken = false;
    if (from > 0 && !form_has_from(form))
        error_set(why, "the form %s of %s has no place to begin at, so it takes no @", form->name,
                  request->operation->name);
    else if (request->rounding != ROUND_NEAREST_EVEN)
        error_set(why, "forms round to nearest-even only");
    else if (request->parameters.values[PARAMETER_PAGE].present ||
             request->parameters.values[PARAMETER_SPLIT].present)
        error_set(why, "a form itself says how it processes keys; leave out --page and --split");
    else if (format->is_integer || !format_is_within(format, form_steps_format(format)))
        error_set(why, "a form takes fp64, fp32 and narrower formats, not %s", format->name);
    else {
        const struct form_request wanted = {.form = form,
                                            .sums = sums,
                                            .functions = functions,
                                            .format = format,
                                            .names = lines->names,
                                            .name_count = lines->name_count,
                                            .from = from,
                                            .overflow = request->overflow};
        return form_run_open(&wanted, broken, why);
    }
    return NULL;
}

static bool prepare(struct binding *binding, struct form_state *state, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct spelling spelling;
    if (!spell_out(binding->implementation->name, &spelling, why))
        return false;
    state->lines = form_lines_find(request->operation);
    const struct form *form = find_form(spelling.name, request, why);
    if (!form || !state->lines ||
        !step_functions_open(&state->functions, spelling.functions,
                             binding->implementation->foreign, why))
        return false;
    state->run = form_read(form, spelling.sums, spelling.from, &state->functions, request,
                           &binding->broken, why);
    char says[FORM_SAYS];
    form_say(form, request_result_format(request), says);
    snprintf(binding->detail, sizeof binding->detail, "%s; %s, functions by %.20s", says,
             spelling.sums->says, spelling.functions);
    return state->run;
}

static bool form_bind(struct binding *binding, struct error *why) {
    struct form_state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    binding->state = state;
    if (prepare(binding, state, why))
        return true;
    form_unbind(binding);
    return false;
}

static bool form_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    struct form_state *state = binding->state;
    (void)event;
    (void)context;
    return state->lines->fill(state->run, slice->array, error);
}

const struct implementation_kind implementation_form = {
    .name = "form:",
    .summary = "kernels in the steps of a framework, such as form:hugging-face or form:NAME:SUMS "
               "(detcheck-forms(7))",
    .takes_parameters = true,
    .takes_arrays = true,
    .open = form_open,
    .bind = form_bind,
    .fill = form_fill,
    .unbind = form_unbind,
};
