// A pass-through file system (FUSE, libfuse3) for tests: calls that fail or hang, and file systems that tell half the truth.
//
//   faulty_mount BACKING MOUNTPOINT
//
// Commands come on standard input, one a line, fields separated by tabs, each answered by one line:
//
//   rule CALL ERROR PATTERN AFTER TIMES   calls of paths that match fail, once AFTER of them have passed, TIMES times (-1: always);
//                                         ERROR is EIO, ..., HANG (waits for its removal) or COUNT (passes); answers with a number
//   hits NUMBER      how many calls have failed or waited, or were counted
//   remove NUMBER    ends a rule; what waits goes on
//   set NAME VALUE   how the file system behaves: see struct behaviour
//
// A pattern is one of fnmatch(3), of the path beneath the mount without a leading slash; "*" matches slashes too. The end of
// standard input unmounts. Nothing is cached by the kernel, so each call is seen.
#define _GNU_SOURCE
#if __has_include(<libfuse_config.h>)
#define FUSE_USE_VERSION 312
#else
#define FUSE_USE_VERSION 31 // has no limit of threads
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fuse.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

enum { COUNT = -1, HANG = -2 };

static const struct { const char *name; int number; } ERRORS[] = {
    {"EIO", EIO}, {"EAGAIN", EAGAIN}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EPERM", EPERM}, {"EACCES", EACCES}, {"EOPNOTSUPP", EOPNOTSUPP},
    {"EINTR", EINTR}, {"EMLINK", EMLINK}, {"ESTALE", ESTALE}, {"EROFS", EROFS}, {"EXDEV", EXDEV}, {"EINVAL", EINVAL},
    {"ENOSYS", ENOSYS}, {"ENOENT", ENOENT}, {"EEXIST", EEXIST}, {"EBUSY", EBUSY}, {"EFBIG", EFBIG}, {"ETIMEDOUT", ETIMEDOUT},
    {"EHOSTDOWN", EHOSTDOWN}, {"ENAMETOOLONG", ENAMETOOLONG}, {"EILSEQ", EILSEQ}, {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM},
    {"ENOTEMPTY", ENOTEMPTY}, {"ENOTDIR", ENOTDIR}, {"ENXIO", ENXIO}, {"ERANGE", ERANGE}, {"COUNT", COUNT}, {"HANG", HANG}};

struct rule {
  struct rule *next;
  int number, error;
  char *call, *pattern;
  long after, times, seen, hits;
  int removed;
};

struct handle {
  struct handle *next;
  char *path; // beneath the mount; follows renames
  int fd;
  DIR *dir;
  ino_t inode;
};

static struct {
  long step;     // nanoseconds that times are multiples of
  long rounded;  // the same for files that no program has open
  long earliest; // seconds; times outside are shown as these
  long latest;
  long fold;     // names are equal but for case; the first spelling is kept
  long compose;  // names are kept in composed form (NFC, of Latin letters)
  long strip;    // names lose dots at the end
  long inodes;   // 1: another inode at each look, 2: all files have the same, 3: each spelling has its own
  char *empty;   // pattern of files whose size is said to be 0
} behaviour = {.earliest = LONG_MIN, .latest = LONG_MAX};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t removal = PTHREAD_COND_INITIALIZER;
static struct rule *rules;
static struct handle *handles;
static int rule_count, ending;
static ino_t looks;
static char *backing, *mountpoint;

static int matches(const char *pattern, const char *path) { return path && !fnmatch(pattern, path + (path[0] == '/'), 0); }

// 0, or the negative number of the error that a rule wants; waits where one says so.
static int fault2(const char *call, const char *path, const char *other) {
  int result = 0;
  pthread_mutex_lock(&lock);
  for (struct rule *rule = rules; rule && !result; rule = rule->next) {
    if (rule->removed || strcmp(rule->call, call) || !(matches(rule->pattern, path) || matches(rule->pattern, other))) continue;
    if (rule->seen++ < rule->after || (rule->times >= 0 && rule->hits >= rule->times)) continue;
    rule->hits++;
    while (rule->error == HANG && !rule->removed && !ending) pthread_cond_wait(&removal, &lock);
    if (rule->error > 0) result = -rule->error;
  }
  pthread_mutex_unlock(&lock);
  return result;
}
static int fault(const char *call, const char *path) { return fault2(call, path, NULL); }

