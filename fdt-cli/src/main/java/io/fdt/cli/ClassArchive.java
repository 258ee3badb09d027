package io.fdt.cli;

import io.fdt.cli.process.ProcessImage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Makes {@link StartFiles}: a separate program, run by the build, the installation of a package
 * and, in the background, by {@link Launcher}.
 *
 * <p>The archive has the classes that a server and its clients load (the resource fdt.classes,
 * which scripts/class-list.sh records), all of FDT's own, and those of the JDK's own archive, which
 * it replaces. Unknown names are skipped.
 */
public final class ClassArchive {
  private static final long DUMP_SECONDS = 300;
  private static final String OWN_CLASSES = "io/fdt/";
  private static final String CLASS = ".class";

  private static final String IN_CACHE = "--cache";

  ClassArchive() {}

  /**
   * Makes the files for the jar of this program, next to it or, with {@code --cache DIR}, in that
   * {@link StartCache}.
   */
  public static void main(String[] arguments) throws InterruptedException, URISyntaxException {
    try {
      make(arguments);
    } catch (IOException e) {
      System.err.println("fdt: no archive of classes: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void make(String[] arguments)
      throws IOException, InterruptedException, URISyntaxException {
    Path jar = ProcessImage.jar();
    if (jar == null) {
      throw new IOException("not run from a jar");
    }
    ClassArchive maker = new ClassArchive();
    if (arguments.length == 2 && arguments[0].equals(IN_CACHE)) {
      StartCache cache = StartCache.open(Path.of(arguments[1]));
      if (cache != null) {
        cache.make(jar, maker::make);
      }
    } else {
      maker.makeBeside(jar);
    }
  }

  /** The arguments that make this program fill a cache. */
  static List<String> argumentsForCache(Path cache) {
    return List.of(ClassArchive.class.getName(), IN_CACHE, cache.toString());
  }

  private void makeBeside(Path jar) throws IOException, InterruptedException {
    Path directory = jar.resolveSibling("");
    // The stamp is removed first and written last.
    Files.deleteIfExists(directory.resolve(StartFiles.STAMP));
    Path made = Files.createTempDirectory(directory, ".fdt-start-");
    try {
      make(jar, made, directory);
      for (String name :
          List.of(StartFiles.ARCHIVE, StartFiles.LIBRARIES, StartFiles.OPTIONS, StartFiles.STAMP)) {
        StartFiles.remove(directory.resolve(name));
        Files.move(made.resolve(name), directory.resolve(name));
      }
    } finally {
      StartFiles.remove(made);
    }
  }

  /**
   * Makes the files for a jar.
   *
   * @param directory an empty directory for the files
   * @param later their final directory
   */
  void make(Path jar, Path directory, Path later) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    String stamp = StartFiles.stamp(jar);
    Path classes = directory.resolve("fdt.classes");
    Files.write(classes, classes(jar));
    dump(jar, classes, directory.resolve(StartFiles.ARCHIVE));
    Files.delete(classes);
    Path libraries = directory.resolve(StartFiles.LIBRARIES);
    unpack(jar, Files.createDirectory(libraries));
    List<String> options =
        JvmOptions.of(
            later.resolve(StartFiles.ARCHIVE),
            later.resolve(StartFiles.LIBRARIES),
            Runtime.version().feature());
    // dist/fdt compares the first two lines with the files in place.
    Files.writeString(
        directory.resolve(StartFiles.OPTIONS),
        "# "
            + identity(Path.of("/proc/self/exe").toRealPath())
            + "\n# "
            + identity(jar)
            + '\n'
            + JvmOptions.argumentFile(options));
    Files.writeString(directory.resolve(StartFiles.STAMP), stamp);
    if (!StartFiles.stamp(jar).equals(stamp)) {
      throw new IOException(jar + " changed meanwhile");
    }
    force(directory);
  }

  /** The output of {@code stat -c '%n %s %Y'}. */
  private static String identity(Path file) throws IOException {
    long modified = Files.getLastModifiedTime(file).to(TimeUnit.SECONDS);
    return file + " " + Files.size(file) + " " + modified;
  }

  private static Collection<String> classes(Path jar) throws IOException {
    Set<String> lines = new LinkedHashSet<>();
    Path ofJava = Path.of(System.getProperty("java.home"), "lib", "classlist");
    if (Files.isReadable(ofJava)) {
      try (InputStream list = Files.newInputStream(ofJava)) {
        addLines(lines, list);
      }
    }
    try (InputStream list = ClassArchive.class.getResourceAsStream("fdt.classes")) {
      if (list != null) {
        addLines(lines, list);
      }
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        String name = entry.getName();
        if (name.startsWith(OWN_CLASSES) && name.endsWith(CLASS)) {
          lines.add(name.substring(0, name.length() - CLASS.length()));
        }
      }
    }
    return lines;
  }

  private static void addLines(Set<String> lines, InputStream list) throws IOException {
    BufferedReader reader = new BufferedReader(new InputStreamReader(list, StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      // Drops lines with class numbers, which some JVMs write: the numbers of several lists would
      // clash.
      if (!line.startsWith("#") && !line.contains(" source: ")) {
        lines.add(line.replaceFirst(" id: \\d+$", ""));
      }
    }
  }

  private static void dump(Path jar, Path classes, Path archive)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:dump",
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
            "-XX:+UseSerialGC",
            "-XX:SharedClassListFile=" + classes,
            "-XX:SharedArchiveFile=" + archive,
            "-jar",
            jar.toString());
    Process dump =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      if (!dump.waitFor(DUMP_SECONDS, TimeUnit.SECONDS) || dump.exitValue() != 0) {
        throw new IOException("the JVM made no archive of classes");
      }
    } finally {
      dump.destroyForcibly();
    }
    Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString("rw-r--r--"));
  }

  private static void unpack(Path jar, Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    String netty = "META-INF/native/libnetty_";
    List<String> libraries =
        switch (System.getProperty("os.arch")) {
          case "amd64" ->
              List.of(
                  "com/sun/jna/linux-x86-64/libjnidispatch.so",
                  netty + "transport_native_epoll_x86_64.so",
                  netty + "tcnative_linux_x86_64.so");
          case "aarch64" ->
              List.of(
                  "com/sun/jna/linux-aarch64/libjnidispatch.so",
                  netty + "transport_native_epoll_aarch_64.so",
                  netty + "tcnative_linux_aarch_64.so");
          default -> List.of(); // each start unpacks its own
        };
    try (JarFile file = new JarFile(jar.toFile())) {
      for (String library : libraries) {
        Path unpacked = directory.resolve(library.substring(library.lastIndexOf('/') + 1));
        try (InputStream packed = file.getInputStream(file.getJarEntry(library))) {
          Files.copy(packed, unpacked, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.setPosixFilePermissions(unpacked, PosixFilePermissions.fromString("rw-r--r--"));
      }
    }
  }

  /**
   * Forces the files to the disk: after a crash of the machine, a JVM would map an incomplete
   * archive.
   */
  private static void force(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      try (DirectoryStream<Path> inside = Files.newDirectoryStream(path)) {
        for (Path file : inside) {
          force(file);
        }
      }
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
