/* Starting a worker, and ending it. */
#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "impl/remote/remote.h"

#include "base/byte_order.h"
#include "impl/remote/greeting.h"
#include "impl/remote/hangs.h"
#include "impl/remote/idle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds for a worker to get ready, at least: Python may import much. */
#define LEAST_START 60.0

/* A library that makes an answer up is not to guess the number with ease. */
enum { FIRST_NUMBER = 0x5eed0000 };

struct patience remote_patience(const struct remote *remote, double seconds) {
    const struct foreign_settings *foreign = remote->foreign;
    return (struct patience){
        .seconds = seconds, .until = foreign->until ? *foreign->until : 0, .stop = foreign->stop};
}

/* How a process ended, in words. */
static const char *describe_status(int status, char text[64]) {
    if (status == PROCESS_KILLED)
        snprintf(text, 64, "closed its output");
    else if (WIFSIGNALED(status))
        snprintf(text, 64, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, 64, "ended with status %d", WEXITSTATUS(status));
    return text;
}

static bool is_of_lines(const struct remote *remote) {
    return strncmp(remote->name, "exec-text:", strlen("exec-text:")) == 0;
}

const char *remote_page(const struct remote *remote) {
    return is_of_lines(remote) ? "detcheck-exec-text(7)" : "detcheck-exec(7)";
}

static bool broken(struct remote *remote, enum exchange exchange, struct error *text) {
    char how[64];
    if (exchange == EXCHANGE_STOPPED)
        error_set(text, "interrupted while %.200s was starting", remote->name);
    else if (exchange == EXCHANGE_LATE)
        error_set(text, "%.200s did not report that it is ready; %s the protocol of %s",
                  remote->name,
                  is_of_lines(remote)
                      ? "it may keep lines in a buffer (mawk needs -W interactive, others a flush "
                        "after each line), or not speak"
                      : "it may not speak",
                  remote_page(remote));
    else
        error_set(text, "%.200s %s before it reported that it is ready; its stderr may say why",
                  remote->name,
                  describe_status(process_close(&remote->process, REMOTE_GRACE), how));
    process_close(&remote->process, 0);
    return false;
}

/* Exchanges the header for the reply and its text. */
static bool greet(struct remote *remote, struct greeting *greeting, uint8_t reply[REPLY_SIZE],
                  char said[MOST_CONDITIONS_TEXT + 1], struct error *text) {
    double timeout = remote->foreign->timeout;
    struct patience patience =
        remote_patience(remote, timeout > LEAST_START ? timeout : LEAST_START);
    const struct buffer out[] = {{greeting->header, HEADER_SIZE},
                                 {greeting->parameters, greeting->length}};
    const struct buffer in[] = {{reply, REPLY_SIZE}};
    enum exchange exchange = process_exchange(&remote->process, out, 2, in, 1, &patience);
    if (exchange != EXCHANGE_DONE)
        return broken(remote, exchange, text);
    uint32_t length = get_u32(reply + REPLY_TEXT);
    bool is_long = get_u32(reply + REPLY_STATUS) == REPLY_READY_TELLS + PROTOCOL_CONDITIONS;
    if (memcmp(reply, REPLY_MAGIC, strlen(REPLY_MAGIC)) != 0 ||
        length > (is_long ? MOST_CONDITIONS_TEXT : MOST_REPLY_TEXT)) {
        process_close(&remote->process, 0);
        return error_set(
            text,
            "%.200s began with '%.8s', which is not a reply; stdout is for the protocol "
            "of %s alone",
            remote->name, (const char *)reply, remote_page(remote));
    }
    const struct buffer rest[] = {{said, length}};
    exchange = process_exchange(&remote->process, NULL, 0, rest, 1, &patience);
    said[length] = '\0';
    return exchange == EXCHANGE_DONE || broken(remote, exchange, text);
}

/* What the answers will have besides codes by that status; 0 where it is no such status, or not
 * among what was asked for. */
