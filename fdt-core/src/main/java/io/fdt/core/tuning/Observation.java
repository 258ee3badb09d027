package io.fdt.core.tuning;

import java.util.Optional;

/**
 * The sample of a transfer at its sender in about a second, and its interpretation. Immutable.
 *
 * @param sample what was seen, at both ends
 * @param limitedBy what limited the transfer
 * @param readers threads that read each disk of the source
 * @param congestion the algorithm of TCP's congestion control; empty where the system does not say
 * @param change what is different from now on, and why, for people; empty for nothing
 * @param detail for a monitor; empty unless it was asked for
 */
public record Observation(
    Sample sample,
    Bottleneck limitedBy,
    int readers,
    String congestion,
    String change,
    Optional<Detail> detail) {
  /** Without what only a monitor shows. */
  public Observation(
      Sample sample, Bottleneck limitedBy, int readers, String congestion, String change) {
    this(sample, limitedBy, readers, congestion, change, Optional.empty());
  }

  /** The same with another change. */
  public Observation withChange(String other) {
    return new Observation(sample, limitedBy, readers, congestion, other, detail);
  }
}
