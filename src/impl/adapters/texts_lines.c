/* Lines of texts and numbers by the C library that this is compiled with, for texts_adapter.py:
 *
 *     musl-gcc -O2 -o texts_lines texts_lines.c
 *     detcheck sweep from_decimal --impl 'exec:python3 texts_adapter.py ./texts_lines read'
 *     detcheck sweep from_decimal --to fp32 --impl 'exec:python3 texts_adapter.py ./texts_lines read32'
 *     detcheck sweep to_decimal --style exponent --digits 16 --impl 'exec:python3 texts_adapter.py ./texts_lines %.16e' */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1 << 16 };

static void read_text(const char *text, int is_fp32) {
    uint64_t code = 0;
    if (is_fp32) {
        const float y = strtof(text, NULL);
        uint32_t bits;
        memcpy(&bits, &y, sizeof bits);
        code = bits;
    } else {
        const double y = strtod(text, NULL);
        memcpy(&code, &y, sizeof y);
    }
    printf("%" PRIx64 "\n", code);
}

static void write_text(const char *line, const char *format) {
    const uint64_t code = strtoull(line, NULL, 16);
    double x;
    memcpy(&x, &code, sizeof x);
    printf(format, x);
    putchar('\n');
}

int main(int argc, char **argv) {
    static char line[MOST_LINE];
    if (argc != 2) {
        fprintf(stderr, "usage: texts_lines read|read32|FORMAT\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(argv[1], "read", 4) == 0)
            read_text(line, strcmp(argv[1], "read32") == 0);
        else
            write_text(line, argv[1]);
        fflush(stdout);
    }
    return 0;
}
