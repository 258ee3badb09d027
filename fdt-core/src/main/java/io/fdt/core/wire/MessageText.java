package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.model.PathText;
import java.nio.charset.StandardCharsets;

/**
 * Text in control messages, such as paths of any length: truncated so that many of them fit into
 * one message.
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

  /** A peer's text: truncated, and escaped if the peer did not do so. */
  public static String received(String text) {
    return PathText.escapeRest(fit(text).getBytes(StandardCharsets.UTF_8));
  }

  /** A path that the peer has escaped, safe to show even if the peer did not. */
  public static String receivedPath(ByteString bytes) {
    return PathText.escapeRest(bytes.toByteArray());
  }

  /** The text, or the start of a long one. */
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
