package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
      // What a shell makes of <(command) is a pipe, which nobody else can open.
      if (Files.isRegularFile(file)) {
        HomeDirectory.checkPrivate(file);
      }
      return of(
          Files.readString(file, StandardCharsets.ISO_8859_1)); // any bytes: of() refuses them
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(ErrorCode.USAGE, HomeDirectory.reason(e), e);
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
