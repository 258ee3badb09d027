package io.fdt.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Several sessions of one transfer: reported files and totals. */
class PastSessionsTest {
  private static final Duration ELAPSED = Duration.ofSeconds(9);
  private static final int SIZE = 1000;

  private final List<String> events = new ArrayList<>();
  private final ReportedOnce reported = new ReportedOnce(new Listener());

  @Test
  void aFileThatAnEarlierSessionHasMovedIsReportedOnceAndIsNotUnchanged() {
    done("a");
    unchanged("b");
    PastSessions past =
        PastSessions.NONE.and(report(SIZE + 300, 0, 1, 1), reported.bytesOfDone(), none());
    reported.again();
    unchanged("a");
    unchanged("b");
    unchanged("c");
    done("d");

    assertThat(events).containsExactly("done a", "unchanged b", "unchanged c", "done d");
    TransferReport whole = past.whole(ended(SIZE, 300, 1, 3), reported, ELAPSED);
    assertThat(whole.figures().files().done()).isEqualTo(2);
    assertThat(whole.figures().files().unchanged()).isEqualTo(2);
    assertThat(whole.figures().bytesDone()).isEqualTo(2 * SIZE + 300);
    assertThat(whole.figures().bytesKept()).as("it was this transfer that left them").isZero();
    assertThat(whole.elapsed()).isEqualTo(ELAPSED);
  }

  @Test
  void whatTransfersBeforeHadWrittenIsKeptOnce() {
    PastSessions past =
        PastSessions.NONE.and(report(200, 500, 0, 0), reported.bytesOfDone(), none());
    reported.again();
    done("a"); // 500 existed, 200 arrived in the first session

    TransferReport whole = past.whole(ended(300, 700, 1, 0), reported, ELAPSED);

    assertThat(whole.figures().bytesKept()).isEqualTo(500);
    assertThat(whole.figures().bytesDone()).isEqualTo(500);
  }

  @Test
  void whatASecondSessionFindsOfFilesThatTheFirstHasNotReachedIsKept() {
    done("a");
    PastSessions past =
        PastSessions.NONE.and(report(SIZE, 0, 1, 0), reported.bytesOfDone(), none());
    reported.again();

    assertThat(past.whole(ended(100, 900, 1, 1), reported, ELAPSED).figures().bytesKept())
        .isEqualTo(900);
  }

  @Test
  void aFileThatChangedBetweenTwoSessionsIsOneFile() {
    done("a");
    PastSessions past =
        PastSessions.NONE.and(report(SIZE, 0, 1, 0), reported.bytesOfDone(), none());
    reported.again();
    done("a");

    assertThat(events).containsExactly("done a");
    assertThat(past.whole(ended(SIZE, 0, 1, 0), reported, ELAPSED).figures().files().done())
        .isEqualTo(1);
  }

  @Test
  void whatWasDeletedIsSummedUpUnlessItIsOnlyPretended() {
    PastSessions past = PastSessions.NONE.and(report(0, 0, 0, 0), reported.bytesOfDone(), none());
    TransferReport last = ended(0, 0, 0, 0);

    assertThat(past.whole(last, reported, ELAPSED).figures().deleted()).isEqualTo(4);
    PastSessions pretended = PastSessions.NONE.after(none());
    assertThat(pretended.whole(last, reported, ELAPSED).figures().deleted()).isEqualTo(2);
    reported.deleted(new DeletedName("x", Optional.empty(), true));
    reported.again();
    reported.deleted(new DeletedName("x", Optional.empty(), true));
    assertThat(events).containsExactly("deleted x");
  }

  @Test
  void theSameProblemIsReportedOnceAndAnotherOneOfTheSameFileAgain() {
    reported.problem(new FileProblem("a", false, ErrorCode.IO, "broken"));
    reported.again();
    reported.problem(new FileProblem("a", false, ErrorCode.IO, "broken"));
    reported.problem(new FileProblem("a", false, ErrorCode.IO, "gone"));

    assertThat(events).containsExactly("problem broken", "problem gone");
  }

  @Test
  void whatIsShownDoesNotFallBackUntilAllFilesAreKnownAgain() {
    TransferProgress shown = progress(500, 9000, 5, 4, 20, true);
    PastSessions past = PastSessions.NONE.and(report(500, 0, 5, 4), reported.bytesOfDone(), shown);
    reported.again();

    TransferProgress soon = past.whole(progress(10, 100, 0, 1, 3, false), reported, ELAPSED);
    assertThat(soon.figures().bytesDone()).isEqualTo(510);
    assertThat(soon.figures().bytesTotal()).isEqualTo(9000);
    assertThat(soon.figures().files().done()).isEqualTo(5);
    assertThat(soon.figures().files().unchanged()).isEqualTo(4);
    assertThat(soon.figures().files().total()).isEqualTo(20);
    TransferProgress later = past.whole(progress(10, 8400, 0, 4, 19, true), reported, ELAPSED);
    assertThat(later.figures().bytesTotal()).isEqualTo(8900);
    assertThat(later.figures().files().total()).isEqualTo(19);
  }

  @Test
  void pathsAreRememberedUpToABound() {
    ReportedPaths files = new ReportedPaths(5000);
    for (int i = 0; i < 10_000; i++) {
      files.add("directory/file" + i);
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(files.contains("directory/file" + i)).as("%d", i).isEqualTo(i < 5000);
    }
  }

  private void done(String path) {
    reported.fileDone(new DoneFile(() -> path, SIZE, false, "crc32c", new byte[0]));
  }

  private void unchanged(String path) {
    reported.fileUnchanged(new FoundFile(() -> path, SIZE, 0, false));
  }

  private static TransferProgress none() {
    return TransferProgress.none(Duration.ZERO);
  }

  private static TransferProgress progress(
      long bytes, long total, long done, long unchanged, long files, boolean isFinal) {
    return new TransferProgress(
        new TransferFigures(
            new TransferFigures.Files(done, unchanged, 0, 0, 0, files, 0),
            bytes,
            total,
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
            isFinal),
        4,
        Duration.ZERO,
        Duration.ZERO,
        "");
  }

  /** The report of a lost session. */
  private static TransferReport report(long bytes, long kept, long done, long unchanged) {
    return report(Optional.of(ErrorCode.UNREACHABLE), bytes, kept, done, unchanged);
  }

  /** The report of a complete session. */
  private static TransferReport ended(long bytes, long kept, long done, long unchanged) {
    return report(Optional.empty(), bytes, kept, done, unchanged);
  }

  private static TransferReport report(
      Optional<ErrorCode> failure, long bytes, long kept, long done, long unchanged) {
    return new TransferReport(
        "id",
        failure,
        "",
        new TransferFigures(
            new TransferFigures.Files(done, unchanged, 0, 0, 0, 0, 0),
            bytes,
            0,
            kept,
            0,
            bytes,
            0,
            1,
            0,
            0,
            0,
            2,
            0,
            true),
        "crc32c",
        Duration.ZERO,
        List.of());
  }

  private final class Listener implements TransferListener {
    @Override
    public void fileDone(DoneFile file) {
      events.add("done " + file.path());
    }

    @Override
    public void fileUnchanged(FoundFile file) {
      events.add("unchanged " + file.path());
    }

    @Override
    public void deleted(DeletedName name) {
      events.add("deleted " + name.path());
    }

    @Override
    public void problem(FileProblem problem) {
      events.add("problem " + problem.message());
    }
  }
}
