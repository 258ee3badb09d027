package io.fdt.plan;

import io.fdt.core.error.FdtException;
import io.fdt.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A file that a live worker rewrites periodically. It is written by the thread {@code
 * fdt-heartbeat}, so that a worker that waits for a disk or a network counts as alive.
 */
public final class Heartbeat implements AutoCloseable {
  /** The longest wait for a hanging write at the end. */
  private static final long END_SECONDS = 10;

  /** The suffix of heartbeat files. */
  static final String SUFFIX = ".json";

  /** The pattern of worker names. */
  static final String NAME = "[A-Za-z0-9_-]{1,200}";

  private static final ProcessHandle SELF = ProcessHandle.current();

  private final PlanFiles files;
  private final String worker;
  private final int index;
  private final ScheduledExecutorService timer;
  private long beats;

  /**
   * The content of a heartbeat.
   *
   * @param beat changes while the worker is alive
   * @param machine identifies a running operating system and its PID namespace
   * @param process the process, as {@link #process} names it
   */
  public record Beat(long beat, String machine, String process) {}

  private Heartbeat(PlanFiles files, String worker, int index) {
    this.files = files;
    this.worker = worker;
    this.index = index;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "fdt-heartbeat");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** A unique worker name. */
  public static String newName() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "host";
    }
    return "%s-%d-%08x"
        .formatted(
            host.replaceAll("[^A-Za-z0-9_-]", "-"),
            SELF.pid(),
            ThreadLocalRandom.current().nextInt());
  }

  /** Writes the first heartbeat; further ones follow. */
  public static Heartbeat start(PlanFiles files, String worker, int index, Duration period)
      throws FdtException {
    Heartbeat heartbeat = new Heartbeat(files, worker, index);
    heartbeat.write();
    long nanos = period.toNanos();
    // With a fixed rate, a resumed machine would write all missed beats.
    heartbeat.timer.scheduleWithFixedDelay(
        heartbeat::writeIfPossible, nanos, nanos, TimeUnit.NANOSECONDS);
    return heartbeat;
  }

  /**
   * Writes a heartbeat; ignores failures: without one, others take over the units of this worker,
   * which is safe.
   */
  private void writeIfPossible() {
    try {
      write();
    } catch (FdtException e) {
      return; // the next one may be possible
    }
  }

  private void write() throws FdtException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("beat", beats++);
    json.put("index", index);
    json.put("machine", machine());
    json.put("process", process(String.valueOf(SELF.pid())));
    PlanFiles.write(
        files.worker(worker), (Json.text(json) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** The last heartbeat of a worker; empty if missing. */
  public static Optional<Beat> read(PlanFiles files, String worker) {
    Path file = files.worker(worker);
    try {
      String where = file.toString();
      Map<String, Object> json =
          PlanLine.parse(Files.readString(file, StandardCharsets.UTF_8), where);
      return Optional.of(
          new Beat(
              PlanLine.number(json, "beat", where),
              PlanLine.text(json, "machine", where),
              PlanLine.text(json, "process", where)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether the heartbeat of a worker is recent.
   *
   * @param sinceMillis the oldest valid time, by the clock of this machine
   */
  static boolean isAlive(PlanFiles files, String worker, long sinceMillis) {
    try {
      return Files.getLastModifiedTime(files.worker(worker)).toMillis() >= sinceMillis
          && read(files, worker).filter(beat -> !isOfEndedProcess(beat)).isPresent();
    } catch (IOException e) {
      return false; // it has just ended
    }
  }

  /** Whether the heartbeat belongs to an ended process of this machine. */
  public static boolean isOfEndedProcess(Beat beat) {
    if (!beat.machine().equals(machine())) {
      return false;
    }
    String pid = beat.process().substring(0, Math.max(0, beat.process().indexOf('@')));
    return pid.matches("[0-9]+") && !process(pid).equals(beat.process());
  }

  /**
   * A process id with its start time (field 22 of stat), because ids are reused. A zombie (state Z)
   * counts as ended.
   */
  private static String process(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return pid + "@" + (fields[0].equals("Z") ? "ended" : fields[19]);
    } catch (IOException e) {
      return pid + "@ended";
    }
  }

  /** Identifies the machine and its PID namespace, which differs in containers. */
  private static String machine() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip()
          + " "
          + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
    } catch (IOException e) {
      return "unknown " + SELF.pid();
    }
  }

  /** Stops, and removes the file, so that an ended worker is not listed. Idempotent. */
  @Override
  public void close() throws FdtException {
    timer.shutdownNow();
    try {
      boolean unused = timer.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      Files.deleteIfExists(files.worker(worker));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw PlanFiles.failure("remove", files.worker(worker), e);
    }
  }
}
