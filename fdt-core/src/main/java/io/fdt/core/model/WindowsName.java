package io.fdt.core.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that Windows can give: without reserved characters, without a dot or a blank at the
 * end, and none of its devices, whatever the case and the extension. Windows would open a device or
 * a stream of another file for others, or change the name. Pure functions.
 */
public final class WindowsName {
  static final String RESERVED = "<>:\"|?*\\";

  /** Followed by nothing, or by blanks, a dot and anything. Superscript digits count as digits. */
  private static final Pattern DEVICE =
      Pattern.compile(
          "(?s)(CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9\\u00B9\\u00B2\\u00B3]) *(\\..*)?");

  /** The first letters of all devices, in lower case. */
  private static final Set<String> DEVICE_STARTS = Set.of("con", "prn", "aux", "nul", "com", "lpt");

  private static final int DEVICE_START = 3;

  /** The group of {@link #DEVICE} with a dot and what follows. */
  private static final int EXTENSION = 3;

  private WindowsName() {}

  /** Whether Windows can give the name. */
  public static boolean isPossible(String name) {
    return !name.endsWith(".")
        && !name.endsWith(" ")
        && name.chars().noneMatch(one -> one < ' ' || one == '/' || RESERVED.indexOf(one) >= 0)
        && !isDevice(name);
  }

  static boolean isDevice(String name) {
    return DEVICE.matcher(name.toUpperCase(Locale.ROOT)).matches();
  }

  /**
   * A name for each reason why Windows cannot give this one, with that reason only; empty if it
   * can. A file system that stores these stores the name.
   */
  public static Set<FileName> flaws(FileName name) {
    byte[] bytes = name.bytes();
    return isPlain(bytes) ? Set.of() : flaws(bytes);
  }

  /** Whether Windows can give a name for sure: in ASCII, and unlike a device. */
  private static boolean isPlain(byte[] bytes) {
    byte last = bytes[bytes.length - 1];
    if (last == '.' || last == ' ') {
      return false;
    }
    for (byte one : bytes) {
      if (one < ' ' || RESERVED.indexOf(one) >= 0) {
        return false;
      }
    }
    return bytes.length < DEVICE_START
        || !DEVICE_STARTS.contains(
            new String(bytes, 0, DEVICE_START, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT));
  }

  private static Set<FileName> flaws(byte[] bytes) {
    Set<FileName> flaws = new LinkedHashSet<>();
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      flaws.add(FileName.of(new byte[] {'x', (byte) 0xFF}));
      text = new String(bytes, StandardCharsets.ISO_8859_1);
    }
    text.chars()
        .filter(one -> one < ' ' || RESERVED.indexOf(one) >= 0)
        .forEach(one -> flaws.add(FileName.of("x" + (char) one + "x")));
    char last = text.charAt(text.length() - 1);
    if (last == '.' || last == ' ') {
      flaws.add(FileName.of("x" + last));
    }
    Matcher device = DEVICE.matcher(text.toUpperCase(Locale.ROOT));
    if (device.matches()) {
      flaws.add(FileName.of(device.group(1) + (device.group(EXTENSION) == null ? "" : ".x")));
    }
    return flaws;
  }
}
