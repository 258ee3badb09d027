package io.fdt.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What this program is: the line of {@code fdt --version}, and the name it is called by. */
final class About {
  private static final String JAR = "java -jar fdt.jar";

  /** The same in a man page, where a dash has an escape. */
  private static final String JAR_IN_ROFF = "java \\-jar fdt.jar";

  private About() {}

  /** Version, revision, Java, and which native parts this machine can use. */
  static String line() {
    return "fdt "
        + version()
        + " (Java "
        + Runtime.version()
        + ", revision "
        + revision()
        + ", epoll "
        + usable("io.netty.channel.epoll.Epoll")
        + ", BoringSSL "
        + usable("io.netty.handler.ssl.OpenSsl")
        + ")";
  }

  /** What the build wrote into the manifest of the jar. */
  private static String version() {
    String version = About.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }

  /** What scripts/revision.sh wrote. */
  private static String revision() {
    try (InputStream revision = About.class.getResourceAsStream("revision")) {
      return revision == null
          ? "unknown"
          : new String(revision.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** By its name: nothing else of the command knows the library of the network. */
  private static String usable(String part) {
    try {
      Object isAvailable = Class.forName(part).getMethod("isAvailable").invoke(null);
      return Boolean.TRUE.equals(isAvailable) ? "usable" : "not usable";
    } catch (ReflectiveOperationException | LinkageError e) {
      return "not usable";
    }
  }

  /**
   * A text of the command with the name by which it was started: help and errors say {@code java
   * -jar fdt.jar}; the script dist/fdt sets another one.
   */
  static String named(String text) {
    String name = System.getProperty("fdt.command");
    if (name == null) {
      return text;
    }
    String named = text;
    for (String jar : List.of(JAR, JAR_IN_ROFF)) {
      named = named.replace("       (fdt stands for: " + jar + ")\n", "").replace(jar, name);
    }
    return named;
  }
}
