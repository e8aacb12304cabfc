/* Output files appear whole or not at all, and nothing is left beside them. */
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[256];

static int make_directory(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/detcheck-output-XXXXXX", base ? base : "/tmp");
    return mkdtemp(directory) ? 0 : -1;
}

static const char *in_directory(const char *name, char path[512]) {
    assert_true(snprintf(path, 512, "%s/%s", directory, name) < 512);
    return path;
}

/* Removes what the tests made; the number of entries that there were. */
static int empty_directory(void) {
    int count = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        char path[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        unlink(in_directory(entry->d_name, path));
    }
    closedir(stream);
    return count;
}

static int remove_directory(void **state) {
    (void)state;
    empty_directory();
    return rmdir(directory);
}

static void put(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void assert_contents(const char *path, const char *want) {
    char text[100];
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(text, want);
}

static void test_new_file_appears_at_commit(void **state) {
    (void)state;
    char path[512];
    struct output output;
    struct error error;
    assert_true(output_open(&output, in_directory("new", path), &error));
    fputs("whole", output.stream);
    fflush(output.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(output_commit(&output, &error));
    assert_contents(path, "whole");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(empty_directory(), 1);
}

static void test_discard_leaves_nothing(void **state) {
    (void)state;
    char path[512];
    struct output output;
    struct error error;
    assert_true(output_open(&output, in_directory("never", path), &error));
    fputs("half", output.stream);
    output_discard(&output);
    output_discard(&output);
    assert_int_equal(empty_directory(), 0);
}

/* A process that is killed leaves nothing behind, at whatever point of its writing. */
static void test_kill_leaves_nothing(void **state) {
    (void)state;
    char path[512];
    pid_t child = fork();
    if (child == 0) {
        struct output output;
        struct error error;
        if (!output_open(&output, in_directory("killed", path), &error))
            _exit(1);
        for (int i = 0; i < 100000; i++)
            fputs("more than a buffer holds", output.stream);
        fflush(output.stream);
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(empty_directory(), 0);
}

static void test_longest_name(void **state) {
    (void)state;
    char name[257], path[512];
    struct output output;
    struct error error;
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    for (int round = 0; round < 2; round++) { /* new, and in the place of the old one */
        assert_true(output_open(&output, in_directory(name, path), &error));
        fputs("whole", output.stream);
        assert_true(output_commit(&output, &error));
        assert_contents(path, "whole");
    }
    assert_int_equal(empty_directory(), 1);
    name[255] = 'n';
    name[256] = '\0';
    assert_false(output_open(&output, in_directory(name, path), &error));
    assert_non_null(strstr(error.text, strerror(ENAMETOOLONG)));
}

/* As Linux refuses to follow a link that somebody else made in a folder where everybody may write
 * (fs.protected_symlinks): base_output is linked with --wrap=stat. */
static const char *refused;

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);

int __wrap_stat(const char *path, struct stat *status) {
    if (!refused || strcmp(path, refused) != 0)
        return __real_stat(path, status);
    errno = EACCES;
    return -1;
}

static void test_link_that_must_not_be_followed(void **state) {
    (void)state;
    char path[512], link_path[512];
    struct output output;
    struct error error;
#if !defined(__linux__)
    skip();
#endif
    put(in_directory("target", path), "old");
    assert_int_equal(symlink("target", in_directory("link", link_path)), 0);
    refused = link_path;
    assert_false(output_open(&output, link_path, &error));
    refused = NULL;
    assert_non_null(strstr(error.text, strerror(EACCES)));
    assert_contents(path, "old");
    assert_int_equal(empty_directory(), 2);
}

/* A file system that gives a file no second name, and what is told only when a file is closed. */
static int refused_links, refused_closes;

int __real_linkat(int from, const char *path, int to, const char *other, int flags);
int __wrap_linkat(int from, const char *path, int to, const char *other, int flags);
int __real_close(int descriptor);
int __wrap_close(int descriptor);

int __wrap_linkat(int from, const char *path, int to, const char *other, int flags) {
    if (!refused_links)
        return __real_linkat(from, path, to, other, flags);
    refused_links++;
    errno = EOPNOTSUPP;
    return -1;
}

int __wrap_close(int descriptor) {
    int result = __real_close(descriptor);
    if (!refused_closes)
        return result;
    refused_closes++;
    errno = EIO;
    return -1;
}

static void test_without_links_a_copy_takes_the_place(void **state) {
    (void)state;
    char path[512];
    struct output output;
    struct error error;
#if !defined(__linux__)
    skip();
#endif
    for (int round = 0; round < 2; round++) { /* new, and in the place of the old one */
        refused_links = 1;
        assert_true(output_open(&output, in_directory("copied", path), &error));
        for (int i = 0; i < 10000; i++)
            fprintf(output.stream, "line %d\n", i);
        assert_true(output_commit(&output, &error));
        assert_true(refused_links > 1);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_size, 98890);
    }
    refused_links = 0;
    assert_int_equal(empty_directory(), 1);
}

static void test_a_close_that_fails_leaves_whole_or_nothing(void **state) {
    (void)state;
    char path[512];
    struct output output;
    struct error error;
#if !defined(__linux__)
    skip();
#endif
    for (int links = 0; links < 2; links++) {
        put(in_directory("file", path), "old");
        refused_links = links;
        assert_true(output_open(&output, path, &error));
        fputs("new", output.stream);
        refused_closes = 1;
        bool committed = output_commit(&output, &error);
        assert_true(refused_closes > 1);
        refused_closes = refused_links = 0;
        assert_int_equal(committed,
                         !links); /* a file without a name was whole on its disk before */
        assert_contents(path, links ? "old" : "new");
        assert_int_equal(empty_directory(), 1);
    }
}

static void test_identity(void **state) {
    (void)state;
    char path[512], link_path[512];
    struct file_identity a, b;
    assert_int_equal(symlink("new", in_directory("link", link_path)), 0);
    for (int round = 0; round < 2; round++) { /* before there is a file, and then */
        assert_true(output_identify(in_directory("new", path), &a));
        assert_true(output_identify(link_path, &b));
        assert_true(output_same(&a, &b));
        assert_true(output_identify(in_directory("other", path), &b));
        assert_false(output_same(&a, &b));
        put(in_directory("new", path), "");
    }
    assert_false(output_identify("/dev/null", &a));
    assert_false(output_identify(in_directory("missing/file", path), &a));
    assert_int_equal(empty_directory(), 2);
}

static void test_existing_file_stays_until_commit(void **state) {
    (void)state;
    char path[512], link_path[512];
    struct output output;
    struct error error;
    struct stat status;
    put(in_directory("old", path), "old");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("old", in_directory("link", link_path)), 0);
    assert_true(output_open(&output, link_path, &error));
    fputs("new", output.stream);
    fflush(output.stream);
    assert_contents(path, "old");
    assert_true(output_commit(&output, &error));
    assert_contents(path, "new");
    /* The link still is one, and the mode is the old file's. */
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(empty_directory(), 2);
}

