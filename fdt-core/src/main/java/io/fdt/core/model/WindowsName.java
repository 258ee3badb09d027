package io.fdt.core.model;

import java.util.Locale;
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
          "(CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9\\u00B9\\u00B2\\u00B3]) *(\\..*)?");

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
}
