package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What find(1) and sha256sum(1) say of a directory tree: for each name, as bytes, its kind, mode,
 * time of modification in nanoseconds, size, link target and digest. Shares no code with what is
 * tested.
 *
 * <p>A directory's size and a link's mode and time are left out: they belong to the file system.
 */
final class Tree {
  /** The fields of one entry in the output of find. */
  private static final int FIELDS = 6;

  private Tree() {}

  /** The tree beneath a directory, without the directory itself. */
  static Map<String, String> beneath(Path directory) {
    return read(directory, "-mindepth 1");
  }

  /** The tree beneath a directory, and the directory itself under the empty name. */
  static Map<String, String> of(Path directory) {
    return read(directory, "");
  }

  /** Fails unless both trees, the roots included, are the same but for what is never copied. */
  static void assertSame(Path copy, Path source) {
    Map<String, String> expected = of(source);
    expected.values().removeIf(entry -> !entry.matches("(?s)[fdl] .*"));
    assertThat(of(copy)).as("copy of %s", source).isEqualTo(expected);
  }

  private static Map<String, String> read(Path directory, String depth) {
    String[] fields =
        split(
            Shell.run(directory, "find . " + depth + " -printf '%P\\0%y\\0%m\\0%T@\\0%s\\0%l\\0'"));
    Map<String, String> entries = new TreeMap<>();
    for (int i = 0; i + FIELDS <= fields.length; i += FIELDS) {
      entries.put(fields[i], describe(fields, i));
    }
    String[] digests =
        split(Shell.run(directory, "find . -type f -print0 | xargs -0r sha256sum --zero --binary"));
    for (String digest : digests) {
      int blank = digest.indexOf(' ');
      String name = digest.substring(blank + 2 + "./".length());
      entries.merge(name, " sha256=" + digest.substring(0, blank), String::concat);
    }
    return entries;
  }

  private static String describe(String[] fields, int i) {
    String kind = fields[i + 1];
    String mode = fields[i + 2];
    String time = fields[i + 3];
    return switch (kind) {
      case "d" -> "d " + mode + " " + time;
      case "l" -> "l -> " + fields[i + 5];
      default -> kind + " " + mode + " " + time + " size=" + fields[i + 4];
    };
  }

  /** Each byte becomes the character of its value, so that no name is lost. */
  private static String[] split(byte[] output) {
    String text = new String(output, StandardCharsets.ISO_8859_1);
    return text.isEmpty() ? new String[0] : text.substring(0, text.length() - 1).split("\0", -1);
  }
}
