package io.fdt.cli;

import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Where the process begins: {@code java -jar fdt.jar} says nothing about the machine that Java
 * should be, and most of a short transfer's time would go into loading and compiling classes.
 *
 * <p>Where the build's archive of loaded classes ({@code fdt.jsa}) stands beside the jar, the
 * process replaces itself, once, by a Java machine that maps the archive and compiles lightly. It
 * stays the same process: number, terminal, open files and signals are as they were. Without the
 * archive, with one of another place or another Java, with options of the user's own for Java, or
 * where replacing fails, the command simply runs as it is.
 */
public final class Launcher {
  /** Set in the machine that replaced the first one. */
  private static final String REPLACED = "fdt.replaced";

  /**
   * Where JNA looks for libraries, of which we load none; unless told it asks a process, ldconfig.
   */
  private static final String JNA_LIBRARIES = "jna.platform.library.path";

  /** Where JNA finds its own library; otherwise it unpacks that of the jar, for each start. */
  private static final String JNA_OWN = "jna.boot.library.path";

  /** Where Netty looks for its own before it does the same. */
  private static final String NETTY_OWN = "java.library.path";

  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
  private static final Path JAVA = Path.of("/proc/self/exe");

  private Launcher() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    if (System.getProperty(REPLACED) == null) {
      replaceMachine(arguments);
    }
    Main.main(arguments);
  }

  private static void replaceMachine(String[] arguments) {
    try {
      Path archive = fittingArchive();
      if (archive == null || optionsFromEnvironment()) {
        return;
      }
      List<byte[]> line = ProgramArguments.items(Files.readAllBytes(COMMAND_LINE));
      // "java -jar fdt.jar" and the arguments: anything more is somebody's choice of a machine.
      if (line.size() != arguments.length + 3) {
        return;
      }
      List<byte[]> replacement = new ArrayList<>();
      replacement.add(line.get(0));
      for (String option : options(archive, Runtime.version().feature(), arguments)) {
        replacement.add(ByteText.encode(option));
      }
      Path libraries = unpackedLibraries(archive);
      if (libraries != null) {
        System.setProperty(JNA_OWN, libraries.toString());
        replacement.add(ByteText.encode("-D" + JNA_OWN + "=" + libraries));
        replacement.add(ByteText.encode("-D" + NETTY_OWN + "=" + libraries));
      }
      replacement.addAll(line.subList(1, line.size()));
      System.setProperty(JNA_LIBRARIES, "/lib");
      ProcessImage.replace(Files.readSymbolicLink(JAVA).toString(), replacement);
    } catch (IOException | URISyntaxException | LinkageError e) {
      // A file system without /proc, a JNA that cannot be loaded: slower, and right.
      return;
    }
  }

  /** What the second machine gets for a command. */
  private static List<String> options(Path archive, int javaVersion, String[] arguments) {
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
        "-Xlog:disable",
        // The second compiler takes long: it is left to what runs very often, as SHA-256 does,
        // and the first one writes nothing down for it.
        "-XX:Tier4InvocationThreshold=500000",
        "-XX:Tier4MinInvocationThreshold=200000",
        "-XX:Tier4CompileThreshold=800000",
        "-XX:Tier4BackEdgeThreshold=4000000",
        // The first one is quick, and much of what runs often is loops over batches, which are
        // called seldom: Java's own thresholds let them be interpreted for 60,000 rounds.
        "-XX:Tier3MinInvocationThreshold=10",
        "-XX:Tier3CompileThreshold=1000",
        "-XX:Tier3BackEdgeThreshold=3000",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:-C1UpdateMethodData",
        "-XX:-C1ProfileCalls",
        "-XX:-C1ProfileVirtualCalls",
        "-XX:-C1ProfileInlinedCalls",
        "-XX:-C1ProfileBranches",
        "-XX:-C1ProfileCheckcasts",
        "-XX:+UseSerialGC",
        "-D" + JNA_LIBRARIES + "=/lib",
        // Events of Netty's buffers for the flight recorder: loading it takes a tenth of a second.
        "-Dio.netty.jfr.enabled=false");
    if (isForFirstCompiler(arguments)) {
      options.add("-XX:TieredStopAtLevel=1");
    }
    return options;
  }

  /**
   * Whether the first compiler does for a command: the second one is for digests, of which it knows
   * all but CRC32C better, and for encryption where that is left to Java. A server learns only from
   * its clients what they want.
   */
  static boolean isForFirstCompiler(String... arguments) {
    boolean isServer =
        arguments.length == 0 || arguments[0].startsWith("-") || arguments[0].equals("serve");
    boolean needsSecond = false;
    for (String argument : arguments) {
      isServer &= !isOption(argument, "-c") && !isOption(argument, "--connect");
      needsSecond |= isOption(argument, "--checksum") || isOption(argument, "--encrypt");
    }
    return !isServer && !needsSecond;
  }

  private static boolean isOption(String argument, String name) {
    return argument.equals(name) || argument.startsWith(name + "=");
  }

  /**
   * The archive beside the jar when it was made of this jar at this place by this Java, and by
   * somebody who could have changed the jar as well: what is in it becomes classes. Else null.
   */
  private static Path fittingArchive() throws IOException, URISyntaxException {
    CodeSource source = Launcher.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return null;
    }
    Path jar = Path.of(source.getLocation().toURI()).toRealPath();
    Path archive = jar.resolveSibling("fdt.jsa");
    Path stamp = jar.resolveSibling("fdt.jsa.stamp");
    // A colon separates the names of archives.
    if (!Files.isRegularFile(archive) || !Files.exists(stamp) || archive.toString().contains(":")) {
      return null;
    }
    PosixFileAttributes ofJar = attributes(jar);
    String expected =
        System.getProperty("java.vm.version")
            + '\n'
            + jar
            + '\n'
            + ofJar.size()
            + ' '
            + ofJar.lastModifiedTime().to(TimeUnit.SECONDS)
            + '\n';
    return isTrusted(archive, ofJar) && Files.readString(stamp).equals(expected) ? archive : null;
  }

  /**
   * The directory of what the jar has packed, beside the archive; null when it is not there, or
   * anybody else could have changed it.
   */
  private static Path unpackedLibraries(Path archive) {
    Path directory = archive.resolveSibling("fdt.native");
    try (DirectoryStream<Path> libraries = Files.newDirectoryStream(directory)) {
      PosixFileAttributes ofArchive = attributes(archive);
      boolean areTrusted = isTrusted(directory, ofArchive);
      for (Path library : libraries) {
        areTrusted &= isTrusted(library, ofArchive);
      }
      return areTrusted ? directory : null;
    } catch (IOException | DirectoryIteratorException e) {
      return null; // each start unpacks them, then
    }
  }

  /** Whether only root or the owner of what is trusted already could have made it. */
  private static boolean isTrusted(Path file, PosixFileAttributes trusted) throws IOException {
    PosixFileAttributes found = attributes(file);
    return !found.isSymbolicLink()
        && (found.owner().equals(trusted.owner()) || found.owner().getName().equals("root"))
        && !found.permissions().contains(PosixFilePermission.GROUP_WRITE)
        && !found.permissions().contains(PosixFilePermission.OTHERS_WRITE);
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean optionsFromEnvironment() {
    return System.getenv("JDK_JAVA_OPTIONS") != null
        || System.getenv("JAVA_TOOL_OPTIONS") != null
        || System.getenv("_JAVA_OPTIONS") != null;
  }
}
