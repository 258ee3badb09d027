package io.fdt.core.model;

/**
 * How a system writes paths. A {@link BytePath} has slashes everywhere, and an absolute one begins
 * with a slash: on Windows, C:\a is /C:/a as in a URI, and \\host\share is //host/share. Pure.
 */
public enum PathStyle {
  UNIX,
  WINDOWS;

  /** Windows' prefixes of paths that may be long. */
  private static final String LONG = "//?/";

  private static final String LONG_SHARE = "//?/UNC/";

  /**
   * The style of a system.
   *
   * @param separator between its names
   */
  public static PathStyle of(String separator) {
    return separator.equals("\\") ? WINDOWS : UNIX;
  }

  /**
   * A path of the system with slashes.
   *
   * @throws IllegalArgumentException the path depends on the current directory of a drive
   */
  public String slashed(String path) {
    if (this == UNIX) {
      return path;
    }
    String slashed = path.replace('\\', '/');
    if (slashed.startsWith(LONG_SHARE)) {
      return "//" + slashed.substring(LONG_SHARE.length());
    }
    String plain = slashed.startsWith(LONG) ? slashed.substring(LONG.length()) : slashed;
    if (!beginsWithDrive(plain, 0)) {
      return plain;
    }
    if (plain.length() == 2 || plain.charAt(2) != '/') {
      throw new IllegalArgumentException(
          "'%s' is relative on its drive; write %s\\%s, or for a host %sPORT:/PATH"
              .formatted(path, plain.substring(0, 2), plain.substring(2), plain.substring(0, 2)));
    }
    return "/" + plain;
  }

  /** The inverse of {@link #slashed}, for the system's calls. */
  public String ofSystem(String slashed) {
    if (this == UNIX || !slashed.startsWith("/") || !beginsWithDrive(slashed, 1)) {
      return slashed;
    }
    return slashed.length() == 3 ? slashed.substring(1) + "/" : slashed.substring(1);
  }

  /** Whether a word is a path by its first characters, although it may have a colon in them. */
  public boolean isPath(String word) {
    return this == WINDOWS
        && (word.startsWith("\\")
            || (beginsWithDrive(word, 0) && !word.matches("(?s)..[0-9]+:.*")));
  }

  private static boolean beginsWithDrive(String path, int at) {
    if (path.length() < at + 2 || path.charAt(at + 1) != ':') {
      return false;
    }
    char letter = path.charAt(at);
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  }
}
