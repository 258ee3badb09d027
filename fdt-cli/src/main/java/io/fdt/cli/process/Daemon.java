package io.fdt.cli.process;

/** Starts threads that do not keep the process alive. */
public final class Daemon {
  private Daemon() {}

  /** Starts a thread. */
  public static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
