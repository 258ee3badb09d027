package io.fdt.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.value.Fields;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LiveTest {
  private static final Live.Progress PROGRESS = new Live.Progress(Counts.NONE, 5, 1, 0);

  private static Task task(String label, long version) throws Exception {
    return new Task(
        "t",
        "alice",
        "s",
        new Task.Work(
            TaskKind.DELETE,
            "a",
            "a",
            "",
            "",
            List.of("/x"),
            "",
            TaskOptions.of(new Fields(Map.of()))),
        new Task.Wish(label, 0, 1, 0),
        Task.Run.NEW,
        Counts.NONE,
        0,
        0,
        0,
        0,
        version);
  }

  /** One who runs a task knows it as it was when it began. */
  @Test
  void progressDoesNotBringBackWhatWasModified() throws Exception {
    Live live = new Live();
    try (Live.Subscription watcher = live.subscribe("alice")) {
      live.progress(task("before", 1), PROGRESS);
      live.changed(task("after", 2));
      assertThat(watcher.await(0)).hasSize(1);

      live.progress(task("before", 1), PROGRESS);

      List<Live.News> news = watcher.await(0);
      assertThat(news).hasSize(1);
      assertThat(news.get(0).task().wish().label()).isEqualTo("after");
      assertThat(news.get(0).progress()).contains(PROGRESS);
    }
  }

  /** Between the claim of a task and its start a change over REST is told of no running task. */
  @Test
  void theStartDoesNotBringBackWhatWasModifiedSinceTheClaim() throws Exception {
    Live live = new Live();
    Task claimed = task("before", 1);
    Task modified = task("after", 2);
    try (Live.Subscription watcher = live.subscribe("alice")) {
      live.changed(modified);
      assertThat(watcher.await(0)).hasSize(1);

      assertThat(live.started(claimed, () -> modified)).isEqualTo(modified);
      assertThat(watcher.await(0)).extracting(Live.News::task).containsExactly(modified);
      live.progress(claimed, PROGRESS);
      assertThat(watcher.await(0)).containsExactly(new Live.News(modified, Optional.of(PROGRESS)));
    }
  }

  @Test
  void newsAreForTheirUser() throws Exception {
    Live live = new Live();
    try (Live.Subscription watcher = live.subscribe("bob")) {
      live.changed(task("x", 1));
      assertThat(watcher.await(0)).isEmpty();
    }
  }
}
