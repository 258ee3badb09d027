package io.fdt.core.engine.meter;

import com.sun.management.OperatingSystemMXBean;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the limits of this host for transfers. A value that cannot be read is unknown: on systems
 * other than Linux, and for net.core settings in some containers. Stateless.
 */
public final class HostLimitsReader {
  public static final Path PROC = Path.of("/proc");

  /** The most bytes read of a file in /proc, whose reported size is 0. */
  private static final int MAX_BYTES = 64 << 10;

  private static final Pattern OPEN_FILES = Pattern.compile("Max open files +([0-9]+|unlimited)");
  private static final Pattern AVAILABLE = Pattern.compile("MemAvailable: +([0-9]{1,15}) kB");
  private static final Pattern TOTAL = Pattern.compile("MemTotal: +([0-9]{1,15}) kB");

  private HostLimitsReader() {}

  /** The limits of this host now. Reads some 15 small files of /proc. */
  public static HostLimits read() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    String memory = text(PROC.resolve("meminfo")).orElse("");
    long total = system.getTotalMemorySize();
    // The MXBean knows the limits of containers, but does not count the page cache as available.
    boolean isContainer = total < kilobytes(TOTAL, memory);
    long available = kilobytes(AVAILABLE, memory);
    long free = isContainer || available == 0 ? system.getFreeMemorySize() : available;
    return new HostLimits(
        "%s %s %s"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch")),
        Runtime.getRuntime().availableProcessors(),
        Math.max(0, total),
        Math.max(0, free),
        openFiles(text(PROC.resolve("self/limits")).orElse("")),
        new HostLimits.Program(
            Runtime.version().toString(),
            Runtime.getRuntime().maxMemory(),
            EventLoops.isNative(),
            Tls.isNative()),
        settings(PROC.resolve("sys")));
  }

  /** The readable and plausible settings beneath a directory like /proc/sys. */
  public static Map<KernelSetting, String> settings(Path sys) {
    Map<KernelSetting, String> settings = new EnumMap<>(KernelSetting.class);
    for (KernelSetting setting : KernelSetting.values()) {
      setting(setting, sys.resolve(setting.path()))
          .ifPresent(value -> settings.put(setting, value));
    }
    return settings;
  }

  /** The value in a file of /proc/sys; empty when it cannot be read or is not plausible. */
  public static Optional<String> setting(KernelSetting setting, Path file) {
    return text(file).flatMap(setting::value);
  }

  /** The limit of open files in the text of /proc/self/limits; 0 if missing. */
  public static long openFiles(String limits) {
    Matcher matcher = OPEN_FILES.matcher(limits);
    if (!matcher.find()) {
      return 0;
    }
    String most = matcher.group(1);
    return most.equals("unlimited") || most.length() > 18 ? Long.MAX_VALUE : Long.parseLong(most);
  }

  private static long kilobytes(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024 : 0;
  }

  private static Optional<String> text(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
