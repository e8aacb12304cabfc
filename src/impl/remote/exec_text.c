/* The process between detcheck and a command of exec-text:, a worker of the binary protocol (serve.h). */
#include "impl/remote/exec_text.h"

#include "base/names.h"
#include "format/text.h"
#include "impl/array.h"
#include "impl/remote/greeting.h"
#include "impl/remote/line_process.h"
#include "impl/remote/serve.h"
#include "impl/remote/text_effects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef const char *number_writer(const struct format *format, uint64_t code,
                                  char text[NUMBER_TEXT]);

/* How numbers are written for the command, by the word that it replies. */
static const struct {
    const char *name;
    number_writer *write;
} forms[] = {
    {"decimal", format_decimal_text}, {"hexadecimal", format_hex_text}, {"bits", format_bits_text}};
enum { FORMS = sizeof forms / sizeof *forms };

static struct line_process process;
static struct text_tellings told; /* what the command says of each text besides */
static number_writer *write_number;
static struct text asked;

/* "inf" becomes "Infinity", the only word that JavaScript reads. */
static bool add_number(const struct format *format, uint64_t code, char end) {
    char text[NUMBER_TEXT];
    size_t length = strlen(write_number(format, code, text));
    const bool infinite = length >= 3 && strcmp(text + length - 3, "inf") == 0;
    length -= infinite ? 3 : 0;
    return text_add(&asked, text, length) && (!infinite || text_add(&asked, "Infinity", 8)) &&
           text_add(&asked, &end, 1);
}

/* The next line of an answer. */
static char *next_line(char **at) {
    char *line = *at;
    *at += strlen(line) + 1;
    return line;
}

/* Where a number cannot be read, `why` says so. */
static bool read_number(const struct format *format, char *word, uint64_t *code,
                        struct error *why) {
    const char *digits = word + strspn(word, "+-");
    if (strcmp(digits, "nan") == 0 || strcmp(digits, "NaN") == 0) /* printf's has a sign */
        word = (char *)(size_t)digits;
    return format_parse_output(format, word, code, why);
}

static bool fill_numbers(struct binding *binding, const struct slice *slice, struct error *error) {
    const struct binding_request *request = &binding->request;
    const struct format *from = request->format, *to = request_result_format(request);
    const int operands = request->operation->operands, results = request->operation->results;
    bool good = true;
    asked.length = 0;
    for (size_t i = 0; i < slice->count && good; i++)
        for (int k = 0; k < operands && good; k++)
            good = add_number(format_of_operand(from, k),
                              code_load(slice->operands[k], format_bytes(from), i),
                              k + 1 < operands ? ' ' : '\n');
    if (!good)
        return error_set(error, "out of memory for inputs");
    if (!line_process_ask(&process, &asked, slice->count, error))
        return false;
    char *at = process.said.bytes;
    for (size_t i = 0; i < slice->count; i++) {
        char *rest = next_line(&at);
        for (int k = 0; k < results; k++) {
            uint64_t code;
            char *word = strtok_r(rest, " \t\r", &rest);
            if (!read_number(to, word ? word : (char[]){""}, &code, error))
                return false;
            code_store(slice->results[k], format_bytes(to), i, code);
        }
        if (strtok_r(rest, " \t\r", &rest))
            return error_set(error, "it wrote more than %d result%s in a line", results,
                             results > 1 ? "s" : "");
    }
    return true;
}

/* A text for a number, or a number for a text. */
static bool fill_texts(const struct array_call *call, struct error *error) {
    const bool takes = call->rule->takes_texts;
    const struct array *texts = takes ? &call->operands[0] : &call->results[0];
    const struct array *numbers = takes ? &call->results[0] : &call->operands[0];
    const size_t room = (size_t)texts->shape.extents[texts->shape.dimensions - 1],
                 count = (size_t)shape_elements(&numbers->shape);
    bool good = true;
    asked.length = 0;
    for (size_t i = 0; i < count && good; i++) {
        const char *text = (const char *)texts->codes + i * room;
        const size_t length = strnlen(text, room);
        if (takes && memchr(text, '\n', length))
            return error_set(error, "a text with a line feed is not a line");
        good = takes ? text_add(&asked, text, length) && text_add(&asked, "\n", 1)
                     : add_number(numbers->format, array_code(numbers, i), '\n');
    }
    if (!good)
        return error_set(error, "out of memory for inputs");
    if (!line_process_ask(&process, &asked, count, error))
        return false;
    char *at = process.said.bytes;
    for (size_t i = 0; i < count; i++) {
        char *line = next_line(&at);
        uint64_t code;
        if (!text_effects_read(&told, &line, call->lines, i, error))
            return false;
        if (!takes)
            strncpy((char *)texts->codes + i * room, line,
                    room); /* zeros behind; no 0 where it has no room */
        else if (read_number(numbers->format, line, &code, error))
            array_set_code(numbers, i, code);
        else
            return false;
    }
    return true;
}

