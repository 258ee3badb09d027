package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.service.task.Scheduler.Candidate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final Scheduler WIDE = new Scheduler(100, 100);

  private static Candidate task(String id, String owner, int priority, long created) {
    return new Candidate(id, owner, priority, created, "a", "b");
  }

  private static List<String> ids(List<Candidate> tasks) {
    return tasks.stream().map(Candidate::id).toList();
  }

  @Test
  void usersTakeTurnsHoweverManyTasksOneOfThemHas() {
    List<Candidate> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(task("many" + i, "alice", 0, i));
    }
    waiting.add(task("one", "bob", 0, 100));

    assertThat(ids(WIDE.choose(waiting, List.of(), endpoint -> 4)))
        .containsExactly("many0", "one", "many1", "many2");
  }

  @Test
  void whoRunsLessIsNext() {
    List<Candidate> waiting = List.of(task("old", "alice", 0, 1), task("new", "bob", 0, 2));
    List<Candidate> running = List.of(task("running", "alice", 0, 0));

    assertThat(ids(new Scheduler(2, 9).choose(waiting, running, endpoint -> 9)))
        .containsExactly("new");
  }

  @Test
  void priorityComesBeforeAgeAmongTheTasksOfOneUser() {
    List<Candidate> waiting =
        List.of(task("old", "a", 0, 1), task("urgent", "a", 5, 3), task("low", "a", -5, 0));

    assertThat(ids(WIDE.choose(waiting, List.of(), endpoint -> 9)))
        .containsExactly("urgent", "old", "low");
  }

  @Test
  void aFullEndpointHoldsOnlyItsOwnTasks() {
    List<Candidate> waiting =
        List.of(
            new Candidate("full", "a", 0, 1, "x", "y"), new Candidate("free", "a", 0, 2, "z", ""));
    List<Candidate> running = List.of(new Candidate("r", "b", 0, 0, "w", "y"));

    assertThat(ids(WIDE.choose(waiting, running, endpoint -> 1))).containsExactly("free");
  }

  @Test
  void aCopyWithinOneEndpointTakesOnePlace() {
    List<Candidate> running = List.of(new Candidate("r", "b", 0, 0, "x", "x"));

    assertThat(
            ids(
                WIDE.choose(
                    List.of(new Candidate("w", "a", 0, 1, "x", "x")), running, endpoint -> 2)))
        .containsExactly("w");
  }

  /** No limit is ever exceeded, and no task that fits is left while there is room. */
  @Test
  void randomQueues() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      int most = 1 + random.nextInt(10);
      int perUser = 1 + random.nextInt(4);
      int perEndpoint = 1 + random.nextInt(4);
      List<Candidate> waiting = new ArrayList<>();
      for (int i = 0; i < random.nextInt(40); i++) {
        waiting.add(
            new Candidate(
                "t" + i,
                "user" + random.nextInt(4),
                random.nextInt(3),
                random.nextInt(50),
                "e" + random.nextInt(5),
                random.nextBoolean() ? "" : "e" + random.nextInt(5)));
      }
      Collections.shuffle(waiting, random);

      List<Candidate> chosen =
          new Scheduler(most, perUser).choose(waiting, List.of(), endpoint -> perEndpoint);

      Map<String, Integer> users = new HashMap<>();
      Map<String, Integer> places = new HashMap<>();
      for (Candidate task : chosen) {
        users.merge(task.owner(), 1, Integer::sum);
        for (String place : new HashSet<>(List.of(task.source() + "/", task.destination() + "/"))) {
          places.merge(place, 1, Integer::sum);
        }
      }
      places.remove("/");
      assertThat(new HashSet<>(chosen)).as("seed %d", seed).hasSameSizeAs(chosen);
      assertThat(chosen.size()).as("seed %d", seed).isLessThanOrEqualTo(most);
      assertThat(users.values()).as("seed %d", seed).allMatch(count -> count <= perUser);
      assertThat(places.values()).as("seed %d", seed).allMatch(count -> count <= perEndpoint);
      if (chosen.size() < most) {
        assertThat(waiting)
            .as("seed %d", seed)
            .filteredOn(task -> !chosen.contains(task))
            .allMatch(
                task ->
                    users.getOrDefault(task.owner(), 0) == perUser
                        || places.getOrDefault(task.source() + "/", 0) == perEndpoint
                        || places.getOrDefault(task.destination() + "/", 0) == perEndpoint);
      }
    }
  }

  @Test
  void aLinkInTroubleDoesNotKeepOthersWaiting() {
    List<Candidate> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(new Candidate("bad" + i, "alice", 0, i, "a", "b"));
      waiting.add(new Candidate("good" + i, "alice", 0, 10 + i, "a", "c"));
    }
    List<Candidate> running = List.of(new Candidate("runs", "bob", 0, 0, "a", "b"));

    List<Candidate> chosen =
        new Scheduler(100, 100)
            .choose(
                waiting,
                running,
                endpoint -> 100,
                (source, destination) -> destination.equals("b") ? 2 : 3);

    assertThat(chosen).extracting(Candidate::id).containsExactly("bad0", "good0", "good1", "good2");
  }
}
