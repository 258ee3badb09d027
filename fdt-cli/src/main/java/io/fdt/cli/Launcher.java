package io.fdt.cli;

import io.fdt.core.manifest.ByteText;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where the process begins: {@code java -jar fdt.jar} says nothing about the machine that Java
 * should be, and most of a short transfer's time would go into loading and compiling classes.
 *
 * <p>Where the build's archive of loaded classes ({@code fdt.jsa}) stands beside the jar, the
 * process replaces itself, once, by a Java machine that maps the archive and compiles lightly. It
 * stays the same process: number, terminal, open files and signals are as they were. Without the
 * archive, with options of the user's own for Java, or where replacing fails, the command simply
 * runs as it is.
 */
public final class Launcher {
  /** Set in the machine that replaced the first one. */
  private static final String REPLACED = "fdt.replaced";

  /**
   * Where JNA looks for libraries, of which we load none; unless told it asks a process, ldconfig.
   */
  private static final String JNA_LIBRARIES = "jna.platform.library.path";

  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
  private static final Path JAVA = Path.of("/proc/self/exe");

  private Launcher() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    if (System.getProperty(REPLACED) == null) {
      replaceMachine(arguments.length);
    }
    Main.main(arguments);
  }

  private static void replaceMachine(int argumentCount) {
    try {
      Path archive = archiveBesideJar();
      if (archive == null || optionsFromEnvironment()) {
        return;
      }
      List<byte[]> line = ProgramArguments.items(Files.readAllBytes(COMMAND_LINE));
      // "java -jar fdt.jar" and the arguments: anything more is somebody's choice of a machine.
      if (line.size() != argumentCount + 3) {
        return;
      }
      List<byte[]> replacement = new ArrayList<>();
      replacement.add(line.get(0));
      for (String option : options(archive, Runtime.version().feature())) {
        replacement.add(ByteText.encode(option));
      }
      replacement.addAll(line.subList(1, line.size()));
      System.setProperty(JNA_LIBRARIES, "/lib");
      ProcessImage.replace(Files.readSymbolicLink(JAVA).toString(), replacement);
    } catch (IOException | URISyntaxException | LinkageError e) {
      // A file system without /proc, a JNA that cannot be loaded: slower, and right.
      return;
    }
  }

  /**
   * What the second machine gets. The data path waits in the kernel and computes checksums in
   * intrinsics, which the first compiler has as well: the second compiler and the collector's
   * threads would take more processor time than they give back.
   */
  static List<String> options(Path archive, int javaVersion) {
    List<String> options = new ArrayList<>();
    // Netty and Protobuf use what these versions warn of.
    if (javaVersion >= 23) {
      options.add("--sun-misc-unsafe-memory-access=allow");
    }
    Collections.addAll(
        options,
        "-D" + REPLACED + "=true",
        "-XX:SharedArchiveFile=" + archive,
        "-Xshare:auto",
        // An archive of another Java or another jar is not used, and not worth a word.
        "-Xlog:disable",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-D" + JNA_LIBRARIES + "=/lib",
        // Events of Netty's buffers for the flight recorder: loading it takes a tenth of a second.
        "-Dio.netty.jfr.enabled=false");
    return options;
  }

  private static Path archiveBesideJar() throws URISyntaxException {
    CodeSource source = Launcher.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return null;
    }
    Path archive = Path.of(source.getLocation().toURI()).resolveSibling("fdt.jsa");
    return Files.isReadable(archive) ? archive.toAbsolutePath() : null;
  }

  private static boolean optionsFromEnvironment() {
    return System.getenv("JDK_JAVA_OPTIONS") != null || System.getenv("JAVA_TOOL_OPTIONS") != null;
  }
}