static unsigned tells_of(const struct remote *remote, uint32_t status) {
    uint32_t tells = status > REPLY_READY_TELLS ? status - REPLY_READY_TELLS : 0;
    return tells & ~greeting_asks(remote) ? 0 : tells;
}

/* What the status of a reply means for what was asked; `text` is what the worker said. */
static enum remote_state state_of(const struct remote *remote, uint32_t status,
                                  struct error *text) {
    bool arrays = remote->request->operation && remote->request->operation->array;
    const struct error said = *text;
    if (status == (arrays ? REPLY_READY_ARRAYS : REPLY_READY) || tells_of(remote, status))
        return REMOTE_READY;
    if (status != REPLY_READY && status != REPLY_NOT_PROVIDED &&
        !(status == REPLY_BROKEN && remote->memory)) {
        error_set(text,
                  "%.200s replied with the status %u, where detcheck-exec(7) has %d for ready and "
                  "%d for not provided",
                  remote->name, (unsigned)status, arrays ? REPLY_READY_ARRAYS : REPLY_READY,
                  REPLY_NOT_PROVIDED);
        return REMOTE_BROKEN;
    }
    if (arrays && status == REPLY_READY) /* it has not looked at what is asked for */
        error_set(text, "it is ready for numbers, not for arrays (detcheck-exec(7)): %.200s",
                  said.text);
    return status == REPLY_NOT_PROVIDED || status == REPLY_READY ? REMOTE_NOT_PROVIDED
                                                                 : REMOTE_BROKEN;
}

/* Whether a word is in a list of words with spaces between them. */
static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* The lines that tell of conditions; the text becomes its first line. */
static void read_conditions(char *said, struct condition_support *conditions) {
    size_t used = 0;
    *conditions = (struct condition_support){.is_known = true};
    for (char *line = said, *next; line; line = next) {
        if ((next = strchr(line, '\n')))
            *next++ = '\0';
        if (strncmp(line, "conditions=", 11) == 0)
            for (int i = 0; i < CONDITIONS; i++)
                conditions->set |= (unsigned)has_word(line + 11, condition_names[i]) << i;
        else if (strncmp(line, "disturbed=", 10) == 0)
            snprintf(conditions->disturbed, sizeof conditions->disturbed, "%s", line + 10);
        else if (strncmp(line, "why=", 4) == 0)
            snprintf(conditions->why, sizeof conditions->why, "%s", line + 4);
        else if (strncmp(line, "variant=", 8) == 0 &&
                 used + strlen(line + 8) + 2 < sizeof conditions->variants)
            used += (size_t)sprintf(conditions->variants + used, "%s\n", line + 8);
    }
}

enum remote_state remote_start(struct remote *remote, struct error *text) {
    const struct process_start how = {.words = remote->words,
                                      .quiet = remote->memory,
                                      .shared = remote->memory_descriptor,
                                      .variable = foreign_variable(remote->foreign)};
    uint8_t reply[REPLY_SIZE];
    char said[MOST_CONDITIONS_TEXT + 1];
    struct greeting greeting;
    memset(remote->asked, 0, sizeof remote->asked);
    remote->asked_next = 0;
    if (!greeting_make(remote, &greeting, text) || !process_open(&remote->process, &how, text) ||
        !greet(remote, &greeting, reply, said, text))
        return REMOTE_BROKEN;
    for (char *at = said; *at; at++) /* what reports hold has to be text */
        if ((unsigned char)*at > '~')
            *at = '?';
    if (get_u32(reply + REPLY_STATUS) == REPLY_READY_TELLS + PROTOCOL_CONDITIONS)
        read_conditions(said, &remote->conditions);
    error_set(text, "%s", said);
    enum remote_state state = state_of(remote, get_u32(reply + REPLY_STATUS), text);
    unsigned tells = tells_of(remote, get_u32(reply + REPLY_STATUS));
    if (remote->has_started &&
        (state == REMOTE_NOT_PROVIDED || (state == REMOTE_READY && tells != remote->tells))) {
        state = REMOTE_BROKEN;
        error_set(text, "%.200s replied with another status when it was started again",
                  remote->name);
    }
    if (state != REMOTE_READY && !text->text[0])
        error_set(text, "it does not say why");
    remote->tells = tells;
    remote->is_at_rest = state == REMOTE_READY;
    remote->has_started = remote->has_started || remote->is_at_rest;
    remote->said = *text;
    if (state != REMOTE_READY)
        process_close(&remote->process, REMOTE_GRACE);
    return state;
}

