package io.fdt.cli;

import io.fdt.cli.process.ProcessImage;
import io.fdt.client.ClientHome;
import io.fdt.core.model.ByteText;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The main class of the jar. {@code java -jar fdt.jar} cannot carry JVM options, and a short
 * transfer would spend most of its time on loading and compiling classes.
 *
 * <p>With {@link StartFiles} beside the jar or in the cache of the user, the process replaces
 * itself, once, by a JVM that maps the archive of classes and compiles lightly. Process number,
 * terminal, open files, ignored signals and signal mask stay. Without such files the command runs
 * in this JVM, and a background process fills the cache afterwards. The command also runs in this
 * JVM with JVM options that may contradict the measured ones, or if the replacement fails.
 */
public final class Launcher {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private Launcher() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    if (System.getProperty(JvmOptions.REPLACED) == null && !optionsFromEnvironment()) {
      replaceMachine(arguments);
    }
    Main.main(arguments);
  }

  private static void replaceMachine(String[] arguments) {
    try {
      Path jar = ProcessImage.jar();
      if (jar == null) {
        return;
      }
      List<byte[]> line = ProgramArguments.items(Files.readAllBytes(COMMAND_LINE));
      // "java", options, "-jar", "fdt.jar" and the arguments.
      int options = line.size() - arguments.length - 3;
      if (options < 0 || !Arrays.equals(line.get(options + 1), ByteText.encode("-jar"))) {
        return;
      }
      for (byte[] option : line.subList(1, options + 1)) {
        if (!JvmOptions.goesWithOthers(ByteText.decode(option))) {
          return;
        }
      }
      StartFiles files = startFiles(jar);
      if (files != null) {
        replaceMachine(files, line, arguments);
      }
    } catch (IOException | URISyntaxException | LinkageError e) {
      // Without /proc or JNA, the command runs in this JVM.
      return;
    }
  }

  /** The files beside the jar or in the cache; null if they do not exist yet. */
  private static StartFiles startFiles(Path jar) throws IOException {
    StartFiles beside =
        StartFiles.in(jar.resolveSibling(""), StartFiles.stamp(jar), StartFiles.owner(jar));
    if (beside != null) {
      return beside;
    }
    Path place =
        StartCache.place(
            System.getenv(), ClientHome.ofUser(System.getenv(), System.getProperty("user.home")));
    if (place == null) {
      return null;
    }
    StartCache cache = StartCache.open(place);
    StartFiles cached = cache == null ? null : cache.find(jar);
    if (cached == null) {
      Runtime.getRuntime().addShutdownHook(new AfterRun(jar, place));
    }
    return cached;
  }

  private static void replaceMachine(StartFiles files, List<byte[]> line, String[] arguments)
      throws IOException {
    List<byte[]> replacement = new ArrayList<>();
    replacement.add(line.get(0));
    List<String> options =
        JvmOptions.of(files.archive(), files.libraries(), Runtime.version().feature());
    options.addAll(JvmOptions.ofCompilers(arguments));
    for (String option : options) {
      replacement.add(ByteText.encode(option));
    }
    replacement.addAll(line.subList(1, line.size()));
    if (files.libraries() != null) {
      System.setProperty(JvmOptions.JNA_OWN, files.libraries().toString());
    }
    System.setProperty(JvmOptions.JNA_LIBRARIES, "/lib");
    ProcessImage.replace(replacement);
  }

  private static boolean optionsFromEnvironment() {
    return System.getenv("JDK_JAVA_OPTIONS") != null
        || System.getenv("JAVA_TOOL_OPTIONS") != null
        || System.getenv("_JAVA_OPTIONS") != null;
  }

  /**
   * Fills the cache from a background process after the transfer. It has the lowest priority, no
   * terminal, and none of this process's open files.
   */
  private static final class AfterRun extends Thread {
    private final Path jar;
    private final Path place;

    AfterRun(Path jar, Path place) {
      super("fdt-after-run");
      this.jar = jar;
      this.place = place;
    }

    @Override
    public void run() {
      try {
        StartCache cache = StartCache.make(place);
        if (cache == null || !cache.claim(jar)) {
          return;
        }
        List<String> command = new ArrayList<>(List.of("setsid", "nice", "-n", "19"));
        command.add(ProcessImage.java());
        command.addAll(List.of("-XX:+UseSerialGC", JvmOptions.FIRST_COMPILER_ONLY, "-cp"));
        command.add(jar.toString());
        command.addAll(ClassArchive.argumentsForCache(place));
        ProcessBuilder maker = new ProcessBuilder(command).directory(new File("/"));
        // Tokens are for this process only.
        maker.environment().keySet().removeIf(name -> name.startsWith("FDT_"));
        maker
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
      } catch (IOException e) {
        // For example a full disk, or missing commands: the next runs start slowly, too.
        return;
      }
    }
  }
}
