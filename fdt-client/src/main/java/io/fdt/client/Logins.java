package io.fdt.client;

import io.fdt.client.remote.RefusedException;
import io.fdt.client.remote.RemoteConnection;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.KnownHosts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The known servers of a user, and the tokens for those with a login: the files {@code known_hosts}
 * and {@code logins} of the user's home, readable by that user only. Any thread, any process.
 *
 * <p>A token is sent only to a server that has proven the key of the login.
 *
 * <pre>
 *   HOST:PORT FINGERPRINT TOKEN
 *   HOST:PORT FINGERPRINT in secret-service
 * </pre>
 *
 * <p>The second form has its token in the desktop's secret service.
 */
public final class Logins {
  private static final String FILE = "logins";
  private static final String LOCK = "logins.lock";
  private static final String ELSEWHERE = "in secret-service";

  private final HomeDirectory home;
  private final SecretService secrets;

  /**
   * @param home of the user; created on the first write
   */
  public Logins(Path home) {
    this(new HomeDirectory(home));
  }

  Logins(HomeDirectory home) {
    this.home = home;
    this.secrets = new SecretService(home.file(""));
  }

  /**
   * A known server.
   *
   * @param address HOST:PORT
   * @param fingerprint of its key
   * @param hasToken whether the user is logged in
   */
  public record Known(String address, String fingerprint, boolean hasToken) {}

  /**
   * A line of the file.
   *
   * @param token empty when it is in the secret service
   */
  private record Line(String address, String fingerprint, Optional<String> token) {
    @Override
    public String toString() {
      return address + " " + fingerprint + " " + token.orElse(ELSEWHERE);
    }
  }

  /**
   * Stores a client's server and token, if the server accepts it. Later clients that trust known
   * hosts of this home need no token.
   *
   * @param token of the client; if empty, a stored one that the server accepts stays
   * @param inSecretService whether to store the token in the desktop's secret service; if that
   *     fails, it is stored in the file
   * @param notices receives one line about each failure of the secret service
   * @return the fingerprint of the server's key, SHA256:...
   * @throws FdtException the server cannot be reached, or refuses the client; or the home cannot be
   *     written
   */
  public String add(
      FdtClient client,
      Optional<AccessToken> token,
      boolean inSecretService,
      Consumer<String> notices)
      throws FdtException, InterruptedException {
    RemoteConnection connection = RemoteConnection.open(client.dialer());
    try {
      RemoteHost unused = connection.describe();
      String host = client.dialer().host();
      int port = client.dialer().port();
      Optional<String> inFile = token.map(AccessToken::secret);
      if (token.isPresent()
          && inSecretService
          && stores(address(host, port), token.get(), notices)) {
        inFile = Optional.empty();
      }
      Optional<Line> line =
          token.isPresent()
              ? Optional.of(new Line(address(host, port), connection.key().toString(), inFile))
              : Optional.empty();
      add(host, port, connection.key(), line, notices);
      return connection.key().toString();
    } catch (RefusedException e) {
      throw e.cause();
    } finally {
      connection.close();
    }
  }

  private boolean stores(String address, AccessToken token, Consumer<String> notices) {
    try {
      secrets.store(address, token.secret());
      return true;
    } catch (FdtException e) {
      notices.accept(
          "the token is in the file '%s', because the secret service failed to store it: %s"
              .formatted(home.file(FILE), e.getMessage()));
      return false;
    }
  }

  /** Removes the line of a server, and its secret unless the new line refers to the same. */
  private boolean removeLine(
      List<Line> lines, String address, boolean keepsSecret, Consumer<String> notices) {
    Predicate<Line> isOfServer = line -> line.address().equals(address);
    boolean refers = lines.stream().anyMatch(isOfServer.and(line -> line.token().isEmpty()));
    if (refers && !keepsSecret) {
      try {
        secrets.remove(address);
      } catch (FdtException e) {
        notices.accept(
            "the earlier token for %s stays in the secret service; remove it there: %s"
                .formatted(address, e.getMessage()));
      }
    }
    return lines.removeIf(isOfServer);
  }

  /** Stores a login and the key, replacing an earlier one. */
  private void add(
      String host, int port, Fingerprint key, Optional<Line> login, Consumer<String> notices)
      throws FdtException {
    String address = address(host, port);
    boolean keepsSecret = login.isPresent() && login.get().token().isEmpty();
    Void unused =
        home.locked(
            LOCK,
            () -> {
              List<Line> lines = lines();
              boolean stays =
                  login.isEmpty()
                      && lines.stream()
                          .anyMatch(
                              line ->
                                  line.address().equals(address)
                                      && line.fingerprint().equals(key.toString()));
              boolean wasThere = !stays && removeLine(lines, address, keepsSecret, notices);
              login.ifPresent(lines::add);
              if (wasThere || login.isPresent()) {
                write(lines);
              }
              KnownHosts hosts = new KnownHosts(home);
              if (!hosts.find(host, port).equals(Optional.of(key))) {
                hosts.add(host, port, key);
              }
              return null;
            });
  }

