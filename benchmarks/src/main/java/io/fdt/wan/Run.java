package io.fdt.wan;

import java.util.List;

/**
 * The result of one {@link Cell}: a line of the raw results.
 *
 * @param cell the measurement
 * @param transfers the measured one first; empty after a problem
 * @param problem the failure, or null
 * @param setting place and time
 */
record Run(Cell cell, List<Transfer> transfers, String problem, Setting setting) {
  /**
   * One transfer.
   *
   * @param progress from its start to its end
   * @param limits its bottlenecks, one for about each second
   * @param elapsedSeconds from the start of the connection to the end, as reported by the client
   * @param wallSeconds of the whole command, start-up included
   * @param cpuSeconds of both ends
   * @param bytes received at the end
   */
  record Transfer(
      List<Progress> progress,
      List<Limits> limits,
      double elapsedSeconds,
      double wallSeconds,
      double cpuSeconds,
      long bytes) {
    double megabits() {
      return bytes * 8 / 1e6 / elapsedSeconds;
    }

    /** The rate in the second half of the time until the last byte. */
    double steadyMegabits() {
      return megabits(elapsedSeconds / 2, elapsedSeconds);
    }

    /**
     * The rate between two moments, from the first and last progress in between; NaN with fewer
     * than two.
     */
    double megabits(double fromSeconds, double toSeconds) {
      List<Progress> seen =
          progress.stream()
              .filter(p -> p.seconds() >= fromSeconds && p.seconds() <= toSeconds)
              .filter(p -> p.bytes() < p.total())
              .toList();
      if (seen.size() < 2) {
        return Double.NaN;
      }
      Progress first = seen.get(0);
      Progress last = seen.get(seen.size() - 1);
      return (last.bytes() - first.bytes()) * 8 / 1e6 / (last.seconds() - first.seconds());
    }
  }

  /**
   * One progress event of a transfer.
   *
   * @param seconds since its start
   * @param bytes received
   * @param total bytes to receive, as far as known
   * @param streams open
   */
  record Progress(double seconds, long bytes, long total, int streams) {}

  /**
   * The sender's figures of about a second.
   *
   * @param limitedBy as {@code --explain} names it
   * @param streams in use
   * @param readers for each disk
   * @param congestion TCP's congestion control
   * @param receiveWindow share of the time for which streams waited for the receiver's window
   * @param senderCpu share of all processors
   * @param receiverCpu share of all processors
   * @param segments that TCP has sent
   * @param segmentsRepeated retransmitted ones
   * @param change the change of settings from then on, and its reason; empty for none
   */
  record Limits(
      String limitedBy,
      int streams,
      int readers,
      String congestion,
      double receiveWindow,
      double senderCpu,
      double receiverCpu,
      long segments,
      long segmentsRepeated,
      String change) {}

  /**
   * The place and time of a run, for the report.
   *
   * @param date ISO 8601, of the run
   * @param machine processors and memory
   * @param kernel its release
   * @param java of both ends
   * @param emulator of the path
   * @param congestionControl of both hosts
   * @param mtu of both hosts, bytes
   * @param revision of the sources
   */
  record Setting(
      String date,
      String machine,
      String kernel,
      String java,
      String emulator,
      String congestionControl,
      int mtu,
      String revision) {}

  Transfer transfer() {
    return transfers.get(0);
  }
}