#define TRY(expression) do { int failed = (expression); if (failed) return failed; } while (0)
static int result(long value) { return value == -1 ? -errno : (int)value; }

// Replaces a Latin letter and a combining mark by the composed letter.
static void compose(char *name) {
  static const wchar_t *bases = L"AEIOUaeiou", *composed[] = {L"ÀÈÌÒÙàèìòù", L"ÁÉÍÓÚáéíóú", L"ÂÊÎÔÛâêîôû", L"ÄËÏÖÜäëïöü"};
  static const wchar_t marks[] = {0x300, 0x301, 0x302, 0x308};
  wchar_t wide[NAME_MAX + 1];
  size_t length = mbstowcs(wide, name, NAME_MAX + 1), to = 0;
  if (length == (size_t)-1 || length > NAME_MAX) return; // not UTF-8
  for (size_t i = 0; i < length; i++) {
    const wchar_t *base = to ? wcschr(bases, wide[to - 1]) : NULL;
    int done = 0;
    for (int mark = 0; base && mark < 4; mark++) {
      if (wide[i] == marks[mark]) wide[to - 1] = composed[mark][base - bases], done = 1, mark = 4;
    }
    if (!done) wide[to++] = wide[i];
  }
  wide[to] = 0;
  wcstombs(name, wide, NAME_MAX + 1);
}

static int same_but_for_case(const char *one, const char *other) {
  wchar_t a[NAME_MAX + 1], b[NAME_MAX + 1];
  if (mbstowcs(a, one, NAME_MAX + 1) == (size_t)-1 || mbstowcs(b, other, NAME_MAX + 1) == (size_t)-1) return !strcasecmp(one, other);
  return !wcscasecmp(a, b);
}

// Appends a name to the path of a directory, in the spelling that is there already.
static void append(char *path, const char *given) {
  char name[NAME_MAX + 1];
  snprintf(name, sizeof name, "%s", given);
  if (behaviour.compose) compose(name);
  for (size_t last = strlen(name); behaviour.strip && last-- > 1 && name[last] == '.';) name[last] = 0;
  size_t end = strlen(path);
  snprintf(path + end, PATH_MAX - end, "/%s", name);
  if (!behaviour.fold || !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW)) return;
  path[end] = 0;
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (same_but_for_case(name, entry->d_name)) snprintf(name, sizeof name, "%s", entry->d_name);
  }
  if (dir) closedir(dir);
  snprintf(path + end, PATH_MAX - end, "/%s", name);
}

// The path in the backing directory, in memory of the caller.
static char *real(const char *path, char *room) {
  snprintf(room, PATH_MAX, "%s", backing);
  char copy[PATH_MAX], *rest = copy, *name;
  snprintf(copy, sizeof copy, "%s", path);
  while ((name = strsep(&rest, "/"))) {
    if (*name) append(room, name);
  }
  return room;
}
#define REAL(path) real(path, (char[PATH_MAX]){0})

static struct handle *of(struct fuse_file_info *info) { return (struct handle *)(uintptr_t)info->fh; }

static int is_open(ino_t inode) {
  pthread_mutex_lock(&lock);
  struct handle *one = handles;
  while (one && (one->dir || one->inode != inode)) one = one->next;
  pthread_mutex_unlock(&lock);
  return one != NULL;
}

static void shown_time(struct timespec *time, long step) {
  if (step >= 1000000000) time->tv_sec -= time->tv_sec % (step / 1000000000), time->tv_nsec = 0;
  else if (step) time->tv_nsec -= time->tv_nsec % step;
  if (time->tv_sec < behaviour.earliest) *time = (struct timespec){behaviour.earliest, 0};
  if (time->tv_sec > behaviour.latest) *time = (struct timespec){behaviour.latest, 0};
}

static int f_getattr(const char *path, struct stat *stat, struct fuse_file_info *info) {
  if (info) path = of(info)->path;
  TRY(fault("getattr", path));
  TRY(result(info && !of(info)->dir ? fstat(of(info)->fd, stat) : lstat(REAL(path), stat)));
  long step = behaviour.rounded && !is_open(stat->st_ino) ? behaviour.rounded : behaviour.step;
  shown_time(&stat->st_mtim, step);
  shown_time(&stat->st_atim, step);
  shown_time(&stat->st_ctim, step);
  if (S_ISREG(stat->st_mode) && behaviour.inodes == 2) stat->st_ino = 42;
  if (behaviour.inodes == 1) stat->st_ino += ++looks << 32;
  for (const char *at = path; behaviour.inodes == 3 && S_ISREG(stat->st_mode) && *at; at++) stat->st_ino = stat->st_ino * 31 + *at;
  if (S_ISREG(stat->st_mode) && behaviour.empty && matches(behaviour.empty, path)) stat->st_size = stat->st_blocks = 0;
  return 0;
}

