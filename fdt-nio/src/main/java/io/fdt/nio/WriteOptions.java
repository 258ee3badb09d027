package io.fdt.nio;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The options with which a program opens a file. Immutable.
 *
 * @param read whether the channel reads
 * @param write also set by append
 * @param append whether all writes append
 * @param truncate whether the old content is dropped
 * @param create whether a missing file is created
 * @param createNew whether the file must be missing
 * @param deleteOnClose whether the file is removed at the end
 * @param durable whether close syncs the file to the device
 */
record WriteOptions(
    boolean read,
    boolean write,
    boolean append,
    boolean truncate,
    boolean create,
    boolean createNew,
    boolean deleteOnClose,
    boolean durable) {

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException they contradict each other
   * @throws UnsupportedOperationException one is unknown
   */
  static WriteOptions of(Set<? extends OpenOption> options) {
    for (OpenOption option : options) {
      if (!(option instanceof StandardOpenOption)
          && !(option instanceof java.nio.file.LinkOption)) {
        throw new UnsupportedOperationException("option " + option + " is not supported");
      }
    }
    boolean append = options.contains(StandardOpenOption.APPEND);
    boolean write = append || options.contains(StandardOpenOption.WRITE);
    boolean read = options.contains(StandardOpenOption.READ) || !write;
    boolean truncate = write && options.contains(StandardOpenOption.TRUNCATE_EXISTING);
    if (append && options.contains(StandardOpenOption.READ)) {
      throw new IllegalArgumentException("READ and APPEND cannot be combined");
    }
    if (append && truncate) {
      throw new IllegalArgumentException("APPEND and TRUNCATE_EXISTING cannot be combined");
    }
    return new WriteOptions(
        read,
        write,
        append,
        truncate,
        write && options.contains(StandardOpenOption.CREATE),
        write && options.contains(StandardOpenOption.CREATE_NEW),
        options.contains(StandardOpenOption.DELETE_ON_CLOSE),
        options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC));
  }
}
