package io.fdt.service.load;

import io.fdt.client.FdtClient;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * Measures a transfer service under load: tasks of 3 bytes between many endpoints, concurrent users
 * of REST, and a tree of small files, compared with the same copy without the service. The servers
 * are in this process, their files in a directory that should be in memory.
 */
public final class ServiceLoad {
  private static final int USERS_WITH_TASKS = 10;
  private static final int SUBMITTERS = 8;
  private static final int SECONDS_OF_USERS = 10;
  private static final int ROUNDS = 5;

  private final Path directory;
  private final int endpoints;
  private final List<FdtServer> servers = new ArrayList<>();

  /** The token of the user who has the endpoints 0, 10, 20... */
  private String owner = "";

  private ServiceLoad(Path directory, int endpoints) {
    this.directory = directory;
    this.endpoints = endpoints;
  }

  /** Arguments: JAR DIRECTORY TASKS ENDPOINTS USERS FILES [DATABASE]. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[1]);
    if (Files.exists(directory)) {
      delete(directory);
    }
    Files.createDirectories(directory);
    ServiceLoad load = new ServiceLoad(directory, Integer.parseInt(arguments[3]));
    String database = arguments.length > 6 ? arguments[6] : "";
    try (Service service = Service.start(Path.of(arguments[0]), directory, database)) {
      load.startServers();
      load.tasks(service, Integer.parseInt(arguments[2]));
      load.users(service, Integer.parseInt(arguments[4]));
      load.files(service, Integer.parseInt(arguments[5]));
    } finally {
      load.servers.forEach(FdtServer::close);
      delete(directory);
    }
    System.exit(0); // threads of clients that idle
  }

  private static void say(String format, Object... values) {
    System.out.printf(format + "%n", values);
  }

  private Path data(int endpoint) {
    return directory.resolve("data" + endpoint);
  }

  private void startServers() throws Exception {
    for (int i = 0; i < endpoints; i++) {
      Path data = Files.createDirectories(data(i));
      Files.writeString(data.resolve("file"), "abc");
      FdtServer server =
          FdtServer.builder()
              .export(Export.readWrite("d", data))
              .bind("127.0.0.1")
              .port(0)
              .trustOwnProcess(false)
              .home(directory.resolve("server" + i))
              .build();
      servers.add(server);
      server.start();
    }
  }

  private static void add(Service service, String token, String name, FdtServer server)
      throws IOException, InterruptedException {
    service.post(
        token,
        "endpoints",
        Map.of(
            "name",
            name,
            "address",
            "127.0.0.1:" + server.address().getPort(),
            "fingerprint",
            server.fingerprint(),
            "token",
            server.localToken()));
  }

  /** Each user has every tenth endpoint, and submits from one to the next. */
  private void tasks(Service service, int tasks) throws Exception {
    List<String> tokens = new ArrayList<>();
    for (int user = 0; user < USERS_WITH_TASKS; user++) {
      tokens.add(service.tokenOf("owner" + user));
    }
    owner = tokens.get(0);
    for (int i = 0; i < endpoints; i++) {
      add(service, tokens.get(i % USERS_WITH_TASKS), "e" + i, servers.get(i));
    }
    Latencies submit = new Latencies();
    AtomicInteger next = new AtomicInteger();
    long begin = System.nanoTime();
    Duration processor = service.processorTime();
    each(
        SUBMITTERS,
        submitter -> {
          for (int i = next.getAndIncrement(); i < tasks; i = next.getAndIncrement()) {
            Map<String, Object> task = new LinkedHashMap<>();
            task.put("submission_id", "load-" + i);
            int source = i % endpoints;
            task.put("source_endpoint", "e" + source);
            task.put("source_paths", List.of("/d/file"));
            task.put("destination_endpoint", "e" + (source + USERS_WITH_TASKS) % endpoints);
            task.put("destination_path", "/d/in" + i);
            long before = System.nanoTime();
            service.post(tokens.get(i % USERS_WITH_TASKS), "tasks", task);
            submit.add(System.nanoTime() - before);
          }
        });
    double submitted = (System.nanoTime() - begin) / 1e9;
    JsonNode counts = service.get(service.ownToken(), "counts?user=*");
    say(
        "submit: %d tasks by %d clients in %.1f s (%.0f per second), %s; %d had ended by then",
        tasks, SUBMITTERS, submitted, tasks / submitted, submit, counts.get("succeeded").asLong());
    say("memory with %d tasks queued: %s", counts.get("queued").asLong(), service.memory());
    while (counts.get("queued").asLong()
            + counts.get("active").asLong()
            + counts.get("retrying").asLong()
        > 0) {
      TimeUnit.MILLISECONDS.sleep(500);
      counts = service.get(service.ownToken(), "counts?user=*");
    }
    double all = (System.nanoTime() - begin) / 1e9;
    say(
        "schedule: %d of %d tasks succeeded in %.1f s: %.1f per second; processor of the service"
            + " %.1f s; memory %s",
        counts.get("succeeded").asLong(),
        tasks,
        all,
        tasks / all,
        service.processorTime().minus(processor).toMillis() / 1e3,
        service.memory());
  }

