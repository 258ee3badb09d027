package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Reads a possibly incomplete {@link UnitLog}. Stateless; any thread. */
final class LogReader {
  /** The status of an attempt without a summary. */
  private static final int UNKNOWN_STATUS = 1;

  private LogReader() {}

  /** Takes one line. */
  interface Lines {
    void line(String text, Map<String, Object> event) throws FdtException;
  }

  /**
   * Passes all complete lines to a reader; none without a log. Skips lines that are not JSON, which
   * a dying worker left incomplete.
   */
  static void read(Path log, Lines lines) throws FdtException {
    // Not Files.newBufferedReader, which throws at an incomplete character.
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        Optional<Map<String, Object>> event = parsed(line, log);
        if (event.isPresent()) {
          lines.line(line, event.get());
        }
      }
    } catch (NoSuchFileException e) {
      return; // it was claimed by a worker that died at once
    } catch (IOException e) {
      throw PlanFiles.failure("read", log, e);
    }
  }

  private static Optional<Map<String, Object>> parsed(String line, Path log) {
    try {
      return Optional.of(PlanLine.parse(line, log.toString()));
    } catch (FdtException e) {
      return Optional.empty();
    }
  }

  static int exitStatus(Path log) throws FdtException {
    int[] status = {UNKNOWN_STATUS};
    read(
        log,
        (text, event) -> {
          if ("summary".equals(event.get("event"))
              && event.get("exit_status") instanceof Long exit) {
            status[0] = Math.toIntExact(exit);
          }
        });
    return status[0];
  }
}
