package io.fdt.wan;

import io.fdt.compare.Cost;
import io.fdt.compare.MeasuredProcess;
import io.fdt.compare.OwnServer;
import io.fdt.compare.OwnServer.Place;
import io.fdt.compare.Trees;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The relay paper's experiment, and 20 sessions through one relay: {@code make bench-relay}.
 *
 * <p>A file of random bytes goes from the first of three hosts to the last one. Each time is that
 * of the whole command; with store and forward, {@code attach} is included, which ends after
 * delivery. Copies are compared with the source.
 */
final class RelayComparison {
  private static final Link EDGE = new Link(10, 10, 0.05, Link.TUNED_BUFFERS, 0);
  private static final Link BACKBONE = new Link(1000, 100, 0.005, Link.TUNED_BUFFERS, 0);
  private static final Link LOSSY = new Link(1000, 100, 2, Link.TUNED_BUFFERS, 0);
  private static final int SESSIONS = 20;
  private static final Pattern LEFT = Pattern.compile("fdt attach ([0-9a-f]{8})");
  private static final Pattern IDENTITY = Pattern.compile("identity=(SHA256:\\S+)");
  private static final String SPOOL = "8G";

  /** One row of the table. */
  private record Way(String name, boolean isRelayed, String... words) {}

  private static final List<Way> WAYS =
      List.of(
          new Way("direct, one TCP stream", false, "-P", "1"),
          new Way("direct, auto", false, "-P", "auto"),
          new Way("store, then forward", true, "--hand-over", "-P", "auto"),
          new Way("relay, one stream", true, "-P", "1"),
          new Way("relay, auto", true, "-P", "auto"));

  private static final List<List<Link>> PATHS =
      List.of(List.of(EDGE, BACKBONE), List.of(BACKBONE, EDGE), List.of(EDGE, LOSSY));

  private final Path jar;
  private final Path work;
  private final Path file;
  private final long bytes;
  private final String wanted;

  private RelayComparison(Path jar, Path work, long bytes, String wanted) {
    this.jar = jar;
    this.wanted = wanted;
    this.work = work;
    this.bytes = bytes;
    this.file = work.resolve("source/file");
  }

