package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.ReferredFile;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Checksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format of sha256sum and of the manifests of BagIt: a digest in hexadecimal digits, a blank, a
 * blank or an asterisk, and a path, one file per line. After a backslash at the start, newlines,
 * carriage returns and backslashes of the path are escaped. Also {@code SHA256 (path) = digest}.
 * Pure, except that it reads the file.
 */
public final class SumsFile {
  private static final Pattern LINE =
      Pattern.compile("(?s)(\\\\?)([0-9A-Fa-f]{8,128})(?: [ *]|[ \\t]+)(.+)");
  private static final Pattern BSD =
      Pattern.compile("(?s)(\\\\?)[A-Z0-9-]+ \\((.+)\\) = ([0-9A-Fa-f]+)");

  /** The name of a manifest of BagIt, and its digest. */
  private static final Pattern BAG =
      Pattern.compile("(?s)(?:.*/)?(?:tag)?manifest-([a-z0-9]+)\\.txt");

  private static final String BYTE_ORDER_MARK = "\uFEFF";
  private static final Pattern LABELLED = Pattern.compile("(?s)\\\\?[a-z0-9]+-[A-Za-z0-9]+:.*");

  private final String what;
  private final int digits;
  private final boolean isBag;

  private SumsFile(String what, int digits, boolean isBag) {
    this.what = what;
    this.digits = digits;
    this.isBag = isBag;
  }

  /**
   * The digest of a file.
   *
   * @param where the place in the list, for messages
   * @param digest in lower-case hexadecimal digits
   */
  public record Sum(String where, BytePath path, String digest) {}

  /** The digests of a list, and their kind. */
  record Sums(Checksum checksum, List<Sum> list) {}

  /**
   * Reads a file of sums.
   *
   * @param what the option with its value, for messages
   * @param chosen the kind of digest; if empty, it follows from the name of a BagIt manifest, or
   *     from the length of the first digest: crc32c, md5, sha1 or sha256
   */
  static Sums read(String what, String file, Optional<Checksum> chosen, Surroundings surroundings)
      throws UsageException {
    String text = ByteText.decode(ReferredFile.read(what, file, surroundings));
    String[] lines = lines(text);
    Matcher bag = BAG.matcher(file);
    boolean isBag = bag.matches();
    Optional<Checksum> named = isBag ? Checksum.ofText(bag.group(1)) : Optional.empty();
    if (isBag && named.isEmpty() && chosen.isEmpty()) {
      throw new UsageException(
          "%s: %s is not known; use a manifest of md5, sha1 or sha256"
              .formatted(what, bag.group(1)));
    }
    Checksum checksum = chosen.or(() -> named).orElseGet(() -> likely(lines));
    return new Sums(checksum, new SumsFile(what, digits(checksum), isBag).sums(lines));
  }

  /** Lines without LF or CRLF. */
  private static String[] lines(String text) {
    String[] lines = text.split("\n", -1);
    if (lines[0].startsWith(BYTE_ORDER_MARK)) {
      lines[0] = lines[0].substring(1);
    }
    boolean areOfWindows =
        Arrays.stream(lines, 0, lines.length - 1).allMatch(line -> line.endsWith("\r"));
    if (areOfWindows) {
      for (int i = 0; i < lines.length; i++) {
        lines[i] = lines[i].replaceFirst("\r$", "");
      }
    }
    return lines;
  }

  /** The kind that the length of the first digest suggests; SHA-256 without any. */
  private static Checksum likely(String[] lines) {
    for (String line : lines) {
      Matcher usual = LINE.matcher(line);
      Matcher bsd = BSD.matcher(line);
      String digest = usual.matches() ? usual.group(2) : bsd.matches() ? bsd.group(3) : "";
      switch (digest.length()) {
        case 8 -> {
          return Checksum.CRC32C;
        }
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

  private List<Sum> sums(String[] lines) throws UsageException {
    List<Sum> sums = new ArrayList<>();
    for (int i = 0; i < lines.length; i++) {
      if (!lines[i].isBlank() && !lines[i].startsWith("#")) {
        sums.add(sum(what + " line " + (i + 1), lines[i]));
      }
    }
    if (sums.isEmpty()) {
      throw new UsageException(what + ": the file names no files");
    }
    return List.copyOf(sums);
  }

  private Sum sum(String where, String line) throws UsageException {
    Matcher usual = LINE.matcher(line);
    Matcher bsd = BSD.matcher(line);
    if (LABELLED.matcher(line).matches()) {
      throw new UsageException(
          where + ": a digest of chunks; make the list with: fdt checksum --checksum sha256");
    }
    if (usual.matches()) {
      return sum(where, usual.group(1), usual.group(3), usual.group(2));
    }
    if (bsd.matches()) {
      return sum(where, bsd.group(1), bsd.group(2), bsd.group(3));
    }
    throw new UsageException(where + ": not of the form: DIGEST  PATH");
  }

  private Sum sum(String where, String escape, String written, String digest)
      throws UsageException {
    if (digest.length() != digits) {
      throw new UsageException(
          ("%s: a digest of %d digits where there should be %d; --checksum says which one it is:"
                  + " crc32c has 8, md5 32, sha1 40, sha256 64")
              .formatted(where, digest.length(), digits));
    }
    String name = isBag ? decoded(written) : escape.isEmpty() ? written : unescaped(written);
    try {
      return new Sum(where, ByteText.path(name), digest.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new UsageException(where + ": " + e.getMessage());
    }
  }

  /** Decodes the three characters that BagIt (RFC 8493) percent-encodes in a path. */
  private static String decoded(String path) {
    return path.replaceAll("(?i)%0a", "\n").replaceAll("(?i)%0d", "\r").replace("%25", "%");
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
