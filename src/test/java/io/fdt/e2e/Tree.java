package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What find(1) and cksum(1) say of a directory tree: for each name, as bytes, its kind, mode, time
 * of modification in nanoseconds, size, link target and checksum. Shares no code with what is
 * tested, nor the polynomial of its checksums.
 *
 * <p>A directory's size and a link's mode and time are left out: they belong to the file system.
 */
public final class Tree {
  /** The fields of one entry in the output of find. */
  private static final int FIELDS = 6;

  /** Stands where a name would, between the entries and the checksums. */
  private static final String NO_NAME = "/";

  /** Twenty times cheaper than a digest; coreutils before 9.0 end its lines with newlines only. */
  private static final String SUM =
      new String(
              Shell.run(
                  Path.of("/"),
                  "cksum -z < /dev/null > /dev/null 2>&1 && echo cksum -z || echo b2sum -z"),
              StandardCharsets.US_ASCII)
          .strip();

  /** The last of ten digits behind the second, which java.nio.file alone does not keep. */
  private static final int UNKEPT_DIGITS = PortableExceptions.IS_PORTABLE ? 4 : 0;

  private Tree() {}

  /** The tree beneath a directory, without the directory itself. */
  public static Map<String, String> beneath(Path directory) {
    return read(directory, "-mindepth 1");
  }

  /** The tree beneath a directory, and the directory itself under the empty name. */
  public static Map<String, String> of(Path directory) {
    return read(directory, "");
  }

  /** Fails unless both trees, the roots included, are the same but for what is never copied. */
  public static void assertSame(Path copy, Path source) {
    Map<String, String> expected = of(source);
    expected.values().removeIf(entry -> !entry.matches("(?s)[fdl] .*"));
    assertThat(of(copy)).as("copy of %s", source).isEqualTo(expected);
  }

  private static Map<String, String> read(Path directory, String depth) {
    String script =
        "find . "
            + depth
            + " -printf '%P\\0%y\\0%m\\0%T@\\0%s\\0%l\\0'; printf '"
            + NO_NAME
            + "\\0'; find . -type f -print0 | xargs -0r "
            + SUM;
    String[] fields = split(Shell.run(directory, script));
    Map<String, String> entries = new TreeMap<>();
    int i = 0;
    for (; !fields[i].equals(NO_NAME); i += FIELDS) {
      entries.put(fields[i], describe(fields, i));
    }
    for (String sum : List.of(fields).subList(i + 1, fields.length)) {
      int at = sum.indexOf("./");
      String name = sum.substring(at + "./".length());
      entries.merge(name, " sum=" + sum.substring(0, at).strip(), String::concat);
    }
    return entries;
  }

  private static String describe(String[] fields, int i) {
    String kind = fields[i + 1];
    String mode = fields[i + 2];
    String time = fields[i + 3].substring(0, fields[i + 3].length() - UNKEPT_DIGITS);
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
