package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskStoreTest {
  @TempDir private Path root;

  private static Task task(String owner, String submission) throws Exception {
    return task(Secrets.id(), owner, submission);
  }

  private static Task task(String id, String owner, String submission) throws Exception {
    return new Task(
        id,
        owner,
        submission,
        new Task.Work(
            TaskKind.TRANSFER,
            "a",
            "a",
            "b",
            "b",
            List.of("/x"),
            "/y",
            TaskOptions.of(new Fields(Map.of()))),
        new Task.Wish("", 0, Long.MAX_VALUE / 2, 0),
        Task.Run.NEW,
        Counts.NONE,
        1,
        0,
        0,
        0,
        0);
  }

  @Test
  void theFirstEightDigitsOfAnIdAreEnoughWhereOneTaskHasThem() throws Exception {
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("db"))) {
      TaskStore tasks = new TaskStore(database);
      for (String id : List.of("aaaaaaaa", "bbbbbbbb", "bbbbbbbf")) {
        String owner = id.endsWith("f") ? "bob" : "alice";
        var unused = tasks.submit(task(id.repeat(2) + "0000", owner, id), "");
      }
      TaskLists lists = tasks.lists();

      assertThat(lists.complete("alice", "aaaaaaaa")).isEqualTo("aaaaaaaaaaaaaaaa0000");
      assertThat(lists.complete("alice", "aaaaaaa")).as("too short").isEqualTo("aaaaaaa");
      assertThat(lists.complete("bob", "aaaaaaaa")).as("another's").isEqualTo("aaaaaaaa");
      assertThat(lists.complete("", "bbbbbbbf")).isEqualTo("bbbbbbbfbbbbbbbf0000");
      var second = tasks.submit(task("aaaaaaaab".repeat(2) + "00", "alice", "2"), "");
      assertThatThrownBy(() -> lists.complete("alice", "aaaaaaaa"))
          .hasMessageContaining("several ids begin with 'aaaaaaaa'")
          .hasMessageContaining(second.task().id());
    }
  }

  @Test
  void theSameSubmissionIdOfAnotherUserIsAnotherTask() throws Exception {
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("db"))) {
      TaskStore tasks = new TaskStore(database);
      Task ofAlice = tasks.submit(task("alice", "run-17"), "same").task();
      TaskStore.Submitted ofBob = tasks.submit(task("bob", "run-17"), "same");

      assertThat(ofBob.isNew()).isTrue();
      assertThat(ofBob.task().owner()).isEqualTo("bob");
      assertThat(tasks.submit(task("alice", "run-17"), "same").task().id()).isEqualTo(ofAlice.id());
    }
  }
}
