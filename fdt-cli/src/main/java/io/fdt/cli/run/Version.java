package io.fdt.cli.run;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Prints version, revision, Java, and the native parts that this machine can use. */
public record Version() implements Command {
  @Override
  public int run(CommandContext context) {
    context.screen().line(line());
    return 0;
  }

  private static String line() {
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

  /** The version in the manifest of the jar. */
  private static String version() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }

  /** The revision that scripts/revision.sh wrote. */
  private static String revision() {
    try (InputStream revision = Version.class.getResourceAsStream("/io/fdt/cli/revision")) {
      return revision == null
          ? "unknown"
          : new String(revision.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** Calls Netty by name: the command does not depend on it. */
  private static String usable(String part) {
    try {
      Object isAvailable = Class.forName(part).getMethod("isAvailable").invoke(null);
      return Boolean.TRUE.equals(isAvailable) ? "usable" : "not usable";
    } catch (ReflectiveOperationException | LinkageError e) {
      return "not usable";
    }
  }
}
