package io.fdt.nio.server;

import io.fdt.client.AccessToken;
import io.fdt.client.ClientHome;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The access of a file system to its server: home, token and known servers of the command, unless
 * {@code newFileSystem} overrides them. Immutable.
 */
public final class Settings {
  static final String HOME = "fdt.home";
  static final String TOKEN = "fdt.token";
  static final String TOKEN_FILE = "fdt.tokenFile";
  static final String FINGERPRINT = "fdt.fingerprint";
  static final String ACCEPT_NEW = "fdt.acceptNew";
  static final String ENCRYPT = "fdt.encrypt";
  static final String STREAMS = "fdt.streams";

  private static final String OWN = "fdt.";
  private static final Set<String> KNOWN =
      Set.of(HOME, TOKEN, TOKEN_FILE, FINGERPRINT, ACCEPT_NEW, ENCRYPT, STREAMS);
  private static final int MOST_STREAMS = 64;

  private final Map<String, ?> given;
  private final Map<String, String> environment;

  /**
   * Checks the names of the settings; {@link #client} reads the values.
   *
   * @param given by {@code newFileSystem}; only keys that start with {@code fdt.} count
   * @param environment of the process
   * @throws IllegalArgumentException a key is unknown, or a number is invalid
   */
  public Settings(Map<String, ?> given, Map<String, String> environment) {
    for (String key : given.keySet()) {
      if (key.startsWith(OWN) && !KNOWN.contains(key)) {
        throw new IllegalArgumentException(
            "unknown setting '" + key + "'; there are " + KNOWN.stream().sorted().toList());
      }
    }
    this.given = Map.copyOf(given);
    this.environment = Map.copyOf(environment);
    int unused = streams();
  }

  private Optional<String> text(String key) {
    Object value = given.get(key);
    return value == null ? Optional.empty() : Optional.of(value.toString());
  }

  /** Data connections of a transfer. */
  public int streams() {
    Optional<String> text = text(STREAMS);
    if (text.isEmpty()) {
      return 4; // as the command
    }
    if (!text.get().matches("[0-9]{1,2}")) {
      throw badStreams(text.get());
    }
    int streams = Integer.parseInt(text.get());
    if (streams < 1 || streams > MOST_STREAMS) {
      throw badStreams(text.get());
    }
    return streams;
  }

  private static IllegalArgumentException badStreams(String text) {
    return new IllegalArgumentException(
        STREAMS + "=" + text + " is not a number from 1 to " + MOST_STREAMS);
  }

  private Path home() {
    return text(HOME)
        .map(Path::of)
        .orElseGet(
            () ->
                ClientHome.of(
                    environment, ClientHome.ofUser(environment, System.getProperty("user.home"))));
  }

  /**
   * A client of this server. Does not connect.
   *
   * @throws FdtException the token or the fingerprint cannot be read; the message names it
   */
  public FdtClient client(String host, int port) throws FdtException {
    FdtClient.Builder builder =
        FdtClient.builder(host)
            .port(port)
            .trust(trust())
            .encryptData(Boolean.parseBoolean(text(ENCRYPT).orElse("false")));
    token().ifPresent(builder::token);
    return builder.build();
  }

  private ServerTrust trust() throws FdtException {
    Optional<String> fingerprint = text(FINGERPRINT);
    if (fingerprint.isEmpty()) {
      boolean acceptsNew = Boolean.parseBoolean(text(ACCEPT_NEW).orElse("false"));
      return ServerTrust.knownHosts(
          home(), acceptsNew ? ServerTrust.FirstContact.ACCEPT : ServerTrust.FirstContact.REFUSE);
    }
    try {
      return ServerTrust.pinned(fingerprint.get()).withHome(home());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.USAGE, FINGERPRINT + ": " + e.getMessage(), e);
    }
  }

  private Optional<AccessToken> token() throws FdtException {
    if (given.get(TOKEN) instanceof AccessToken token) {
      return Optional.of(token);
    }
    Optional<String> file = text(TOKEN_FILE);
    if (file.isPresent()) {
      return Optional.of(AccessToken.ofFile(Path.of(file.get())));
    }
    String variable = environment.getOrDefault("FDT_TOKEN", "");
    Optional<String> text = text(TOKEN).or(() -> Optional.of(variable).filter(t -> !t.isBlank()));
    try {
      return text.map(AccessToken::of);
    } catch (IllegalArgumentException e) {
      String where = given.containsKey(TOKEN) ? TOKEN : "FDT_TOKEN";
      throw new FdtException(ErrorCode.USAGE, where + ": " + e.getMessage(), e);
    }
  }
}
