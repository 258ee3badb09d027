package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteSession;
import io.fdt.client.ServerTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two services on one PostgreSQL, two endpoints, and kill -9 of any of the five at moments that
 * nobody has chosen, while tasks are submitted and run. No task is lost, none runs twice, and each
 * event is there once.
 */
@Timeout(1800)
class RandomKillsTest {
  private static final long SEED = Long.getLong("fdt.seed", 11);
  private static final int POINTS = Integer.getInteger("fdt.kill.points.random", 3);
  private static final int KILLS_PER_ROUND = 3;
  private static final int TASKS_PER_ROUND = 3;
  private static final int LATEST_MILLIS = 900;
  private static final int LARGE = 3 << 18;
  private static final Duration DEADLINE = Duration.ofSeconds(90);

  /** What is killed. */
  private enum Victim {
    FIRST_SERVICE,
    SECOND_SERVICE,
    SOURCE,
    DESTINATION,
    DATABASE
  }

  @TempDir private Path root;
  private Path data;
  private Path incoming;
  private Postgres postgres;
  private String url;
  private EndpointProcess source;
  private EndpointProcess destination;
  private ServiceProcess first;
  private ServiceProcess second;
  private final Map<Integer, FdtClient> clients = new HashMap<>();

  @BeforeEach
  void start() throws Exception {
    postgres = Postgres.start(root);
    url = postgres.database();
    data = Files.createDirectories(root.resolve("data"));
    incoming = Files.createDirectories(root.resolve("incoming"));
    source = EndpointProcess.start(root.resolve("a"), "data", data, 0);
    destination = EndpointProcess.start(root.resolve("b"), "inc", incoming, 0);
    first = service("fdt");
    Path other = Files.createDirectories(root.resolve("other/service"));
    Files.copy(root.resolve("fdt/service/key"), other.resolve("key"));
    second = service("other");
    Rest rest = rest("fdt", first);
    rest.post("/api/v1/endpoints", source.describedAs("a")).expect(201);
    rest.post("/api/v1/endpoints", destination.describedAs("b")).expect(201);
  }

  @AfterEach
  void end() throws Exception {
    clients.values().forEach(FdtClient::close);
    for (AutoCloseable process : new AutoCloseable[] {first, second, source, destination}) {
      if (process != null) {
        process.close();
      }
    }
    if (postgres != null) {
      postgres.remove();
    }
  }

  private ServiceProcess service(String home) throws Exception {
    return ServiceProcess.startIn(root, root.resolve(home), "--database", url, "--lease", "2");
  }

  private Rest rest(String home, ServiceProcess service) throws Exception {
    return new Rest(service.url(), Site.commandToken(root.resolve(home)));
  }

  /** Any of both: users may talk to either. */
  private Rest any(Random random) throws Exception {
    return random.nextBoolean() ? rest("fdt", first) : rest("other", second);
  }

  @Test
  void nothingIsLostAndNothingRunsTwice() throws Exception {
    System.out.println("seed " + SEED);
    Random seeds = new Random(SEED); // neighbouring seeds begin with the same choices
    for (int point = 0, round = 0; point < POINTS; round++) {
      Random random = new Random(seeds.nextLong());
      int kills = Math.min(KILLS_PER_ROUND, POINTS - point);
      List<Victim> victims = victims(round, kills, random);
      System.out.println("round " + round + " kills " + victims);
      round(round, victims, random);
      point += kills;
    }
  }

  /** In each round a service, an endpoint and the database, in any order. */
  private static List<Victim> victims(int round, int kills, Random random) {
    List<Victim> victims =
        new ArrayList<>(
            List.of(
                random.nextBoolean() ? Victim.FIRST_SERVICE : Victim.SECOND_SERVICE,
                round % 2 == 0 ? Victim.DESTINATION : Victim.SOURCE,
                Victim.DATABASE));
    Collections.shuffle(victims, random);
    return victims.subList(0, kills);
  }

  private void round(int round, List<Victim> victims, Random random) throws Exception {
    List<String> names =
        IntStream.range(0, TASKS_PER_ROUND).mapToObj(i -> "r" + round + "t" + i).toList();
    for (String name : names) {
      write(name, random);
    }
    List<Object> tasks = new ArrayList<>();
    for (int i = 0; i < victims.size(); i++) {
      tasks.add(submit(names.get(i), random));
      TimeUnit.MILLISECONDS.sleep(random.nextInt(LATEST_MILLIS)); // the moment is what is tested
      kill(victims.get(i));
      assertOneOfEach();
    }
    for (int i = victims.size(); i < names.size(); i++) {
      tasks.add(submit(names.get(i), random));
    }
    for (int i = 0; i < names.size(); i++) {
      assertEndedOnce(tasks.get(i), names.get(i), random);
    }
    assertOneOfEach();
    // No task beside those that were acknowledged.
    Map<String, Object> all = ask("?limit=1000", random);
    assertThat((List<?>) all.get("tasks")).hasSize((round + 1) * TASKS_PER_ROUND);
  }

  private void write(String name, Random random) throws IOException {
    Path directory = Files.createDirectories(data.resolve(name));
    byte[] large = new byte[LARGE];
    random.nextBytes(large);
    Files.write(directory.resolve("large"), large);
    Files.writeString(directory.resolve("small"), name);
    Files.createDirectories(incoming.resolve(name));
  }

