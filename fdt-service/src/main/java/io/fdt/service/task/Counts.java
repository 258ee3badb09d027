package io.fdt.service.task;

/**
 * The progress of a task. Immutable.
 *
 * @param moved by all sessions of the task
 * @param before by its sessions before the current one
 * @param bytesTotal bytes found so far
 */
public record Counts(
    Moved moved, Moved before, long bytesTotal, long filesDone, long filesFailed, long filesTotal) {
  /**
   * Sums over sessions.
   *
   * @param bytes payload bytes at the destination
   * @param files transferred and verified
   * @param deleted names deleted at the destination; of a task that deletes, those that it has
   *     removed
   */
  public record Moved(long bytes, long files, long deleted) {
    public static final Moved NOTHING = new Moved(0, 0, 0);

    public Moved plus(Moved more) {
      return new Moved(bytes + more.bytes, files + more.files, deleted + more.deleted);
    }
  }

  public static final Counts NONE = new Counts(Moved.NOTHING, Moved.NOTHING, 0, 0, 0, 0);

  /** The counts at the start of another session. */
  public Counts atNextSession() {
    return new Counts(moved, moved, bytesTotal, filesDone, filesFailed, filesTotal);
  }

  public long bytesDone() {
    return moved.bytes;
  }

  public long filesDeleted() {
    return moved.deleted;
  }
}
