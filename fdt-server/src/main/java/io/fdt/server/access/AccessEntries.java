package io.fdt.server.access;

import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.ExportedStorage;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The access log's entries for one client beside sessions. Any thread.
 *
 * @param peer its address and port
 * @param token the label of its grant
 * @param roots the files that it may use
 */
public record AccessEntries(
    String peer, String token, ExportedStorage roots, Optional<Consumer<FileAccess>> accessLog) {
  /** A part of a file was read. */
  public void read(BytePath path, long bytes) {
    if (bytes > 0) {
      add(FileAccess.Fate.READ, true, path, "", bytes, Optional.empty());
    }
  }

  /** A file was written and has its name. */
  public void written(BytePath path, long bytes) {
    add(FileAccess.Fate.DONE, false, path, "", bytes, Optional.empty());
  }

  public void removed(BytePath path) {
    add(FileAccess.Fate.REMOVED, false, path, "", 0, Optional.empty());
  }

  public void renamed(BytePath from, BytePath to) {
    add(FileAccess.Fate.RENAMED, false, from, to.toString(), 0, Optional.empty());
  }

  /**
   * A request has failed.
   *
   * @param isPull whether the client would have fetched the file
   * @param newPath of a file to be renamed, escaped; empty otherwise
   */
  public void failed(boolean isPull, BytePath path, String newPath, FdtException cause) {
    add(FileAccess.Fate.FAILED, isPull, path, newPath, 0, Optional.of(cause));
  }

  /** A file was moved in part only. */
  public void cut(boolean isPull, BytePath path, long bytes, FdtException cause) {
    add(FileAccess.Fate.FAILED, isPull, path, "", bytes, Optional.of(cause));
  }

  /** The export of a path; "/" for a single export without a name. */
  public String export(BytePath path) {
    return roots.names().isEmpty() ? "/" : roots.exportOf(path).map(FileName::toString).orElse("");
  }

  private void add(
      FileAccess.Fate fate,
      boolean isPull,
      BytePath path,
      String newPath,
      long bytes,
      Optional<FdtException> failure) {
    if (accessLog.isEmpty()) {
      return;
    }
    accessLog
        .get()
        .accept(
            new FileAccess(
                Instant.now(),
                new FileAccess.Client("", token, peer, isPull, export(path)),
                fate,
                path.toString(),
                newPath,
                bytes,
                "",
                "",
                failure.map(FdtException::code),
                failure.map(FdtException::getMessage).orElse("")));
  }
}
