package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileStamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.Storage;
import io.netty.handler.codec.DateFormatter;
import java.time.Instant;
import java.util.Date;
import java.util.Optional;

/**
 * A file or directory as HTTP sees it: one version, with its validators. Immutable.
 *
 * @param attributes of the name
 * @param version what its tag is made of
 */
record FileState(Attributes attributes, FileVersion version) {
  static FileState of(Attributes attributes) {
    return new FileState(attributes, FileVersion.of(attributes));
  }

  /** The current state of a path; empty when nothing has it. */
  static Optional<FileState> find(ExportedStorage files, RequestPath path)
      throws FdtException, InterruptedException {
    FileState[] found = new FileState[1];
    try {
      files.list(
          path.path(), Storage.Depth.ITSELF, item -> found[0] = FileState.of(item.attributes()));
    } catch (FdtException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
    return Optional.ofNullable(found[0]);
  }

  boolean isDirectory() {
    return attributes.is(EntryKind.DIRECTORY);
  }

  /**
   * The entity tag. A file that changed within the last seconds has a weak one: another change
   * within a step of the file system's clock would have the same.
   */
  String tag() {
    String tag =
        "\"%x-%x-%x.%x-%x.%x\""
            .formatted(
                attributes.identity(),
                version.size(),
                version.modified() == null ? 0 : version.modified().seconds(),
                version.modified() == null ? 0 : version.modified().nanos(),
                version.changed() == null ? 0 : version.changed().seconds(),
                version.changed() == null ? 0 : version.changed().nanos());
    return isSettled() ? tag : "W/" + tag;
  }

  /** Whether every later change has another time. */
  boolean isSettled() {
    return version.changed() != null
        && FileStamp.of(1, version.changed(), System.currentTimeMillis() / 1000).isOld();
  }

  /** Seconds since 1970 of the last modification; 0 when unknown. */
  long modifiedSeconds() {
    return version.modified() == null ? 0 : version.modified().seconds();
  }

  /** For Last-Modified. */
  String modified() {
    return DateFormatter.format(Date.from(Instant.ofEpochSecond(modifiedSeconds())));
  }
}
