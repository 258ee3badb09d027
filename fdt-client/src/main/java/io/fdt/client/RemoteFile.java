package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import java.util.Optional;

/**
 * A file, directory or link of a server.
 *
 * @param name its last name; the requested path unless that is a directory
 * @param kind empty for devices, sockets and FIFOs
 * @param size bytes of a file
 * @param mode permission bits (07777); of a device, socket or FIFO with its type, as st_mode
 * @param modified modification time
 * @param linkTarget target of a symbolic link; otherwise empty
 * @param identity of the file, whatever its name; 0 when unknown
 * @param owner user and group, by their numbers at the server; empty when unknown
 */
public record RemoteFile(
    BytePath name,
    Optional<EntryKind> kind,
    long size,
    int mode,
    Timestamp modified,
    BytePath linkTarget,
    long identity,
    Optional<Owner> owner) {

  /** A file without identity and owner. */
  public RemoteFile(
      BytePath name,
      Optional<EntryKind> kind,
      long size,
      int mode,
      Timestamp modified,
      BytePath linkTarget) {
    this(name, kind, size, mode, modified, linkTarget, 0, Optional.empty());
  }

  /** Whether the file is of this kind. */
  public boolean is(EntryKind wanted) {
    return kind.isPresent() && kind.get() == wanted;
  }
}
