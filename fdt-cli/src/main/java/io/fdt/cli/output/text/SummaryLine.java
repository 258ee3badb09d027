package io.fdt.cli.output.text;

import io.fdt.cli.output.NumberText;
import io.fdt.cli.output.TransferView;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.SyncRule;
import java.util.Locale;
import java.util.Optional;

/** The end of a transfer in one line. Pure. */
public final class SummaryLine {
  /** Compression is mentioned below this share of the bytes. */
  private static final double LESS = 0.95;

  private SummaryLine() {}

  /**
   * The end of a transfer.
   *
   * @param movesDeleted whether deleted files are moved to the backups
   * @param level by which existing files count as unchanged; empty when that is not known
   */
  public static String of(
      TransferReport report, boolean movesDeleted, Optional<SyncRule.Level> level) {
    StringBuilder line = new StringBuilder();
    if (report.failure().isPresent()) {
      line.append("ended early: ");
    } else {
      line.append(
          report.filesFailed() > 0 || report.refusedDeletion().isPresent()
              ? "ended with problems: "
              : "done: ");
    }
    line.append(moved(report));
    line.append(" in ").append(NumberText.duration(report.elapsed()));
    String rate = NumberText.meanRate(report.bytes(), report.elapsed());
    line.append(rate.isEmpty() ? "" : " (" + rate + ")");
    if (report.wireBytes() > 0 && report.wireBytes() < LESS * report.bytes()) {
      line.append(", sent as ").append(NumberText.bytes(report.wireBytes()));
    }
    if (report.bytesKept() > 0) {
      line.append(", ").append(NumberText.bytes(report.bytesKept())).append(" were there already");
    }
    if (report.filesDone() > 0 && report.links() > 0) {
      line.append(", made ").append(NumberText.count(report.links(), "link"));
    }
    if (report.attributesChanged() > 0) {
      line.append(", changed mode, owner or time of ")
          .append(NumberText.count(report.attributesChanged()));
    }
    append(line, report.filesUnchanged(), "unchanged" + by(level));
    report
        .refusedDeletion()
        .ifPresent(code -> line.append(", nothing deleted (").append(reason(code)).append(')'));
    if (report.filesFailed() > 0) {
      line.append(", ").append(failed(report));
    }
    append(line, report.skipped(), "skipped");
    append(line, report.deleted(), movesDeleted ? "moved to the backups" : "deleted");
    if (report.blocksRepeated() > 0) {
      line.append(", ")
          .append(NumberText.count(report.blocksRepeated(), "block"))
          .append(" sent again");
    }
    boolean complete =
        report.failure().isEmpty()
            && report.filesFailed() == 0
            && report.refusedDeletion().isEmpty();
    if (complete && report.filesDone() > 0) {
      line.append(
          report.construction().equals(Checksum.NONE.text())
              ? ", not compared (checksum none)"
              : ", %s verified (%s)"
                  .formatted(
                      report.filesUnchanged() == 0 ? "all" : NumberText.count(report.filesDone()),
                      report.construction()));
    }
    return line.toString();
  }

  /** Files and their bytes; without files, links or directories. */
  private static String moved(TransferReport report) {
    boolean hasFiles = report.filesDone() > 0 || report.bytes() > 0;
    if (!hasFiles && report.links() > 0) {
      return NumberText.count(report.links(), "link");
    }
    boolean isOnlyDirectories =
        !hasFiles
            && report.directories() > 0
            && report.filesUnchanged() == 0
            && report.filesFailed() == 0;
    if (isOnlyDirectories) {
      return directories(report);
    }
    return NumberText.count(report.filesDone(), "file") + ", " + NumberText.bytes(report.bytes());
  }

  private static String directories(TransferReport report) {
    return NumberText.count(report.directories())
        + (report.directories() == 1 ? " directory" : " directories");
  }

  /** The end of a dry run. */
  static String ofDryRun(
      TransferReport report, boolean movesDeleted, Optional<SyncRule.Level> level) {
    StringBuilder line = new StringBuilder("dry run: would copy ");
    line.append(NumberText.count(report.filesDue(), "file"));
    line.append(", ").append(NumberText.bytes(report.bytesDue()));
    appendMade(line, report);
    if (report.attributesChanged() > 0) {
      line.append(", change mode, owner or time of ")
          .append(NumberText.count(report.attributesChanged()));
    }
    append(line, report.filesUnchanged(), "unchanged" + by(level));
    report
        .refusedDeletion()
        .ifPresent(
            code -> line.append(", nothing would be deleted (").append(reason(code)).append(')'));
    append(line, report.filesFailed(), "could not be transferred");
    append(line, report.skipped(), "skipped");
    if (report.refusedDeletion().isEmpty()) {
      append(
          line,
          report.deleted(),
          movesDeleted ? "would be moved to the backups" : "would be deleted");
    }
    return line.toString();
  }

  /** The end of a test of the network. */
  public static String of(NettestRequest request, TransferReport report) {
    String rate = NumberText.meanRate(report.bytes(), report.elapsed());
    return "nettest: %s, %s, %s, %s, %s"
        .formatted(
            NumberText.duration(report.elapsed()),
            NumberText.bytes(report.bytes()),
            rate.isEmpty() ? NumberText.rate(0) : rate,
            NumberText.count(request.streams(), "stream"),
            request.direction().name().toLowerCase(Locale.ROOT));
  }

  /** The end after an interruption. */
  static String interrupted(TransferProgress progress) {
    if (progress.filesTotal() == 0) {
      return "interrupted before any file was found";
    }
    String of = progress.totalsAreFinal() ? " of " : " of at least ";
    String bytes =
        progress.bytesTotal() == 0
            ? ""
            : ", "
                + NumberText.bytes(progress.bytesDone())
                + of
                + NumberText.bytes(progress.bytesTotal())
                + " written";
    return "interrupted: %s%s%s done%s; run the same command again to continue"
        .formatted(
            NumberText.count(progress.filesDone() + progress.filesUnchanged()),
            of,
            NumberText.count(progress.filesTotal(), "file"),
            bytes);
  }

  /** How files were found unchanged. */
  private static String by(Optional<SyncRule.Level> level) {
    return level
        .flatMap(TransferView::unchangedBy)
        .map(text -> " by " + text.replace('-', ' '))
        .orElse("");
  }

  private static String reason(ErrorCode refusal) {
    return refusal == ErrorCode.TOO_MANY ? "more than --max-delete" : "the source is empty";
  }

  /** Directories and links are no files, but changes. */
  private static void appendMade(StringBuilder line, TransferReport report) {
    String directories = directories(report);
    String links = NumberText.count(report.links(), "link");
    if (report.directories() > 0 && report.links() > 0) {
      line.append(", make ").append(directories).append(" and ").append(links);
    } else if (report.directories() > 0) {
      line.append(", make ").append(directories);
    } else if (report.links() > 0) {
      line.append(", make ").append(links);
    }
  }

  /**
   * A deletion begins only after everything has been transferred. Otherwise a file may have arrived
   * without its mode, or not at all; each is named.
   */
  private static String failed(TransferReport report) {
    return report.deleted() > 0
        ? NumberText.count(report.filesFailed()) + " not deleted"
        : NumberText.count(report.filesFailed(), "problem");
  }

  private static void append(StringBuilder line, long count, String what) {
    if (count > 0) {
      line.append(", ").append(NumberText.count(count)).append(' ').append(what);
    }
  }
}
