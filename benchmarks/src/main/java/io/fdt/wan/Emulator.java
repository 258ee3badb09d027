package io.fdt.wan;

import io.fdt.compare.OwnServer.Place;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Makes two hosts that are joined by a {@link Link}. */
interface Emulator {
  /** Two hosts and the path between them, until they are closed. */
  interface Hosts extends AutoCloseable {
    /** The host of the source. */
    Place source();

    /** The host of the destination. */
    Place destination();

    /** Options for each client that replace properties which this emulator lacks. */
    default List<String> options() {
      return List.of();
    }

    /**
     * Changes the path while it is in use.
     *
     * @throws IOException also when this emulator cannot do so
     */
    void change(Link link) throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Creates two hosts.
   *
   * @param name of letters and digits, at most 8; existing hosts of this name are removed
   */
  Hosts up(String name, Link link) throws IOException;

  /** The program that emulates the paths, for the report. */
  String what();

  /** The command in FDT_WAN if set, otherwise the kernel's netem. */
  static Emulator ofEnvironment() throws IOException {
    String command = System.getenv("FDT_WAN");
    return command == null || command.isBlank()
        ? NetemEmulator.orExplain()
        : new CommandEmulator(command.strip());
  }

  /**
   * Runs a command to its end.
   *
   * @return the output
   * @throws IOException if the command fails, with its output
   */
  static String call(Map<String, String> environment, List<String> command) throws IOException {
    // Not a pipe: background processes of the command may hold it open.
    Path output = Files.createTempFile("fdt-wan-", ".txt");
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.redirectOutput(output.toFile()).environment().putAll(environment);
      Process process = builder.redirectInput(new File("/dev/null")).start();
      boolean ended = process.waitFor(60, TimeUnit.SECONDS);
      String printed = Files.readString(output, StandardCharsets.UTF_8);
      if (!ended || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(
            "%s: %s: %s"
                .formatted(
                    String.join(" ", command),
                    ended ? "status " + process.exitValue() : "still running after 60 s",
                    printed.strip()));
      }
      return printed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(String.join(" ", command));
    } finally {
      Files.deleteIfExists(output);
    }
  }

  /** Like {@link #call}, but ignores failures. */
  static void callAnyway(List<String> command) {
    try {
      call(Map.of(), command);
    } catch (IOException e) {
      // Nothing with that name exists.
    }
  }
}
