/* Loaded before the C library: one write in a folder, counted from 1, fails, kills the process, or fails from then on.
   With CLOCK_JUMPS=SECONDS in the environment the time of day moves by so much each time that somebody asks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char folder[4096];
static long at, count;
static int error, stays;

void arm(const char *where, long which, int what, int whether_it_stays) {
    strncpy(folder, where, sizeof folder - 1);
    at = which, error = what, stays = whether_it_stays, count = 0;
}

long writes_so_far(void) { return count; }

static int fails_on(const char *path) {
    if (!folder[0] || strncmp(path, folder, strlen(folder)) != 0) return 0;
    count++;
    if (!(count == at || (stays && at && count > at))) return 0;
    if (error == 0) raise(SIGKILL);
    errno = error;
    return 1;
}

static int fails(int file) {
    char link[64], path[4096];
    if (!folder[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails_on(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
ssize_t write(int f, const void *b, size_t n) { return fails(f) ? -1 : REAL(write)(f, b, n); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { return fails(f) ? -1 : REAL(pwrite)(f, b, n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { return fails(f) ? -1 : REAL(pwrite64)(f, b, n, o); }
int fsync(int f) { return fails(f) ? -1 : REAL(fsync)(f); }
int fdatasync(int f) { return fails(f) ? -1 : REAL(fdatasync)(f); }
int ftruncate(int f, off_t n) { return fails(f) ? -1 : REAL(ftruncate)(f, n); }
int ftruncate64(int f, off64_t n) { return fails(f) ? -1 : REAL(ftruncate64)(f, n); }
int rename(const char *from, const char *to) { return fails_on(to) ? -1 : REAL(rename)(from, to); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    static long asked;
    int answer = REAL(clock_gettime)(clock, now);
    if (clock == CLOCK_REALTIME && getenv("CLOCK_JUMPS")) now->tv_sec += atol(getenv("CLOCK_JUMPS")) * ++asked;
    return answer;
}
