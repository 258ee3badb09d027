package io.fdt.client.transfer;

import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Background;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.tuning.Observation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The best number of streams for each server, as a start for the next transfer: a file of one line
 * for each server and direction, the newest last. Any thread, any process.
 *
 * <p>A mere hint: read and write errors are ignored.
 */
public final class StreamCountCache {
  private static final Logger LOG = LoggerFactory.getLogger(StreamCountCache.class);
  private static final String FILE = "paths";
  private static final String LOCK = "paths.lock";

  /** Most lines; 60 bytes each. */
  private static final int MOST = 500;

  private static final int MOST_STREAMS = 128;

  /** Shorter transfers are not representative. */
  private static final double LEAST_SECONDS = 10;

  /** A process can lock a file only once. */
  private static final Object ONE_AT_A_TIME = new Object();

  /** Bounds the wait for a home on an unreachable file server. */
  private static final long MOST_WAIT_SECONDS = 2;

  private final HomeDirectory home;

  /** The write in progress. */
  private final AtomicReference<CompletableFuture<Void>> writing =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  public StreamCountCache(Path home) {
    this.home = new HomeDirectory(home);
  }

  /** Observations of one transfer. Confined to the event loop of its session. */
  static final class Seen {
    /** Time for which each number of streams was used, in seconds. */
    private final Map<Integer, Double> seconds = new TreeMap<>();

    void add(Observation seen) {
      int streams = seen.sample().streams();
      if (streams > 0) {
        seconds.merge(streams, seen.sample().seconds(), Double::sum);
      }
    }

    /** The number used for the longest time; empty when all were too short. */
    OptionalInt best() {
      double whole = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
      return whole < LEAST_SECONDS
          ? OptionalInt.empty()
          : OptionalInt.of(
              Collections.max(seconds.entrySet(), Map.Entry.comparingByValue()).getKey());
    }
  }

  /** Streams to start with; empty when unknown. */
  OptionalInt streams(String server, TransferRequest.Direction direction) {
    try {
      String prefix = prefix(server, direction);
      for (String line : lines()) {
        if (line.startsWith(prefix)) {
          return number(line.substring(prefix.length()));
        }
      }
    } catch (FdtException e) {
      LOG.debug("paths not read reason={}", e.getMessage());
    }
    return OptionalInt.empty();
  }

  private static OptionalInt number(String text) {
    if (!text.matches("[0-9]{1,3}")) {
      return OptionalInt.empty();
    }
    int number = Integer.parseInt(text);
    return number < 1 || number > MOST_STREAMS ? OptionalInt.empty() : OptionalInt.of(number);
  }

  private static String prefix(String server, TransferRequest.Direction direction) {
    return server + "\t" + direction + "\t";
  }

  private List<String> lines() throws FdtException {
    byte[] bytes = home.readIfThere(FILE);
    return bytes == null ? List.of() : new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  /**
   * Stores the result of a transfer, unless it was too short, on its own thread: disks and locks
   * may take long. {@link #awaitWritten} waits for it.
   */
  void keep(String server, TransferRequest.Direction direction, Seen seen) {
    OptionalInt best = seen.best();
    if (best.isPresent()) {
      String prefix = prefix(server, direction);
      CompletableFuture<Void> one =
          Background.run("fdt-paths", () -> keep(prefix, best.getAsInt()));
      writing.updateAndGet(before -> CompletableFuture.allOf(before, one));
    }
  }

  private Void keep(String prefix, int streams) {
    synchronized (ONE_AT_A_TIME) {
      try {
        home.lockedAtOnce(LOCK, () -> write(prefix, streams));
      } catch (FdtException e) {
        LOG.debug("paths not written reason={}", e.getMessage());
      }
    }
    return null;
  }

  /** Waits for pending writes, at most 2 s. */
  public void awaitWritten() {
    try {
      writing.get().get(MOST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.debug("paths not written reason={}", String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Void write(String prefix, int streams) throws FdtException {
    List<String> lines = new ArrayList<>(lines());
    lines.removeIf(line -> line.startsWith(prefix));
    lines.add(prefix + streams);
    List<String> newest = lines.subList(Math.max(0, lines.size() - MOST), lines.size());
    home.replace(FILE, (String.join("\n", newest) + "\n").getBytes(StandardCharsets.UTF_8));
    return null;
  }
}
