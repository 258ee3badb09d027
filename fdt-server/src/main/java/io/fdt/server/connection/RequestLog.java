package io.fdt.server.connection;

import io.fdt.core.filter.FileAccess;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.ExportedStorage;
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
      add(FileAccess.Fate.READ, true, path, "", bytes);
    }
  }

  void removed(BytePath path) {
    add(FileAccess.Fate.REMOVED, false, path, "", 0);
  }

  void renamed(BytePath from, BytePath to) {
    add(FileAccess.Fate.RENAMED, false, from, to.toString(), 0);
  }

  private void add(
      FileAccess.Fate fate, boolean isPull, BytePath path, String newPath, long bytes) {
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
                Optional.empty(),
                ""));
  }
}
