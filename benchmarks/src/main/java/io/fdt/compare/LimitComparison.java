package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Measures how exactly {@code --limit} is kept ({@code make bench-limit}).
 *
 * <p>A file is pulled or pushed for about 20 s through a relay that counts the bytes of its TCP
 * connections. The first and the last second are ignored. The output is the worst of all windows of
 * 5 s, and the highest count of 100 ms.
 */
final class LimitComparison {
  private static final int SECONDS = 20;
  private static final double MILLION = 1e6;

  private LimitComparison() {}

  /** Arguments: the jar, and a directory in memory with room for 4 GB. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length != 2) {
      System.err.println("usage: JAR DIRECTORY");
      System.exit(2);
    }
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    Path work = Path.of(arguments[1]).toAbsolutePath();
    System.out.println("| limit | direction | streams | 5 s, least | 5 s, most | 100 ms, most |");
    System.out.println("|---|---|--:|--:|--:|--:|");
    for (int megabytes : List.of(10, 100)) {
      for (int streams : List.of(1, 4, 16)) {
        run(jar, work, megabytes, streams, true);
      }
      run(jar, work, megabytes, 4, false);
    }
  }

  private static void run(Path jar, Path work, int megabytes, int streams, boolean pull)
      throws IOException, InterruptedException {
    Trees.delete(work);
    Path source = Files.createDirectories(work.resolve("source"));
    Path destination = Files.createDirectories(work.resolve("destination"));
    fill(source.resolve("file"), megabytes * SECONDS);
    List<String> exports = List.of(source.toString(), destination + ":rw");
    try (OwnServer server = new OwnServer(jar, work, exports);
        CountingRelay relay = new CountingRelay(server.port(), pull)) {
      String there = "fdt://127.0.0.1:" + relay.port();
      String from = pull ? there + "/source/file" : source.resolve("file").toString();
      String to = pull ? destination.toString() + "/" : there + "/destination/";
      try (MeasuredProcess client =
          server.command("copy", "-P", "" + streams, "--limit", megabytes + "MB/s", from, to)) {
        client.end();
      }
      server.stop();
      double rate = megabytes * MILLION;
      System.out.printf(
          Locale.ROOT,
          "| %d MB/s | %s | %d | %+.2f %% | %+.2f %% | %.0f ms' worth |%n",
          megabytes,
          pull ? "pull" : "push",
          streams,
          100 * (relay.least(5) / (5 * rate) - 1),
          100 * (relay.most(5) / (5 * rate) - 1),
          1000 * relay.most(0.1) / rate);
    } finally {
      Trees.delete(work);
    }
  }

  private static void fill(Path file, int megabytes) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "dd",
                "status=none",
                "if=/dev/urandom",
                "of=" + file,
                "bs=1MB",
                "count=" + megabytes)
            .inheritIO()
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("dd failed");
    }
  }
}
