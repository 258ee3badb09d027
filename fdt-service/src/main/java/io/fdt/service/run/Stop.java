package io.fdt.service.run;

/** The signal that ends an attempt. Any thread. */
final class Stop {
  /** The reason why an attempt must end. */
  enum Reason {
    /** The user's intent has changed. */
    INTENT,
    DEADLINE,
    /** Another process may work on the task; transfers at servers continue. */
    LOST,
    /** The service stops; transfers at servers continue. */
    SERVICE
  }

  private Reason reason;
  private Runnable action = () -> {};

  synchronized boolean isAsked() {
    return reason != null;
  }

  synchronized boolean isFor(Reason wanted) {
    return reason == wanted;
  }

  /** Whether the work continues without this process. */
  synchronized boolean isLeaving() {
    return reason == Reason.SERVICE || reason == Reason.LOST;
  }

  /** Sets the action that ends the current work; runs it at once after a stop. */
  void with(Runnable ending) {
    boolean now;
    synchronized (this) {
      action = ending;
      now = reason != null;
    }
    if (now) {
      ending.run();
    }
  }

  /** Ends the attempt. The first reason counts. */
  void ask(Reason why) {
    Runnable ending;
    synchronized (this) {
      if (reason != null) {
        return;
      }
      reason = why;
      ending = action;
    }
    ending.run();
  }
}
