package io.fdt.core.engine;

/**
 * The loop and the threads of one end of a session.
 *
 * @param name of the session, in thread names
 * @param loop that its state is confined to
 * @param threads for its blocking work
 */
public record SessionRuntime(String name, SessionLoop loop, TransferThreads threads) {
  /** A runtime with threads of the JVM. */
  public SessionRuntime(String name, SessionLoop loop) {
    this(name, loop, PlatformThreads.INSTANCE);
  }
}
