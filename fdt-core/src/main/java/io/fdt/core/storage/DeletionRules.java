package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import java.util.BitSet;
import java.util.List;

/**
 * Rules of a deletion for the destination: the names that arrived, the excluded names, and the
 * names that the source lacks; also receives the outcomes. Called on the thread of the deletion.
 */
public interface DeletionRules {
  /** Whether the manifest contains a name; other names may still exist at the source. */
  boolean isKnown(List<FileName> way, FileName name);

  /**
   * Whether a name may be another spelling of one in the manifest, on a file system that folds
   * names.
   */
  default boolean maySpellAKnownName(List<FileName> way, FileName name) {
    return false;
  }

  /**
   * Whether the selection excludes a name: it is kept, with all beneath it.
   *
   * @param way the names from the directory that was transferred to the one that holds it
   */
  boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory);

  /** Levels of directories beneath a transferred one: 1 is its own names. */
  int maxDepth();

  /** Whether directories on other file systems stay as they are. */
  boolean oneFileSystem();

  /**
   * Asks the source which of these names it lacks; waits for the answer.
   *
   * @param paths names from the destination on
   * @return the indices of the missing ones
   */
  BitSet lacking(List<List<FileName>> paths) throws InterruptedException;

  /**
   * A name is deleted, or would be.
   *
   * @param path escaped
   * @param kind null for a device, socket or FIFO
   */
  void deleted(String path, EntryKind kind) throws InterruptedException;

  /** A name could not be deleted. */
  void failed(String path, FdtException cause) throws InterruptedException;
}
