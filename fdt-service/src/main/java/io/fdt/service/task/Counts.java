package io.fdt.service.task;

/**
 * The progress of a task. Immutable.
 *
 * @param bytesDone payload bytes at the destination
 * @param bytesTotal bytes found so far
 * @param filesDeleted names that its attempts have deleted at the destination; of a task that
 *     deletes, those that it has removed
 */
public record Counts(
    long bytesDone,
    long bytesTotal,
    long filesDone,
    long filesFailed,
    long filesDeleted,
    long filesTotal) {
  public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);
}
