package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.client.RequiredStorage;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Ipv6Zone;
import io.fdt.core.model.PathStyle;
import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One end of a copy on a command line: a path on this machine or on a server. Immutable. */
public sealed interface Location {
  /** A path on this machine. */
  record Local(BytePath path) implements Location {}

  /** Whether the path is on this machine and has a scheme, as zip://FILE. */
  default boolean isInOtherStorage() {
    return this instanceof Local local && RequiredStorage.isByScheme(local.path());
  }

  /**
   * A path on a server, from its root.
   *
   * @param fingerprint the key that the server must have
   */
  record Remote(ServerAddress server, BytePath path, Optional<String> fingerprint)
      implements Location {
    Remote(ServerAddress server, BytePath path) {
      this(server, path, Optional.empty());
    }
  }

  /**
   * A path on a host where SSH starts a server.
   *
   * @param path as the user typed it; a relative one is in the home of the user there
   */
  record Ssh(SshHost host, BytePath path) implements Location {}

  String SCHEME = "fdt://";
  String SSH_SCHEME = "ssh://";
  String FINGERPRINT = "?fingerprint=";

  /** HOST[:PORT]:[/PATH], but no IPv6 address without brackets. */
  Pattern WITH_PATH = Pattern.compile("(?s)((?:\\[[^\\]]*\\]|[^:/]+)(?::[0-9]+)?):(?:/.*)?");

  /** PORT:PATH, which follows HOST: where the port is not the default one. */
  Pattern AFTER_PORT = Pattern.compile("(?s)([0-9]{1,5}):(.*)");

  /**
   * Reads fdt://HOST[:PORT]/PATH[?fingerprint=...] or ssh://[USER@]HOST[:PORT]/PATH
   * (percent-encoded), HOST[:PORT]:PATH, USER@HOST:PATH, or a local path. A colon before the first
   * slash makes it remote; ./a:b is local. A user makes it one of SSH.
   *
   * @param defaultPort for locations that name none
   */
  static Location parse(String text, int defaultPort) throws UsageException {
    return parse(text, defaultPort, false);
  }

  /**
   * Reads a location.
   *
   * @param isSshUsual whether HOST:PATH without a user is also a host of SSH
   */
  static Location parse(String text, int defaultPort, boolean isSshUsual) throws UsageException {
    return parse(text, defaultPort, isSshUsual, BytePath.STYLE);
  }