  /**
   * Arguments: the jar, a directory in memory, bytes, rounds, and optionally the number of a path,
   * from 1, and a word that selects rows by name.
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length < 4 || arguments.length > 6) {
      System.err.println("usage: JAR DIRECTORY BYTES ROUNDS [PATH [WORD]]");
      System.exit(2);
    }
    Path work = Path.of(arguments[1]).toAbsolutePath();
    Trees.delete(work);
    RelayComparison comparison =
        new RelayComparison(
            Path.of(arguments[0]).toAbsolutePath(),
            work,
            Long.parseLong(arguments[2]),
            arguments.length < 6 ? "" : arguments[5]);
    try {
      comparison.fill();
      int rounds = Integer.parseInt(arguments[3]);
      if (arguments.length > 4) {
        comparison.paths(rounds, List.of(PATHS.get(Integer.parseInt(arguments[4]) - 1)));
      } else {
        comparison.paths(rounds, PATHS);
        comparison.sessions();
      }
    } finally {
      Trees.delete(work);
    }
  }

  private void fill() throws IOException {
    Files.createDirectories(file.getParent());
    SplittableRandom random = new SplittableRandom(1);
    byte[] chunk = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (long left = bytes; left > 0; left -= chunk.length) {
        random.nextBytes(chunk);
        out.write(chunk, 0, (int) Math.min(left, chunk.length));
      }
    }
  }

  private void paths(int rounds, List<List<Link>> paths) throws IOException, InterruptedException {
    Emulator emulator = Emulator.ofEnvironment();
    System.out.printf(
        Locale.ROOT,
        "%,d bytes, %d rounds, over %s; seconds of each round, Mbit/s of the median%n%n",
        bytes,
        rounds,
        emulator.what());
    System.out.println("| path | way | seconds | Mbit/s |");
    System.out.println("|---|---|---|--:|");
    for (List<Link> links : paths) {
      String path = links.get(0).words() + "; " + links.get(1).words();
      try (JoinedPaths hosts = JoinedPaths.up(emulator, "fdtrel", links.get(0), links.get(1))) {
        row(path, "first part alone", rounds, () -> alone(hosts.source(), hosts.relay()));
        row(path, "second part alone", rounds, () -> alone(hosts.relay(), hosts.destination()));
        for (Way way : WAYS) {
          row(path, way.name(), rounds, () -> whole(hosts, way));
        }
        row(path, "relay with a spool, auto", rounds, () -> whole(hosts, WAYS.get(4), "--spool"));
      }
    }
  }

  private interface Round {
    double seconds() throws IOException, InterruptedException;
  }

  private void row(String path, String way, int rounds, Round round) throws InterruptedException {
    if (!way.contains(wanted)) {
      return;
    }
    double[] seconds = new double[rounds];
    String text;
    try {
      for (int i = 0; i < rounds; i++) {
        seconds[i] = round.seconds();
      }
      StringBuilder all = new StringBuilder();
      for (double one : seconds) {
        all.append(String.format(Locale.ROOT, "%.2f ", one));
      }
      Arrays.sort(seconds);
      text =
          String.format(
              Locale.ROOT, "%s | %.2f", all.toString().strip(), 8e-6 * bytes / seconds[rounds / 2]);
    } catch (IOException e) {
      text = "failed: " + e.getMessage().lines().findFirst().orElse("") + " | ";
      System.err.println(e.getMessage());
    }
    System.out.printf("| %s | %s | %s |%n", path, way, text);
  }

  private double alone(Place from, Place to) throws IOException, InterruptedException {
    Path there = clean("there");
    try (OwnServer server = server("d", to, there)) {
      double seconds = copy(server, from, List.of("-P", "auto"), url(server));
      compare(there);
      return seconds;
    }
  }

  private double whole(JoinedPaths hosts, Way way, String... spool)
      throws IOException, InterruptedException {
    Path there = clean("there");
    try (OwnServer server = server("d", hosts.destination(), there)) {
      List<String> words = new ArrayList<>(List.of(way.words()));
      if (!way.isRelayed()) {
        double seconds = copy(server, hosts.source(), words, url(server));
        compare(there);
        return seconds;
      }
      boolean isStored = words.contains("--hand-over");
      try (OwnServer relay = relay(hosts.relay(), isStored || spool.length > 0)) {
        words.addAll(List.of("--via", relay.at()));
        words.addAll(List.of("--via-token-file", relay.tokenFile().toString()));
        double seconds =
            isStored
                ? stored(server, relay, hosts.source(), words)
                : copy(server, hosts.source(), words, url(server));
        compare(there);
        return seconds;
      }
    }
  }

  private static String url(OwnServer server) throws IOException {
    Matcher identity = IDENTITY.matcher(server.output());
    if (!identity.find()) {
      throw new IOException("the server does not say who it is: " + server.output());
    }
    return "fdt://" + server.at() + "/in/?fingerprint=" + identity.group(1);
  }

  private double stored(OwnServer server, OwnServer relay, Place from, List<String> words)
      throws IOException, InterruptedException {
    double start = System.nanoTime() / 1e9;
    try (MeasuredProcess copy = server.command(from.prefix(), line(server, words, url(server)))) {
      copy.end();
      Matcher id = LEFT.matcher(copy.output());
      if (!id.find()) {
        throw new IOException("no delivery was begun: " + copy.output());
      }
      try (MeasuredProcess attached =
          relay.command(
              from.prefix(),
              "attach",
              "--accept-new",
              "--token-file",
              relay.tokenFile().toString(),
              "fdt://" + relay.at() + "/" + id.group(1))) {
        attached.end();
      }
    }
    return System.nanoTime() / 1e9 - start;
  }

  private double copy(OwnServer server, Place from, List<String> words, String to)
      throws IOException, InterruptedException {
    try (MeasuredProcess copy = server.command(from.prefix(), line(server, words, to))) {
      return copy.end().wallSeconds();
    }
  }

  private String[] line(OwnServer server, List<String> words, String to) {
    List<String> all = new ArrayList<>(List.of("copy", "--accept-new", "--token-file"));
    all.add(server.tokenFile().toString());
    all.addAll(words);
    all.addAll(List.of(file.toString(), to));
    return all.toArray(String[]::new);
  }

  private Path clean(String name) throws IOException {
    Path directory = work.resolve(name);
    Trees.delete(directory);
    return Files.createDirectories(directory);
  }

  private OwnServer server(String name, Place place, Path there)
      throws IOException, InterruptedException {
    return new OwnServer(jar, clean(name), place, List.of("in=" + there + ":rw"));
  }

  private OwnServer relay(Place place, boolean hasSpool) throws IOException, InterruptedException {
    Path home = clean("r");
    List<String> words = new ArrayList<>(List.of("--relay", "--relay-to", "0.0.0.0/0"));
    words.addAll(List.of("--dial-to", "0.0.0.0/0"));
    if (hasSpool) {
      words.addAll(List.of("--spool", clean("spool") + ":" + SPOOL));
    }
    return new OwnServer(
        jar, home, place, List.of("empty=" + clean("empty")), words.toArray(String[]::new));
  }

  private void compare(Path there) throws IOException {
    List<String> differences = Trees.differences(file.getParent(), there);
    if (!differences.isEmpty()) {
      throw new IOException("wrong result: " + differences.get(0));
    }
  }

  // Sessions.

  /** Many copies at once over loopback, through a relay with a heap of 512 MB. */
  private void sessions() throws IOException, InterruptedException {
    Place loopback = new Place(List.of(), "127.0.0.1");
    Place small = new Place(List.of("env", "JAVA_TOOL_OPTIONS=-Xmx512m"), "127.0.0.1");
    Path there = clean("there");
    try (OwnServer server = server("d", loopback, there);
        OwnServer relay = relay(small, true)) {
      List<MeasuredProcess> copies = new ArrayList<>();
      try {
        for (int i = 0; i < SESSIONS; i++) {
          List<String> words = new ArrayList<>(List.of("-P", "4", "--via", relay.at()));
          words.addAll(List.of("--via-token-file", relay.tokenFile().toString()));
          String to = url(server).replace("/in/", "/in/" + i);
          copies.add(server.command(List.of(), line(server, words, to)));
        }
        List<Double> seconds = new ArrayList<>();
        for (MeasuredProcess copy : copies) {
          seconds.add(copy.end().wallSeconds());
        }
        Cost cost = relay.stop();
        System.out.printf(
            Locale.ROOT,
            "%n%d sessions of %,d bytes through one relay, -Xmx512m: %.0f MB of memory, Jain's"
                + " index of the rates %.3f, %.2f processor seconds of the relay per GB%n",
            SESSIONS,
            bytes,
            cost.peakMegabytes(),
            jain(seconds),
            cost.cpuSeconds() / (SESSIONS * bytes / 1e9));
      } finally {
        copies.forEach(MeasuredProcess::close);
      }
    }
  }

  /** Jain's fairness index of copies that started together. */
  private static double jain(List<Double> seconds) {
    double sum = 0;
    double squares = 0;
    for (double one : seconds) {
      sum += 1 / one;
      squares += 1 / (one * one);
    }
    return sum * sum / (seconds.size() * squares);
  }
}
