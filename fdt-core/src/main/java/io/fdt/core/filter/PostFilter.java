package io.fdt.core.filter;

/**
 * Code of a user that runs at one end after each of its transfers, whether it came to its end or
 * not. Called on a thread that may block; one instance serves all transfers of its client or
 * server, several at once.
 */
@FunctionalInterface
public interface PostFilter {
  /**
   * Called when this end holds nothing of the transfer any more. A client waits for it before it
   * reports; a server does not keep its client waiting.
   *
   * @param outcome good until this returns
   * @throws Exception what the filter was to do has failed; a client reports that, a server logs it
   */
  void after(FilteredTransfer transfer, TransferOutcome outcome) throws Exception;
}