  /** Sends it until it is acknowledged: it is one task all the same. */
  private Object submit(String name, Random random) {
    Map<String, Object> request = Site.transfer();
    request.put("source_paths", List.of("/data/" + name));
    request.put("destination_path", "/inc/" + name);
    request.put("limit", 1L << 19);
    request.put("submission_id", name);
    List<Object> ids = new ArrayList<>();
    await("a submission that is acknowledged")
        .atMost(DEADLINE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              Rest.Answer answer = any(random).post("/api/v1/tasks", request);
              if (answer.status() == 200 || answer.status() == 201) {
                ids.add(answer.json().get("task_id"));
              }
              return !ids.isEmpty();
            });
    return ids.get(0);
  }

  private void kill(Victim victim) throws Exception {
    switch (victim) {
      case FIRST_SERVICE -> {
        first.kill();
        first = service("fdt");
      }
      case SECOND_SERVICE -> {
        second.kill();
        second = service("other");
      }
      case SOURCE -> {
        int port = source.port();
        source.kill();
        source = EndpointProcess.start(root.resolve("a"), "data", data, port);
      }
      case DESTINATION -> {
        int port = destination.port();
        destination.kill();
        destination = EndpointProcess.start(root.resolve("b"), "inc", incoming, port);
      }
      case DATABASE -> {
        postgres.kill();
        postgres.start();
      }
    }
  }

  private List<RemoteSession> sessions() throws Exception {
    List<RemoteSession> all = new ArrayList<>();
    for (EndpointProcess endpoint : List.of(source, destination)) {
      all.addAll(client(endpoint).sessions());
    }
    return all;
  }

  /** An endpoint that was started again has the same port, key and token. */
  private FdtClient client(EndpointProcess endpoint) throws Exception {
    FdtClient known = clients.get(endpoint.port());
    if (known == null) {
      known =
          FdtClient.builder("127.0.0.1")
              .port(endpoint.port())
              .trust(ServerTrust.pinned(endpoint.fingerprint()))
              .token(AccessToken.of(endpoint.token()))
              .build();
      clients.put(endpoint.port(), known);
    }
    return known;
  }

  /** Of one task, which its destination tells, no two transfers run, and no two have arrived. */
  private void assertOneOfEach() throws Exception {
    List<RemoteSession> all = sessions();
    for (boolean isDone : List.of(false, true)) {
      Map<String, Long> ofEach =
          all.stream()
              .filter(
                  session ->
                      isDone ? session.state() == RemoteSession.State.DONE : !session.hasEnded())
              .collect(
                  Collectors.groupingBy(
                      session -> session.request().destination(), Collectors.counting()));
      assertThat(ofEach.values()).as("%s", all).allMatch(count -> count == 1);
    }
  }

  private void assertEndedOnce(Object task, String name, Random random) throws Exception {
    Map<String, Object> shown = ended(task, random);
    List<Map<?, ?>> events = events(task, random);
    assertThat(shown).as("%s %s", name, events).containsEntry("state", "succeeded");
    List<Object> codes = events.stream().<Object>map(event -> event.get("code")).toList();
    assertThat(codes).as(name).startsWith("submitted").endsWith("succeeded");
    assertThat(codes).as(name).containsOnlyOnce("submitted", "succeeded");
    List<Object> starts =
        events.stream()
            .filter(event -> "started".equals(event.get("code")))
            .<Object>map(event -> event.get("detail"))
            .toList();
    assertThat(starts).as(name).doesNotHaveDuplicates().isNotEmpty();
    assertThat(shown).as("%s", events).containsEntry("attempts", (long) starts.size());
    Set<Object> numbers = new HashSet<>();
    for (Map<?, ?> event : events) {
      assertThat(numbers.add(event.get("number"))).as("%s", events).isTrue();
    }
    for (String file : List.of("large", "small")) {
      assertThat(
              Files.mismatch(
                  incoming.resolve(name).resolve(name).resolve(file),
                  data.resolve(name).resolve(file)))
          .isEqualTo(-1);
    }
  }

  /** A service that has just lost the database says so, and is asked again. */
  private Map<String, Object> ask(String path, Random random) {
    List<Map<String, Object>> answers = new ArrayList<>();
    await(path)
        .atMost(DEADLINE)
        .until(
            () -> {
              Rest.Answer answer = any(random).get("/api/v1/tasks" + path);
              if (answer.status() != 503) {
                answers.add(answer.expect(200).json());
              }
              return !answers.isEmpty();
            });
    return answers.get(0);
  }

  private Map<String, Object> ended(Object task, Random random) {
    await("the end of task " + task)
        .atMost(DEADLINE)
        .until(
            () ->
                Set.of("succeeded", "failed", "cancelled")
                    .contains(ask("/" + task + "?wait=10", random).get("state")));
    return ask("/" + task, random);
  }

  private List<Map<?, ?>> events(Object task, Random random) {
    Map<String, Object> page = ask("/" + task + "/events?limit=1000", random);
    return ((List<?>) page.get("events"))
        .stream().<Map<?, ?>>map(event -> (Map<?, ?>) event).toList();
  }
}
