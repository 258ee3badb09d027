package io.fdt.core.tuning;

import java.util.List;

/**
 * The resources of one end of a transfer: those used over about a second, and the available ones.
 * Amounts in bytes; 0 if unknown. Immutable.
 *
 * @param cpu share of all processors used by any process, 0 to 1
 * @param ownCpu share used by the process of the transfer, 0 to 1
 * @param processBytes resident memory of that process
 * @param hostBytes memory of the host
 * @param hostFreeBytes memory available to programs
 * @param waitingBytes bytes of blocks that wait in memory for a stream or a disk
 * @param budgetBytes limit of these
 * @param disks being read or written, the busiest first; at most {@link #MOST_DISKS}
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

  /** Whether the state is known: then the budget is above 0. */
  public boolean isKnown() {
    return budgetBytes > 0;
  }
}
