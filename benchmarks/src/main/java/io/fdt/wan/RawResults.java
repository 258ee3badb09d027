package io.fdt.wan;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** The file of raw results: append-only, one {@link Run} per line. Thread-safe. */
final class RawResults {
  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final List<Run> runs = new ArrayList<>();
  private final Set<Cell> measured = new HashSet<>();

  /** Reads existing results. An incomplete last line is from an interrupted run. */
  RawResults(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file)) {
      String text = Files.readString(file);
      String whole = text.substring(0, text.lastIndexOf('\n') + 1);
      if (whole.length() < text.length()) {
        Files.writeString(file, whole);
      }
      whole.lines().forEach(line -> note(JSON.readValue(line, Run.class)));
    }
  }

  private void note(Run run) {
    runs.add(run);
    if (run.problem() == null) {
      measured.add(run.cell());
    }
  }

  synchronized boolean has(Cell cell) {
    return measured.contains(cell);
  }

  synchronized void add(Run run) throws IOException {
    Files.write(
        file,
        (JSON.writeValueAsString(run) + "\n").getBytes(StandardCharsets.UTF_8),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    note(run);
  }

  /** Successful results. */
  synchronized List<Run> good() {
    return runs.stream().filter(run -> run.problem() == null).toList();
  }

  /** Failed results without a later success. */
  synchronized List<Run> failed() {
    return runs.stream()
        .filter(run -> run.problem() != null && !measured.contains(run.cell()))
        .toList();
  }
}
