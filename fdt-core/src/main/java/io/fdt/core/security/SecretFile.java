package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with a secret that only its owner may read. Stateless. */
public final class SecretFile {
  private static final int MAX_TOKEN_LENGTH = 1000;

  private SecretFile() {}

  /**
   * Reads the token of a file.
   *
   * @throws FdtException as {@link #read}; USAGE when the file holds no token
   */
  public static String readToken(Path file) throws FdtException {
    try {
      return token(read(file));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, "'%s' is ".formatted(file) + e.getMessage(), e);
    }
  }

  /**
   * The token in a text, without surrounding white space.
   *
   * @throws IllegalArgumentException when the text is not a token; the message does not repeat it
   */
  public static String token(String text) {
    String bare = text.strip();
    if (bare.isEmpty()
        || bare.length() > MAX_TOKEN_LENGTH
        || !bare.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new IllegalArgumentException("not a token: a token is one word that begins with fdt_");
    }
    return bare;
  }

  /**
   * The content of a file, without surrounding white space. Not necessarily text.
   *
   * @throws FdtException FORBIDDEN when other users can read or change the file; USAGE when it
   *     cannot be read
   */
  public static String read(Path file) throws FdtException {
    try {
      // The shell's <(command) is a pipe, which no other user can open.
      if (Files.isRegularFile(file)) {
        HomeDirectory.checkPrivate(file);
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot read '%s': %s".formatted(file, HomeDirectory.reason(e)), e);
    }
  }
}
