package io.fdt.client;

import io.fdt.core.error.FdtException;
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

/**
 * The servers that a user knows, and the tokens for those that the user has logged in to: the files
 * {@code known_hosts} and {@code logins} of the user's home, which nobody else may read. Any
 * thread, any process.
 *
 * <p>A token is shown only to a server that has proven to have the key of the login.
 *
 * <pre>
 *   HOST:PORT FINGERPRINT TOKEN
 * </pre>
 */
public final class Logins {
  private static final String FILE = "logins";
  private static final String LOCK = "logins.lock";
  private static final int WORDS = 3;

  private final HomeDirectory home;

  /**
   * @param home of the user; made when something is to be remembered
   */
  public Logins(Path home) {
    this(new HomeDirectory(home));
  }

  Logins(HomeDirectory home) {
    this.home = home;
  }

  /**
   * A server that is known.
   *
   * @param address HOST:PORT
   * @param fingerprint of its key
   * @param hasToken whether the user has logged in to it
   */
  public record Known(String address, String fingerprint, boolean hasToken) {}

  /** A line of the file. */
  private record Line(String address, String fingerprint, String token) {
    @Override
    public String toString() {
      return address + " " + fingerprint + " " + token;
    }
  }

  /**
   * Remembers a client's server and a token, when the server takes it. Later clients that trust
   * known hosts of this home need no token.
   *
   * @param token that the client was built with, if any
   * @return the fingerprint of the server's key, SHA256:...
   * @throws FdtException the server cannot be reached, or refuses the client; or the home cannot be
   *     written
   */
  public String add(FdtClient client, Optional<AccessToken> token)
      throws FdtException, InterruptedException {
    RemoteConnection connection = RemoteConnection.open(client.dialer());
    try {
      RemoteHost unused = connection.describe();
      add(client.dialer().host(), client.dialer().port(), connection.key(), token);
      return connection.key().toString();
    } catch (RefusedException e) {
      throw e.cause();
    } finally {
      connection.close();
    }
  }

  /** Remembers a token, in place of an earlier one, and the key. */
  private void add(String host, int port, Fingerprint key, Optional<AccessToken> token)
      throws FdtException {
    String address = address(host, port);
    Void unused =
        home.locked(
            LOCK,
            () -> {
              List<Line> lines = lines();
              boolean wasThere = lines.removeIf(line -> line.address().equals(address));
              token.ifPresent(
                  given -> lines.add(new Line(address, key.toString(), given.secret())));
              if (wasThere || token.isPresent()) {
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
   * Forgets the token and the key of a server.
   *
   * @return whether there was anything to forget
   * @throws FdtException the files cannot be read or written
   */
  public boolean remove(String host, int port) throws FdtException {
    String address = address(host, port);
    return home.locked(
        LOCK,
        () -> {
          List<Line> lines = lines();
          boolean hadToken = lines.removeIf(line -> line.address().equals(address));
          if (hadToken) {
            write(lines);
          }
          boolean wasKnown = new KnownHosts(home).remove(host, port);
          return wasKnown || hadToken;
        });
  }

  /**
   * All servers that are known, by address.
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

  /** The token for a server that has proven to have this key. */
  Optional<String> token(String host, int port, Fingerprint shown) throws FdtException {
    String address = address(host, port);
    return lines().stream()
        .filter(line -> line.address().equals(address))
        .filter(line -> line.fingerprint().equals(shown.toString()))
        .map(Line::token)
        .findFirst();
  }

  private List<Line> lines() throws FdtException {
    List<Line> lines = new ArrayList<>();
    byte[] bytes = home.readIfThere(FILE);
    if (bytes != null) {
      for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
        String[] words = line.strip().split("\\s+");
        if (words.length == WORDS && !words[0].startsWith("#")) {
          lines.add(new Line(words[0], words[1], words[2]));
        }
      }
    }
    return lines;
  }

  private void write(List<Line> lines) throws FdtException {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    home.replace(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String address(String host, int port) {
    String name = host.toLowerCase(Locale.ROOT);
    return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
  }
}
