package io.fdt.core.filter;

/**
 * Code of a user that runs at one end before each of its transfers, and may change what is
 * transferred. Called on a thread that may block; one instance serves all transfers of its client
 * or server, several at once.
 */
@FunctionalInterface
public interface PreFilter {
  /**
   * Called before the client connects, or before the server opens the session.
   *
   * @return the transfer as it shall be: the same, or one with other sources or another destination
   * @throws Exception the transfer shall not be; its message goes to the user, and from a server to
   *     its client
   */
  FilteredTransfer before(FilteredTransfer transfer) throws Exception;
}
