package io.fdt.cli.option.route;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Puts addresses in place of the names of servers on a command line: {@code storage1:/path} becomes
 * {@code fdt://HOST:PORT/path?fingerprint=...}, and where a server is expected, {@code storage1}
 * becomes {@code HOST:PORT}. Not thread-safe.
 */
public final class NamedServers {
  /** The options of FDT's flags whose value is a server. */
  private static final List<String> CONNECT = List.of("-c", "--connect");

  private static final String SOURCE = "-sIP";
  private static final String DESTINATION = "-dIP";

  /** The options whose values are relays, with commas between them. */
  private static final List<String> OF_RELAYS = List.of(ViaOptions.VIA, ViaOptions.RELAYS);

  /** NAME[:PORT]/PATH, after fdt://. */
  private static final Pattern URI = Pattern.compile("(?s)([^/]*)(/.*)?");

  /** NAME[:PORT]:PATH. */
  private static final Pattern LOCATION = Pattern.compile("(?s)([^/:]+(?::[0-9]{1,5}(?=:))?):(.*)");

  private final Map<String, ServersFile.Named> servers;
  private final CommandSpec spec;
  private final boolean isOfFlags;
  private final boolean areOperandsServers;
  private final List<Used> used = new ArrayList<>();

  /**
   * A named server of the line.
   *
   * @param isWhole whether the word is a server rather than a path on one
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

  /** The arguments, with addresses in place of names. */
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
    if (option.equals(SOURCE) || option.equals(DESTINATION)) {
      return oneOfTwo(value, option.equals(SOURCE));
    }
    return OF_RELAYS.contains(option)
        ? Stream.of(value.split(",", -1)).map(this::relay).collect(Collectors.joining(","))
        : value;
  }

  private static boolean isUri(String word) {
    return word.toLowerCase(Locale.ROOT).startsWith(Location.SCHEME);
  }

  private static boolean isRemote(String word) {
    return word.matches("(?s)[^/]+:.*");
  }

  private String operand(String word, boolean isSourceOfTwo) {
    if (areOperandsServers) {
      return server(word);
    }
    String scheme = Location.SCHEME;
    boolean isUri = isUri(word);
    Matcher form = (isUri ? URI : LOCATION).matcher(isUri ? word.substring(scheme.length()) : word);
    Optional<ServersFile.Named> server = form.matches() ? named(form.group(1)) : Optional.empty();
    if (server.isEmpty() || (!isUri && isLeft(form.group(2)))) {
      return word;
    }
    used.add(new Used(server.get(), false, isSourceOfTwo));
    String path = isUri ? fromRoot(form.group(2)) : encoded(form.group(2));
    return scheme + address(server.get(), form.group(1)) + path + fingerprint(server.get(), path);
  }

  /** Whether the rest is not a path: then the word is unchanged, and its parser refuses it. */
  private static boolean isLeft(String path) {
    return path.startsWith("//")
        || path.matches("~[^/].*")
        || Location.isLikePort(path)
        || (path.startsWith(":") && path.indexOf(':', 1) > 0);
  }

  /** rsync's HOST::EXPORT/PATH has a second colon. */
  private static String encoded(String written) {
    String path = written.startsWith(":") ? written.substring(1) : written;
    return fromRoot(path.replace("%", "%25").replace("?", "%3F"));
  }

  private static String fromRoot(String path) {
    return path.startsWith("/") ? path : "/" + path;
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
    String name = Location.withoutPath(word);
    Optional<ServersFile.Named> named = named(name);
    named.ifPresent(server -> used.add(new Used(server, true, false)));
    int start = isUri(word) ? Location.SCHEME.length() : 0;
    return named
        .map(
            server ->
                word.substring(0, start)
                    + address(server, name)
                    + word.substring(start + name.length()))
        .orElse(word);
  }

  /** The address and key of one of two servers. */
  private String oneOfTwo(String word, boolean isSource) {
    String name = Location.withoutPath(word);
    Optional<ServersFile.Named> named = named(name);
    named.ifPresent(server -> used.add(new Used(server, false, isSource)));
    return named
        .map(server -> Location.SCHEME + address(server, name) + fingerprint(server, name))
        .orElse(word);
  }

  /** The address and key of a relay, without its token, which {@code --via-token-file} names. */
  private String relay(String word) {
    String relay = word.strip();
    return named(relay)
        .map(server -> address(server, relay) + fingerprint(server, relay))
        .orElse(word);
  }
}
