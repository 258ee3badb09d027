package io.fdt.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The {@link StartFiles} of this user, for jars that have none beside them.
 *
 * <pre>
 *   ~/.cache/fdt/start-KEY/       complete: made under another name, forced to the disk, renamed
 *   ~/.cache/fdt/start-KEY.tried  its time: the last attempt to make them
 *   ~/.cache/fdt/making-.../      being made, or left by a maker that was killed
 * </pre>
 *
 * <p>KEY stands for the jar and the Java. The cache is used only if this user or root own the
 * directory and all above it, and only they can write them. Stateless; any process.
 */
final class StartCache {
  /**
   * The directory in place of the default; "off", or any text that is not a path, disables the
   * cache.
   */
  private static final String VARIABLE = "FDT_CACHE";

  private static final Path PROCESS = Path.of("/proc/self");

  /** The minimum time between attempts, which may fail, for example with a full disk. */
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofHours(1);

  /** The age of unfinished files of a killed process; making them takes seconds. */
  private static final Duration MAKING = Duration.ofHours(1);

  /** The number of kept entries, 40 MB each: for two Java versions and an older jar. */
  private static final int KEPT = 3;

  /** Makes the files for a jar. */
  @FunctionalInterface
  interface Maker {
    /**
     * Makes the files.
     *
     * @param directory an empty directory for the files
     * @param later their final directory
     */
    void make(Path jar, Path directory, Path later) throws IOException, InterruptedException;
  }

  private final Path directory;
  private final int user;

  private StartCache(Path directory, int user) {
    this.directory = directory;
    this.user = user;
  }

  /** The cache directory of a user; null if it is off or there is no home. */
  static Path place(Map<String, String> environment, String userHome) {
    String chosen = environment.getOrDefault(VARIABLE, "");
    if (!chosen.isEmpty()) {
      return chosen.startsWith("/") ? Path.of(chosen) : null;
    }
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    if (caches.startsWith("/")) {
      return Path.of(caches, "fdt");
    }
    return userHome.startsWith("/") ? Path.of(userHome, ".cache", "fdt") : null;
  }

  /** The cache, if it exists and can be trusted; otherwise null. */
  static StartCache open(Path place) throws IOException {
    if (place == null || !Files.isDirectory(place)) {
      return null;
    }
    // The user of this process, even if HOME belongs to another user.
    int user = StartFiles.owner(PROCESS.toRealPath());
    Path directory = place.toRealPath();
    boolean isOurs = StartFiles.owner(directory) == user;
    return isOurs && StartFiles.isTrustedPath(directory, user)
        ? new StartCache(directory, user)
        : null;
  }

  /** The cache, whose directory is made if necessary. */
  static StartCache make(Path place) throws IOException {
    if (place != null && !Files.exists(place)) {
      Files.createDirectories(
          place,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return open(place);
  }

  /** The files for this jar and the Java that runs now; null if there are none. */
  StartFiles find(Path jar) throws IOException {
    String stamp = StartFiles.stamp(jar);
    Path files = directory.resolve(key(stamp));
    return Files.isDirectory(files, LinkOption.NOFOLLOW_LINKS) && StartFiles.isTrusted(files, user)
        ? StartFiles.in(files, stamp, user)
        : null;
  }

  private static String key(String stamp) {
    CRC32 sum = new CRC32();
    sum.update((stamp + System.getProperty("os.arch")).getBytes(StandardCharsets.UTF_8));
    return "start-" + Long.toHexString(1L << 32 | sum.getValue()).substring(1);
  }

  /**
   * Whether the caller should make the files for this jar: true for at most one of several callers,
   * and once an hour.
   */
  boolean claim(Path jar) throws IOException {
    Path tried = directory.resolve(key(StartFiles.stamp(jar)) + ".tried");
    try {
      Files.createFile(tried);
      return true;
    } catch (FileAlreadyExistsException e) {
      boolean isOld = isOlder(tried, BETWEEN_ATTEMPTS);
      if (isOld) {
        Files.setLastModifiedTime(tried, FileTime.from(Instant.now()));
      }
      return isOld;
    }
  }

  /**
   * Makes the files for a jar. They appear complete or not at all; the files of a slower concurrent
   * maker are dropped.
   */
  void make(Path jar, Maker maker) throws IOException, InterruptedException {
    removeLeftovers();
    String stamp = StartFiles.stamp(jar);
    Path made = Files.createTempDirectory(directory, "making-");
    try {
      maker.make(jar, made, directory.resolve(key(stamp)));
      if (find(jar) == null) {
        StartFiles.remove(directory.resolve(key(stamp)));
        moveUnlessThere(made, directory.resolve(key(stamp)));
      }
    } finally {
      StartFiles.remove(made);
    }
    Files.deleteIfExists(directory.resolve(key(stamp) + ".tried"));
    removeOld(directory.resolve(key(stamp)));
  }

  /** Renames the files; the rename fails if another maker was quicker. */
  private static void moveUnlessThere(Path made, Path place) throws IOException {
    try {
      Files.move(made, place, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.exists(place.resolve(StartFiles.STAMP))) {
        throw e;
      }
    }
  }

  private void removeLeftovers() throws IOException {
    for (Path path : list("making-*")) {
      if (isOlder(path, MAKING)) {
        StartFiles.remove(path);
      }
    }
  }

  /** Keeps the newest files, except those of jars that are gone. */
  private void removeOld(Path newest) throws IOException {
    List<Path> all = list("start-????????");
    all.remove(newest);
    all.sort(Comparator.comparing((Path path) -> path.toFile().lastModified()).reversed());
    int kept = 1;
    for (Path path : all) {
      if (kept < KEPT && isOfJarThatIsThere(path)) {
        kept++;
      } else {
        StartFiles.remove(path);
      }
    }
    for (Path tried : list("start-????????.tried")) {
      if (isOlder(tried, BETWEEN_ATTEMPTS)) {
        Files.deleteIfExists(tried);
      }
    }
  }

  private static boolean isOfJarThatIsThere(Path files) throws IOException {
    Path stamp = files.resolve(StartFiles.STAMP);
    if (!Files.isRegularFile(stamp)) {
      return false;
    }
    List<String> lines = Files.readAllLines(stamp);
    return lines.size() == 3 && new File(lines.get(1)).exists();
  }

  private List<Path> list(String pattern) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory, pattern)) {
      for (Path path : paths) {
        found.add(path);
      }
    }
    return found;
  }

  private static boolean isOlder(Path path, Duration age) throws IOException {
    Instant changed = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toInstant();
    return changed.plus(age).isBefore(Instant.now());
  }
}
