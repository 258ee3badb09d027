package io.fdt.core.send;

import io.fdt.core.engine.meter.HostLimitsReader;
import io.fdt.core.tuning.KernelSetting;
import java.nio.file.Path;

/** How much one stream can have under way, as far as the sender's system goes. */
final class SendWindow {
  /**
   * Part of a socket's buffer that is data under way; the rest is what the kernel needs besides,
   * and data that is not sent yet. 2.6 of 4 MiB were seen at 150 ms on Linux 6.
   */
  private static final double USABLE = 0.62;

  /** Linux's default. */
  private static final long STOCK = 4 << 20;

  private SendWindow() {}

  /** Bytes, 1 or more. */
  static long most() {
    return most(HostLimitsReader.PROC.resolve("sys").resolve(KernelSetting.TCP_WMEM.path()));
  }

  /**
   * @param limits the three numbers of net.ipv4.tcp_wmem; need not be there
   */
  static long most(Path limits) {
    long buffer =
        HostLimitsReader.setting(KernelSetting.TCP_WMEM, limits)
            .map(numbers -> Long.parseLong(numbers.substring(numbers.lastIndexOf(' ') + 1)))
            .orElse(STOCK);
    return Math.max(1, (long) (USABLE * buffer));
  }
}
