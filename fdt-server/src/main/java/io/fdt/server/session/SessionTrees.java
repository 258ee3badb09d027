package io.fdt.server.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.node.SessionWork;
import io.fdt.core.node.Stripe;
import io.fdt.core.storage.OpenFileLimit;

/**
 * Opens what one client may read and write, for sessions that it asks for, whichever end dials.
 * Thread-safe.
 */
public interface SessionTrees {
  /**
   * The server's part in a session.
   *
   * @param hearsState whether the peer of a receiving session reports its state
   */
  SessionWork work(
      SessionRequest wanted, boolean hearsState, OpenFileLimit openFiles, Stripe stripe);

  /**
   * Makes sure that the client may name the paths of a request, before filters see them.
   *
   * @throws FdtException it may not
   */
  void check(SessionRequest wanted) throws FdtException;

  /** Where a session reads or writes, in one word. */
  String export(SessionRequest wanted);
}
