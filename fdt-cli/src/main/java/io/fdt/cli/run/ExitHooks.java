package io.fdt.cli.run;

/**
 * How a command is told to end from outside, and ends at once: by signals, where it has a process
 * of its own. Any thread.
 */
public interface ExitHooks {
  /** That of this process: its shutdown hooks, and its exit. */
  ExitHooks OF_PROCESS =
      new ExitHooks() {
        @Override
        public void add(Thread hook) {
          Runtime.getRuntime().addShutdownHook(hook);
        }

        @Override
        public void remove(Thread hook) {
          Runtime.getRuntime().removeShutdownHook(hook);
        }

        @Override
        public void exit(int status) {
          Runtime.getRuntime().halt(status);
        }
      };

  /**
   * Has a thread started when the command is told to end.
   *
   * @throws IllegalStateException it has been told already
   */
  void add(Thread hook);

  /**
   * Takes back what {@link #add} did.
   *
   * @throws IllegalStateException the command has been told to end: the thread runs, or will
   */
  void remove(Thread hook);

  /** Ends the command with this exit status, whatever its other threads do. */
  void exit(int status);
}
