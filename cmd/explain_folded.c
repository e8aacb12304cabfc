/* The C file, its library, and the inputs that are left. */
#include "explain_folded.h"

#include "inputs.h"
#include "messages.h"
#include "signals.h"

#include "report/text.h"

#include <errno.h>
#include <string.h>

enum { PATH_TEXT = BUILD_FOLDER + 32 };

/* Options of inputs that go with others of them alone are theirs to refuse. */
static bool names_inputs(const struct arguments *arguments) {
    static const char *const options[] = {"all",  "range",   "samples", "run-length",
                                          "seed", "special", "inputs",  "inputs-as"};
    bool given = false;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        given = given || argument_given(arguments, options[i]);
    return given;
}

/* Inputs of one's own, no more than a compiler takes in seconds. */
static bool make_own(struct domain *domain, const struct arguments *arguments,
                     const struct binding_request *computed, struct error *error) {
    struct error note = {{0}};
    if (!inputs_make(domain, arguments, computed->operation, computed->format,
                     &computed->parameters, &judged_inputs, &note, error))
        return false;
    remark("note", &note);
    char count[32];
    if (domain->count > FOLDED_MOST) {
        error_set(&note,
                  "--folded takes %d calls at most, so it takes that many of the %s inputs, spread "
                  "evenly",
                  FOLDED_MOST, text_grouped(domain->count, count));
        remark("note", &note);
    }
    return folded_thin(domain, computed, error);
}

static bool write_source(const char *path, const struct binding_request *computed,
                         const struct domain *domain, struct error *error) {
    FILE *stream = fopen(path, "w");
    if (stream)
        folded_write(stream, computed, domain);
    const bool good = stream && !ferror(stream);
    return (stream && fclose(stream) == 0 && good) ||
           error_set(error, "cannot write %.300s: %s", path, strerror(errno));
}

static bool open_function(struct implementation *implementation, const char *library,
                          const char *function, const struct foreign_settings *foreign,
                          struct error *error) {
    char name[PATH_TEXT + 64];
    struct error why;
    snprintf(name, sizeof name, "lib:%s:%s", library, function);
    return implementation_open(implementation, name, foreign, &why) ||
           error_set(error, "--folded: %s", why.text);
}

static void describe(struct folded_run *run) {
    const struct folded *folded = &run->folded;
    char kept[32], all[32];
    snprintf(run->domain.text, sizeof run->domain.text, "%s of %s call%s folded",
             text_grouped(folded->folded, kept), text_grouped(folded->calls, all),
             folded->calls == 1 ? "" : "s");
}

bool folded_begin(struct folded_run *run, const struct arguments *arguments,
                  const struct binding_request *computed, const struct foreign_settings *foreign,
                  struct error *error) {
    struct implementation tells;
    char source[PATH_TEXT], library[PATH_TEXT];
    *run = (struct folded_run){.folded.command = argument_value(arguments, "folded", NULL)};
    if (!folded_can(computed, error) ||
        !(names_inputs(arguments) ? make_own(&run->domain, arguments, computed, error)
                                  : folded_inputs(&run->domain, computed, error)))
        return false;
    signals_leave_to_command(true); /* which removes the folder */
    if (!build_folder_make(run->folder, "folded", error))
        return false;
    snprintf(source, sizeof source, "%s/calls.c", run->folder);
    snprintf(library, sizeof library, "%s/calls.so", run->folder);
    if (!write_source(source, computed, &run->domain, error) ||
        !build_library("folded", run->folded.command, library, source, error) ||
        (interrupted && !error_set(error, "interrupted; nothing is compared")) ||
        !open_function(&tells, library, FOLDED_TELLS, foreign, error) ||
        !folded_keep(&run->folded, &run->domain, &tells, computed, error) ||
        !open_function(&run->sides[0], library, FOLDED_CONSTANT, foreign, error) ||
        !open_function(&run->sides[1], library, FOLDED_CALL, foreign, error))
        return false;
    describe(run);
    return true;
}

void folded_end(struct folded_run *run) {
    build_folder_remove(run->folder);
    domain_free(&run->domain);
    folded_free(&run->folded);
    run->folder[0] = '\0';
}
