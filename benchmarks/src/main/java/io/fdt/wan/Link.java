package io.fdt.wan;

import java.util.Locale;

/**
 * The properties of a path between two hosts, the same in both directions.
 *
 * @param megabitsPerSecond of Ethernet frames
 * @param rttMillis with empty queues
 * @param lossPercent of packets, at random
 * @param bufferBytes maximum size of a socket buffer of either host
 * @param queueBytes in front of the link; 0 for one bandwidth-delay product, at least 256 KiB
 */
record Link(
    double megabitsPerSecond,
    double rttMillis,
    double lossPercent,
    long bufferBytes,
    long queueBytes) {
  static final long STOCK_BUFFERS = 4L << 20;
  static final long TUNED_BUFFERS = 64L << 20;

  /** Bytes of a frame besides its IP packet: preamble, Ethernet header, checksum and gap. */
  static final int FRAME_OVERHEAD = 38;

  /** Headers of IP and TCP, with timestamps. */
  private static final int HEADERS = 52;

  /** The maximum TCP payload rate: 941 of 1,000 Mbit/s with packets of 1,500 bytes. */
  double limitMegabits() {
    int mtu = mtu();
    return megabitsPerSecond * (mtu - HEADERS) / (mtu + FRAME_OVERHEAD);
  }

  /** The MTU of both hosts, from the environment variable MTU. */
  static int mtu() {
    return Integer.parseInt(System.getenv().getOrDefault("MTU", "1500"));
  }

  /** The size of the queue in front of the link, in bytes. */
  long queue() {
    return queueBytes > 0
        ? queueBytes
        : Math.max(256L << 10, (long) (megabitsPerSecond * 1e6 / 8 * rttMillis / 1000));
  }

  Link withRate(double megabits) {
    return new Link(megabits, rttMillis, lossPercent, bufferBytes, queue());
  }

  /** Describes the link in a table. */
  String words() {
    return String.format(
        Locale.ROOT,
        "%s Mbit/s, %s ms, %s %% loss, %d MiB",
        number(megabitsPerSecond),
        number(rttMillis),
        number(lossPercent),
        bufferBytes >> 20);
  }

  /** The shortest form of a number: 1.65, 150, 0.001. */
  static String number(double value) {
    return new java.math.BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }
}
