package io.fdt.server.connection;

import com.google.protobuf.ByteString;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathText;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.wire.control.Request;
import io.fdt.server.session.Client;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Entries of the access log for requests of one client that read or change files beside sessions.
 * Any thread.
 */
record RequestLog(Client client, ExportedStorage roots, Optional<Consumer<FileAccess>> accessLog) {
  void read(BytePath path, long bytes) {
    if (bytes > 0) {
      add(FileAccess.Fate.READ, true, path, "", bytes, Optional.empty());
    }
  }

  void removed(BytePath path) {
    add(FileAccess.Fate.REMOVED, false, path, "", 0, Optional.empty());
  }

  void renamed(BytePath from, BytePath to) {
    add(FileAccess.Fate.RENAMED, false, from, to.toString(), 0, Optional.empty());
  }

  /**
   * A request has failed.
   *
   * @param removed names that it had removed before
   */
  void failed(Request request, FdtException cause, long removed) {
    String newPath =
        request.hasRename() ? PathText.escape(request.getRename().getTo().toByteArray()) : "";
    FdtException failure =
        removed == 0
            ? cause
            : new FdtException(
                cause.code(),
                "%s; names removed before: %d".formatted(cause.getMessage(), removed),
                cause);
    switch (request.getWhatCase()) {
      case READ_FILE -> failed(true, request.getReadFile().getPath(), newPath, failure);
      case RENAME -> failed(false, request.getRename().getFrom(), newPath, failure);
      case REMOVE -> failed(false, request.getRemove().getPath(), newPath, failure);
      default -> {}
    }
  }

  private void failed(boolean isPull, ByteString path, String newPath, FdtException cause) {
    BytePath named;
    try {
      named = BytePath.of(path.toByteArray());
    } catch (IllegalArgumentException e) {
      return; // the name of no file
    }
    add(FileAccess.Fate.FAILED, isPull, named, newPath, 0, Optional.of(cause));
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
    String export =
        roots.names().isEmpty() ? "/" : roots.exportOf(path).map(FileName::toString).orElse("");
    FileAccess.Client who =
        new FileAccess.Client(
            "", client.grant().label(), client.connection().peer(), isPull, export);
    accessLog
        .get()
        .accept(
            new FileAccess(
                Instant.now(),
                who,
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
