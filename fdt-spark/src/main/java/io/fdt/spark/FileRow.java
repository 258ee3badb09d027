package io.fdt.spark;

import java.io.Serializable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The outcome of one file. Immutable. A class with fields, so that every serializer of Spark can
 * carry it.
 */
final class FileRow implements Serializable {
  private static final long serialVersionUID = 1;

  /** The columns, in the order of {@link #row}. */
  static final StructType SCHEMA =
      new StructType()
          .add("path", DataTypes.StringType)
          .add("fate", DataTypes.StringType)
          .add("bytes", DataTypes.LongType)
          .add("digest", DataTypes.StringType)
          .add("checksum", DataTypes.StringType)
          .add("code", DataTypes.StringType)
          .add("message", DataTypes.StringType)
          .add("attempt", DataTypes.IntegerType)
          .add("node", DataTypes.StringType);

  static final String DONE = "done";
  static final String UNCHANGED = "unchanged";
  static final String DUE = "due";
  static final String FAILED = "failed";
  static final String SKIPPED = "skipped";
  static final String DELETED = "deleted";

  private final String path;
  private final String fate;
  private final long bytes;
  private final String digest;
  private final String checksum;
  private final String code;
  private final String message;

  private FileRow(
      String path,
      String fate,
      long bytes,
      String digest,
      String checksum,
      String code,
      String message) {
    this.path = path;
    this.fate = fate;
    this.bytes = bytes;
    this.digest = digest;
    this.checksum = checksum;
    this.code = code;
    this.message = message;
  }

  /** A file that was copied; an empty digest stands for none. */
  static FileRow done(String path, long bytes, String digest, String checksum) {
    boolean hasDigest = !digest.isEmpty();
    return new FileRow(
        path, DONE, bytes, hasDigest ? digest : null, hasDigest ? checksum : null, null, null);
  }

  /** A file that was unchanged or would be copied, or a deleted name. */
  static FileRow found(String path, String fate, long bytes) {
    return new FileRow(path, fate, bytes, null, null, null, null);
  }

  /** A file that was not copied, with the reason. */
  static FileRow problem(String path, boolean isSkipped, String code, String message) {
    return new FileRow(path, isSkipped ? SKIPPED : FAILED, 0, null, null, code, message);
  }

  String path() {
    return path;
  }

  String fate() {
    return fate;
  }

  /** The reason of a problem; otherwise null. */
  String message() {
    return message;
  }

  /**
   * A row of {@link #SCHEMA}.
   *
   * @param attempt of Spark at the task, from 1
   * @param node the host that copied it
   */
  Row row(int attempt, String node) {
    return RowFactory.create(path, fate, bytes, digest, checksum, code, message, attempt, node);
  }
}