static int keep(const char *path, int fd, DIR *dir, struct fuse_file_info *info) {
  struct stat stat = {0};
  struct handle *handle = calloc(1, sizeof *handle);
  if (!dir) fstat(fd, &stat);
  *handle = (struct handle){.path = strdup(path), .fd = fd, .dir = dir, .inode = stat.st_ino};
  pthread_mutex_lock(&lock);
  handle->next = handles;
  handles = handle;
  pthread_mutex_unlock(&lock);
  info->fh = (uintptr_t)handle;
  return 0;
}

static void forget(struct handle *handle) {
  pthread_mutex_lock(&lock);
  struct handle **at = &handles;
  while (*at != handle) at = &(*at)->next;
  *at = handle->next;
  pthread_mutex_unlock(&lock);
  free(handle->path);
  free(handle);
}

static void own(const char *path) { // what others make is theirs
  struct fuse_context *context = fuse_get_context();
  if (!geteuid() && lchown(path, context->uid, context->gid)) perror("lchown");
}

static int f_open(const char *path, struct fuse_file_info *info) {
  TRY(fault("open", path));
  int fd = open(REAL(path), info->flags);
  return fd < 0 ? -errno : keep(path, fd, NULL, info);
}
static int f_create(const char *path, mode_t mode, struct fuse_file_info *info) {
  TRY(fault("create", path));
  char *file = REAL(path);
  int fd = open(file, info->flags | O_CREAT, mode);
  if (fd < 0) return -errno;
  own(file);
  return keep(path, fd, NULL, info);
}
static int f_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  TRY(fault("read", path = of(info)->path));
  return result(pread(of(info)->fd, buffer, size, offset));
}
static int f_write(const char *path, const char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  TRY(fault("write", path = of(info)->path));
  return result(pwrite(of(info)->fd, buffer, size, offset));
}
static int f_flush(const char *path, struct fuse_file_info *info) { return fault("flush", path = of(info)->path); }
static int f_release(const char *path, struct fuse_file_info *info) {
  int failed = fault("release", path = of(info)->path); // the kernel ignores it
  close(of(info)->fd);
  forget(of(info));
  return failed;
}
static int f_fsync(const char *path, int data, struct fuse_file_info *info) {
  TRY(fault("fsync", path = of(info)->path));
  return result(data ? fdatasync(of(info)->fd) : fsync(of(info)->fd));
}
static int f_fallocate(const char *path, int mode, off_t offset, off_t length, struct fuse_file_info *info) {
  TRY(fault("fallocate", path = of(info)->path));
  return result(fallocate(of(info)->fd, mode, offset, length));
}
static off_t f_lseek(const char *path, off_t offset, int whence, struct fuse_file_info *info) {
  TRY(fault("lseek", path = of(info)->path));
  off_t at = lseek(of(info)->fd, offset, whence);
  return at < 0 ? -errno : at;
}
static int f_truncate(const char *path, off_t size, struct fuse_file_info *info) {
  TRY(fault("truncate", info ? of(info)->path : path));
  return result(info ? ftruncate(of(info)->fd, size) : truncate(REAL(path), size));
}
static int f_opendir(const char *path, struct fuse_file_info *info) {
  TRY(fault("opendir", path));
  DIR *dir = opendir(REAL(path));
  return dir ? keep(path, -1, dir, info) : -errno;
}
static int f_readdir(const char *path, void *all, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                     enum fuse_readdir_flags flags) {
  (void)offset, (void)flags;
  TRY(fault("readdir", path = of(info)->path));
  rewinddir(of(info)->dir);
  for (struct dirent *entry; (entry = readdir(of(info)->dir));) {
    struct stat stat = {.st_ino = behaviour.inodes == 2 ? 42 : entry->d_ino, .st_mode = DTTOIF(entry->d_type)};
    if (fill(all, entry->d_name, &stat, 0, 0)) return -ENOMEM;
  }
  return 0;
}
static int f_releasedir(const char *path, struct fuse_file_info *info) {
  (void)path;
  closedir(of(info)->dir);
  forget(of(info));
  return 0;
}
static int f_fsyncdir(const char *path, int data, struct fuse_file_info *info) {
  (void)data;
  TRY(fault("fsyncdir", path = of(info)->path));
  return result(fsync(dirfd(of(info)->dir)));
}
static int f_readlink(const char *path, char *target, size_t size) {
  TRY(fault("readlink", path));
  ssize_t length = readlink(REAL(path), target, size - 1);
  if (length < 0) return -errno;
  target[length] = 0;
  return 0;
}
static int made(int status, const char *path) {
  if (status) return -errno;
  own(path);
  return 0;
}
static int f_mkdir(const char *path, mode_t mode) {
  TRY(fault("mkdir", path));
  char *directory = REAL(path);
  return made(mkdir(directory, mode), directory);
}
static int f_mknod(const char *path, mode_t mode, dev_t device) {
  TRY(fault("mknod", path));
  char *node = REAL(path);
  return made(mknod(node, mode, device), node);
}
static int f_symlink(const char *target, const char *path) {
  TRY(fault("symlink", path));
  char *link = REAL(path);
  return made(symlink(target, link), link);
}
static int f_link(const char *from, const char *to) {
  TRY(fault2("link", from, to));
  return result(link(REAL(from), REAL(to)));
}
static int f_unlink(const char *path) {
  TRY(fault("unlink", path));
  return result(unlink(REAL(path)));
}
static int f_rmdir(const char *path) {
  TRY(fault("rmdir", path));
  return result(rmdir(REAL(path)));
}
static int f_rename(const char *from, const char *to, unsigned flags) {
  TRY(fault2("rename", from, to));
  char *source = REAL(from), *target = REAL(to);
  if (!strcmp(source, target)) strcpy(strrchr(target, '/'), strrchr(to, '/')); // another spelling
  TRY(result(renameat2(AT_FDCWD, source, AT_FDCWD, target, flags)));
  pthread_mutex_lock(&lock);
  for (struct handle *one = handles; one; one = one->next) {
    size_t length = strlen(from);
    if (!strncmp(one->path, from, length) && (one->path[length] == '/' || !one->path[length])) {
      char *renamed = NULL;
      if (asprintf(&renamed, "%s%s", to, one->path + length) > 0) free(one->path), one->path = renamed;
    }
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
static int f_chmod(const char *path, mode_t mode, struct fuse_file_info *info) {
  TRY(fault("chmod", info ? of(info)->path : path));
  return result(info && !of(info)->dir ? fchmod(of(info)->fd, mode) : chmod(REAL(path), mode));
}
static int f_chown(const char *path, uid_t user, gid_t group, struct fuse_file_info *info) {
  TRY(fault("chown", info ? of(info)->path : path));
  return result(info && !of(info)->dir ? fchown(of(info)->fd, user, group) : lchown(REAL(path), user, group));
}
static int f_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info) {
  TRY(fault("utimes", info ? of(info)->path : path));
  return result(info && !of(info)->dir ? futimens(of(info)->fd, times) : utimensat(AT_FDCWD, REAL(path), times, AT_SYMLINK_NOFOLLOW));
}
static int f_setxattr(const char *path, const char *name, const char *value, size_t size, int flags) {
  TRY(fault("setxattr", path));
  return result(lsetxattr(REAL(path), name, value, size, flags));
}
static int f_getxattr(const char *path, const char *name, char *value, size_t size) {
  TRY(fault("getxattr", path));
  return result(lgetxattr(REAL(path), name, value, size));
}
static int f_listxattr(const char *path, char *names, size_t size) {
  TRY(fault("listxattr", path));
  return result(llistxattr(REAL(path), names, size));
}
static int f_removexattr(const char *path, const char *name) {
  TRY(fault("removexattr", path));
  return result(lremovexattr(REAL(path), name));
}
static int f_statfs(const char *path, struct statvfs *statfs) {
  TRY(fault("statfs", path));
  return result(statvfs(REAL(path), statfs));
}

static void add_rule(char **field) {
  struct rule *rule = calloc(1, sizeof *rule);
  *rule = (struct rule){.number = rule_count, .call = strdup(field[1]), .pattern = strdup(field[3]),
                        .after = atol(field[4]), .times = atol(field[5])};
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++) {
    if (!strcmp(ERRORS[i].name, field[2])) rule->error = ERRORS[i].number;
  }
  if (!rule->error) {
    printf("unknown error %s\n", field[2]);
    return;
  }
  struct rule **at = &rules;
  while (*at) at = &(*at)->next;
  *at = rule;
  printf("%d\n", rule_count++);
}