  /** Runs users that request their tasks, one task, its events, and their own account. */
  private void users(Service service, int users) throws Exception {
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < users; i++) {
      tokens.add(service.tokenOf("user" + i));
    }
    String task = service.get(owner, "tasks?limit=1").get("tasks").get(0).get("task_id").asString();
    List<String> paths =
        List.of("tasks?limit=50", "tasks/" + task, "tasks/" + task + "/events", "session");
    Latencies own = new Latencies();
    Latencies idle = new Latencies();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_OF_USERS);
    each(
        users,
        user -> {
          // One user of ten has a thousand tasks; the others have none.
          boolean hasTasks = user % 10 == 0;
          for (int i = user; System.nanoTime() < end; i++) {
            long before = System.nanoTime();
            service.get(
                hasTasks ? owner : tokens.get(user),
                hasTasks ? paths.get(i % paths.size()) : i % 2 == 0 ? "tasks" : "session");
            (hasTasks ? own : idle).add(System.nanoTime() - before);
          }
        });
    say(
        "%d users at once: %.0f requests per second; with tasks %s; without %s; memory %s",
        users,
        (double) (own.count() + idle.count()) / SECONDS_OF_USERS,
        own,
        idle,
        service.memory());
  }

  private void files(Service service, int files) throws Exception {
    Path tree = Files.createDirectories(data(0).resolve("tree"));
    for (int i = 0; i < files; i++) {
      Path place = tree.resolve(Integer.toString(i / 1000));
      if (i % 1000 == 0) {
        Files.createDirectory(place);
      }
      Files.writeString(place.resolve("f" + i), "a small file ".repeat(i % 100));
    }
    for (int round = 0; round < ROUNDS; round++) {
      double direct = direct(round);
      double through = through(service, round);
      say(
          "%d small files, round %d: %.2f s between the servers, %.2f s as a task (%.2f times)",
          files, round + 1, direct, through, through / direct);
    }
  }

  private double direct(int round) throws Exception {
    try (FdtClient source = client(0);
        FdtClient destination = client(USERS_WITH_TASKS)) {
      long begin = System.nanoTime();
      TransferRequest request =
          TransferRequest.between()
              .source("/d/tree/")
              .destination("/d/direct" + round)
              .recursive(true)
              .build();
      TransferReport report = source.start(destination, request, TransferListener.NONE).await();
      if (report.exitStatus() != 0) {
        throw new IOException("not everything arrived: " + report);
      }
      double took = (System.nanoTime() - begin) / 1e9;
      delete(data(USERS_WITH_TASKS).resolve("direct" + round));
      return took;
    }
  }

  private FdtClient client(int endpoint) {
    FdtServer server = servers.get(endpoint);
    return FdtClient.builder("127.0.0.1")
        .port(server.address().getPort())
        .trust(io.fdt.client.ServerTrust.pinned(server.fingerprint()))
        .token(io.fdt.client.AccessToken.of(server.localToken()))
        .build();
  }

  private double through(Service service, int round) throws Exception {
    long begin = System.nanoTime();
    String id =
        service
            .post(
                owner,
                "tasks",
                Map.of(
                    "source_endpoint",
                    "e0",
                    "source_paths",
                    List.of("/d/tree/"),
                    "destination_endpoint",
                    "e" + USERS_WITH_TASKS,
                    "destination_path",
                    "/d/through" + round,
                    "options",
                    Map.of("recursive", true)))
            .get("task_id")
            .asString();
    JsonNode task = service.get(owner, "tasks/" + id + "?wait=60");
    while (task.get("ended").isNull()) {
      task = service.get(owner, "tasks/" + id + "?wait=60");
    }
    double took = (System.nanoTime() - begin) / 1e9;
    if (!task.get("state").asString().equals("succeeded")) {
      throw new IOException("the task failed: " + task.get("message").asString());
    }
    delete(data(USERS_WITH_TASKS).resolve("through" + round));
    return took;
  }

  /** The work of one of several threads. */
  @FunctionalInterface
  private interface Work {
    void run(int number) throws Exception;
  }

  private static void each(int threads, Work work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        all.add(
            pool.submit(
                () -> {
                  work.run(number);
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path one, IOException failure)
              throws IOException {
            Files.delete(one);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
