package io.fdt.compare;

/**
 * The cost of one run of one tool.
 *
 * @param wallSeconds from the start of the client to its end, its own start-up included; of a pair
 *     that is warm, of the transfer alone
 * @param cpuSeconds of all its processes, server's start-up included; likewise
 * @param peakMegabytes the largest resident set of one process, in 10^6 bytes
 */
public record Cost(double wallSeconds, double cpuSeconds, double peakMegabytes) {
  /** The cost of processes that worked together; time passed for them together. */
  public Cost with(Cost other) {
    return new Cost(
        wallSeconds, cpuSeconds + other.cpuSeconds, Math.max(peakMegabytes, other.peakMegabytes));
  }
}
