package io.fdt.cli.run;

/** Signals that end a command, and its exit. Any thread. */
public interface ExitHooks {
  /** The shutdown hooks and the exit of this process. */
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
   * Adds a thread that starts when a signal ends the command.
   *
   * @throws IllegalStateException the command is ending
   */
  void add(Thread hook);

  /**
   * Removes a thread.
   *
   * @throws IllegalStateException the command is ending: the thread runs, or will
   */
  void remove(Thread hook);

  /** Ends the command at once. */
  void exit(int status);
}
