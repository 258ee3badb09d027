package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.task.Counts;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Scheduler;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.task.TaskState;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases and epochs: two processes, and what each of them may write. */
class ClaimStoreTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration OVER = Duration.ofMillis(-1);
  private static final long DEADLINE = Long.MAX_VALUE / 2;

  @TempDir private Path root;
  private Database database;
  private TaskStore tasks;

  @BeforeEach
  void open() throws Exception {
    database = Database.open("jdbc:sqlite:" + root.resolve("db"));
    tasks = new TaskStore(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private ClaimStore process(String home, String start, Duration lease) {
    return new ClaimStore(
        database, new ClaimStore.Member(home + "." + start, home, Endpoint.localId(home), lease));
  }

  private Task submit(String source) throws Exception {
    return submit(source, DEADLINE);
  }

  private Task submit(String source, long deadline) throws Exception {
    Task task =
        new Task(
            Secrets.id(),
            "alice",
            Secrets.id(),
            new Task.Work(
                TaskKind.TRANSFER,
                source,
                source,
                "b",
                "b",
                List.of("/x"),
                "/y",
                TaskOptions.of(new Fields(Map.of()))),
            new Task.Wish("", 0, deadline, 0),
            Task.Run.NEW,
            Counts.NONE,
            1,
            0,
            0,
            0,
            0);
    return tasks.submit(task, "").task();
  }

  private static List<Task> claimAll(ClaimStore process) {
    return process.claim(10, 100, (waiting, running) -> waiting);
  }

  private List<TaskEvent.Code> events(Task task) {
    return tasks.events(task.id(), 0, 100).stream().map(TaskEvent::code).toList();
  }

  private static Outcome success() {
    return new Outcome(Outcome.End.SUCCEEDED, Counts.NONE, "done", false);
  }

  @Test
  void oneProcessOnlyGetsATask() throws Exception {
    Task task = submit("a");

    assertThat(claimAll(process("one", "1", LONG))).extracting(Task::id).containsOnly(task.id());
    assertThat(claimAll(process("two", "1", LONG))).isEmpty();
    assertThat(process("two", "1", LONG).adopt(Set.of(), 20)).isEmpty();
    assertThat(process("two", "1", LONG).mine()).isEmpty();
  }

  @Test
  void aTaskThatWaitsAfterAFaultIsTriedAtOnceWhenResumed() throws Exception {
    ClaimStore process = process("one", "1", LONG);
    submit("a");
    Task running = claimAll(process).get(0);
    Outcome fault = new Outcome(Outcome.End.FAULT, Counts.NONE, "away", false);
    var unused = tasks.finish(running, fault, 1000);
    assertThat(claimAll(process)).isEmpty();

    for (int times = 0; times < 2; times++) {
      unused = tasks.resume("alice", running.id(), 11);
    }
    assertThat(claimAll(process)).extracting(Task::id).containsExactly(running.id());
    assertThat(events(running)).filteredOn(TaskEvent.Code.RESUMED::equals).hasSize(1);
  }

  /** The limits of users and endpoints are decided by what runs anywhere. */
  @Test
  void oneProcessSeesWhatRunsInAnother() throws Exception {
    Task task = submit("a");
    claimAll(process("one", "1", LONG));
    submit("a");
    List<String> seen = new ArrayList<>();
    process("two", "1", LONG)
        .claim(
            10,
            100,
            (waiting, running) -> {
              running.forEach(one -> seen.add(one.id()));
              return List.of();
            });
    assertThat(seen).containsExactly(task.id());
  }

  /** Link by link, and all links in one statement. */
  @Test
  void bothWaysToReadWhatWaitsSeeTheSameTasks() throws Exception {
    for (int i = 0; i < 60; i++) {
      submit("source" + i % 7);
      submit(Endpoint.localId(i % 2 == 0 ? "one" : "other"));
    }
    ClaimStore.Member member = new ClaimStore.Member("one.1", "one", Endpoint.localId("one"), LONG);
    List<Set<String>> seen = new ArrayList<>();
    for (int mostLinks : new int[] {0, 8, 9, 300}) {
      new ClaimStore(database, member, mostLinks)
          .claim(
              10,
              5,
              (waiting, running) -> {
                assertThat(waiting).hasSize(8 * 5);
                assertThat(waiting)
                    .noneMatch(task -> task.source().equals(Endpoint.localId("other")));
                seen.add(
                    waiting.stream()
                        .map(Scheduler.Candidate::id)
                        .collect(Collectors.toUnmodifiableSet()));
                return List.of();
              });
    }
    assertThat(Set.copyOf(seen)).hasSize(1);
  }

  @Test
  void whoWasReplacedWritesNothing() throws Exception {
    submit("a");
    Task first = claimAll(process("one", "1", OVER)).get(0);
    Task second = process("two", "1", LONG).adopt(Set.of(), 20).get(0);

    assertThat(second.run().lease().epoch()).isEqualTo(first.run().lease().epoch() + 1);
    assertThatThrownBy(() -> tasks.session(first, "s", "a", Counts.NONE, 30))
        .isInstanceOf(LostTaskException.class);
    assertThatThrownBy(() -> tasks.event(first, TaskEvent.Code.NOTICE, false, "late", "late", 30))
        .isInstanceOf(LostTaskException.class);
    assertThatThrownBy(() -> tasks.finish(first, success(), 30))
        .isInstanceOf(LostTaskException.class);
    Counts.Moved seven = new Counts.Moved(7, 7, 7);
    tasks.progress(first, new Counts(seven, seven, 7, 7, 7, 7));

    Task now = tasks.get("alice", first.id());
    assertThat(now.counts()).isEqualTo(Counts.NONE);
    assertThat(now.run().session()).isEmpty();
    tasks.session(second, "s", "a", Counts.NONE, 40);
    assertThat(tasks.finish(second, success(), 50).state()).isEqualTo(TaskState.SUCCEEDED);
    assertThat(events(first))
        .containsExactly(
            TaskEvent.Code.SUBMITTED, TaskEvent.Code.STARTED, TaskEvent.Code.SUCCEEDED);
  }

  @Test
  void aRenewedLeaseIsKept() throws Exception {
    submit("a");
    Task task = claimAll(process("one", "1", OVER)).get(0);

    assertThat(process("one", "1", LONG).renew()).extracting(Task::id).containsOnly(task.id());
    assertThat(process("two", "1", LONG).adopt(Set.of(), 20)).isEmpty();
    tasks.finish(task, success(), 30);
    assertThat(process("one", "1", LONG).renew()).isEmpty();
  }

  /** As after a commit whose answer was lost, and after a restart. */
  @Test
  void theSameHomeTakesItsTasksUpAtOnce() throws Exception {
    submit("a");
    Task task = claimAll(process("one", "1", LONG)).get(0);

    ClaimStore same = process("one", "1", LONG);
    assertThat(same.adopt(Set.of(task.id()), 20)).as("known").isEmpty();
    assertThat(same.adopt(Set.of(), 20)).as("not known").hasSize(1);
    assertThat(process("one", "2", LONG).adopt(Set.of(task.id()), 20)).as("restarted").hasSize(1);
  }

  /** A slow process loses its lease, and takes its own task up again. */
  @Test
  void aTransferIsFoundAgainOnceByEachProcess() throws Exception {
    submit("a");
    Task first = claimAll(process("one", "1", OVER)).get(0);
    ClaimStore two = process("two", "1", OVER);
    for (int lost = 0; lost < 2; lost++) {
      Task found = two.adopt(Set.of(), 20).get(0);
      tasks.foundAgain(found, "s", "it went on", 30);
    }

    assertThat(events(first))
        .containsExactly(
            TaskEvent.Code.SUBMITTED, TaskEvent.Code.STARTED, TaskEvent.Code.FOUND_AGAIN);
    Task restarted = process("two", "2", LONG).adopt(Set.of(), 40).get(0);
    tasks.foundAgain(restarted, "s", "it went on", 50);
    assertThat(events(first)).hasSize(4).endsWith(TaskEvent.Code.FOUND_AGAIN);
  }

  @Test
  void theMachineOfAnotherProcessIsLeftToIt() throws Exception {
    Task task = submit(Endpoint.localId("one"), 100);
    ClaimStore two = process("two", "1", LONG);

    assertThat(claimAll(two)).isEmpty();
    assertThat(claimAll(process("one", "1", OVER))).hasSize(1);
    assertThat(two.adopt(Set.of(), 20)).isEmpty();
    assertThat(two.expire(99)).isEmpty();
    assertThat(two.expire(100)).extracting(Task::state).containsOnly(TaskState.FAILED);
    assertThat(events(task)).endsWith(TaskEvent.Code.FAILED);
  }

  @Test
  void aTaskOfAMachineThatIsGoneCanBeCancelled() throws Exception {
    Task task = submit(Endpoint.localId("one"));
    assertThat(claimAll(process("one", "1", OVER))).hasSize(1);
    assertThat(tasks.cancel("alice", task.id(), 20).state()).isEqualTo(TaskState.ACTIVE);

    assertThat(process("two", "1", LONG).expire(30))
        .extracting(Task::state)
        .containsOnly(TaskState.CANCELLED);
  }

  /**
   * Processes that claim, are silent, wake up and finish in any order: each task ends once, and has
   * one event of its end.
   */
  @Test
  void whateverTheOrderEachTaskEndsOnce() throws Exception {
    for (long seed = 0; seed < 30; seed++) {
      Random random = new Random(seed);
      Map<String, List<Task>> held = new HashMap<>();
      List<Task> submitted = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        submitted.add(submit("a"));
      }
      Map<String, Integer> ends = new HashMap<>();
      for (int step = 0; step < 60; step++) {
        String name = "p" + random.nextInt(3);
        ClaimStore process = process(name, "1", random.nextBoolean() ? LONG : OVER);
        List<Task> own = held.computeIfAbsent(name, any -> new ArrayList<>());
        switch (random.nextInt(4)) {
          case 0 ->
              own.addAll(
                  process.claim(10, 100, (waiting, running) -> waiting.stream().limit(2).toList()));
          case 1 -> own.addAll(process.adopt(Set.of(), 20));
          case 2 -> process.renew();
          default -> {
            if (!own.isEmpty()) {
              finish(own.remove(random.nextInt(own.size())), ends);
            }
          }
        }
      }
      ClaimStore last = process("last", "1", OVER);
      claimAll(last);
      for (Task task : process("final", "1", LONG).adopt(Set.of(), 30)) {
        finish(task, ends);
      }
      // What was leased for an hour still belongs to its process.
      for (List<Task> own : held.values()) {
        own.forEach(task -> finish(task, ends));
      }
      for (Task task : submitted) {
        assertThat(ends.get(task.id())).as("seed %d", seed).isEqualTo(1);
        assertThat(events(task)).as("seed %d", seed).containsOnlyOnce(TaskEvent.Code.SUCCEEDED);
      }
    }
  }

  private void finish(Task task, Map<String, Integer> ends) {
    try {
      long before = tasks.get("alice", task.id()).ended();
      tasks.finish(task, success(), 40);
      if (before == 0) {
        ends.merge(task.id(), 1, Integer::sum);
      }
    } catch (LostTaskException e) {
      assertThat(e).hasMessageContaining(task.id());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void manyProblemsLeaveRoomForTheEnd() throws Exception {
    submit("a");
    Task task = claimAll(process("one", "1", LONG)).get(0);
    tasks.event(task, TaskEvent.Code.PROBLEM, true, "a", "same", 20);
    tasks.event(task, TaskEvent.Code.PROBLEM, true, "a", "same", 20);
    tasks.finish(task, success(), 30);
    tasks.finish(task, success(), 30);

    assertThat(events(task))
        .containsExactly(
            TaskEvent.Code.SUBMITTED,
            TaskEvent.Code.STARTED,
            TaskEvent.Code.PROBLEM,
            TaskEvent.Code.SUCCEEDED);
  }
}
