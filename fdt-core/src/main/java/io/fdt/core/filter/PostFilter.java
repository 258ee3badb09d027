package io.fdt.core.filter;

/**
 * User code that runs at one end after each transfer, completed or failed. Called on a thread that
 * may block; one instance serves all transfers of its client or server concurrently.
 */
@FunctionalInterface
public interface PostFilter {
  /**
   * Called when this end has released the transfer. A client reports only after it returns; a
   * server does not delay its client.
   *
   * @param outcome valid until this returns
   * @throws Exception the filter failed; a client reports it, a server logs it
   */
  void after(FilteredTransfer transfer, TransferOutcome outcome) throws Exception;
}
