package io.fdt.core.model;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Any name as one that Windows can give, and back, in the encoding of rclone for Windows:
 *
 * <pre>
 *   " * : &lt; &gt; ? \ |           full-width: U+FF02 ...
 *   U+0001 to U+001F          its symbol: U+2401 ...
 *   a dot, a blank at the end U+FF0E, U+2420
 *   a byte that is no UTF-8   U+201B, and two hexadecimal digits
 *   any of these replacements, U+201B   U+201B, and itself
 *   con, nul.txt, ...         the first letter is full-width (rclone leaves them)
 * </pre>
 *
 * <p>Pure functions.
 */
public final class EncodedName {
  private static final char QUOTE = '\u201B';
  private static final char SYMBOLS = '\u2400';
  private static final char BLANK_SYMBOL = '\u2420';
  private static final int TO_WIDE = 0xFEE0;
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** Stands for no character. */
  private static final char NONE = 0;

  private EncodedName() {}

  /** The encoded name; empty when it is longer than {@link FileName#MAX_LENGTH}. */
  public static Optional<FileName> encode(FileName name) {
    byte[] bytes = encodedDevice(encoded(name.bytes())).getBytes(StandardCharsets.UTF_8);
    return bytes.length > FileName.MAX_LENGTH ? Optional.empty() : Optional.of(FileName.of(bytes));
  }

  /** The name whose encoding this is; empty when it is none. */
  public static Optional<FileName> decode(FileName name) {
    String text = new String(name.bytes(), StandardCharsets.UTF_8);
    byte[] bytes = decoded(decodedDevice(text));
    return FileName.flawOf(bytes) == null
        ? Optional.of(FileName.of(bytes))
            .filter(one -> encode(one).filter(name::equals).isPresent())
        : Optional.empty();
  }

  /** The encoded names; one that is too long stays as it is. */
  public static List<FileName> encode(List<FileName> names) {
    return names.stream().map(name -> encode(name).orElse(name)).toList();
  }

  /** The decoded names; one that is none stays as it is. */
  public static List<FileName> decode(List<FileName> names) {
    return names.stream().map(name -> decode(name).orElse(name)).toList();
  }

  private static String encoded(byte[] bytes) {
    StringBuilder encoded = new StringBuilder(bytes.length);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    CharBuffer text = CharBuffer.allocate(bytes.length);
    while (rest.hasRemaining()) {
      CoderResult result = decoder.reset().decode(rest, text.clear(), true);
      text.flip();
      while (text.hasRemaining()) {
        char one = text.get();
        encode(one, !text.hasRemaining() && !rest.hasRemaining(), encoded);
      }
      for (int i = 0; result.isMalformed() && i < result.length(); i++) {
        HEX.toHexDigits(encoded.append(QUOTE), rest.get());
      }
    }
    return encoded.toString();
  }

  private static void encode(char one, boolean isLast, StringBuilder encoded) {
    char replacement = replacement(one, isLast);
    if (replacement == NONE && (one == QUOTE || original(one, isLast) != NONE)) {
      encoded.append(QUOTE);
    }
    encoded.append(replacement == NONE ? one : replacement);
  }

  private static byte[] decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    StringBuilder plain = new StringBuilder();
    int last = text.length() - 1;
    for (int at = 0; at <= last; at++) {
      char one = text.charAt(at);
      char original = original(one, at == last);
      if (one != QUOTE || at == last) {
        plain.append(original == NONE ? one : original);
      } else if (at + 2 <= last && isHex(text, at + 1)) {
        bytes.writeBytes(plain.toString().getBytes(StandardCharsets.UTF_8));
        plain.setLength(0);
        bytes.write(HexFormat.fromHexDigits(text, at + 1, at + 3));
        at += 2;
      } else {
        at++;
        plain.append(text.charAt(at));
      }
    }
    bytes.writeBytes(plain.toString().getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  private static boolean isHex(String text, int at) {
    return HexFormat.isHexDigit(text.charAt(at)) && HexFormat.isHexDigit(text.charAt(at + 1));
  }

  /** The character in place of one that cannot be in a name, or at its end; or NONE. */
  private static char replacement(char one, boolean isLast) {
    if (one < ' ') {
      return (char) (SYMBOLS + one);
    }
    if (one == ' ') {
      return isLast ? BLANK_SYMBOL : NONE;
    }
    boolean isReplaced = WindowsName.RESERVED.indexOf(one) >= 0 || (isLast && one == '.');
    return isReplaced ? wide(one) : NONE;
  }

  /** The character that this one replaces, or NONE. */
  private static char original(char one, boolean isLast) {
    if (one == BLANK_SYMBOL) {
      return isLast ? ' ' : NONE;
    }
    char original = one > SYMBOLS && one < BLANK_SYMBOL ? (char) (one - SYMBOLS) : narrow(one);
    return original != NONE && replacement(original, isLast) == one ? original : NONE;
  }

  private static char wide(char one) {
    return (char) (one + TO_WIDE);
  }

  private static char narrow(char one) {
    return one > wide(' ') && one <= wide('~') ? (char) (one - TO_WIDE) : NONE;
  }

  private static String encodedDevice(String name) {
    if (WindowsName.isDevice(name)) {
      return wide(name.charAt(0)) + name.substring(1);
    }
    return isWideDevice(name, quotes(name)) ? QUOTE + name : name;
  }

  private static String decodedDevice(String name) {
    int quotes = quotes(name);
    if (!isWideDevice(name, quotes)) {
      return name;
    }
    return quotes > 0 ? name.substring(1) : narrow(name.charAt(0)) + name.substring(1);
  }

  private static int quotes(String name) {
    int quotes = 0;
    while (quotes < name.length() && name.charAt(quotes) == QUOTE) {
      quotes++;
    }
    return quotes;
  }

  /** Whether a device follows, with a full-width first letter. */
  private static boolean isWideDevice(String name, int at) {
    char first = at < name.length() ? narrow(name.charAt(at)) : NONE;
    return first != NONE && WindowsName.isDevice(first + name.substring(at + 1));
  }
}
