package io.fdt.core.engine;

/**
 * What one end of a session runs on.
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
