package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.SecretFile;
import java.nio.file.Path;
import java.util.Objects;

/** The secret that authenticates a client to a server. Never printed. Immutable. */
public final class AccessToken {
  private static final int MAX_LENGTH = 1000;

  private final String text;

  private AccessToken(String text) {
    this.text = text;
  }

  /**
   * A token from its text.
   *
   * @throws IllegalArgumentException when the text is not a token; the message does not repeat it
   */
  public static AccessToken of(String text) {
    Objects.requireNonNull(text, "text");
    String bare = text.strip();
    if (bare.isEmpty()
        || bare.length() > MAX_LENGTH
        || !bare.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new IllegalArgumentException("not a token: a token is one word that begins with fdt_");
    }
    return new AccessToken(bare);
  }

  /**
   * The token that a file holds.
   *
   * @throws FdtException FORBIDDEN when other users can read or change the file; USAGE when it
   *     holds no token
   */
  public static AccessToken ofFile(Path file) throws FdtException {
    try {
      return of(SecretFile.read(file));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
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
