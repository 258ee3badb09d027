package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The place of an object or of a prefix: {@code s3://BUCKET/KEY}.
 *
 * @param bucket its name
 * @param key without a slash at either end; empty for the bucket itself
 */
record ObjectPath(String bucket, String key) {
  private static final String SCHEME = "s3://";

  /**
   * Reads a path as the user wrote it.
   *
   * @throws FdtException USAGE, BAD_NAME
   */
  static ObjectPath of(BytePath path) throws FdtException {
    String text =
        text(path.bytes())
            .orElseThrow(
                () ->
                    new FdtException(
                        ErrorCode.BAD_NAME,
                        "'" + path + "' is not valid UTF-8, which keys of objects are; rename it"));
    String rest = text.substring(Math.min(text.length(), SCHEME.length()));
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    if (bucket.isEmpty()) {
      throw new FdtException(
          ErrorCode.USAGE, "'" + path + "' names no bucket; write s3://BUCKET/PREFIX");
    }
    String key = slash < 0 ? "" : rest.substring(slash).replaceAll("^/+|/+$", "");
    return new ObjectPath(bucket, key);
  }

  /** The text of a name; empty for one that is not UTF-8 and cannot be a key. */
  static Optional<String> text(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** A name beneath this one. */
  ObjectPath child(FileName name) {
    return new ObjectPath(bucket, prefix() + text(name.bytes()).orElseThrow());
  }

  /** The path that holds this one; a bucket is not within another path. */
  ObjectPath parent() {
    return new ObjectPath(bucket, key.substring(0, Math.max(0, key.lastIndexOf('/'))));
  }

  /** The last name. */
  FileName name() {
    return FileName.of(key.substring(key.lastIndexOf('/') + 1));
  }

  /** The beginning of the keys beneath this path. */
  String prefix() {
    return key.isEmpty() ? "" : key + "/";
  }

  boolean isBucket() {
    return key.isEmpty();
  }

  /** As users write it. */
  @Override
  public String toString() {
    return isBucket() ? SCHEME + bucket : SCHEME + bucket + "/" + key;
  }
}
