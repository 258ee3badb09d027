package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The directories that a server exposes, as the one tree that clients see. No path leads out of
 * them. Any thread.
 *
 * <pre>
 *   one export without a name:   /          is the export
 *   exports with names:          /          holds one directory per export and takes nothing new
 *                                /NAME/...  is in the export NAME
 * </pre>
 */
public interface ExportedStorage extends Storage, AutoCloseable {
  /**
   * One directory to expose.
   *
   * @param name its name beneath the root; null for an only export, which then is the root
   * @param directory where it is for this machine
   * @param writable whether clients may change anything in it
   */
  record Root(FileName name, BytePath directory, boolean writable) {}

  /**
   * A narrower view; closing it does nothing, it ends with this storage.
   *
   * @param names the exports in it; empty for all
   * @param readOnly whether nothing can be changed through it
   */
  ExportedStorage view(Set<FileName> names, boolean readOnly);

  /**
   * A narrower view, in which one export is hidden.
   *
   * @param prefix names right beneath the hidden export that begin with it are reached all the
   *     same; empty for none
   */
  ExportedStorage without(FileName export, Optional<String> prefix);

  /** The names of the exports; empty when an only export is the root. */
  List<FileName> names();

  /** Where each export is for clients, and whether anything can be changed in it. */
  Map<BytePath, Boolean> writable();

  /** The named export that a path of a client is in. */
  Optional<FileName> exportOf(BytePath path);

  /**
   * Makes sure that a client may name this path; no disk operation.
   *
   * @throws FdtException as everything that uses the path would
   */
  void check(BytePath path, boolean writing) throws FdtException;

  /**
   * Makes a directory.
   *
   * @param parents whether those above it are made too, and one that is there is no error
   * @throws FdtException FORBIDDEN, NOT_FOUND, WRONG_KIND when something is there, BAD_NAME, ...
   */
  void makeDirectory(BytePath path, boolean parents) throws FdtException;

  /**
   * Gives something another path in the same file system.
   *
   * @param replace whether a file, a link or an empty directory at the new path is replaced, in one
   *     step
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, WRONG_KIND when
   *     something has the new path, or it is in another file system, or within what is moved
   */
  void rename(BytePath from, BytePath to, boolean replace) throws FdtException;

  /**
   * Removes a path; with {@code recursive} a directory and all beneath it.
   *
   * @throws FdtException FORBIDDEN, NOT_FOUND, WRONG_KIND for a directory without {@code recursive}
   */
  void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException;

  /**
   * Removes a file, a link or an empty directory.
   *
   * @return what it was
   */
  Attributes removeOne(BytePath path) throws FdtException;

  /**
   * Sets the time and the permissions of a file or a directory.
   *
   * @param modified null to leave the time
   * @param mode permission bits (0777); empty to leave them
   */
  void changeAttributes(BytePath path, Timestamp modified, OptionalInt mode) throws FdtException;

  /** Files that a front end shares with this server as its data node; closed by who asks. */
  NodeFiles nodeFiles();

  /** Closes the exports; what still uses one fails from then on. Idempotent. */
  @Override
  void close();
}
