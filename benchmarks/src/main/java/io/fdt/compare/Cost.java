package io.fdt.compare;

/**
 * The cost of one run of one tool.
 *
 * @param wallSeconds from the start of the client process to its end; of the transfer alone if both
 *     ends are warm
 * @param cpuSeconds of all its processes, including the start of the server; of the transfer alone
 *     if both ends are warm
 * @param peakMegabytes the largest resident set of one process, in 10^6 bytes
 */
public record Cost(double wallSeconds, double cpuSeconds, double peakMegabytes) {
  /** The cost of processes that run at the same time: CPU times add up. */
  public Cost with(Cost other) {
    return new Cost(
        wallSeconds, cpuSeconds + other.cpuSeconds, Math.max(peakMegabytes, other.peakMegabytes));
  }
}
