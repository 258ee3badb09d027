package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.destination.StalePartials;

/**
 * Removes what interrupted transfers left beneath a directory of this machine: the parts of files,
 * with which the same transfer could have continued, and their journals. What a running transfer of
 * any process holds stays, links are not followed, nothing else is touched. Any thread.
 */
public final class Cleanup {
  private Cleanup() {}

  /**
   * A temporary file.
   *
   * @param path of the file, for people
   * @param bytes its size
   * @param finalPath what it would have become, for people; empty when nothing tells
   * @param inUse whether a running transfer holds it, so that it stays
   */
  public record Leftover(String path, long bytes, String finalPath, boolean inUse) {}

  /** Is told what is found, on the thread that cleans up. */
  public interface Listener {
    /** One temporary file; unless it is in use it has been removed (or would be). */
    void leftover(Leftover file);

    /** Something that could not be read or removed. */
    void problem(String path, FdtException cause);
  }

  /**
   * Cleans up. A disk operation that may take long.
   *
   * @param directory links on the way to it are followed
   * @param dryRun whether everything stays and is only told of
   * @throws FdtException NOT_FOUND, WRONG_KIND, PERMISSION for the directory itself
   */
  public static void run(BytePath directory, boolean dryRun, Listener listener)
      throws FdtException {
    StalePartials.visit(
        directory,
        !dryRun,
        new StalePartials.Visitor() {
          @Override
          public void leftover(StalePartials.Leftover file) {
            listener.leftover(
                new Leftover(file.path(), file.bytes(), file.finalPath(), file.inUse()));
          }

          @Override
          public void failed(String path, FdtException cause) {
            listener.problem(path, cause);
          }
        });
  }
}