static void set(const char *name, const char *value) {
  long number = atol(value);
  if (!strcmp(name, "step")) behaviour.step = number;
  else if (!strcmp(name, "rounded")) behaviour.rounded = number;
  else if (!strcmp(name, "earliest")) behaviour.earliest = number;
  else if (!strcmp(name, "latest")) behaviour.latest = number;
  else if (!strcmp(name, "fold")) behaviour.fold = number;
  else if (!strcmp(name, "compose")) behaviour.compose = number;
  else if (!strcmp(name, "strip")) behaviour.strip = number;
  else if (!strcmp(name, "inodes")) behaviour.inodes = number;
  else if (!strcmp(name, "empty")) behaviour.empty = *value ? strdup(value) : NULL;
  else {
    printf("unknown behaviour %s\n", name);
    return;
  }
  puts("done");
}

static void obey(char *line) {
  char *field[6] = {"", "", "", "", "", ""};
  for (int i = 0; i < 6 && line; i++) field[i] = strsep(&line, "\t");
  struct rule *rule = rules;
  while (rule && rule->number != atoi(field[1])) rule = rule->next;
  if (!strcmp(field[0], "rule")) add_rule(field);
  else if (!strcmp(field[0], "set")) set(field[1], field[2]);
  else if (!strcmp(field[0], "hits") && rule) printf("%ld\n", rule->hits);
  else if (!strcmp(field[0], "remove") && rule) rule->removed = 1, puts("done");
  else printf("unknown command %s\n", field[0]);
}

