package io.fdt.wan;

import java.util.Locale;

/**
 * The properties of a path between two hosts, the same in both directions.
 *
 * @param megabitsPerSecond of frames on the wire
 * @param rttMillis without any queue
 * @param lossPercent of packets, at random
 * @param bufferBytes to which a socket of either host may grow
 * @param queueBytes in front of the link; 0: one bandwidth-delay product, 256 KiB at least
 */
record Link(
    double megabitsPerSecond,
    double rttMillis,
    double lossPercent,
    long bufferBytes,
    long queueBytes) {
  static final long STOCK_BUFFERS = 4L << 20;
  static final long TUNED_BUFFERS = 64L << 20;

  /** Preamble, Ethernet header, checksum and gap: what a frame costs beside its IP packet. */
  static final int FRAME_OVERHEAD = 38;

  /** Headers of IP and TCP, with timestamps. */
  private static final int HEADERS = 52;

  /** The most payload of TCP that it carries: 941 of 1,000 Mbit/s with packets of 1,500 bytes. */
  double limitMegabits() {
    int mtu = mtu();
    return megabitsPerSecond * (mtu - HEADERS) / (mtu + FRAME_OVERHEAD);
  }

  /** For both hosts: from the environment (MTU), as emulators take it. */
  static int mtu() {
    return Integer.parseInt(System.getenv().getOrDefault("MTU", "1500"));
  }

  /** The queue in front of it, in bytes. */
  long queue() {
    return queueBytes > 0
        ? queueBytes
        : Math.max(256L << 10, (long) (megabitsPerSecond * 1e6 / 8 * rttMillis / 1000));
  }

  Link withRate(double megabits) {
    return new Link(megabits, rttMillis, lossPercent, bufferBytes, queue());
  }

  /** Names it in a table. */
  String words() {
    return String.format(
        Locale.ROOT,
        "%s Mbit/s, %s ms, %s %% loss, %d MiB",
        number(megabitsPerSecond),
        number(rttMillis),
        number(lossPercent),
        bufferBytes >> 20);
  }

  /** As short as it can be said: 1.65, 150, 0.001. */
  static String number(double value) {
    return new java.math.BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }
}
