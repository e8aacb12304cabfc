/* Texts and numbers by the C library that this is compiled with, as detcheck-exec-text(7) has it:
 *
 *     musl-gcc -O2 -static -o texts_lines texts_lines.c
 *     detcheck sweep from_decimal --impl exec-text:./texts_lines
 *     detcheck sweep from_decimal --to fp32 --impl exec-text:./texts_lines
 *     detcheck sweep to_decimal --style exponent --digits 16 --impl exec-text:./texts_lines */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1 << 16, MOST_WORDS = 16 };

static char line[MOST_LINE];

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

static void read_text(int is_fp32) {
    if (is_fp32) {
        const float y = strtof(line, NULL);
        uint32_t bits;
        memcpy(&bits, &y, sizeof bits);
        printf("0x%08" PRIx32 "\n", bits);
    } else {
        const double y = strtod(line, NULL);
        uint64_t bits;
        memcpy(&bits, &y, sizeof bits);
        printf("0x%016" PRIx64 "\n", bits);
    }
}

/* The number's bits are in the line. */
static void write_text(int is_fp32, const char *format, const char *digits) {
    const uint64_t bits = strtoull(line, NULL, 16);
    const uint32_t low = (uint32_t)bits;
    double x;
    float narrow;
    memcpy(&narrow, &low, sizeof low);
    memcpy(&x, &bits, sizeof x);
    if (is_fp32)
        x = narrow;
    if (*digits)
        printf(format, (int)strtol(digits, NULL, 10), x);
    else
        printf(format, x);
    putchar('\n');
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
    const int is_known = reads || (strcmp(words[2], "to_decimal") == 0 && format);
    if (!is_known || (!is_fp32 && strcmp(words[reads ? 4 : 3], "fp64") != 0) ||
        strcmp(words[5], "nearest-even") != 0) {
        puts("not-provided texts_lines has from_decimal and to_decimal in fp32 and fp64, to "
             "nearest-even, and no shortest text");
        return 0;
    }
    puts("ready bits the C library of texts_lines");
    fflush(stdout);
    while (take_line()) {
        if (reads)
            read_text(is_fp32);
        else
            write_text(is_fp32, format, digits);
        fflush(stdout);
    }
    return 0;
}
