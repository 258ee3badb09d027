package io.fdt.service.task;

/**
 * The progress of a task. Immutable.
 *
 * @param bytesDone payload bytes at the destination
 * @param bytesTotal bytes found so far
 */
public record Counts(
    long bytesDone, long bytesTotal, long filesDone, long filesFailed, long filesTotal) {
  public static final Counts NONE = new Counts(0, 0, 0, 0, 0);
}
