package io.fdt.core.udt;

/** Decides how fast a sender sends. Pure; confined to its connection. */
interface RateControl {
  /** An acknowledgement with a window has come. */
  void acknowledged(Progress progress);

  /**
   * Packets were reported missing.
   *
   * @param first the least of them
   * @param packets how many
   */
  void lost(Progress progress, long first, long packets);

  /** Nothing has come for longer than a round trip explains. */
  void timedOut(Progress progress);

  /** Time from one packet to the next, in microseconds, above 0. */
  double periodMicros();

  /** Most packets in flight, 2 or more. */
  long window();

  /** How much of what a late timer missed may leave at once, in microseconds of its rate. */
  long catchUpMicros();

  /** Its state in one word, for people. */
  String state();
}
