package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.SecretFile;
import java.nio.file.Path;
import java.util.Objects;

/** The secret that authenticates a client to a server. Never printed. Immutable. */
public final class AccessToken {
  private final String text;

  private AccessToken(String text) {
    this.text = text;
  }

  /**
   * Parses a token.
   *
   * @throws IllegalArgumentException when the text is not a token; the message does not repeat it
   */
  public static AccessToken of(String text) {
    return new AccessToken(SecretFile.token(Objects.requireNonNull(text, "text")));
  }

  /**
   * Reads the token of a file.
   *
   * @throws FdtException FORBIDDEN when other users can read or change the file; USAGE when it
   *     holds no token
   */
  public static AccessToken ofFile(Path file) throws FdtException {
    return new AccessToken(SecretFile.readToken(file));
  }

  /** The text that is sent to the server. */
  String secret() {
    return text;
  }

  @Override
  public String toString() {
    return "AccessToken[hidden]";
  }
}
