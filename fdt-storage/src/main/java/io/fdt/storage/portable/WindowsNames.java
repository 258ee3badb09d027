package io.fdt.storage.portable;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names that Windows can give: without reserved characters, without a dot or a blank at the
 * end, and none of its devices, whatever the case and the extension. Others are refused: Windows
 * would open a device or a stream of another file, or change the name. Pure.
 */
final class WindowsNames {
  private static final String RESERVED = "<>:\"/\\|?*";

  /** Followed by nothing, or by blanks, a dot and anything. Superscript digits count as digits. */
  private static final Pattern DEVICE =
      Pattern.compile(
          "(CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9\\u00B9\\u00B2\\u00B3]) *(\\..*)?");

  private WindowsNames() {}

  static boolean isPossible(String name) {
    return !name.endsWith(".")
        && !name.endsWith(" ")
        && name.chars().noneMatch(one -> one < ' ' || RESERVED.indexOf(one) >= 0)
        && !DEVICE.matcher(name.toUpperCase(Locale.ROOT)).matches();
  }
}