  /**
   * Reads a location on a system: on Windows, C:\data and \\host\share are local.
   *
   * @param isSshUsual whether HOST:PATH without a user is also a host of SSH
   */
  static Location parse(String text, int defaultPort, boolean isSshUsual, PathStyle system)
      throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException("an empty path; write . for the current directory");
    }
    if (text.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      return uri(text, defaultPort);
    }
    if (text.toLowerCase(Locale.ROOT).startsWith(SSH_SCHEME)) {
      return sshUri(text);
    }
    if (text.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*://.*")) {
      if (text.matches("(?s)[^/]*://[^/@]*:[^/]*@.*")) {
        throw new UsageException(
            "a URL has a password, which others can see; put it into a file, as ~/.netrc");
      }
      return new Local(path(text, text)); // in a storage that a jar of its own brings
    }
    int colon = system.isPath(text) ? -1 : colonAfterHost(text, system);
    if (colon < 0) {
      return new Local(local(text, system));
    }
    if (text.matches("(?s)[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f.]{0,15}){2,}:(/.*)?")) {
      throw new UsageException("'" + text + "': an IPv6 address needs brackets: [::1]:/PATH");
    }
    String host = text.substring(0, colon);
    if (host.isEmpty()) {
      throw new UsageException(
          "'" + text + "': the host is missing before ':'; a local file is written ./" + text);
    }
    if (isSshUsual || host.indexOf('@') >= 0) {
      return new Ssh(
          sshHost(host, false, text), sshPath(text, path(text, text.substring(colon + 1))));
    }
    String rest = text.substring(colon + 1);
    Matcher port = AFTER_PORT.matcher(rest);
    if (port.matches()) {
      host = host + ":" + port.group(1);
      rest = port.group(2);
    } else if (isLikePort(rest)) {
      throw new UsageException(
          "'%s': for a port write %s:/%s, for a directory of this name %s:/%s"
              .formatted(
                  text,
                  text.replaceFirst("(?s)/.*", ""),
                  rest.replaceFirst("(?s)[0-9]+/?", ""),
                  host,
                  rest));
    }
    ServerAddress server = ServerAddress.parse(host, defaultPort);
    return new Remote(server, path(text, fromRoot(onServer(text, rest))));
  }

  /** Whether the text after HOST: begins with a number that looks like a port. */
  static boolean isLikePort(String rest) {
    return rest.matches("(?s)[1-9][0-9]{1,4}(/.*)?");
  }

  /**
   * Reads a server: HOST[:PORT], or a location on it, whose path is the root or of no matter.
   *
   * @param defaultPort for one that names none
   */
  static Remote server(String text, int defaultPort) throws UsageException {
    boolean isUri = text.toLowerCase(Locale.ROOT).startsWith(SCHEME);
    return isUri || WITH_PATH.matcher(text).matches()
        ? (Remote) parse(text, defaultPort)
        : new Remote(ServerAddress.parse(text, defaultPort), BytePath.of("/"));
  }

  /** The server of a location, without its path; other words stay as they are. */
  static String withoutPath(String text) {
    Matcher location = WITH_PATH.matcher(text);
    return text.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? text.substring(SCHEME.length()).replaceFirst("(?s)[/?].*", "")
        : location.matches() ? location.group(1) : text;
  }

  /**
   * The path after HOST:, or after HOST::EXPORT as in rsync. A server with an export named ~ has a
   * home.
   */
  private static String onServer(String whole, String path) throws UsageException {
    if (path.startsWith("~") && !path.equals("~") && !path.startsWith("~/")) {
      throw new UsageException(
          "'"
              + whole
              + "': a server knows no homes of users; its paths begin with an export, see: fdt ls"
              + " HOST:/");
    }
    boolean isModule = path.startsWith(":");
    if (isModule && path.indexOf(':', 1) > 0) {
      throw new UsageException("'" + whole + "': an IPv6 address needs brackets: [::1]:/PATH");
    }
    return isModule ? path.substring(1) : path;
  }

  /** The end of HOST:, or -1 for a local path. */
  private static int colonAfterHost(String text, PathStyle system) {
    int slash = (system == PathStyle.WINDOWS ? text.replace('\\', '/') : text).indexOf('/');
    int at = text.indexOf('@');
    int host = at >= 0 && (slash < 0 || at < slash) ? at + 1 : 0;
    if (text.startsWith("[", host)) {
      int bracket = text.indexOf("]:", host);
      return bracket < 0 ? -1 : bracket + 1;
    }
    int colon = text.indexOf(':');
    return colon >= 0 && (slash < 0 || colon < slash) ? colon : -1;
  }

  private static Location uri(String text, int defaultPort) throws UsageException {
    int question = text.lastIndexOf(FINGERPRINT);
    Optional<String> fingerprint =
        question < 0
            ? Optional.empty()
            : Optional.of(fingerprint(text, question + FINGERPRINT.length()));
    String rest = text.substring(SCHEME.length(), question < 0 ? text.length() : question);
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    String path = slash < 0 ? "/" : rest.substring(slash);
    if (authority.isEmpty()) {
      throw new UsageException(
          "'" + text + "': the host is missing; write " + SCHEME + "HOST/PATH");
    }
    boolean bareAddress =
        !authority.startsWith("[") && authority.indexOf(':') != authority.lastIndexOf(':');
    if (bareAddress) {
      throw new UsageException(
          "'" + text + "': an IPv6 address needs brackets: " + SCHEME + "[::1]/PATH");
    }
    ServerAddress server = ServerAddress.parse(authority, defaultPort);
    return new Remote(server, pathOfBytes(text, percentDecoded(text, path)), fingerprint);
  }

  private static Location sshUri(String text) throws UsageException {
    String rest = text.substring(SSH_SCHEME.length());
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    BytePath path =
        slash < 0 ? BytePath.EMPTY : pathOfBytes(text, percentDecoded(text, rest.substring(slash)));
    return new Ssh(sshHost(authority, true, text), path);
  }

  private static SshHost sshHost(String authority, boolean mayHavePort, String whole)
      throws UsageException {
    int at = authority.lastIndexOf('@');
    Optional<String> user = at < 0 ? Optional.empty() : Optional.of(authority.substring(0, at));
    String host = authority.substring(at + 1);
    OptionalInt port = OptionalInt.empty();
    int colon = host.startsWith("[") ? host.indexOf("]:") + 1 : host.lastIndexOf(':');
    if (mayHavePort && colon > 0) {
      String number = host.substring(colon + 1);
      port = OptionalInt.of(OptionValue.count("the port of '" + whole + "'", number, 1, 65535));
      host = host.substring(0, colon);
    }
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String name = bracketed ? Ipv6Zone.plain(host.substring(1, host.length() - 1)) : host;
    return SshHost.of(user, name, port, whole);
  }

  private static BytePath sshPath(String whole, BytePath path) throws UsageException {
    if (path.toString().matches("(?s)~[^/].*")) {
      throw new UsageException(
          "'" + whole + "': only ~/ is a home; write the path of another user's, or ./~NAME");
    }
    return path;
  }

  private static String fingerprint(String text, int from) throws UsageException {
    String fingerprint = text.substring(from);
    OptionValue.checkFingerprint(fingerprint);
    return fingerprint;
  }

  private static String fromRoot(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }

  private static byte[] percentDecoded(String whole, String path) throws UsageException {
    byte[] raw = ByteText.encode(path);
    ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] != '%') {
        out.write(raw[i]);
        continue;
      }
      int high = i + 1 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
      int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new UsageException(
            "'" + whole + "': two hex digits must follow %; a percent sign itself is written %25");
      }
      out.write(high * 16 + low);
      i += 2;
    }
    return out.toByteArray();
  }

  private static BytePath local(String text, PathStyle system) throws UsageException {
    try {
      return path(text, system.slashed(text));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static BytePath path(String whole, String text) throws UsageException {
    return pathOfBytes(whole, ByteText.encode(text));
  }

  private static BytePath pathOfBytes(String whole, byte[] bytes) throws UsageException {
    try {
      return BytePath.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new UsageException("'" + whole + "': " + e.getMessage());
    }
  }
}
