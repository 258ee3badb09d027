package io.fdt.core.send;

import io.fdt.core.engine.meter.HostLimitsReader;
import io.fdt.core.tuning.KernelSetting;
import java.nio.file.Path;

/** The most bytes that one stream can have in flight with the sender's system settings. */
final class SendWindow {
  /**
   * The share of a socket's buffer for data in flight; the rest is overhead of the kernel, and
   * unsent data. Measured on Linux 6 at 150 ms: 2.6 of 4 MiB.
   */
  private static final double USABLE = 0.62;

  /** Linux's default. */
  private static final long STOCK = 4 << 20;

  private SendWindow() {}

  /** The bytes in flight, 1 or more. */
  static long most() {
    return most(HostLimitsReader.PROC.resolve("sys").resolve(KernelSetting.TCP_WMEM.path()));
  }

  /**
   * @param limits the file with the three numbers of net.ipv4.tcp_wmem; may be missing
   */
  static long most(Path limits) {
    long buffer =
        HostLimitsReader.setting(KernelSetting.TCP_WMEM, limits)
            .map(numbers -> Long.parseLong(numbers.substring(numbers.lastIndexOf(' ') + 1)))
            .orElse(STOCK);
    return Math.max(1, (long) (USABLE * buffer));
  }
}
