/* Makes one call of a program fail: the AIRMILE_FAIL_AT-th that touches a path with AIRMILE_FAIL_IN
 * in it, or a descriptor of such a path. Loaded with LD_PRELOAD. Where no call is made to fail, it
 * writes how many there were to AIRMILE_FAIL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 1024

static atomic_int calls;
static atomic_int watched[MOST];

static int concerns(const char *path) {
    const char *word = getenv("AIRMILE_FAIL_IN");
    return path && word && strstr(path, word);
}

static int fails(void) {
    const char *at = getenv("AIRMILE_FAIL_AT"), *error = getenv("AIRMILE_FAIL_WITH");
    if (atomic_fetch_add(&calls, 1) + 1 != (at ? atoi(at) : 0)) return 0;
    errno = error ? atoi(error) : EIO;
    return 1;
}

static int seen(int fd) { return fd >= 0 && fd < MOST && watched[fd]; }

static int watch(int fd) {
    if (fd >= 0 && fd < MOST) watched[fd] = 1;
    return fd;
}

__attribute__((destructor)) static void write_count(void) {
    const char *path = getenv("AIRMILE_FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%d", calls);
        fclose(file);
    }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                \
    int name(const char *path, int flags, ...) {                                                  \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
        va_end(rest);                                                                             \
        if (!concerns(path)) return REAL(name)(path, flags, mode);                                \
        return fails() ? -1 : watch(REAL(name)(path, flags, mode));                               \
    }

OPEN(open)
OPEN(open64)

int close(int fd) {
    if (seen(fd)) watched[fd] = 0;
    return REAL(close)(fd);
}

ssize_t read(int fd, void *to, size_t bytes) {
    return seen(fd) && fails() ? -1 : REAL(read)(fd, to, bytes);
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at) {
    return seen(fd) && fails() ? -1 : REAL(pread64)(fd, to, bytes, at);
}

ssize_t write(int fd, const void *from, size_t bytes) {
    return seen(fd) && fails() ? -1 : REAL(write)(fd, from, bytes);
}

int fsync(int fd) { return seen(fd) && fails() ? -1 : REAL(fsync)(fd); }

int mkdir(const char *path, mode_t mode) {
    return concerns(path) && fails() ? -1 : REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
    return concerns(to) && fails() ? -1 : REAL(rename)(from, to);
}

int renameat2(int at, const char *from, int towards, const char *to, unsigned flags) {
    return concerns(to) && fails() ? -1 : REAL(renameat2)(at, from, towards, to, flags);
}
