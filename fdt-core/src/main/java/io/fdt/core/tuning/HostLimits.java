package io.fdt.core.tuning;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The limits of a host for a transfer. Immutable.
 *
 * @param system name and version of the operating system, and the machine's architecture
 * @param processors that this process may use
 * @param memoryBytes of the host, or of the container; 0 when unknown
 * @param freeBytes available memory; 0 when unknown
 * @param openFiles limit of a process; 0 when unknown
 * @param program the components of FDT
 * @param settings the readable ones; none on systems other than Linux
 */
public record HostLimits(
    String system,
    int processors,
    long memoryBytes,
    long freeBytes,
    long openFiles,
    Program program,
    Map<KernelSetting, String> settings) {

  /**
   * The components of FDT on a host.
   *
   * @param java version of its JVM
   * @param memoryBytes memory of the JVM for blocks (and the same for its heap)
   * @param epoll whether sockets use Linux' epoll rather than Java's NIO
   * @param boringSsl whether TLS uses BoringSSL rather than the JDK
   */
  public record Program(String java, long memoryBytes, boolean epoll, boolean boringSsl) {}

  public HostLimits {
    if (processors < 1 || memoryBytes < 0 || freeBytes < 0 || openFiles < 0) {
      throw new IllegalArgumentException(
          "processors=%d memory=%d free=%d openFiles=%d"
              .formatted(processors, memoryBytes, freeBytes, openFiles));
    }
    settings.forEach(
        (setting, value) -> {
          if (!setting.value(value).equals(Optional.of(value))) {
            throw new IllegalArgumentException(setting.key() + " cannot be '" + value + "'");
          }
        });
    settings = Map.copyOf(settings);
  }

  /** The value of a setting. */
  public Optional<String> setting(KernelSetting setting) {
    return Optional.ofNullable(settings.get(setting));
  }

  /** The last, and so the largest, number of a setting. */
  public OptionalLong most(KernelSetting setting) {
    Optional<String> value = setting(setting);
    return value.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(value.get().replaceFirst(".* ", "")));
  }

  /** Whether a setting is known, and 0. */
  boolean isOff(KernelSetting setting) {
    return most(setting).equals(OptionalLong.of(0));
  }

  /** The words of a setting; none when unknown. */
  List<String> words(KernelSetting setting) {
    return setting(setting).map(value -> List.of(value.split(" "))).orElse(List.of());
  }
}
