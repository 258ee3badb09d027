package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** Something that a {@link SessionMachine} wants done. */
public sealed interface SessionAction {
  /** Calls the one method of an executor that is for this action. */
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

  /** Give a message to the transfer. */
  record Deliver(Control message) implements SessionAction {
    @Override
    public void carryOut(Executor executor) throws FdtException {
      executor.deliver(message);
    }
  }

  /** Close the control connection, give up all data streams, and say so. */
  record Detach(FdtException cause) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.detach(cause);
    }
  }

  /** Say that nothing has moved for a while. */
  record ReportStall() implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.reportStall();
    }
  }

  /** Send the other end the reason for the end of the session, if it is connected. */
  record SendAbort(FdtException cause) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.sendAbort(cause);
    }
  }

  /**
   * Close the transfer, then the control connection, and say so. The last action.
   *
   * @param failure null when the transfer came to its end
   */
  record End(FdtException failure) implements SessionAction {
    @Override
    public void carryOut(Executor executor) {
      executor.end(failure);
    }
  }
}
