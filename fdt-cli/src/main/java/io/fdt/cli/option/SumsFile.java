package io.fdt.cli.option;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Checksum;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format of sha256sum and of the manifests of BagIt: a digest in hexadecimal digits, a blank, a
 * blank or an asterisk, and a path, one file per line. A backslash at the start says that newlines,
 * carriage returns and backslashes of the path are escaped. Also {@code SHA256 (path) = digest}.
 * Pure but for the file.
 */
public final class SumsFile {
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
  public record Sum(String where, BytePath path, String digest) {}

  /** What a file says, and of which digest. */
  record Sums(Checksum checksum, List<Sum> list) {}

  /**
   * Reads a file of sums.
   *
   * @param what the option with its value, for messages
   * @param chosen the digest; otherwise the length of the first one tells: md5, sha1 or sha256
   */
  static Sums read(String what, String file, Optional<Checksum> chosen, Surroundings surroundings)
      throws UsageException {
    String[] lines = ByteText.decode(ReferredFile.read(what, file, surroundings)).split("\n", -1);
    Checksum checksum = chosen.orElseGet(() -> likely(lines));
    return new Sums(checksum, sums(what, lines, digits(checksum)));
  }

  /** The digest that the first line with one of its length suggests; SHA-256 without any. */
  private static Checksum likely(String[] lines) {
    for (String line : lines) {
      Matcher usual = LINE.matcher(line);
      Matcher bsd = BSD.matcher(line);
      String digest = usual.matches() ? usual.group(2) : bsd.matches() ? bsd.group(2) : "";
      switch (digest.length()) {
        case 32 -> {
          return Checksum.MD5;
        }
        case 40 -> {
          return Checksum.SHA1;
        }
        case 64 -> {
          return Checksum.SHA256;
        }
        default -> {}
      }
    }
    return Checksum.SHA256;
  }

  private static int digits(Checksum checksum) {
    return switch (checksum) {
      case CRC32C -> 8;
      case XXH3, MD5 -> 32;
      case SHA1 -> 40;
      case BLAKE3, SHA256, NONE -> 64;
    };
  }

  private static List<Sum> sums(String what, String[] lines, int digits) throws UsageException {
    List<Sum> sums = new ArrayList<>();
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
