package io.fdt.core.tuning;

import io.fdt.core.unit.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * An end of a connection, with the system's buffer that limits the bytes of a stream in flight.
 * Pure.
 */
public enum Side {
  /** Measured: at 150 ms, 4 MiB carry 190 Mbit/s, 85 % of the buffer; the overhead varies. */
  SENDER("sender", "send", KernelSetting.TCP_WMEM, KernelSetting.WMEM_MAX, 3, 4),

  /**
   * According to the kernel's ip-sysctl.rst, half of the buffer is overhead; less since Linux 6.6.
   */
  RECEIVER("receiver", "receive", KernelSetting.TCP_RMEM, KernelSetting.RMEM_MAX, 1, 2);

  /** The largest window (RFC 7323); a larger buffer is useless. */
  private static final long LARGEST_WINDOW = 1L << 30;

  /** The largest window without window scaling. */
  private static final long UNSCALED_WINDOW = 65_535;

  private final String text;
  private final String buffer;
  private final KernelSetting adapted;
  private final KernelSetting fixed;
  private final int numerator;
  private final int denominator;

  /**
   * @param adapted the maximum of auto-tuned buffers
   * @param fixed the maximum that programs may set
   * @param numerator with the denominator, the share of a buffer for data
   */
  Side(
      String text,
      String buffer,
      KernelSetting adapted,
      KernelSetting fixed,
      int numerator,
      int denominator) {
    this.text = text;
    this.buffer = buffer;
    this.adapted = adapted;
    this.fixed = fixed;
    this.numerator = numerator;
    this.denominator = denominator;
  }

  /** For display: "sender". */
  public String text() {
    return text;
  }

  /** For display: "send buffer". */
  String bufferText() {
    return buffer + " buffer";
  }

  /** The limit of the buffer. */
  KernelSetting setting() {
    return adapted;
  }

  /** The most bytes of one stream in flight with the system's limits; empty when unknown. */
  OptionalLong window(HostLimits host) {
    OptionalLong most = host.most(adapted);
    if (most.isEmpty()) {
      return most;
    }
    long window = Math.min(LARGEST_WINDOW, most.getAsLong() / denominator * numerator);
    return OptionalLong.of(
        host.isOff(KernelSetting.WINDOW_SCALING) ? Math.min(UNSCALED_WINDOW, window) : window);
  }

  /** The number of streams needed for this many bytes in flight. */
  static long streams(long window, long bytesUnderWay) {
    return Math.max(1, (bytesUnderWay + window - 1) / Math.max(1, window));
  }

  /**
   * The lines of a sysctl.conf for this many bytes of one stream in flight. Never lowers a setting;
   * empty when all are large enough, or unknown.
   */
  List<String> lines(HostLimits host, long bytesUnderWay) {
    long need = Math.min(LARGEST_WINDOW, bytesUnderWay);
    OptionalLong window = window(host);
    return window.isEmpty() || window.getAsLong() >= need
        ? List.of()
        : linesForBuffer(host, powerOfTwo(need / numerator * denominator));
  }

  /** The same for a buffer of this size. */
  List<String> linesForBuffer(HostLimits host, long buffer) {
    List<String> lines = new ArrayList<>();
    if (host.isOff(KernelSetting.WINDOW_SCALING)) {
      lines.add(KernelSetting.WINDOW_SCALING.line(1));
    }
    OptionalLong asked = host.most(fixed);
    if (asked.isPresent() && asked.getAsLong() < buffer) {
      lines.add(fixed.line(buffer));
    }
    OptionalLong grows = host.most(adapted);
    if (grows.isPresent() && grows.getAsLong() < buffer) {
      String smaller = host.setting(adapted).orElseThrow().replaceFirst("[0-9]+$", "");
      lines.add(adapted.line(smaller + buffer));
    }
    return lines;
  }

  /** The next power of two, at most the largest window. */
  private static long powerOfTwo(long bytes) {
    long power = 1 << 16;
    while (power < bytes && power < LARGEST_WINDOW) {
      power *= 2;
    }
    return power;
  }

  /** The size of the window and its reason, for display. */
  String windowText(HostLimits host) {
    return "%s (of the %s that %s allows)"
        .formatted(
            ByteSize.ofBytes(window(host).orElseThrow()),
            ByteSize.ofBytes(host.most(adapted).orElseThrow()),
            adapted.key());
  }
}
