package io.fdt.cli.output.text;

import io.fdt.cli.output.TransferView;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;

/** The end of a transfer in one line. Pure. */
public final class SummaryLine {
  /** Compression is mentioned if it reduces the bytes below this share. */
  private static final double LESS = 0.95;

  /** A smaller amount in a shorter time has no rate: the connection took most of the time. */
  private static final long LEAST_BYTES = 1 << 20;

  private static final Duration LEAST_TIME = Duration.ofSeconds(10);

  private SummaryLine() {}

  /**
   * Why existing files stay.
   *
   * @param level by which they count as unchanged; empty when that is not known
   * @param newer how many stay because they are newer than the source
   */
  public record Unchanged(Optional<SyncRule.Level> level, long newer) {}

  /**
   * The end of a transfer.
   *
   * @param hasBackups whether replaced and deleted names are moved to the backups
   * @param unchanged why existing files stay
   */
  public static String of(TransferReport report, boolean hasBackups, Unchanged unchanged) {
    TransferFigures figures = report.figures();
    StringBuilder line = new StringBuilder();
    if (report.failure().isPresent()) {
      line.append("ended early: ");
    } else {
      line.append(
          figures.files().failed() > 0 || report.refusedDeletion().isPresent()
              ? "ended with problems: "
              : "done: ");
    }
    line.append(moved(report));
    line.append(" in ").append(NumberText.duration(report.elapsed()));
    double rate = BitRate.mean(figures.bytesDone(), report.elapsed());
    boolean isLong = report.elapsed().compareTo(LEAST_TIME) >= 0;
    if (rate > 0 && (isLong || figures.bytesDone() >= LEAST_BYTES)) {
      line.append(" (").append(NumberText.rate(rate)).append(')');
    }
    if (figures.wireBytes() > 0 && figures.wireBytes() < LESS * figures.bytesDone()) {
      line.append(", sent as ").append(NumberText.bytes(figures.wireBytes()));
    }
    if (figures.bytesKept() > 0) {
      line.append(", ").append(NumberText.bytes(figures.bytesKept())).append(" were there already");
    }
    if (figures.bytesMatched() > 0) {
      line.append(", ")
          .append(NumberText.bytes(figures.bytesMatched()))
          .append(" taken from the replaced files");
    }
    if (figures.files().done() > 0 && figures.links() > 0) {
      line.append(", made ").append(NumberText.count(figures.links(), "link"));
    }
    if (figures.attributesChanged() > 0) {
      line.append(", changed mode, owner or time of ").append(entries(figures.attributesChanged()));
    }
    appendUnchanged(line, figures.files().unchanged(), unchanged);
    report
        .refusedDeletion()
        .ifPresent(code -> line.append(", nothing deleted (").append(reason(code)).append(')'));
    if (figures.files().failed() > 0) {
      line.append(", ").append(failed(report));
    }
    if (figures.files().failedBytes() > 0) {
      line.append(", ")
          .append(NumberText.bytes(figures.files().failedBytes()))
          .append(" still to copy");
    }
    append(line, figures.skipped(), "skipped");
    if (hasBackups) {
      append(line, figures.gone(), "moved to the backups");
    } else {
      append(line, figures.deleted(), "deleted");
    }
    if (figures.blocksRepeated() > 0) {
      line.append(", ")
          .append(NumberText.count(figures.blocksRepeated(), "block"))
          .append(" sent again");
    }
    boolean complete =
        report.failure().isEmpty()
            && figures.files().failed() == 0
            && report.refusedDeletion().isEmpty();
    if (complete && figures.files().done() > 0) {
      line.append(
          report.construction().equals(Checksum.NONE.text())
              ? ", not compared (checksum none)"
              : ", %s verified (%s)"
                  .formatted(
                      figures.files().unchanged() == 0
                          ? "all"
                          : NumberText.count(figures.files().done()),
                      report.construction()));
    }
    return line.toString();
  }

  /** The files and their bytes; without files, the links or directories. */
  private static String moved(TransferReport report) {
    TransferFigures figures = report.figures();
    boolean hasFiles = figures.files().done() > 0 || figures.bytesDone() > 0;
    if (!hasFiles && figures.links() > 0) {
      return NumberText.count(figures.links(), "link");
    }
    boolean isOnlyDirectories =
        !hasFiles
            && figures.directories() > 0
            && figures.files().unchanged() == 0
            && figures.files().failed() == 0;
    if (isOnlyDirectories) {
      return directories(report);
    }
    long total = figures.files().total();
    boolean someFailed =
        figures.files().failed() > 0
            && figures.totalsAreFinal()
            && figures.files().done() + figures.files().unchanged() < total;
    return (someFailed ? NumberText.count(figures.files().done()) + " of " : "")
        + NumberText.count(someFailed ? total : figures.files().done(), "file")
        + ", "
        + NumberText.bytes(figures.bytesDone());
  }

  private static String directories(TransferReport report) {
    return NumberText.count(report.figures().directories())
        + (report.figures().directories() == 1 ? " directory" : " directories");
  }

