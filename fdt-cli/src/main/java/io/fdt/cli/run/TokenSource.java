package io.fdt.cli.run;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.output.Screen;
import io.fdt.client.AccessToken;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.server.FrontEnd;
import java.io.Console;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Finds the token of a client: never on the command line, which all users can read. */
public final class TokenSource {
  private static final String VARIABLE = "FDT_TOKEN";
  private static final String OF_SOURCE = "FDT_SOURCE_TOKEN";

  private TokenSource() {}

  /**
   * The text of the token in a file, for another process.
   *
   * @param option that names the file, for messages
   */
  public static String textOf(Path file, String option) throws FdtException {
    try {
      return FrontEnd.tokenOf(file);
    } catch (FdtException e) {
      throw new FdtException(e.code(), option + ": " + e.getMessage(), e);
    }
  }

  /** The token for relays. */
  public static Optional<AccessToken> givenForRelays(
      ViaOptions via, Map<String, String> environment) throws FdtException {
    return given(via.tokenFile(), environment, ViaOptions.VARIABLE, ViaOptions.TOKEN_FILE);
  }

  /** The token of a file or the environment. */
  public static Optional<AccessToken> given(ClientAccess access, Map<String, String> environment)
      throws FdtException {
    return given(access.tokenFile(), environment, VARIABLE, "--token-file");
  }

  /** The same for the source's server if the destination is on another one. */
  public static Optional<AccessToken> givenForSource(
      ClientAccess access, Map<String, String> environment) throws FdtException {
    return given(access.tokenFile(), environment, OF_SOURCE, "--source-token-file");
  }

  private static Optional<AccessToken> given(
      Optional<Path> file, Map<String, String> environment, String variable, String option)
      throws FdtException {
    if (file.isPresent()) {
      return Optional.of(AccessToken.of(textOf(file.get(), option)));
    }
    String value = environment.get(variable);
    return value == null || value.isBlank()
        ? Optional.empty()
        : Optional.of(token(value, variable));
  }

  private static AccessToken token(String text, String where) throws FdtException {
    try {
      return AccessToken.of(text);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, where + ": " + e.getMessage(), e);
    }
  }

  /** Uses a token, or none. */
  public interface Use {
    int with(Optional<AccessToken> token) throws FdtException, InterruptedException;
  }

  /**
   * Uses the given token, and if the server needs one, a token that the person at the terminal
   * types. The result is an exit status.
   */
  public static int withToken(
      ClientAccess access, Map<String, String> environment, Screen screen, Use use)
      throws FdtException, InterruptedException {
    Optional<AccessToken> token = given(access, environment);
    try {
      return use.with(token);
    } catch (FdtException e) {
      boolean wantsToken = e.code() == ErrorCode.UNAUTHENTICATED && token.isEmpty();
      Optional<AccessToken> asked = wantsToken ? asked(screen) : Optional.empty();
      if (asked.isEmpty()) {
        throw e;
      }
      return use.with(asked);
    }
  }

  /** Asks the person at the terminal; empty when there is none, or no answer. */
  public static Optional<AccessToken> asked(Screen screen) throws FdtException {
    return asked(screen, "Token: ");
  }

  /** Asks with another question. */
  public static Optional<AccessToken> asked(Screen screen, String question) throws FdtException {
    Console console = screen.canAsk() ? System.console() : null;
    char[] typed = console == null ? null : console.readPassword("%s", question);
    return typed == null || typed.length == 0
        ? Optional.empty()
        : Optional.of(token(new String(typed), "the token"));
  }
}
