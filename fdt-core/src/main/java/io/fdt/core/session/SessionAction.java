package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** An action requested by a {@link SessionMachine}. */
public sealed interface SessionAction {
  /** Calls the executor's method for this action. */
  void carryOut(Executor executor) throws FdtException;

  /** Carries out actions: one method for each. */
  interface Executor {
    void send(Control message);

    void deliver(Control message) throws FdtException;

    void detach(FdtException cause);

    void reportStall();

    void sendAbort(FdtException cause);

    void end(FdtException failure);
  }

  /** Send a message on the control connection, in order. */
  record Send(Control message) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.send(message);
    }
  }

  /** Pass a message to the transfer. */
  record Deliver(Control message) implements SessionAction {
    @Override
    public void carryOut(Executor executor) throws FdtException {
      executor.deliver(message);
    }
  }

  /** Close the control connection and all data streams, and report the loss. */
  record Detach(FdtException cause) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.detach(cause);
    }
  }

  /** Report a stall. */
  record ReportStall() implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.reportStall();
    }
  }

  /** Send the peer the reason for the end of the session, if connected. */
  record SendAbort(FdtException cause) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.sendAbort(cause);
    }
  }

  /**
   * Close the transfer, then the control connection, and report the end. The last action.
   *
   * @param failure null when the transfer completed
   */
  record End(FdtException failure) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.end(failure);
    }
  }
}
