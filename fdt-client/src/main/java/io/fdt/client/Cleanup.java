package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.Storages;

/**
 * Removes stale partials beneath a directory, or beneath a prefix of a bucket: unfinished files of
 * interrupted transfers and their journals. Leaves the files of running transfers of any process,
 * follows no links, and touches nothing else. Any thread.
 */
public final class Cleanup {
  private Cleanup() {}

  /**
   * A temporary file.
   *
   * @param path escaped
   * @param bytes its size
   * @param finalPath its final path, escaped; empty when unknown
   * @param inUse whether a running transfer uses it; it is not removed then
   * @param putBack whether it was moved back to its final path: a transfer died while replacing it
   */
  public record Leftover(
      String path, long bytes, String finalPath, boolean inUse, boolean putBack) {}

  /** Receives results on the thread that cleans up. */
  public interface Listener {
    /** One temporary file: removed (or to be removed), unless in use. */
    void leftover(Leftover file);

    /** A name that could not be read or removed. */
    void problem(String path, FdtException cause);
  }

  /** Whether a name is that of an unfinished file of a transfer, or of its journal. */
  public static boolean isTemporary(BytePath name) {
    return TemporaryName.isTemporary(name.bytes());
  }

  /**
   * Cleans up. A disk operation that may take long.
   *
   * @param directory links on the way to it are followed
   * @param dryRun whether to only report
   * @throws FdtException NOT_FOUND, WRONG_KIND, PERMISSION for the directory itself
   */
  public static void run(BytePath directory, boolean dryRun, Listener listener)
      throws FdtException {
    Storages.of(directory)
        .leftovers(
            directory,
            !dryRun,
            new LeftoverVisitor() {
              @Override
              public void leftover(LeftoverVisitor.Leftover file) {
                listener.leftover(
                    new Cleanup.Leftover(
                        file.path(), file.bytes(), file.finalPath(), file.inUse(), file.putBack()));
              }

              @Override
              public void failed(String path, FdtException cause) {
                listener.problem(path, cause);
              }
            });
  }
}
