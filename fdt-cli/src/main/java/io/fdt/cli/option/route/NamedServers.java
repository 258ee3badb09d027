package io.fdt.cli.option.route;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Puts addresses in place of the names of servers on a command line: {@code storage1:/path} becomes
 * {@code fdt://HOST:PORT/path?fingerprint=...}, and {@code storage1} alone {@code HOST:PORT} where
 * a server is expected. Not thread-safe.
 */
public final class NamedServers {
  /** The option of FDT's flags whose value is a server. */
  private static final List<String> CONNECT = List.of("-c", "--connect");

  /** The options whose values are relays, with commas between them. */
  private static final List<String> OF_RELAYS = List.of(ViaOptions.VIA, ViaOptions.RELAYS);

  private final Map<String, ServersFile.Named> servers;
  private final CommandSpec spec;
  private final boolean isOfFlags;
  private final boolean areOperandsServers;
  private final List<Used> used = new ArrayList<>();

  /**
   * A server whose name stands on the line.
   *
   * @param isWhole whether a server is expected there, rather than a path on one
   * @param isSourceOfTwo whether the destination is on another server
   */
  public record Used(ServersFile.Named server, boolean isWhole, boolean isSourceOfTwo) {}

  public NamedServers(
      Map<String, ServersFile.Named> servers,
      CommandSpec spec,
      String subcommand,
      boolean areOperandsServers) {
    this.servers = servers;
    this.spec = spec;
    this.isOfFlags = subcommand.isEmpty();
    this.areOperandsServers = areOperandsServers;
  }

  /** The servers of the line, as {@link #replaced} has found them. */
  public List<Used> used() {
    return List.copyOf(used);
  }

  /** The line with addresses. */
  public List<String> replaced(List<String> arguments) {
    if (servers.isEmpty()) {
      return arguments;
    }
    boolean goesToServer = !arguments.isEmpty() && isRemote(arguments.get(arguments.size() - 1));
    List<String> result = new ArrayList<>();
    boolean isAfterDashes = false;
    for (int i = 0; i < arguments.size(); i++) {
      String word = arguments.get(i);
      OptionSpec option = isAfterDashes ? null : spec.optionsMap().get(word);
      if (option != null && option.arity().max() > 0 && i + 1 < arguments.size()) {
        result.add(word);
        result.add(value(word, arguments.get(++i)));
        continue;
      }
      int equals = isAfterDashes ? -1 : word.indexOf('=');
      if (equals > 0 && spec.optionsMap().containsKey(word.substring(0, equals))) {
        String name = word.substring(0, equals);
        result.add(name + "=" + value(name, word.substring(equals + 1)));
        continue;
      }
      isAfterDashes |= word.equals("--");
      boolean isOperand = isAfterDashes || !word.startsWith("-");
      boolean isSource = goesToServer && i < arguments.size() - 1;
      result.add(isOperand && !isOfFlags ? operand(word, isSource) : word);
    }
    return result;
  }

  private String value(String option, String value) {
    if (CONNECT.contains(option)) {
      return server(value);
    }
    return OF_RELAYS.contains(option)
        ? Stream.of(value.split(",", -1)).map(this::relay).collect(Collectors.joining(","))
        : value;
  }

  private static boolean isRemote(String word) {
    return word.matches("(?s)[^/]+:.*");
  }

  private String operand(String word, boolean isSourceOfTwo) {
    if (areOperandsServers) {
      return server(word);
    }
    String scheme = Location.SCHEME;
    boolean isUri = word.toLowerCase(Locale.ROOT).startsWith(scheme);
    String rest = isUri ? word.substring(scheme.length()) : word;
    int end = rest.indexOf(isUri ? '/' : ':');
    String name = end < 0 ? (isUri ? rest : "") : rest.substring(0, end);
    ServersFile.Named server = servers.get(name);
    if (server == null || (!isUri && isLeft(rest, end + 1))) {
      return word;
    }
    used.add(new Used(server, false, isSourceOfTwo));
    String path = end < 0 ? "/" : isUri ? rest.substring(end) : fromRoot(rest.substring(end + 1));
    return scheme + server.address() + path + fingerprint(server, path);
  }

  /** Whether the rest is no path; the parser of the word refuses it. */
  private static boolean isLeft(String rest, int path) {
    return rest.startsWith("//", path)
        || rest.substring(path).matches("~[^/].*")
        || (rest.startsWith(":", path) && rest.indexOf(':', path + 1) > 0);
  }

  /** rsync's HOST::EXPORT/PATH has a second colon. */
  private static String fromRoot(String written) {
    String path = written.startsWith(":") ? written.substring(1) : written;
    String encoded = path.replace("%", "%25").replace("?", "%3F");
    return encoded.startsWith("/") ? encoded : "/" + encoded;
  }

  private static String fingerprint(ServersFile.Named server, String path) {
    return path.contains(Location.FINGERPRINT)
        ? ""
        : server.fingerprint().map(text -> Location.FINGERPRINT + text).orElse("");
  }

  /** The server of a name, or of a name with a port. */
  private Optional<ServersFile.Named> named(String word) {
    return Optional.ofNullable(servers.get(hasPort(word) ? beforePort(word) : word));
  }

  private static boolean hasPort(String word) {
    return word.matches("(?s).+:[0-9]{1,5}");
  }

  private static String beforePort(String word) {
    return word.substring(0, word.lastIndexOf(':'));
  }

  private static String address(ServersFile.Named named, String word) {
    ServerAddress address = named.address();
    return hasPort(word)
        ? new ServerAddress(
                address.host(), Integer.parseInt(word.substring(word.lastIndexOf(':') + 1)))
            .toString()
        : address.toString();
  }

  private String server(String word) {
    Optional<ServersFile.Named> named = named(word);
    named.ifPresent(server -> used.add(new Used(server, true, false)));
    return named.map(server -> address(server, word)).orElse(word);
  }

  /** The address and key of a relay, without its token: {@code --via-token-file} has that. */
  private String relay(String word) {
    String relay = word.strip();
    return named(relay)
        .map(server -> address(server, relay) + fingerprint(server, relay))
        .orElse(word);
  }
}
