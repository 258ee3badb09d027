package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import java.util.BitSet;
import java.util.List;

/**
 * What a destination is told of a deletion: which names came, which are left out, which the source
 * lacks; and who hears what became of the others. Called on the thread of the deletion.
 */
public interface DeletionRules {
  /** Whether a name came with the manifest; a name that did not may still be at the source. */
  boolean isKnown(List<FileName> way, FileName name);

  /**
   * Whether a name that did not come may be one that did, in the spelling of a file system that
   * does not tell letters apart.
   */
  default boolean maySpellAKnownName(List<FileName> way, FileName name) {
    return false;
  }

  /**
   * Whether the user's choice of files leaves out a name: it stays, with all beneath it.
   *
   * @param way the names from the directory that was transferred to the one that holds it
   */
  boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory);

  /** Directories beneath a transferred one that are looked into: 1 is its own names. */
  int maxDepth();

  /** Whether directories on other file systems stay as they are. */
  boolean oneFileSystem();

  /**
   * Asks the source which of these names it lacks; waits for the answer.
   *
   * @param paths the names from the destination on, the last of them what is asked for
   * @return the indices of those that are not there
   */
  BitSet lacking(List<List<FileName>> paths) throws InterruptedException;

  /**
   * It is gone, or would be.
   *
   * @param path for people
   * @param kind null for a device, socket or FIFO
   */
  void deleted(String path, EntryKind kind) throws InterruptedException;

  /** It is still there. */
  void failed(String path, FdtException cause) throws InterruptedException;
}
