package io.fdt.server.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.node.SessionWork;
import io.fdt.core.node.Stripe;
import io.fdt.core.storage.OpenFileLimit;

/** Opens the files of one client for its sessions, whichever end dials. Thread-safe. */
public interface SessionTrees {
  /**
   * The server's part in a session.
   *
   * @param hearsState whether the peer of a receiving session reports its state
   */
  SessionWork work(
      SessionRequest wanted, boolean hearsState, OpenFileLimit openFiles, Stripe stripe);

  /**
   * Checks that the client may use the paths of a request, before filters see them.
   *
   * @throws FdtException the client may not
   */
  void check(SessionRequest wanted) throws FdtException;

  /** The export of a session, in one word. */
  String export(SessionRequest wanted);
}
