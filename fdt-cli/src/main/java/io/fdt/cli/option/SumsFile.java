package io.fdt.cli.option;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format of sha256sum and of the manifests of BagIt: a digest in hexadecimal digits, a blank, a
 * blank or an asterisk, and a path, one file per line. A backslash at the start says that newlines,
 * carriage returns and backslashes of the path are escaped. Also {@code SHA256 (path) = digest}.
 * Pure but for the file.
 */
final class SumsFile {
  private static final Pattern LINE =
      Pattern.compile("(?s)(\\\\?)([0-9A-Fa-f]{8,128})[ \\t][ \\t*]*(.+)");
  private static final Pattern BSD = Pattern.compile("(?s)[A-Z0-9-]+ \\((.+)\\) = ([0-9A-Fa-f]+)");
  private static final Pattern LABELLED = Pattern.compile("(?s)\\\\?[a-z0-9]+-[A-Za-z0-9]+:.*");

  private SumsFile() {}

  /**
   * What a file should have.
   *
   * @param where it says so, for messages
   * @param digest in small hexadecimal digits
   */
  record Sum(String where, BytePath path, String digest) {}

  /**
   * Reads a file of sums.
   *
   * @param what the option with its value, for messages
   * @param digits hexadecimal digits of each digest
   */
  static List<Sum> read(String what, String file, int digits, Surroundings surroundings)
      throws UsageException {
    List<Sum> sums = new ArrayList<>();
    String[] lines = ByteText.decode(ReferredFile.read(what, file, surroundings)).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      if (!lines[i].isBlank() && !lines[i].startsWith("#")) {
        sums.add(sum(what + " line " + (i + 1), lines[i], digits));
      }
    }
    if (sums.isEmpty()) {
      throw new UsageException(what + ": the file names no files");
    }
    return List.copyOf(sums);
  }

  private static Sum sum(String where, String line, int digits) throws UsageException {
    Matcher usual = LINE.matcher(line);
    Matcher bsd = BSD.matcher(line);
    if (LABELLED.matcher(line).matches()) {
      throw new UsageException(
          where + ": a digest of chunks; make the list with: fdt checksum --plain");
    }
    if (usual.matches()) {
      String name = usual.group(3);
      return sum(where, usual.group(1).isEmpty() ? name : unescaped(name), usual.group(2), digits);
    }
    if (bsd.matches()) {
      return sum(where, bsd.group(1), bsd.group(2), digits);
    }
    throw new UsageException(where + ": not of the form: DIGEST  PATH");
  }

  private static Sum sum(String where, String name, String digest, int digits)
      throws UsageException {
    if (digest.length() != digits) {
      throw new UsageException(
          "%s: a digest of %d digits where there should be %d; --checksum says which one it is"
              .formatted(where, digest.length(), digits));
    }
    try {
      return new Sum(where, ByteText.path(name), digest.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new UsageException(where + ": " + e.getMessage());
    }
  }

  private static String unescaped(String name) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '\\' && i + 1 < name.length()) {
        char next = name.charAt(++i);
        text.append(next == 'n' ? '\n' : next == 'r' ? '\r' : next);
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
