package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The directories and other storages that a server exports, as one tree. No path leads out of them.
 * Any thread.
 *
 * <pre>
 *   one export without a name:   /          is the export
 *   exports with names:          /          holds one directory per export, and is read-only
 *                                /NAME/...  is in the export NAME
 * </pre>
 */
public interface ExportedStorage extends Storage, AutoCloseable {
  /**
   * One export.
   *
   * @param name its name beneath the root; null for a single directory, which is the root itself
   * @param directory its path on this machine, or with a scheme
   * @param writable whether clients may change anything in it
   */
  record Root(FileName name, BytePath directory, boolean writable) {}

  /**
   * A narrower view, valid until this storage is closed; closing it does nothing.
   *
   * @param names the exports in it; empty for all
   * @param readOnly whether it allows no changes
   */
  ExportedStorage view(Set<FileName> names, boolean readOnly);

  /**
   * A narrower view that hides one export.
   *
   * @param prefix of names directly beneath the hidden export that stay accessible; empty for none
   */
  ExportedStorage without(FileName export, Optional<String> prefix);

  /** The names of the exports; empty when a single export is the root. */
  List<FileName> names();

  /** The paths of named exports, for messages: {@code /data, /in}. */
  static String paths(Collection<FileName> exports) {
    return exports.stream().map(name -> "/" + name).collect(Collectors.joining(", "));
  }

  /** The refusal of a path that is in no export. */
  static FdtException notExported(BytePath path, Collection<FileName> exports) {
    return new FdtException(
        ErrorCode.NOT_FOUND,
        "'%s' is in no export; choose one of %s".formatted(path, paths(exports)));
  }

  /** The refusal of a path that is not in the exports of a token. */
  static FdtException notReached(BytePath path, Collection<FileName> exports) {
    return new FdtException(
        ErrorCode.FORBIDDEN,
        "your token does not reach '%s', only %s: ask for another one"
            .formatted(path, paths(exports)));
  }

  /** The path of each export for clients, and whether it is writable. */
  Map<BytePath, Boolean> writable();

  /** The named export of a client's path. */
  Optional<FileName> exportOf(BytePath path);

  /**
   * Checks that a client may use this path; no disk operation.
   *
   * @throws FdtException as any use of the path would
   */
  void check(BytePath path, boolean writing) throws FdtException;

  /**
   * Checks that a client may copy from the sources of a transfer, or to its destination; no disk
   * operation.
   *
   * @throws FdtException as {@link #check}; USAGE when the sources are in different kinds of
   *     storage, or the destination's cannot do what is asked
   */
  default void check(TransferSpec spec, boolean writing) throws FdtException {
    if (writing) {
      check(spec.destination(), true);
    }
    for (Operand source : spec.sources()) {
      check(source.path(), false);
    }
  }

  /** Whether data nodes can read and write the files of this path; no disk operation. */
  default boolean isStriped(BytePath path) {
    return true;
  }

  /**
   * Creates a directory.
   *
   * @param parents whether missing parents are created, and an existing directory is accepted
   * @throws FdtException FORBIDDEN, NOT_FOUND, WRONG_KIND for an existing name, BAD_NAME, ...
   */
  void makeDirectory(BytePath path, boolean parents) throws FdtException;

  /**
   * Renames within one file system.
   *
   * @param replace whether to replace a file, a link or an empty directory at the new path,
   *     atomically
   * @throws FdtException FORBIDDEN (also for an export itself), NOT_FOUND, WRONG_KIND when the new
   *     path exists, is in another file system, or lies within the old one
   */
  void rename(BytePath from, BytePath to, boolean replace) throws FdtException;

  @Override
  void remove(BytePath path, boolean recursive, RemovalVisitor visitor)
      throws FdtException, InterruptedException;

  /**
   * Removes a file, a link or an empty directory.
   *
   * @return its attributes
   */
  Attributes removeOne(BytePath path) throws FdtException;

  /**
   * Sets the time and the permissions of a file or a directory.
   *
   * @param modified null to keep the time
   * @param mode permission bits (0777); empty to keep them
   */
  void changeAttributes(BytePath path, Timestamp modified, OptionalInt mode) throws FdtException;

  /** The files that a front end shares with this server as its data node; the caller closes it. */
  NodeFiles nodeFiles();

  /** Closes the exports; users of them fail from then on. Idempotent. */
  @Override
  void close();
}
