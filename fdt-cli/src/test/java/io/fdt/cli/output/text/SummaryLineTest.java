package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FileProblem;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.unit.ByteSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SummaryLineTest {
  private static final SummaryLine.Unchanged MTIME =
      new SummaryLine.Unchanged(Optional.of(SyncRule.Level.MTIME), 0);

  private static final long FIVE_GIB = 5L << 30;

  @Test
  void everythingArrived() {
    assertThat(SummaryLine.of(report(Optional.empty(), FIVE_GIB, 1234, 3, 0, 0, 0), false, MTIME))
        .isEqualTo(
            "done: 1,234 files, 5.00 GiB in 12.3 s (416 MiB/s), 3 unchanged by size and time,"
                + " 1,234 verified (crc32c)");
  }

  @Test
  void noRateIsShownOfWhatTookNoTime() {
    assertThat(SummaryLine.of(lasting(600, 8), false, MTIME))
        .isEqualTo("done: 1 file, 8 B in 0.6 s, all verified (crc32c)");
    assertThat(SummaryLine.of(lasting(600, 64 << 20), false, MTIME))
        .startsWith("done: 1 file, 64.0 MiB in 0.6 s (107 MiB/s)");
    assertThat(SummaryLine.of(lasting(20_000, 500 << 10), false, MTIME))
        .startsWith("done: 1 file, 500 KiB in 20.0 s (25.0 KiB/s)");
    assertThat(SummaryLine.of(lasting(0, 64 << 20), false, MTIME))
        .isEqualTo("done: 1 file, 64.0 MiB in 0.0 s, all verified (crc32c)");
  }

  private static TransferReport lasting(long millis, long bytes) {
    TransferReport made = made(bytes, 1, 0, 0, 0);
    return new TransferReport(
        made.sessionId(),
        made.failure(),
        made.failureMessage(),
        made.figures(),
        made.construction(),
        Duration.ofMillis(millis),
        made.problems());
  }

  @Test
  void nothingHadToMove() {
    assertThat(SummaryLine.of(report(Optional.empty(), 0, 0, 7, 0, 0, 0), false, MTIME))
        .isEqualTo("done: 0 files, 0 B in 12.3 s, 7 unchanged by size and time");
  }

  @Test
  void linksAndDirectoriesAreNoFiles() {
    assertThat(SummaryLine.of(made(0, 0, 0, 2, 3), false, MTIME))
        .isEqualTo("done: 3 links in 12.3 s");
    assertThat(SummaryLine.of(made(0, 0, 7, 2, 1), false, MTIME))
        .isEqualTo("done: 1 link in 12.3 s, 7 unchanged by size and time");
    assertThat(SummaryLine.of(made(0, 0, 0, 1200, 0), false, MTIME))
        .isEqualTo("done: 1,200 directories in 12.3 s");
    assertThat(SummaryLine.of(made(0, 0, 0, 1, 0), false, MTIME))
        .isEqualTo("done: 1 directory in 12.3 s");
    assertThat(SummaryLine.of(made(0, 0, 7, 1, 0), false, MTIME))
        .isEqualTo("done: 0 files, 0 B in 12.3 s, 7 unchanged by size and time");
    assertThat(SummaryLine.of(made(1024, 1, 0, 1, 2), false, MTIME))
        .isEqualTo(
            "done: 1 file, 1.00 KiB in 12.3 s (83 B/s), made 2 links, all verified (crc32c)");
  }

  private static TransferReport made(
      long bytes, long filesDone, long filesUnchanged, long directories, long links) {
    return new TransferReport(
        "session",
        Optional.empty(),
        "",
        new TransferFigures(
            new TransferFigures.Files(filesDone, filesUnchanged, 0, 0, 0, 0, 0),
            bytes,
            0,
            0,
            0,
            bytes,
            0,
            directories,
            links,
            0,
            0,
            0,
            0,
            true),
        "crc32c",
        Duration.ofMillis(12_300),
        List.of());
  }

  @Test
  void someFilesAreMissing() {
    assertThat(SummaryLine.of(report(Optional.empty(), FIVE_GIB, 1230, 0, 4, 2, 1), false, MTIME))
        .isEqualTo(
            "ended with problems: 1,230 files, 5.00 GiB in 12.3 s (416 MiB/s), 4 problems,"
                + " 2 skipped, 1 block sent again");
  }

  @Test
  void aDeletionThatWasNotAllowedLeavesNothingBehindThatWasToMove() {
    FileProblem tooMany = new FileProblem("", false, ErrorCode.TOO_MANY, "11 names");

    assertThat(SummaryLine.of(deletion(0, tooMany), false, MTIME))
        .isEqualTo(
            "ended with problems: 0 files, 0 B in 12.3 s, nothing deleted (more than"
                + " --max-delete)");
    assertThat(deletion(0, tooMany).exitStatus()).isEqualTo(1);
    assertThat(SummaryLine.ofDryRun(deletion(11, tooMany), false, MTIME))
        .isEqualTo(
            "dry run: would copy 0 files, 0 B, nothing would be deleted (more than --max-delete)");
    assertThat(SummaryLine.of(deletion(2, problem("no")), false, MTIME))
        .isEqualTo("ended with problems: 0 files, 0 B in 12.3 s, 1 not deleted, 2 deleted");
  }

  @Test
  void withBackupsNothingIsDeleted() {
    assertThat(SummaryLine.of(deletion(2), true, MTIME))
        .isEqualTo("done: 0 files, 0 B in 12.3 s, 2 moved to the backups");
    assertThat(SummaryLine.ofDryRun(deletion(2), true, MTIME))
        .isEqualTo("dry run: would copy 0 files, 0 B, 2 would be moved to the backups");
  }

  @Test
  void itEndedBeforeItsTime() {
    assertThat(
            SummaryLine.of(
                report(Optional.of(ErrorCode.TIMEOUT), 1024, 1, 0, 0, 0, 0), false, MTIME))
        .isEqualTo("ended early: 1 file, 1.00 KiB in 12.3 s (83 B/s)");
  }

  @Test
  void theNetworkWasMeasured() {
    NettestRequest request =
        new NettestRequest(
            TransferRequest.Direction.PULL,
            4,
            Duration.ofSeconds(10),
            ByteSize.ofBytes(1 << 20),
            ByteSize.ofBytes(0));

    TransferReport much = report(Optional.empty(), 11_500_000_000L, 0, 0, 0, 0, 0);
    assertThat(SummaryLine.of(request, much, Optional.empty()))
        .isEqualTo("nettest: 12.3 s, 10.7 GiB, 892 MiB/s (7.48 Gbit/s), 4 streams, pull");
    TransferReport nothing = report(Optional.empty(), 0, 0, 0, 0, 0, 0);
    assertThat(SummaryLine.of(request, nothing, Optional.of(Bottleneck.RATE_LIMIT)))
        .isEqualTo(
            "nettest: 12.3 s, 0 B, 0 B/s (0 bit/s), 4 streams, pull, limited by the rate limit");
  }

  @Test
  void somebodyEndedIt() {
    assertThat(SummaryLine.interrupted(progress(true)))
        .isEqualTo("interrupted: 1,003 of 2,000 files done, 1.20 MiB of 4.00 GiB written");
    assertThat(SummaryLine.interrupted(progress(false)))
        .isEqualTo(
            "interrupted: 1,003 of at least 2,000 files done, 1.20 MiB of at least 4.00 GiB"
                + " written");
    assertThat(
            SummaryLine.interrupted(
                new TransferProgress(
                    new TransferFigures(
                        new TransferFigures.Files(0, 0, 0, 0, 0, 0, 0),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        false),
                    0,
                    Duration.ofSeconds(1),
                    Duration.ZERO,
                    "")))
        .isEqualTo("interrupted before any file was found");
  }

  @Test
  void aProblemNamesItsPathOnce() {
    assertThat(TextView.problemLine(problem("cannot open 'data/x': permission denied")))
        .isEqualTo("cannot open 'data/x': permission denied");
    assertThat(TextView.problemLine(problem("cannot open '/a/data/x': permission denied")))
        .isEqualTo("cannot open '/a/data/x': permission denied");
    assertThat(TextView.problemLine(problem("permission denied on the source")))
        .isEqualTo("data/x: permission denied on the source");
  }

  @Test
  void whatIsNeverCopiedIsSkipped() {
    assertThat(
            TextView.problemLine(
                new FileProblem("/d/fifo", true, ErrorCode.IO, "a device, socket or FIFO")))
        .isEqualTo("skipped /d/fifo: a device, socket or FIFO");
  }

  @Test
  void aNameThatIsAWordOfTheMessageIsNotLost() {
    String message = "not copied, but listed: --expect SUMS line 1";
    assertThat(TextView.problemLine(new FileProblem("a", false, ErrorCode.NOT_FOUND, message)))
        .isEqualTo("a: " + message);
    assertThat(TextView.problemLine(new FileProblem("", false, ErrorCode.IO, message)))
        .isEqualTo(message);
    assertThat(TextView.problemLine(problem("cannot write 'data/x.journal': no space left")))
        .isEqualTo("data/x: cannot write 'data/x.journal': no space left");
  }

  private static FileProblem problem(String message) {
    return new FileProblem("data/x", false, ErrorCode.PERMISSION, message);
  }

  private static TransferProgress progress(boolean totalsAreFinal) {
    return new TransferProgress(
        new TransferFigures(
            new TransferFigures.Files(1000, 3, 0, 0, 0, 2000, 0),
            258_291,
            (4L << 30) - 1_000_000,
            900_000,
            100_000,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            totalsAreFinal),
        4,
        Duration.ofSeconds(1),
        Duration.ZERO,
        "");
  }

  private static TransferReport report(
      Optional<ErrorCode> failure,
      long bytes,
      long filesDone,
      long filesUnchanged,
      long filesFailed,
      long skipped,
      long blocksRepeated) {
    return report(
        failure, bytes, filesDone, filesUnchanged, filesFailed, skipped, 0, blocksRepeated);
  }

  private static TransferReport deletion(long deleted, FileProblem... problems) {
    long failed = Stream.of(problems).filter(one -> !one.path().isEmpty()).count();
    return report(Optional.empty(), 0, 0, 0, failed, 0, deleted, 0, problems);
  }

  private static TransferReport report(
      Optional<ErrorCode> failure,
      long bytes,
      long filesDone,
      long filesUnchanged,
      long filesFailed,
      long skipped,
      long deleted,
      long blocksRepeated,
      FileProblem... problems) {
    return new TransferReport(
        "session",
        failure,
        "why",
        new TransferFigures(
            new TransferFigures.Files(filesDone, filesUnchanged, 0, filesFailed, 0, 0, 0),
            bytes,
            0,
            0,
            0,
            bytes,
            0,
            0,
            0,
            0,
            skipped,
            deleted,
            blocksRepeated,
            true),
        "crc32c",
        Duration.ofMillis(12_300),
        List.of(problems));
  }
}
