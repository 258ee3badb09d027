package io.fdt.core.engine.meter;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.tuning.EndState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources that this end of a session uses, for a monitor. Reads two small files of Linux'
 * /proc; without them, amounts are unknown.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class EndMeter {
  private static final int MAX_BYTES = 4 << 10;
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+([0-9]{1,12}) kB");
  private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+([0-9]{1,12}) kB");
  private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+([0-9]{1,12}) kB");

  private final CpuMeter cpu;
  private final DiskWorkers workers;
  private final Path proc;

  /**
   * @param cpu read by its last figures
   * @param workers read by their last figures
   */
  public EndMeter(CpuMeter cpu, DiskWorkers workers) {
    this(cpu, workers, HostLimitsReader.PROC);
  }

  public EndMeter(CpuMeter cpu, DiskWorkers workers, Path proc) {
    this.cpu = cpu;
    this.workers = workers;
    this.proc = proc;
  }

  /**
   * The current state; called after {@link CpuMeter#take} and {@link DiskWorkers#busiest}.
   *
   * @param waitingBytes bytes of blocks that wait in memory
   * @param budgetBytes the limit of these, 1 or more
   */
  public EndState take(long waitingBytes, long budgetBytes) {
    String memory = text(proc.resolve("meminfo"));
    return new EndState(
        cpu.host(),
        cpu.own(),
        bytes(RESIDENT, text(proc.resolve("self/status"))),
        bytes(TOTAL, memory),
        bytes(AVAILABLE, memory),
        waitingBytes,
        budgetBytes,
        workers.states());
  }

  private static long bytes(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024 : 0;
  }

  private static String text(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
