package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that holds a secret, which nobody but its owner may read. Stateless. */
public final class SecretFile {
  private static final int MAX_TOKEN_LENGTH = 1000;

  private SecretFile() {}

  /**
   * The token that a file holds.
   *
   * @throws FdtException as {@link #read}; USAGE when the file holds no token
   */
  public static String readToken(Path file) throws FdtException {
    try {
      return token(read(file));
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, e.getMessage(), e);
    }
  }

  /**
   * The token in a text, without white space around it.
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
   * What the file holds, without white space around it. Any bytes: who wants words checks them.
   *
   * @throws FdtException FORBIDDEN when other users can read or change the file; USAGE when it
   *     cannot be read
   */
  public static String read(Path file) throws FdtException {
    try {
      // What a shell makes of <(command) is a pipe, which nobody else can open.
      if (Files.isRegularFile(file)) {
        HomeDirectory.checkPrivate(file);
      }
      return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(ErrorCode.USAGE, HomeDirectory.reason(e), e);
    }
  }
}
