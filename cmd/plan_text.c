/* Templates, embedded in the program (src/package/embedded.cmake), and words put in their places. */
#include "plan_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char plan_slurm_sh[], plan_kubernetes_yaml[], plan_make_mk[],
    plan_github_yaml[];
extern const size_t plan_slurm_sh_size, plan_kubernetes_yaml_size, plan_make_mk_size,
    plan_github_yaml_size;

/* Slurm's MaxArraySize is 1001 unless somebody sets it; Kubernetes has its own of Indexed Jobs, and
 * GitHub of the jobs of a matrix. */
const struct plan_target plan_targets[] = {
    {.name = "slurm",
     .text = plan_slurm_sh,
     .size = &plan_slurm_sh_size,
     .most = 1000,
     .checkpoint = "\"$shard.checkpoint\""},
    {.name = "kubernetes",
     .text = plan_kubernetes_yaml,
     .size = &plan_kubernetes_yaml_size,
     .most = 10000,
     .strictly = true,
     .is_named = true,
     .has_images = true,
     .doubles = true,
     .checkpoint = "\"shard-$JOB_COMPLETION_INDEX.checkpoint\""},
    {.name = "make",
     .text = plan_make_mk,
     .size = &plan_make_mk_size,
     .doubles = true,
     .checkpoint = "$(@:json=checkpoint)"},
    {.name = "github",
     .text = plan_github_yaml,
     .of_github = true,
     .size = &plan_github_yaml_size,
     .most = 256,
     .strictly = true}};
const size_t plan_target_count = sizeof plan_targets / sizeof *plan_targets;

static const struct plan_word *find(const struct plan_word *words, const char *place,
                                    size_t length) {
    for (; words->place; words++)
        if (strlen(words->place) == length && strncmp(words->place, place, length) == 0)
            return words;
    fprintf(stderr, "detcheck: a template has @%.*s@, which is not a word\n", (int)length, place);
    abort();
}

/* Whether the text at `at`, which is an @, begins with a place; `length` is that of its name. */
static bool is_place(const char *at, const char *end, size_t *length) {
    const char *last = at + 1;
    while (last < end && (islower((unsigned char)*last) || *last == '_'))
        last++;
    *length = (size_t)(last - at) - 1;
    return *length && last < end && *last == '@';
}

static void write_word(const struct plan_target *target, const struct plan_word *word,
                       FILE *stream) {
    static const char expression[] = "${{";
    for (const char *at = word->word; *at; at++) {
        if (*at == '$' && target->doubles && !word->of_template)
            putc('$', stream);
        if (target->of_github && !word->of_user &&
            strncmp(at, expression, strlen(expression)) == 0) {
            fputs("${{ '${{' }}", stream); /* an expression whose value these letters are */
            at += strlen(expression) - 1;
        } else
            putc(*at, stream);
    }
}

void plan_write(const struct plan_target *target, const struct plan_word *words, FILE *stream) {
    const char *at = (const char *)target->text, *end = at + *target->size;
    while (at < end) {
        size_t length;
        if (*at == '@' && is_place(at, end, &length)) {
            write_word(target, find(words, at + 1, length), stream);
            at += length + 2;
        } else {
            putc(*at++, stream);
        }
    }
}

void plan_write_quoted(const char *word, FILE *stream) {
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "-_./:,=+@%";
    if (*word && word[strspn(word, harmless)] == '\0') {
        fputs(word, stream);
        return;
    }
    putc('\'', stream);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\'", stream);
        putc(*word, stream);
    }
    putc('\'', stream);
}
