/* Texts and numbers by the C library that this is compiled with, as detcheck-exec-text(7) has it:
 *
 *     musl-gcc -O2 -static -o texts_lines texts_lines.c -lm
 *     detcheck sweep from_decimal --impl exec-text:./texts_lines
 *     detcheck sweep from_decimal --to fp32 --impl exec-text:./texts_lines
 *     detcheck sweep from_decimal --grammar scanf --impl exec-text:./texts_lines
 *     detcheck sweep to_decimal --style exponent --digits 16 --impl exec-text:./texts_lines */
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1 << 16, MOST_WORDS = 16 };

static char line[MOST_LINE];

/* What detcheck asked to be told besides the result, and what the last call did. */
static int tells_length, tells_errno, tells_flags;
static struct {
    long length; /* below 0: none */
    int number, raised, cleared;
} told;

/* A call under way, and what it returned. */
struct call {
    int is_fp32, is_scanf;
    const char *format, *digits;
    float narrow;
    double wide;
    char text[MOST_LINE];
};

typedef void run_once(struct call *call);

static int take_line(void) {
    if (!fgets(line, sizeof line, stdin))
        return 0;
    line[strcspn(line, "\n")] = '\0';
    return 1;
}

/* The value of such a parameter in the request; "" where it has none. */
static const char *value_of(char *const *words, int count, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            return words[i] + length + 1;
    return "";
}

static void scan_once(struct call *call) {
    int length = -1, found;
    call->narrow = 0;
    call->wide = 0;
    found = call->is_fp32 ? sscanf(line, "%f%n", &call->narrow, &length)
                          : sscanf(line, "%lf%n", &call->wide, &length);
    told.length = found == 1 ? length : 0;
}

static void read_once(struct call *call) {
    char *end = NULL;
    if (call->is_fp32)
        call->narrow = strtof(line, &end);
    else
        call->wide = strtod(line, &end);
    told.length = end && end >= line && end <= line + strlen(line) ? (long)(end - line) : -1;
}

static void write_once(struct call *call) {
    const double x = call->is_fp32 ? call->narrow : call->wide;
    told.length = *call->digits ? snprintf(call->text, sizeof call->text, call->format,
                                           (int)strtol(call->digits, NULL, 10), x)
                                : snprintf(call->text, sizeof call->text, call->format, x);
}

/* Another call, with all flags set, comes first: the output is that of the last one. */
static void observe(run_once *run, struct call *call) {
    if (tells_flags) {
        feraiseexcept(FE_ALL_EXCEPT);
        run(call);
        told.cleared = FE_ALL_EXCEPT & ~fetestexcept(FE_ALL_EXCEPT);
        feclearexcept(FE_ALL_EXCEPT);
    }
    errno = 0;
    run(call);
    told.number = errno;
    if (tells_flags)
        told.raised = fetestexcept(FE_ALL_EXCEPT);
}

static void print_flags(int flags) {
    static const struct {
        int flag;
        const char *name;
    } rows[] = {{FE_INVALID, "invalid"},
                {FE_DIVBYZERO, "divide-by-zero"},
                {FE_OVERFLOW, "overflow"},
                {FE_UNDERFLOW, "underflow"},
                {FE_INEXACT, "inexact"}};
    const char *comma = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (flags & rows[i].flag) {
            printf("%s%s", comma, rows[i].name);
            comma = ",";
        }
    printf("%s ", *comma ? "" : "none");
}

static void print_told(void) {
    if (tells_length && told.length < 0)
        printf("- ");
    else if (tells_length)
        printf("%ld ", told.length);
    if (tells_errno)
        printf("%s ", told.number == 0        ? "0"
                      : told.number == ERANGE ? "ERANGE"
                      : told.number == EDOM   ? "EDOM"
                                              : "other");
    if (tells_flags) {
        print_flags(told.raised);
        print_flags(told.cleared);
    }
}

static void read_text(struct call *call) {
    uint32_t low;
    uint64_t bits;
    observe(call->is_scanf ? scan_once : read_once, call);
    print_told();
    memcpy(&low, &call->narrow, sizeof low);
    memcpy(&bits, &call->wide, sizeof bits);
    if (call->is_fp32)
        printf("0x%08" PRIx32 "\n", low);
    else
        printf("0x%016" PRIx64 "\n", bits);
}

/* The number's bits are in the line. */
static void write_text(struct call *call) {
    const uint64_t bits = strtoull(line, NULL, 16);
    const uint32_t low = (uint32_t)bits;
    memcpy(&call->narrow, &low, sizeof low);
    memcpy(&call->wide, &bits, sizeof bits);
    observe(write_once, call);
    print_told();
    puts(call->text);
}

/* printf's format for a style, with a place for digits or without; NULL where it has none. */
static const char *format_of(const char *style, int has_digits) {
    static const char *const rows[][3] = {{"exponent", "%.*e", "%e"},
                                          {"fixed", "%.*f", "%f"},
                                          {"general", "%.*g", "%g"},
                                          {"hexadecimal", "%.*a", "%a"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i][0], style) == 0)
            return rows[i][has_digits ? 1 : 2];
    return NULL;
}

int main(void) {
    static char request[MOST_LINE];
    char *words[MOST_WORDS];
    int count = 0;
    if (!take_line())
        return 2;
    memcpy(request, line, sizeof request);
    for (char *word = strtok(request, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        words[count++] = word;
    if (count < 6 || strcmp(words[0], "detcheck-text") != 0) {
        fprintf(
            stderr,
            "this program is for 'detcheck sweep from_decimal --impl exec-text:./texts_lines'\n");
        return 2;
    }
    const int reads = strcmp(words[2], "from_decimal") == 0,
              is_fp32 = strcmp(words[reads ? 4 : 3], "fp32") == 0;
    const char *digits = value_of(words, count, "digits");
    const char *format = format_of(value_of(words, count, "style"), *digits != '\0');
    const char *grammar = value_of(words, count, "grammar");
    const int is_scanf = strcmp(grammar, "scanf") == 0;
    const int is_known = (reads && (is_scanf || !*grammar || strcmp(grammar, "strtod") == 0)) ||
                         (strcmp(words[2], "to_decimal") == 0 && format);
    if (!is_known || (!is_fp32 && strcmp(words[reads ? 4 : 3], "fp64") != 0) ||
        strcmp(words[5], "nearest-even") != 0) {
        puts("not-provided texts_lines has from_decimal and to_decimal in fp32 and fp64, to "
             "nearest-even, the grammars strtod and scanf, and no shortest text");
        return 0;
    }
    const char *asked = value_of(words, count, "tells");
    static struct call call;
    tells_length = strstr(asked, "length") != NULL;
    tells_errno = strstr(asked, "errno") != NULL;
    tells_flags = strstr(asked, "flags") != NULL;
    printf("ready bits%s%s%s the C library of texts_lines\n", tells_length ? "+length" : "",
           tells_errno ? "+errno" : "", tells_flags ? "+flags" : "");
    fflush(stdout);
    call.is_fp32 = is_fp32;
    call.is_scanf = is_scanf;
    call.format = format;
    call.digits = digits;
    while (take_line()) {
        (reads ? read_text : write_text)(&call);
        fflush(stdout);
    }
    return 0;
}
