package io.fdt.core.filter;

/**
 * User code that runs at one end before each transfer and may change it. Called on a thread that
 * may block; one instance serves all transfers of its client or server concurrently.
 */
@FunctionalInterface
public interface PreFilter {
  /**
   * Called before the client connects, or before the server opens the session.
   *
   * @return the same transfer, or one with other sources or another destination
   * @throws Exception the transfer is rejected; the message goes to the user, and from a server to
   *     its client
   */
  FilteredTransfer before(FilteredTransfer transfer) throws Exception;
}
