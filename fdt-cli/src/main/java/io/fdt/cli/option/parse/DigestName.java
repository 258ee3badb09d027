package io.fdt.cli.option.parse;

import io.fdt.core.model.Checksum;
import java.util.List;
import java.util.stream.Stream;

/**
 * A digest by its name. The hash of a whole file, as other tools print it, has its plain name; the
 * name of the hash over hashes of chunks, which can be computed in any order, ends in -tree.
 *
 * @param checksum that both ends compare
 * @param plain whether the whole file is also hashed in order
 */
public record DigestName(Checksum checksum, boolean plain) {
  private static final String TREE = "-tree";
  private static final String XXH128 = "xxh128";

  /** All names. */
  public static final List<String> ALL =
      List.of(
          "crc32c",
          "xxh3",
          XXH128,
          "blake3",
          "sha256",
          "sha256-tree",
          "md5",
          "md5-tree",
          "sha1",
          "sha1-tree",
          "none");

  /** The names without "none". */
  public static final List<String> OF_FILES =
      ALL.stream().filter(name -> !name.equals("none")).toList();

  /**
   * Reads a name.
   *
   * @param what the option, for messages
   */
  public static DigestName of(String what, String text) throws UsageException {
    if (!ALL.contains(text)) {
      throw new UsageException(what + ": '" + text + "' is none of " + String.join(", ", ALL));
    }
    if (text.equals(XXH128)) {
      return new DigestName(Checksum.XXH3, true);
    }
    boolean isTree = text.endsWith(TREE);
    String hash = isTree ? text.substring(0, text.length() - TREE.length()) : text;
    Checksum checksum =
        Checksum.ofText(hash).orElseThrow(() -> new IllegalStateException("no checksum " + hash));
    return new DigestName(checksum, !isTree && hasTree(checksum));
  }

  private static boolean hasTree(Checksum checksum) {
    return Stream.of(Checksum.SHA256, Checksum.MD5, Checksum.SHA1).anyMatch(checksum::equals);
  }
}
