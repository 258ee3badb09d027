package io.fdt.service.run;

/** How one attempt is told to end. Any thread. */
final class Stop {
  /** Why an attempt is to end. */
  enum Reason {
    /** Its user wants something else: see the intent of the task. */
    INTENT,
    DEADLINE,
    /** Another process may work on the task; what runs at servers is left running. */
    LOST,
    /** The service stops; what runs at servers is left running. */
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

  /** Whether the work goes on without this process. */
  synchronized boolean isLeaving() {
    return reason == Reason.SERVICE || reason == Reason.LOST;
  }

  /** What ends what happens now; runs at once when the attempt was told to end before. */
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

  /** Tells the attempt to end. The first reason counts. */
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
