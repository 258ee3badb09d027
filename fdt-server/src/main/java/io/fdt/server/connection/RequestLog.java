package io.fdt.server.connection;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathText;
import io.fdt.core.wire.control.Request;
import io.fdt.server.access.AccessEntries;
import io.fdt.server.limits.RefusalCounts;
import io.fdt.server.session.Client;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The log of requests of one client beside sessions: refusals, and entries of the access log for
 * files that are read or changed. Any thread.
 */
record RequestLog(Client client, AccessEntries entries, RefusalCounts refusals) {
  /** The failures that the log has; the others are ordinary answers. */
  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(
          ErrorCode.FORBIDDEN,
          ErrorCode.UNAUTHENTICATED,
          ErrorCode.PERMISSION,
          ErrorCode.READ_ONLY,
          ErrorCode.BUSY);

  void read(BytePath path, long bytes) {
    entries.read(path, bytes);
  }

  void removed(BytePath path) {
    entries.removed(path);
  }

  void renamed(BytePath from, BytePath to) {
    entries.renamed(from, to);
  }

  /**
   * A request has failed.
   *
   * @param removed names that it had removed before
   */
  void failed(Request request, FdtException cause, long removed) {
    ByteString path = path(request);
    if (REFUSALS.contains(cause.code())) {
      refusals.log(
          client.connection().peer(),
          client.grant().label(),
          request.getWhatCase().name().toLowerCase(Locale.ROOT),
          PathText.escape(path.toByteArray()),
          cause);
    }
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
      case READ_FILE -> failed(true, path, newPath, failure);
      case RENAME -> failed(false, path, newPath, failure);
      case REMOVE -> failed(false, path, newPath, failure);
      default -> {}
    }
  }

  private static ByteString path(Request request) {
    return switch (request.getWhatCase()) {
      case LOOK -> request.getLook().getPath();
      case MAKE_DIRECTORY -> request.getMakeDirectory().getPath();
      case RENAME -> request.getRename().getFrom();
      case REMOVE -> request.getRemove().getPath();
      case DIGESTS -> request.getDigests().getPath();
      case MEASURE -> request.getMeasure().getPath();
      case READ_FILE -> request.getReadFile().getPath();
      case CHANGE_ATTRIBUTES -> request.getChangeAttributes().getPath();
      default -> ByteString.EMPTY;
    };
  }

  private void failed(boolean isPull, ByteString path, String newPath, FdtException cause) {
    BytePath named;
    try {
      named = BytePath.of(path.toByteArray());
    } catch (IllegalArgumentException e) {
      return; // the name of no file
    }
    entries.failed(isPull, named, newPath, cause);
  }
}
