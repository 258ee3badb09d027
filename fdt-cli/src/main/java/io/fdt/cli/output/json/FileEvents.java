package io.fdt.cli.output.json;

import io.fdt.cli.output.TransferView;
import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.SyncRule;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** The outcome of each file as a JSON object. On the threads of the transfer. */
public class FileEvents implements TransferListener {
  private final Consumer<String> target;
  private final Optional<SyncRule.Level> level;
  private final Optional<BytePath> backups;

  /**
   * @param target takes the objects, each on one line
   * @param level by which existing files count as unchanged; empty when that is not known
   * @param backups where deleted names are moved to; empty when they are removed, or not known
   */
  public FileEvents(
      Consumer<String> target, Optional<SyncRule.Level> level, Optional<BytePath> backups) {
    this.target = target;
    this.level = level;
    this.backups = backups;
  }

  private static String verified(DoneFile file) {
    if (file.digest().isEmpty()) {
      return "none";
    }
    return file.resumed() ? "digest-resumed" : "digest";
  }

  @Override
  public void fileDone(DoneFile file) {
    JsonEvent event =
        event("done")
            .withPath(file.path())
            .with("bytes", file.size())
            .with("verified", verified(file));
    if (!file.digest().isEmpty()) {
      event.with("checksum", file.construction()).with("digest", file.digest());
    }
    target.accept(event.line());
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    target.accept(
        event("unchanged")
            .withPath(file.path())
            .with("bytes", file.size())
            .with(
                "unchanged_by",
                file.newer() ? Optional.of("newer") : level.flatMap(TransferView::unchangedBy))
            .line());
  }

  @Override
  public void fileDue(FoundFile file) {
    target.accept(
        event("due")
            .withPath(file.path())
            .with("bytes", file.size())
            .with("bytes_due", file.bytesToMove())
            .with("new", !file.replaces())
            .line());
  }

  @Override
  public void deleted(DeletedName name) {
    JsonEvent event =
        new JsonEvent("deleted")
            .withPath(name.path())
            .with("kind", name.kind().map(Enum::name).orElse("OTHER").toLowerCase(Locale.ROOT))
            .with("pretended", name.pretended());
    backups.ifPresent(directory -> event.with("backups", directory.toString()));
    target.accept(event.line());
  }

  @Override
  public void problem(FileProblem problem) {
    if (problem.isOfDeletion()) {
      target.accept(error(problem.code(), problem.message()));
      return;
    }
    JsonEvent event = event(problem.skipped() ? "skipped" : "failed");
    if (!problem.path().isEmpty()) {
      event.withPath(problem.path());
    }
    target.accept(event.withError(problem.code(), problem.message()).line());
  }

  private static JsonEvent event(String outcome) {
    return new JsonEvent("file").with("fate", outcome);
  }

  /** A failure of no single file. */
  static String error(ErrorCode code, String message) {
    return new JsonEvent("error").withError(code, message).line();
  }
}
