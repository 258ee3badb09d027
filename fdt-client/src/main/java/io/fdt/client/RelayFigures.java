package io.fdt.client;

/**
 * How one relay on the way to a server is doing. Immutable.
 *
 * @param relay host and port
 * @param target where it passes connections on to
 * @param connections the most that carried data at once
 * @param toServer what goes towards the server
 * @param toClient what comes back
 */
public record RelayFigures(
    String relay, String target, int connections, Flow toServer, Flow toClient) {
  /**
   * One direction.
   *
   * @param bytes that were passed on
   * @param held part of the time, 0 to 1, in which the relay had bytes and the next part of the way
   *     did not take them: then that part is the slower one
   * @param roundTripMicros of the connections on which the relay sends; 0 when that is not known
   * @param segments that TCP has sent on them; 0 when that is not known
   * @param segmentsRepeated those of them that were sent again
   * @param waiting bytes that the relay holds now, most of them in its spool; 0 without a spool
   * @param mostWaiting the most that it has held at once
   * @param congestion TCP congestion control of those connections; empty when that is not known
   */
  public record Flow(
      long bytes,
      double held,
      long roundTripMicros,
      long segments,
      long segmentsRepeated,
      long waiting,
      long mostWaiting,
      String congestion) {}
}
