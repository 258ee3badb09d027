package io.fdt.client;

import java.util.Objects;

/** The secret by which a server knows a client; its text is never shown. Immutable. */
public final class AccessToken {
  private static final int MAX_LENGTH = 1000;

  private final String text;

  private AccessToken(String text) {
    this.text = text;
  }

  /**
   * A token as it was handed out.
   *
   * @throws IllegalArgumentException when it could not be one; the message does not repeat it
   */
  public static AccessToken of(String text) {
    Objects.requireNonNull(text, "text");
    String bare = text.strip();
    if (bare.isEmpty()
        || bare.length() > MAX_LENGTH
        || !bare.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new IllegalArgumentException("that is no token: one word that begins with fdt_");
    }
    return new AccessToken(bare);
  }

  /** What goes to the server. */
  String secret() {
    return text;
  }

  @Override
  public String toString() {
    return "AccessToken[hidden]";
  }
}
