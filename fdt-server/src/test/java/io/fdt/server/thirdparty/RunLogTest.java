package io.fdt.server.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.model.EntryKind;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunFile;
import io.fdt.core.wire.control.SkippedEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunLogTest {
  private final RunLog log = new RunLog();

  private static RunEvent done(int number) {
    return RunEvent.newBuilder().setDone(RunFile.newBuilder().setPath("file" + number)).build();
  }

  private static RunEvent problem(String path) {
    return RunEvent.newBuilder()
        .setProblem(SkippedEntry.newBuilder().setPath(ByteString.copyFromUtf8(path)))
        .build();
  }

  @Test
  void aClientThatComesBackHearsWhatItHasMissedAndNothingTwice() {
    for (int i = 0; i < 10; i++) {
      log.add(done(i));
    }

    assertThat(log.count()).isEqualTo(10);
    assertThat(log.after(7).events()).containsExactly(done(7), done(8), done(9));
    assertThat(log.after(7).missed()).isZero();
    assertThat(log.after(10)).isEqualTo(new RunLog.Backlog(List.of(), 0));
    assertThat(log.after(0).events()).hasSize(10);
  }

  @Test
  void whatIsTooLongAgoIsCountedAndItsProblemsAreKept() {
    log.add(done(0));
    log.add(problem("lost"));
    int many = 100_000;
    for (int i = 0; i < many; i++) {
      log.add(done(i));
    }

    RunLog.Backlog all = log.after(0);

    assertThat(all.events().get(0)).isEqualTo(problem("lost"));
    assertThat(all.missed() + all.events().size()).isEqualTo(many + 2);
    assertThat(all.events().stream().mapToInt(RunEvent::getSerializedSize).sum())
        .isLessThanOrEqualTo(RunLog.MOST_RECENT_BYTES + problem("lost").getSerializedSize());
    assertThat(log.problems()).containsExactly(problem("lost"));
    assertThat(log.after(log.count() - 1).missed()).isZero();
  }

  /** A transfer service may come after the end of a short transfer. */
  @Test
  void aClientThatHasNotFollowedBeforeGetsTheDeletedNames() {
    RunEvent deleted = RunMessages.deleted("old", EntryKind.FILE, false).build();
    log.add(done(0));
    log.add(deleted);

    assertThat(log.problems()).containsExactly(deleted);
  }

  @Test
  void problemsAreBoundedInNumberAndInBytes() {
    for (int i = 0; i < 2 * RunLog.MOST_PROBLEMS; i++) {
      log.add(problem("p" + i));
    }
    assertThat(log.problems()).hasSize(RunLog.MOST_PROBLEMS);

    RunLog longOnes = new RunLog();
    for (int i = 0; i < RunLog.MOST_PROBLEMS; i++) {
      longOnes.add(problem("p".repeat(4000)));
    }
    assertThat(longOnes.problems().stream().mapToInt(RunEvent::getSerializedSize).sum())
        .isBetween(RunLog.MOST_PROBLEM_BYTES - 5000, RunLog.MOST_PROBLEM_BYTES);
  }

  @Test
  void oneEventOfAnySizeIsNoTrouble() {
    log.add(problem("x".repeat(RunLog.MOST_RECENT_BYTES + 1)));

    assertThat(log.after(0).events()).hasSize(1); // as a problem
    log.add(done(1));
    assertThat(log.after(1).events()).containsExactly(done(1));
  }
}