/* The worker could else cut the memory off, and whoever touches it then is ended by SIGBUS. */
static bool keep_size(int descriptor) {
#if defined(F_ADD_SEALS)
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
#else
    (void)descriptor; /* elsewhere a size is set once only */
    return true;
#endif
}

/* Memory with a descriptor that a child can be given. */
static bool make_memory(struct remote *remote, struct error *text) {
    size_t size = sizeof *remote->memory;
#if defined(__linux__)
    int made = memfd_create("detcheck", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
    char name[64];
    snprintf(name, sizeof name, "/detcheck-%ld-%p", (long)getpid(), (void *)remote);
    int made = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink(name);
#endif
    remote->memory_descriptor = process_move_above(made);
    void *memory = MAP_FAILED;
    if (remote->memory_descriptor >= 0 && ftruncate(remote->memory_descriptor, (off_t)size) == 0 &&
        keep_size(remote->memory_descriptor))
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, remote->memory_descriptor, 0);
    if (memory == MAP_FAILED)
        return error_set(text, "cannot share memory with a worker: %s", process_why());
    remote->memory = memory;
    return true;
}

static void prepare(struct remote *remote, const struct implementation *implementation,
                    char *const *words, const struct binding_request *request) {
    *remote = (struct remote){.request = request,
                              .foreign = implementation->foreign,
                              .name = implementation->name,
                              .words = words,
                              .memory_descriptor = -1,
                              .hangs = hangs_of(implementation->name),
                              .number = FIRST_NUMBER};
}

enum remote_state remote_open(struct remote *remote, const struct implementation *implementation,
                              char *const *words, const struct binding_request *request,
                              bool shares_memory, struct error *text) {
    enum remote_state state = REMOTE_BROKEN;
    prepare(remote, implementation, words, request);
    if (!shares_memory || make_memory(remote, text))
        state = remote_start(remote, text);
    if (state != REMOTE_READY)
        remote_close(remote);
    return state;
}

enum remote_state remote_open_kept(struct remote *remote,
                                   const struct implementation *implementation, char *const *words,
                                   const struct binding_request *request,
                                   const char build[BUILD_TEXT], struct error *text) {
    prepare(remote, implementation, words, request);
    if (!greeting_key(remote, build, text)) {
        free(remote->key.bytes);
        return REMOTE_BROKEN;
    }
    if (idle_take(remote)) {
        *text = remote->said;
        return REMOTE_READY;
    }
    enum remote_state state = remote_start(remote, text);
    if (state != REMOTE_READY)
        remote_close(remote);
    return state;
}

void remote_renew(struct remote *remote) {
    process_close(&remote->process, REMOTE_GRACE);
    memset(remote->asked, 0, sizeof remote->asked);
    remote->asked_next = 0;
}

void remote_close(struct remote *remote) {
    if (remote->key.bytes)
        idle_give(remote);
    process_close(&remote->process, REMOTE_GRACE);
    if (remote->memory)
        munmap(remote->memory, sizeof *remote->memory);
    if (remote->memory_descriptor >= 0)
        close(remote->memory_descriptor);
    free(remote->key.bytes);
    remote->key = (struct remote_key){0};
    remote->memory = NULL;
    remote->memory_descriptor = -1;
}
