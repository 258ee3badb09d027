package io.fdt.core.engine;

/**
 * The loop and the threads of one end of a session.
 *
 * @param name of the session, in thread names
 * @param loop what its state is confined to
 * @param threads where its blocking work runs
 */
public record SessionRuntime(String name, SessionLoop loop, TransferThreads threads) {
  /** With threads of the JVM. */
  public SessionRuntime(String name, SessionLoop loop) {
    this(name, loop, PlatformThreads.INSTANCE);
  }
}
