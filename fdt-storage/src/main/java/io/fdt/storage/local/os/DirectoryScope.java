package io.fdt.storage.local.os;

/**
 * What the directories of one tree share: the bound on idle ones, and the moment when all of them
 * are closed.
 *
 * <p>Any thread. A directory that is in use during {@link #close} is closed when that use ends.
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
