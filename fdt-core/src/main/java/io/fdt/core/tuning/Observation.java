package io.fdt.core.tuning;

import java.util.Optional;

/**
 * The sample of a transfer at its sender in about a second, and its interpretation. Immutable.
 *
 * @param sample the figures of both ends
 * @param limitedBy the bottleneck
 * @param readers threads that read each disk of the source
 * @param congestion the algorithm of TCP's congestion control; empty if unknown
 * @param change the change of settings from now on and its reason, for display; empty for none
 * @param detail for a monitor; empty unless requested
 */
public record Observation(
    Sample sample,
    Bottleneck limitedBy,
    int readers,
    String congestion,
    String change,
    Optional<Detail> detail) {
  /** An observation without details for a monitor. */
  public Observation(
      Sample sample, Bottleneck limitedBy, int readers, String congestion, String change) {
    this(sample, limitedBy, readers, congestion, change, Optional.empty());
  }

  /** The same with another change. */
  public Observation withChange(String other) {
    return new Observation(sample, limitedBy, readers, congestion, other, detail);
  }
}
