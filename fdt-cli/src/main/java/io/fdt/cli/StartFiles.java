package io.fdt.cli;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The files of {@link ClassArchive} with which one jar starts quickly with one Java.
 *
 * <pre>
 *   fdt.jsa         the classes as the JVM keeps them in memory
 *   fdt.jsa.stamp   their Java and jar; written last
 *   fdt.native/     the native libraries that each start would otherwise unpack from the jar
 *   fdt.jvm         the options of the JVM, for the script that starts the installed command
 * </pre>
 *
 * <p>Their contents are executed: files that others than root or the user can change are ignored.
 *
 * @param archive the archive of classes
 * @param libraries the native libraries; null if there are none to trust
 */
record StartFiles(Path archive, Path libraries) {
  static final String ARCHIVE = "fdt.jsa";
  static final String STAMP = "fdt.jsa.stamp";
  static final String LIBRARIES = "fdt.native";
  static final String OPTIONS = "fdt.jvm";

  private static final int OTHERS_MAY_WRITE = 0022;
  private static final int STICKY = 01000;

  /** The text of the stamp of files for this jar and the Java that runs now. */
  static String stamp(Path jar) throws IOException {
    FileTime modified = Files.getLastModifiedTime(jar);
    return System.getProperty("java.vm.version")
        + '\n'
        + jar
        + '\n'
        + Files.size(jar)
        + ' '
        + modified.to(TimeUnit.SECONDS)
        + '\n';
  }

  /**
   * The files in a directory, if they fit the jar and only root or the given user can have changed
   * them; else null.
   */
  static StartFiles in(Path directory, String stamp, int user) throws IOException {
    Path archive = directory.resolve(ARCHIVE);
    Path stampFile = directory.resolve(STAMP);
    // The JVM separates names of archives by colons.
    if (!Files.isRegularFile(archive)
        || !Files.exists(stampFile)
        || archive.toString().contains(":")
        || !isTrusted(archive, user)
        || !isTrusted(stampFile, user)
        || !Files.readString(stampFile).equals(stamp)) {
      return null;
    }
    return new StartFiles(archive, librariesIn(directory, user));
  }

  private static Path librariesIn(Path directory, int user) {
    Path libraries = directory.resolve(LIBRARIES);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(libraries)) {
      boolean areTrusted = isTrusted(libraries, user);
      for (Path file : files) {
        areTrusted &= isTrusted(file, user);
      }
      return areTrusted ? libraries : null;
    } catch (IOException | DirectoryIteratorException e) {
      return null; // each start unpacks them
    }
  }

  /** The user id of the owner of a file. */
  static int owner(Path file) throws IOException {
    return (int) attributes(file).get("uid");
  }

  /** Whether this is not a link, and only root or this user can change it. */
  static boolean isTrusted(Path file, int user) throws IOException {
    Map<String, Object> found = attributes(file);
    int owner = (int) found.get("uid");
    return (owner == user || owner == 0)
        && ((int) found.get("mode") & OTHERS_MAY_WRITE) == 0
        && !Boolean.TRUE.equals(found.get("isSymbolicLink"));
  }

  /**
   * Whether only root or this user can exchange files in this directory and those above it. Others
   * may add names to a sticky one, such as /tmp, but not exchange them.
   */
  static boolean isTrustedPath(Path realDirectory, int user) throws IOException {
    for (Path at = realDirectory; at != null; at = at.getParent()) {
      Map<String, Object> found = attributes(at);
      int mode = (int) found.get("mode");
      int owner = (int) found.get("uid");
      boolean isOurs = owner == user || owner == 0;
      boolean isSticky = (mode & STICKY) != 0 && !at.equals(realDirectory);
      boolean mayOthersWrite = (mode & OTHERS_MAY_WRITE) != 0;
      if (!isOurs || (mayOthersWrite && !isSticky)) {
        return false;
      }
    }
    return true;
  }

  private static Map<String, Object> attributes(Path file) throws IOException {
    // Reads numeric ids: names need the user database, which may be remote.
    return Files.readAttributes(file, "unix:uid,mode,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
  }

  /** Removes a file or a directory of files, if it exists. */
  static void remove(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> inside = Files.newDirectoryStream(path)) {
        for (Path file : inside) {
          remove(file);
        }
      } catch (NoSuchFileException e) {
        return; // another process was quicker
      }
    }
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException e) {
      return; // another process has put its files there
    }
  }
}
