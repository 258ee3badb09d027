package io.fdt.core.wire;

/**
 * Text for people within control messages, such as paths, which may be of any length: cut short so
 * that many of them fit into one message.
 *
 * <p>Stateless; any thread.
 */
public final class MessageText {
  /**
   * The longest text. In UTF-8 it takes at most three times as many bytes, a fortieth of the
   * longest message.
   */
  public static final int MAX_CHARS = 8192;

  private static final String CUT = "...";

  private MessageText() {}

  /** The text, or the start of one that is too long. */
  public static String fit(String text) {
    if (text.length() <= MAX_CHARS) {
      return text;
    }
    int end = MAX_CHARS - CUT.length();
    if (Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + CUT;
  }
}
