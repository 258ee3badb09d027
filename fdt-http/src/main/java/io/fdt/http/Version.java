package io.fdt.http;

import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.name.PathHashes;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The version of a file by the headers of a response. Immutable.
 *
 * @param tag a strong ETag; null without one: bytes of two responses with one tag are of one file
 * @param modified Last-Modified as the server wrote it; null without one
 * @param isOld whether that was a while before the response, so that a later change has another one
 */
record Version(String tag, String modified, boolean isOld) {
  static Version of(HttpHeaders headers) {
    String tag = headers.firstValue("ETag").filter(text -> text.matches("\"[^\"]*\"")).orElse(null);
    Optional<Instant> modified = headers.firstValue("Last-Modified").flatMap(Version::time);
    Optional<Instant> now = headers.firstValue("Date").flatMap(Version::time);
    boolean isOld =
        modified.isPresent()
            && now.isPresent()
            && modified.get().isBefore(now.get().minusSeconds(FileStamp.OLD_SECONDS));
    String text = modified.isEmpty() ? null : headers.firstValue("Last-Modified").orElseThrow();
    return new Version(tag, text, isOld);
  }

  /** The time that a header gives; empty when it is malformed. */
  static Optional<Instant> time(String header) {
    try {
      return Optional.of(
          ZonedDateTime.parse(header.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Whether a change of the file can be seen at all. */
  boolean isKnown() {
    return tag != null || modified != null;
  }

  /** Whether a later response, which may have fewer headers, is of the same version. */
  boolean isThatOf(HttpHeaders headers) {
    Version other = of(headers);
    return (tag == null || other.tag == null || tag.equals(other.tag))
        && (modified == null || other.modified == null || modified.equals(other.modified));
  }

  /** The value of If-Range; null without one. */
  String condition() {
    return tag != null ? tag : modified;
  }

  /**
   * The modification time.
   *
   * @param otherwise the time of a file without one
   */
  Timestamp modified(Instant otherwise) {
    Instant time = Optional.ofNullable(modified).flatMap(Version::time).orElse(otherwise);
    return new Timestamp(time.getEpochSecond(), 0);
  }

  /** The proof that the file is unchanged, so that an interrupted copy continues. */
  FileStamp stamp() {
    long identity = tag == null ? 0 : PathHashes.of(0, tag.getBytes(StandardCharsets.UTF_8));
    boolean isProof = tag != null || isOld;
    return isProof ? new FileStamp(identity, modified(Instant.EPOCH), true) : FileStamp.NONE;
  }
}