static bool text_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    (void)event;
    (void)context;
    return slice->array ? fill_texts(slice->array, error) : fill_numbers(binding, slice, error);
}

/* What is asked for, as a line: the operation, the formats, the rounding and the parameters. */
static bool add_request(const struct binding_request *request) {
    const struct operation *operation = request->operation;
    struct array_call call;
    struct error unused;
    static char text[MOST_PARAMETERS];
    if (!sample_call(&call, request, &unused))
        return false;
    int used = snprintf(text, sizeof text, "detcheck-text 1 %s %s %s %s",
                        operation->made_of ? operation->made_of->name : operation->name,
                        call.operands[0].format->name, call.results[0].format->name,
                        rounding_names[request->rounding]);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter_value *value = &request->parameters.values[i];
        char room[PARAMETER_ROOM];
        if (value->present && used < MOST_PARAMETERS)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, " %s=%s", parameter_rows[i].name,
                         parameter_text(&parameter_rows[i], value, room));
    }
    if (operation->array && used < MOST_PARAMETERS)
        used += snprintf(text + used, sizeof text - (size_t)used, " tells=%s",
                         text_tellings_asked(request));
    asked.length = 0;
    return used < MOST_PARAMETERS && text_add(&asked, text, (size_t)used) &&
           text_add(&asked, "\n", 1);
}

/* The command's first line: "ready decimal mawk 1.3.4", or "not-provided" and why. */
static bool take_reply(struct binding *binding, struct error *why) {
    static const char ready[] = "ready ", refused[] = "not-provided";
    const char *reply = process.said.bytes;
    if (strncmp(reply, refused, strlen(refused)) == 0)
        return error_set(why, "%.400s",
                         reply + strlen(refused) + strspn(reply + strlen(refused), " "));
    for (int i = 0; i < FORMS; i++) {
        const char *form = reply + strlen(ready);
        const size_t length = strlen(forms[i].name);
        if (strncmp(reply, ready, strlen(ready)) != 0 ||
            strncmp(form, forms[i].name, length) != 0 || !strchr(" +", form[length]))
            continue;
        const char *end = text_tellings_read(&told, form + length, &binding->request);
        if (!end)
            break;
        text_tellings_note(&told, binding);
        write_number = forms[i].write;
        snprintf(binding->detail, sizeof binding->detail, "%.250s", end + (*end == ' '));
        return true;
    }
    fprintf(
        stderr,
        "detcheck: exec-text: the first line of the command is '%.200s', and not 'ready decimal', "
        "'ready hexadecimal', 'ready bits', one of these with a + and what 'tells=' asks for, or "
        "'not-provided' and a text\n",
        reply);
    printf("no reply of exec-text:"); /* which detcheck tells */
    exit(1);
}

static bool text_bind(struct binding *binding, struct error *why) {
    const struct operation *operation = binding->request.operation;
    struct error error;
    if (operation->array && !array_is_of_texts(operation->array))
        return error_set(why, "a line holds the numbers of an input, and no arrays");
    if (!add_request(&binding->request))
        return error_set(why, "its parameters are too long for a line");
    if (!line_process_ask(&process, &asked, 1, &error)) {
        fprintf(stderr, "detcheck: exec-text: %s\n", error.text);
        exit(1);
    }
    return take_reply(binding, why);
}

static const struct implementation_kind kind = {
    .name = "exec-text",
    .takes_parameters = true,
    .takes_arrays = true,
    .is_command = true,
    .bind = text_bind,
    .fill = text_fill,
};

int text_worker(int count, char **words) {
    const struct implementation implementation = {
        .kind = &kind, .foreign = &foreign_defaults, .name = "exec-text"};
    struct error error;
    if (count != 3) {
        fprintf(stderr, "detcheck: %s is not for users\n", TEXT_WORKER);
        return 2;
    }
    if (line_process_open(&process, words[2], &error) &&
        serve_worker(&implementation, stdin, stdout, &error))
        return 0;
    fprintf(stderr, "detcheck: exec-text: %s\n", error.text);
    printf(
        "no answer of exec-text:"); /* so that detcheck ends with an error, and takes it for no crash */
    return 1;
}
