package io.fdt.core.engine.meter;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.StringTokenizer;

/**
 * The load of this machine's processors as far as it slows down a transfer: the maximum of this
 * process and of the whole machine (a container may see the time of the whole machine, but have
 * only a part of it). If no transfer thread runs or waits for a processor half of the time, all of
 * them wait for a network or a disk; then the load does not matter.
 *
 * <p>Not thread-safe: confined to the event loop of a session.
 */
public final class CpuMeter {
  /** The maximum length of the line of all processors, which is the first one. */
  private static final int LINE = 256;

  /** The column of idle time, from 0: waiting for disks is not work. */
  private static final int IDLE = 3;

  private static final int IO_WAIT = 4;

  /** Threads with a lower load wait for something else. Work may be spread over several threads. */
  private static final double WORKS = 0.5;

  private final Path statistics;
  private final ThreadLoad threads;
  private long lastNanos;
  private Duration lastOwn = used();
  private double ownShare;
  private double hostShare;
  private long lastBusy;
  private long lastTotal;

  public CpuMeter(long nowNanos) {
    this(nowNanos, Path.of("/proc/stat"), ThreadLoad.OF_PROCESS);
  }

  /**
   * @param statistics as Linux' /proc/stat; may be missing
   * @param threads of this process
   */
  public CpuMeter(long nowNanos, Path statistics, ThreadLoad threads) {
    this.threads = threads;
    this.statistics = statistics;
    this.lastNanos = nowNanos;
    machine();
  }

  private static Duration used() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** The load since the last call, 0 to 1. */
  public double take(long nowNanos) {
    Duration now = used();
    double elapsed = Math.max(1, nowNanos - lastNanos);
    double ofThis =
        now.minus(lastOwn).toNanos() / elapsed / Runtime.getRuntime().availableProcessors();
    ownShare = Math.max(0, Math.min(1, ofThis));
    lastOwn = now;
    lastNanos = nowNanos;
    double busy = Math.max(0, Math.min(1, Math.max(ofThis, machine())));
    hostShare = busy;
    double load = threads.take(nowNanos);
    return load < WORKS ? Math.min(busy, load) : busy;
  }

  /** The share of this process in the last {@link #take}, 0 to 1. */
  public double own() {
    return ownShare;
  }

  /** The share of all processes in the last {@link #take}, 0 to 1. */
  public double host() {
    return hostShare;
  }

  /** The share of all processes since the last call; 0 if unknown. */
  private double machine() {
    String line;
    try (InputStream in = Files.newInputStream(statistics)) {
      line = new String(in.readNBytes(LINE), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return 0;
    }
    int end = line.indexOf('\n');
    if (!line.startsWith("cpu ") || end < 0) {
      return 0;
    }
    long busy = 0;
    long total = 0;
    StringTokenizer columns = new StringTokenizer(line.substring(4, end));
    for (int i = 0; columns.hasMoreTokens(); i++) {
      long ticks = Long.parseLong(columns.nextToken());
      total += ticks;
      busy += i == IDLE || i == IO_WAIT ? 0 : ticks;
    }
    double share = total == lastTotal ? 0 : (double) (busy - lastBusy) / (total - lastTotal);
    lastBusy = busy;
    lastTotal = total;
    return share;
  }
}
