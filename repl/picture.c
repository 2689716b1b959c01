/* chafa reads the picture from a file in memory that is its standard input, and writes to the terminal itself, which it
 * knows how to ask what it can show. Reading order: picture_draw. */
#include "repl/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The picture as an open file, at its beginning; -1: no room. */
static int as_file(const char *data, size_t n) {
    int fd = memfd_create("gpa-picture", MFD_CLOEXEC);
    while (fd >= 0 && n > 0) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) {
            close(fd);
            return -1;
        }
        data += k;
        n -= (size_t)k;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool start(int picture, char *size, pid_t *pid) {
    static char name[] = "chafa", still[] = "--animate=off", input[] = "-";
    char *argv[] = {name, still, size, input, NULL};
    posix_spawn_file_actions_t acts;
    posix_spawn_file_actions_init(&acts);
    posix_spawn_file_actions_adddup2(&acts, picture, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&acts, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(pid, name, &acts, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&acts);
    return started;
}

bool picture_draw(const char *png, size_t n, int columns) {
    enum { WIDEST = 80, ROW_SHARE = 3 };
    char size[48];
    int status = -1, wide = columns < WIDEST ? columns : WIDEST;
    pid_t pid;
    int fd = as_file(png, n);
    if (fd < 0) return false;
    snprintf(size, sizeof size, "--size=%dx%d", wide, (wide + ROW_SHARE - 1) / ROW_SHARE + 1);
    fflush(stdout);
    bool started = start(fd, size, &pid);
    close(fd);
    if (!started) return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