static void *commands(void *unused) {
  (void)unused;
  char *line = NULL;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
    line[length - 1] = 0;
    pthread_mutex_lock(&lock);
    obey(line);
    pthread_cond_broadcast(&removal);
    pthread_mutex_unlock(&lock);
    fflush(stdout);
  }
  pthread_mutex_lock(&lock);
  ending = 1;
  pthread_cond_broadcast(&removal);
  pthread_mutex_unlock(&lock);
  if (umount2(mountpoint, MNT_DETACH)) {
    pid_t child = fork();
    if (!child) execlp("fusermount3", "fusermount3", "-u", "-z", mountpoint, NULL), _exit(1);
    waitpid(child, NULL, 0);
  }
  _exit(0);
}

static void *f_init(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->use_ino = config->nullpath_ok = config->hard_remove = config->direct_io = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, commands, NULL);
  puts("ready");
  fflush(stdout);
  return NULL;
}

static const struct fuse_operations OPERATIONS = {
    .init = f_init, .getattr = f_getattr, .open = f_open, .create = f_create, .read = f_read, .write = f_write, .flush = f_flush,
    .release = f_release, .fsync = f_fsync, .fallocate = f_fallocate, .lseek = f_lseek, .truncate = f_truncate,
    .opendir = f_opendir, .readdir = f_readdir, .releasedir = f_releasedir, .fsyncdir = f_fsyncdir, .readlink = f_readlink,
    .mkdir = f_mkdir, .mknod = f_mknod, .symlink = f_symlink, .link = f_link, .unlink = f_unlink, .rmdir = f_rmdir,
    .rename = f_rename, .chmod = f_chmod, .chown = f_chown, .utimens = f_utimens, .setxattr = f_setxattr,
    .getxattr = f_getxattr, .listxattr = f_listxattr, .removexattr = f_removexattr, .statfs = f_statfs};

int main(int count, char **arguments) {
  if (count != 3) return 2;
  setlocale(LC_CTYPE, "C.UTF-8");
  umask(0);
  backing = realpath(arguments[1], NULL);
  mountpoint = realpath(arguments[2], NULL);
  if (!backing || !mountpoint) return 2;
  char *options = geteuid() ? "fsname=fdt-faulty,subtype=fdt" : "fsname=fdt-faulty,subtype=fdt,allow_other,default_permissions";
  char *all[] = {arguments[0], "-f", "-o", options,
#if FUSE_USE_VERSION == 312
                 "-o", "max_threads=100,max_idle_threads=10",
#endif
                 mountpoint};
  return fuse_main(sizeof all / sizeof *all, all, &OPERATIONS, NULL);
}
