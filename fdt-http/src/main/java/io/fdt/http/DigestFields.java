package io.fdt.http;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The values of Repr-Digest and Content-Digest (RFC 9530) and of Digest (RFC 3230). Pure. */
public final class DigestFields {
  private static final Pattern FIELD =
      Pattern.compile("([A-Za-z0-9-]+)=(:?)([A-Za-z0-9+/=_-]*)\\2");

  private DigestFields() {}

  /** The digests by algorithms of {@link WebHash}; others are left out. */
  public static Map<String, byte[]> parse(Stream<String> lines) {
    Map<String, byte[]> found = new TreeMap<>();
    lines.forEach(
        line -> {
          Matcher field = FIELD.matcher(line);
          while (field.find()) {
            String algorithm = field.group(1).toLowerCase(Locale.ROOT);
            byte[] value = value(field.group(3), WebHash.lengthOf(algorithm));
            if (value != null) {
              found.put(algorithm, value);
            }
          }
        });
    return found;
  }

  /** The bytes of a value in base64 or hex; null when they are not as many. */
  private static byte[] value(String text, int length) {
    try {
      byte[] value =
          text.matches("[0-9a-fA-F]{" + 2 * length + "}")
              ? HexFormat.of().parseHex(text.toLowerCase(Locale.ROOT))
              : Base64.getDecoder().decode(text);
      return value.length == length && length > 0 ? value : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