static void test_what_cannot_be_opened(void **state) {
    (void)state;
    char path[512];
    const char *const paths[] = {"", directory, in_directory("missing/file", path)};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct output output;
        struct error error = {""};
        assert_false(output_open(&output, paths[i], &error));
        assert_true(strlen(error.text) > 0);
        assert_non_null(strstr(error.text, paths[i]));
        assert_null(output.stream);
        output_discard(&output);
    }
    assert_int_equal(empty_directory(), 0);
}

/* A device is written to in place; one that is full makes the commit fail. */
static void test_devices(void **state) {
    (void)state;
    struct output output;
    struct error error;
    assert_true(output_open(&output, "/dev/null", &error));
    fputs("gone", output.stream);
    assert_true(output_commit(&output, &error));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_true(output_open(&output, "/dev/full", &error));
    fputs("too much", output.stream);
    assert_false(output_commit(&output, &error));
    assert_non_null(strstr(error.text, "/dev/full"));
    assert_null(output.stream);
}

static void test_minus_is_stdout(void **state) {
    (void)state;
    struct output output;
    struct error error;
    assert_true(output_open(&output, "-", &error));
    assert_ptr_equal(output.stream, stdout);
    assert_true(output_commit(&output, &error));
    assert_true(output_flush_stdout(&error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_file_appears_at_commit),
        cmocka_unit_test(test_discard_leaves_nothing),
        cmocka_unit_test(test_kill_leaves_nothing),
        cmocka_unit_test(test_longest_name),
        cmocka_unit_test(test_link_that_must_not_be_followed),
        cmocka_unit_test(test_without_links_a_copy_takes_the_place),
        cmocka_unit_test(test_a_close_that_fails_leaves_whole_or_nothing),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_existing_file_stays_until_commit),
        cmocka_unit_test(test_what_cannot_be_opened),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_minus_is_stdout),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
