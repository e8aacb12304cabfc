/* detcheck-worker: an implementation of this machine answers a detcheck that runs elsewhere, as in
 * --impl 'exec:ssh HOST detcheck-worker'. detcheck-worker(1) is its manual. */
#include "impl/remote/apart.h"
#include "impl/remote/exec_text.h"
#include "impl/remote/library.h"
#include "impl/remote/serve.h"

#include <stdio.h>
#include <string.h>

static const char usage[] = "usage: detcheck-worker [IMPLEMENTATION]\n"
                            "\n"
                            "Answers detcheck's requests (detcheck-exec(7)) by an implementation "
                            "of this machine: libm where\n"
                            "none is named, or det, cr, lib:FILE and so on, as 'detcheck list "
                            "implementations' prints them.\n"
                            "\n"
                            "    detcheck sweep exp --impl 'exec:ssh HOST detcheck-worker det'\n";

int main(int count, char **words) {
    struct implementation implementation;
    struct error error;
    if (count > 1 && strcmp(words[1], LIBRARY_WORKER) == 0)
        return library_worker(count, words);
    if (count > 1 && strcmp(words[1], APART_WORKER) == 0)
        return apart_worker(count, words);
    if (count > 1 && strcmp(words[1], TEXT_WORKER) == 0)
        return text_worker(count, words);
    if (count == 2 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0))
        return fputs(usage, stdout) < 0;
    if (count > 2 || (count == 2 && words[1][0] == '-')) {
        fprintf(stderr, "detcheck-worker: it takes one name of an implementation, such as det\n");
        return 2;
    }
    if (implementation_open(&implementation, count == 2 ? words[1] : "libm", NULL, &error) &&
        serve_worker(&implementation, stdin, stdout, &error))
        return 0;
    fprintf(stderr, "detcheck-worker: %s\n", error.text);
    return 2;
}
