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
    /** Where the data is. */
    Place source();

    /** Where the data goes. */
    Place destination();

    /** Words for each client, where the path alone does not do all that was asked. */
    default List<String> options() {
      return List.of();
    }

    /**
     * Changes the path under what uses it.
     *
     * @throws IOException also when this emulator cannot
     */
    void change(Link link) throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Makes them.
   *
   * @param name of letters and digits, at most 8; whatever has this name already is removed
   */
  Hosts up(String name, Link link) throws IOException;

  /** The program that emulates the paths, for the report. */
  String what();

  /** FDT_WAN's command where there is one, otherwise the kernel's netem. */
  static Emulator ofEnvironment() throws IOException {
    String command = System.getenv("FDT_WAN");
    return command == null || command.isBlank()
        ? NetemEmulator.orExplain()
        : new CommandEmulator(command.strip());
  }

  /**
   * Runs a command to its end.
   *
   * @return what it printed
   * @throws IOException if it fails, with what it printed
   */
  static String call(Map<String, String> environment, List<String> command) throws IOException {
    // Not a pipe: what the command leaves behind may hold it open.
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

  /** Like {@link #call}, for what may not be there. */
  static void callAnyway(List<String> command) {
    try {
      call(Map.of(), command);
    } catch (IOException e) {
      // nothing of that name was left
    }
  }
}
