package io.fdt.client;

/**
 * The state of one relay on the route to a server. Immutable.
 *
 * @param relay host and port
 * @param target address to which it forwards
 * @param connections most that carried data at once
 * @param toServer traffic towards the server
 * @param toClient traffic towards the client
 */
public record RelayFigures(
    String relay, String target, int connections, Flow toServer, Flow toClient) {
  /**
   * One direction.
   *
   * @param bytes forwarded
   * @param held share of the time, 0 to 1, in which the relay had bytes that the next machine did
   *     not accept: then that part of the route is the slower one
   * @param roundTripMicros of the connections on which the relay sends; 0 when unknown
   * @param segments that TCP has sent on them; 0 when unknown
   * @param segmentsRepeated retransmitted ones
   * @param waiting bytes that the relay holds now, most of them in its spool; 0 without a spool
   * @param mostWaiting most bytes held at once
   * @param congestion TCP congestion control of those connections; empty when unknown
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
