package io.fdt.core.tuning;

import java.util.List;

/**
 * The resources of one end of a transfer, used in about a second and available. Amounts in bytes; 0
 * where the system does not say. Immutable.
 *
 * @param cpu share of all its processors that is in use, by whatever, 0 to 1
 * @param ownCpu the part of it that the transfer's own process uses, 0 to 1
 * @param processBytes memory of that process that is in RAM
 * @param hostBytes memory of the host
 * @param hostFreeBytes the part of it that programs could still get
 * @param waitingBytes blocks that wait in memory: for a stream, or for a disk
 * @param budgetBytes how many may
 * @param disks that it reads or writes, the busiest first; at most {@link #MOST_DISKS}
 */
public record EndState(
    double cpu,
    double ownCpu,
    long processBytes,
    long hostBytes,
    long hostFreeBytes,
    long waitingBytes,
    long budgetBytes,
    List<DiskState> disks) {
  public static final int MOST_DISKS = 16;

  /** The state of an end that does not report. */
  public static final EndState UNKNOWN = new EndState(0, 0, 0, 0, 0, 0, 0, List.of());

  public EndState {
    disks = List.copyOf(disks);
  }

  /** Whether it says anything: each end has a budget. */
  public boolean isKnown() {
    return budgetBytes > 0;
  }
}
