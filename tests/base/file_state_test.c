/* Files of inputs that another process writes, cuts or replaces while they are read, and later. */
#include "base/file_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[32]; /* of the list that a change is made to */

static void put(const char *name, const char *text, const char *mode) {
    FILE *stream = fopen(name, mode);
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void append(void) {
    put(path, "3\n", "a");
}

static void cut(void) {
    assert_int_equal(truncate(path, 2), 0);
}

/* As many bytes as before; the time is another one though the clock of the file system may stand still. */
static void put_others(void) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1000000000}};
    put(path, "8\n9\n", "w");
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void replace(void) {
    put("replacing", "1\n2\n", "w");
    assert_int_equal(rename("replacing", path), 0);
}

static void take_away(void) {
    assert_int_equal(unlink(path), 0);
}

static void (*const changes[])(void) = {append, cut, put_others, replace, take_away};

/* What is kept is kept until the process ends, so each has a list of its own. */
static void make_list(size_t number) {
    snprintf(path, sizeof path, "list-%zu", number);
    put(path, "1\n2\n", "w");
}

static void test_what_changes_while_it_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct error error = {""};
        make_list(i);
        FILE *stream = fopen(path, "r");
        const struct file_state before = file_state_of(stream);
        assert_true(before.is_file);
        assert_int_equal(fgetc(stream), '1');
        assert_true(file_state_stays(&before, stream, path, &error));
        changes[i]();
        assert_false(file_state_stays(&before, stream, path, &error));
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "changed while it was read"));
        fclose(stream);
    }
}

/* The last test, as nothing stays from here on. */
static void test_what_changes_later(void **state) {
    (void)state;
    struct error error = {""};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        make_list(i);
        assert_true(file_keep(path, &error) && file_keep(path, &error));
        assert_true(i > 0 || files_stay(&error));
        changes[i]();
        assert_false(file_keep(path, &error));
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "changed while the run lasted"));
        assert_false(files_stay(&error));
    }
}

static void test_pipes_have_no_state(void **state) {
    (void)state;
    struct error error = {""};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[0], "r");
    const struct file_state before = file_state_of(stream);
    assert_false(before.is_file);
    assert_int_equal(write(ends[1], "1\n", 2), 2);
    assert_true(file_state_stays(&before, stream, "-", &error) && file_keep("-", &error) &&
                file_keep("/dev/null", &error) && files_stay(&error));
    fclose(stream);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipes_have_no_state),
                                       cmocka_unit_test(test_what_changes_while_it_is_read),
                                       cmocka_unit_test(test_what_changes_later)};
    char folder[] = "/tmp/file_state_XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        snprintf(path, sizeof path, "list-%zu", i);
        unlink(path);
    }
    return chdir("/") != 0 || rmdir(folder) != 0 || failed;
}