  /** The end of a dry run. */
  static String ofDryRun(TransferReport report, boolean hasBackups, Unchanged unchanged) {
    TransferFigures figures = report.figures();
    StringBuilder line = new StringBuilder("dry run: would copy ");
    line.append(NumberText.count(figures.files().due(), "file"));
    long changed = figures.files().replaced();
    StringJoiner kinds = new StringJoiner(", ", " (", ")").setEmptyValue("");
    if (figures.files().due() > changed) {
      kinds.add(NumberText.count(figures.files().due() - changed) + " new");
    }
    if (changed > 0) {
      kinds.add(NumberText.count(changed) + " changed");
    }
    line.append(kinds);
    line.append(", ").append(NumberText.bytes(figures.bytesDue()));
    appendMade(line, report);
    if (figures.attributesChanged() > 0) {
      line.append(", change mode, owner or time of ").append(entries(figures.attributesChanged()));
    }
    appendUnchanged(line, figures.files().unchanged(), unchanged);
    report
        .refusedDeletion()
        .ifPresent(
            code -> line.append(", nothing would be deleted (").append(reason(code)).append(')'));
    append(line, figures.files().failed(), "could not be transferred");
    append(line, figures.skipped(), "skipped");
    long deleted = report.refusedDeletion().isEmpty() ? figures.deleted() : 0;
    if (hasBackups) {
      append(line, figures.gone() - figures.deleted() + deleted, "would be moved to the backups");
    } else {
      append(line, deleted, "would be deleted");
    }
    return line.toString();
  }

  /** The end of a test of the network. */
  public static String of(
      NettestRequest request, TransferReport report, Optional<Bottleneck> limit) {
    return "nettest: %s, %s, %s, %s, %s%s"
        .formatted(
            NumberText.duration(report.elapsed()),
            NumberText.bytes(report.figures().bytesDone()),
            NumberText.networkRate(BitRate.mean(report.figures().bytesDone(), report.elapsed())),
            NumberText.count(request.streams(), "stream"),
            request.direction().name().toLowerCase(Locale.ROOT),
            limit.map(text -> ", limited by " + text.text()).orElse(""));
  }

  /** The end after an interruption. */
  static String interrupted(TransferProgress progress) {
    TransferFigures figures = progress.figures();
    if (figures.files().total() == 0) {
      return "interrupted before any file was found";
    }
    String of = figures.totalsAreFinal() ? " of " : " of at least ";
    String bytes =
        figures.bytesOfAll() == 0
            ? ""
            : ", "
                + NumberText.bytes(figures.bytesThere())
                + of
                + NumberText.bytes(figures.bytesOfAll())
                + " written";
    return "interrupted: %s%s%s done%s"
        .formatted(
            NumberText.count(figures.files().done() + figures.files().unchanged()),
            of,
            NumberText.count(figures.files().total(), "file"),
            bytes);
  }

  /** Files, links or directories. */
  private static String entries(long count) {
    return NumberText.count(count) + (count == 1 ? " entry" : " entries");
  }

  private static void appendUnchanged(StringBuilder line, long count, Unchanged unchanged) {
    append(line, unchanged.newer(), "kept: newer than the source");
    long equal = Math.max(0, count - unchanged.newer());
    if (unchanged.level().equals(Optional.of(SyncRule.Level.EXISTS))) {
      append(line, equal, equal == 1 ? "kept: exists already" : "kept: exist already");
      return;
    }
    String by =
        unchanged
            .level()
            .flatMap(TransferView::unchangedBy)
            .map(text -> " by " + text.replace('-', ' '))
            .orElse("");
    append(line, equal, "unchanged" + by);
  }

  private static String reason(ErrorCode refusal) {
    return refusal == ErrorCode.TOO_MANY ? "more than --max-delete" : "the source is empty";
  }

  /** Appends created directories and links: they are not files, but changes. */
  private static void appendMade(StringBuilder line, TransferReport report) {
    TransferFigures figures = report.figures();
    String directories = directories(report);
    String links = NumberText.count(figures.links(), "link");
    if (figures.directories() > 0 && figures.links() > 0) {
      line.append(", make ").append(directories).append(" and ").append(links);
    } else if (figures.directories() > 0) {
      line.append(", make ").append(directories);
    } else if (figures.links() > 0) {
      line.append(", make ").append(links);
    }
  }

  /**
   * Describes failures. A deletion begins only after everything has been transferred; otherwise a
   * file may have arrived without its mode, or not at all, and each is named.
   */
  private static String failed(TransferReport report) {
    TransferFigures figures = report.figures();
    return figures.deleted() > 0
        ? NumberText.count(figures.files().failed()) + " not deleted"
        : NumberText.count(figures.files().failed(), "problem");
  }

  private static void append(StringBuilder line, long count, String what) {
    if (count > 0) {
      line.append(", ").append(NumberText.count(count)).append(' ').append(what);
    }
  }
}
