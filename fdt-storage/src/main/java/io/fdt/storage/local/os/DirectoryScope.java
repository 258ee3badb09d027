package io.fdt.storage.local.os;

/**
 * Shared by the directories of one tree: the limit on idle ones, and their common close.
 *
 * <p>Any thread. A directory in use during {@link #close} is closed after that use.
 */
public final class DirectoryScope implements AutoCloseable {
  private final IdleDirectories idle;
  private volatile boolean closed;

  public DirectoryScope(IdleDirectories idle) {
    this.idle = idle;
  }

  IdleDirectories idle() {
    return idle;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    idle.of(this).forEach(IdleDirectories.Idle::closeIfIdle);
  }
}
