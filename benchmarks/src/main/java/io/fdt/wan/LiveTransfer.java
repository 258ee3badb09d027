package io.fdt.wan;

import io.fdt.compare.Cost;
import io.fdt.compare.MeasuredProcess;
import io.fdt.compare.OwnServer;
import io.fdt.compare.OwnServer.Place;
import io.fdt.compare.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A running pull between an FDT server and a client at two places. */
final class LiveTransfer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  /** The exit status of a client after a signal. */
  private static final int ENDED = 130;

  /**
   * The two ends of a transfer.
   *
   * @param source directory whose contents are copied
   * @param destination directory, removed at the end
   * @param options of the client
   */
  record Way(Place from, Place to, Path source, Path destination, List<String> options) {}

  private final Path source;
  private final Path work;
  private final Path destination;
  private final OwnServer server;
  private final MeasuredProcess client;

  /**
   * Starts the server and the client.
   *
   * @param work directory for this transfer only; removed at the end
   * @param streams as for -P, or {@link Cell#DEFAULT}
   */
  LiveTransfer(Path jar, Way way, Path work, String streams)
      throws IOException, InterruptedException {
    this.source = way.source();
    this.work = work;
    this.destination = way.destination();
    Trees.delete(work);
    Trees.delete(destination);
    Files.createDirectories(work);
    Files.createDirectories(destination);
    server = new OwnServer(jar, work, way.from(), List.of("x=" + source));
    try {
      List<String> words = new ArrayList<>(List.of("-r", "-pull", "--json", "--explain"));
      if (!streams.equals(Cell.DEFAULT)) {
        words.addAll(List.of("-P", streams));
      }
      words.addAll(way.options());
      words.addAll(List.of("-d", destination.toString(), "/x/"));
      client = server.client(way.to().prefix(), words.toArray(String[]::new));
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  /** Waits until the client's progress reports this elapsed time. */
  void await(double seconds) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos((long) seconds + 60);
    while (last(progress()) < seconds) {
      if (!client.isAlive()) {
        throw new IOException("ended after less than " + seconds + " s: " + client);
      }
      if (System.nanoTime() > deadline) {
        throw new IOException("no progress shown: " + client);
      }
      Thread.sleep(100);
    }
  }

  private static double last(List<Run.Progress> progress) {
    return progress.isEmpty() ? 0 : progress.get(progress.size() - 1).seconds();
  }

  private List<JsonNode> events() {
    List<JsonNode> events = new ArrayList<>();
    String output = client.output();
    // The last line may be incomplete.
    output
        .substring(0, output.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> line.startsWith("{\"event\""))
        .forEach(line -> events.add(JSON.readTree(line)));
    return events;
  }

  private List<JsonNode> events(String kind) {
    return events().stream()
        .filter(event -> event.get("event").stringValue().equals(kind))
        .toList();
  }

  private List<Run.Limits> limits() {
    return events("limits").stream()
        .map(
            event ->
                new Run.Limits(
                    event.get("limited_by").stringValue(),
                    event.get("streams").intValue(),
                    event.get("readers").intValue(),
                    event.get("congestion").stringValue(),
                    event.get("receive_window").doubleValue(),
                    event.get("sender_cpu").doubleValue(),
                    event.get("receiver_cpu").doubleValue(),
                    event.get("segments").longValue(),
                    event.get("segments_repeated").longValue(),
                    event.get("change").stringValue()))
        .toList();
  }

  private List<Run.Progress> progress() {
    return events("progress").stream()
        .map(
            event ->
                new Run.Progress(
                    event.get("elapsed_seconds").doubleValue(),
                    event.get("bytes_done").longValue(),
                    event.get("bytes_total").longValue(),
                    event.get("streams").intValue()))
        .toList();
  }

  /**
   * Waits for the end of the transfer, which must succeed, and compares the copy with the source.
   */
  Run.Transfer end() throws IOException, InterruptedException {
    Cost cost = client.end().with(server.stop());
    JsonNode summary = summary(0);
    List<String> differences = Trees.differences(source, destination);
    if (!differences.isEmpty()) {
      throw new IOException(
          "wrong result: %d differences, as %s".formatted(differences.size(), differences.get(0)));
    }
    return transfer(
        progress(),
        summary.get("elapsed_seconds").doubleValue(),
        cost,
        summary.get("bytes").longValue());
  }

  /** Stops the transfer early; the bytes are those of its last progress. */
  Run.Transfer cut() throws IOException, InterruptedException {
    List<Run.Progress> progress = progress();
    if (progress.isEmpty() || progress.get(progress.size() - 1).bytes() == 0) {
      throw new IOException("nothing had arrived: " + client);
    }
    Cost cost = client.stop().with(server.stop());
    long bytes = progress.get(progress.size() - 1).bytes();
    long counted = summary(ENDED).path("bytes").longValue();
    if (counted < bytes) {
      throw new IOException("%,d bytes shown, %,d counted at the end".formatted(bytes, counted));
    }
    return transfer(progress, last(progress), cost, bytes);
  }

  private Run.Transfer transfer(
      List<Run.Progress> progress, double elapsed, Cost cost, long bytes) {
    return new Run.Transfer(
        progress, limits(), elapsed, cost.wallSeconds(), cost.cpuSeconds(), bytes);
  }

  private JsonNode summary(int status) throws IOException {
    JsonNode last =
        events().stream()
            .reduce((a, b) -> b)
            .orElseThrow(() -> new IOException("nothing said: " + client));
    if (!last.get("event").stringValue().equals("summary")
        || last.get("exit_status").intValue() != status) {
      throw new IOException("not ended with status " + status + ": " + client);
    }
    return last;
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
    Trees.delete(destination);
    Trees.delete(work);
  }
}
