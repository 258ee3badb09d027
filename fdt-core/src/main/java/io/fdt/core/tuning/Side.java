package io.fdt.core.tuning;

import io.fdt.core.unit.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * An end of a connection, and the buffer of its system that bounds how much of a stream can be
 * under way. Pure.
 */
public enum Side {
  /** At 150 ms 4 MiB carry 190 Mbit/s: 85 %; what else is in them varies. */
  SENDER("sender", "send", KernelSetting.TCP_WMEM, KernelSetting.WMEM_MAX, 3, 4),

  /** The kernel's ip-sysctl.rst: half is for what comes with the data. Since 6.6 it is less. */
  RECEIVER("receiver", "receive", KernelSetting.TCP_RMEM, KernelSetting.RMEM_MAX, 1, 2);

  /** RFC 7323: no window is larger. A larger buffer is of no use. */
  private static final long LARGEST_WINDOW = 1L << 30;

  /** Without window scaling. */
  private static final long UNSCALED_WINDOW = 65_535;

  private final String text;
  private final String buffer;
  private final KernelSetting adapted;
  private final KernelSetting fixed;
  private final int numerator;
  private final int denominator;

  /**
   * @param adapted how far the system lets buffers grow
   * @param fixed how large programs may make them
   * @param numerator with the denominator: the share of a buffer that data can have
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

  /** For people: "sender". */
  public String text() {
    return text;
  }

  /** For people: "send buffer". */
  String bufferText() {
    return buffer + " buffer";
  }

  /** The limit of the buffer. */
  KernelSetting setting() {
    return adapted;
  }

  /** Bytes of one stream that its system lets be under way; empty when that is not known. */
  OptionalLong window(HostLimits host) {
    OptionalLong most = host.most(adapted);
    if (most.isEmpty()) {
      return most;
    }
    long window = Math.min(LARGEST_WINDOW, most.getAsLong() / denominator * numerator);
    return OptionalLong.of(
        host.isOff(KernelSetting.WINDOW_SCALING) ? Math.min(UNSCALED_WINDOW, window) : window);
  }

  /** How many streams it takes until so many bytes can be under way. */
  static long streams(long window, long bytesUnderWay) {
    return Math.max(1, (bytesUnderWay + window - 1) / Math.max(1, window));
  }

  /**
   * The lines of a sysctl.conf with which so many bytes of one stream can be under way. Nothing is
   * lowered; empty when all is large enough, or not known.
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

  /** The least power of two that is no less; of large ones the largest window. */
  private static long powerOfTwo(long bytes) {
    long power = 1 << 16;
    while (power < bytes && power < LARGEST_WINDOW) {
      power *= 2;
    }
    return power;
  }

  /** For people: how much it is, and why. */
  String windowText(HostLimits host) {
    return "%s (of the %s that %s allows)"
        .formatted(
            ByteSize.ofBytes(window(host).orElseThrow()),
            ByteSize.ofBytes(host.most(adapted).orElseThrow()),
            adapted.key());
  }
}