  /**
   * Removes the token and the key of a server.
   *
   * @param notices receives one line when the token stays in the secret service
   * @return whether a login was removed
   * @throws FdtException the files cannot be read or written
   */
  public boolean remove(String host, int port, Consumer<String> notices) throws FdtException {
    String address = address(host, port);
    return home.locked(
        LOCK,
        () -> {
          List<Line> lines = lines();
          boolean hadToken = removeLine(lines, address, false, notices);
          if (hadToken) {
            write(lines);
          }
          boolean wasKnown = new KnownHosts(home).remove(host, port);
          return wasKnown || hadToken;
        });
  }

  /**
   * All known servers, by address.
   *
   * @throws FdtException the files cannot be read
   */
  public List<Known> all() throws FdtException {
    Map<String, Known> all = new TreeMap<>();
    new KnownHosts(home)
        .all()
        .forEach(
            (address, fingerprint) -> all.put(address, new Known(address, fingerprint, false)));
    for (Line line : lines()) {
      all.put(line.address(), new Known(line.address(), line.fingerprint(), true));
    }
    return List.copyOf(all.values());
  }

  /** The token for a server that has proven this key. */
  Optional<String> token(String host, int port, Fingerprint shown) throws FdtException {
    String address = address(host, port);
    Optional<Line> login =
        lines().stream()
            .filter(line -> line.address().equals(address))
            .filter(line -> line.fingerprint().equals(shown.toString()))
            .findFirst();
    return login.isPresent() && login.get().token().isEmpty()
        ? Optional.of(secret(address))
        : login.flatMap(Line::token);
  }

  /**
   * The token for a server from the secret service.
   *
   * @throws FdtException UNAUTHENTICATED when it is missing
   */
  private String secret(String address) throws FdtException {
    Optional<String> secret;
    try {
      secret = secrets.find(address);
    } catch (FdtException e) {
      throw new FdtException(
          e.code(),
          ("the token for %s is in the secret service, which failed to return it: %s; use"
                  + " %s, or log in again to a file")
              .formatted(address, e.getMessage(), Setting.TOKEN),
          e);
    }
    return secret.orElseThrow(
        () ->
            new FdtException(
                ErrorCode.UNAUTHENTICATED,
                "the token for %s is no longer in the secret service; log in again, or use %s"
                    .formatted(address, Setting.TOKEN)));
  }

  private List<Line> lines() throws FdtException {
    List<Line> lines = new ArrayList<>();
    for (String text : text()) {
      line(text).ifPresent(lines::add);
    }
    return lines;
  }

  private List<String> text() throws FdtException {
    byte[] bytes = home.readIfThere(FILE);
    return bytes == null ? List.of() : new String(bytes, StandardCharsets.UTF_8).lines().toList();
  }

  /** A line of the file; empty for a comment, and for one of another version. */
  private static Optional<Line> line(String text) {
    String[] words = text.strip().split("\\s+");
    if (words.length == 3 && !words[0].startsWith("#")) {
      return Optional.of(new Line(words[0], words[1], Optional.of(words[2])));
    }
    return words.length == 4 && ELSEWHERE.equals(words[2] + " " + words[3])
        ? Optional.of(new Line(words[0], words[1], Optional.empty()))
        : Optional.empty();
  }

  /** Replaces the logins; other lines stay. */
  private void write(List<Line> lines) throws FdtException {
    StringBuilder text = new StringBuilder();
    for (String other : text()) {
      if (line(other).isEmpty()) {
        text.append(other).append('\n');
      }
    }
    lines.forEach(line -> text.append(line).append('\n'));
    home.replace(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Names the lines of the files that are of another version, or damaged: they are ignored, and
   * stay.
   *
   * @throws FdtException the files cannot be read
   */
  public List<String> flaws() throws FdtException {
    List<String> flaws = new ArrayList<>(new KnownHosts(home).flaws());
    List<String> text = text();
    for (int i = 0; i < text.size(); i++) {
      String line = text.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#") && line(line).isEmpty()) {
        flaws.add(
            "%s:%d: no login of this version, so it is ignored; log in again and remove the line"
                .formatted(home.file(FILE), i + 1));
      }
    }
    return flaws;
  }

  private static String address(String host, int port) {
    String name = host.toLowerCase(Locale.ROOT);
    return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
  }
}
