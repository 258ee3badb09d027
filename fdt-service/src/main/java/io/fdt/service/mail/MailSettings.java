package io.fdt.service.mail;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The mail server of the service. Immutable.
 *
 * @param host its name, which its certificate must have
 * @param from the sender
 * @param user empty for a server without authentication
 * @param authorities a file with trusted certificates (PEM) instead of Java's; empty for Java's
 */
public record MailSettings(
    String host,
    int port,
    Tls tls,
    String from,
    String user,
    String password,
    Optional<Path> authorities) {
  /** The protection of the connection. */
  public enum Tls {
    /** TLS after the command STARTTLS; a server without it is refused. */
    STARTTLS,
    /** TLS from the start. */
    TLS,
    /** No protection, for a server on the same machine. */
    NONE
  }

  private static final String SERVER = "--mail-server";
  private static final String FROM = "--mail-from";
  private static final String USER = "--mail-user";
  private static final String PASSWORD_FILE = "--mail-password-file";
  private static final String TLS = "--mail-tls";
  private static final String AUTHORITIES = "--mail-ca-file";

  /** The options, each with one value. */
  public static final List<String> OPTIONS =
      List.of(SERVER, FROM, USER, PASSWORD_FILE, TLS, AUTHORITIES);

  private static final Pattern PLACE = Pattern.compile("([A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?");

  /** One address, without a name, quotes or comments. */
  private static final Pattern ADDRESS =
      Pattern.compile(
          "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-][A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,63}"
              + "@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

  private static final int SUBMISSION_PORT = 587;
  private static final int TLS_PORT = 465;
  private static final int PLAIN_PORT = 25;

  /** Whether this is an address to which a mail can be sent. */
  public static boolean isAddress(String text) {
    return text.length() <= 254 && ADDRESS.matcher(text).matches();
  }

  /**
   * Reads options.
   *
   * @param options the values of the given ones of {@link #OPTIONS}
   * @return empty without a server
   * @throws FdtException USAGE with one line that describes the error
   */
  public static Optional<MailSettings> of(Map<String, String> options) throws FdtException {
    if (!options.containsKey(SERVER)) {
      Optional<String> alone = OPTIONS.stream().filter(options::containsKey).findFirst();
      if (alone.isPresent()) {
        throw usage(alone.get() + " needs " + SERVER);
      }
      return Optional.empty();
    }
    Tls tls = tls(options.getOrDefault(TLS, "starttls"));
    Matcher place = PLACE.matcher(options.get(SERVER));
    if (!place.matches()) {
      throw usage(SERVER + ": '" + options.get(SERVER) + "' is not of the form HOST[:PORT]");
    }
    int port = place.group(2) == null ? port(tls) : Integer.parseInt(place.group(2));
    String from = options.getOrDefault(FROM, "");
    if (!isAddress(from)) {
      throw usage(SERVER + " needs " + FROM + " with the sender's address, not '" + from + "'");
    }
    String user = options.getOrDefault(USER, "");
    String file = options.getOrDefault(PASSWORD_FILE, "");
    if (user.isEmpty() != file.isEmpty()) {
      throw usage(USER + " and " + PASSWORD_FILE + " go together");
    }
    if (tls == Tls.NONE && !user.isEmpty()) {
      throw usage(TLS + " none would show the password; leave it out, or " + USER);
    }
    return Optional.of(
        new MailSettings(
            place.group(1),
            port,
            tls,
            from,
            user,
            password(file),
            Optional.ofNullable(options.get(AUTHORITIES)).map(Path::of)));
  }

  private static int port(Tls tls) {
    return switch (tls) {
      case STARTTLS -> SUBMISSION_PORT;
      case TLS -> TLS_PORT;
      case NONE -> PLAIN_PORT;
    };
  }

  private static Tls tls(String text) throws FdtException {
    try {
      return Tls.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw usage(TLS + ": '" + text + "' is none of starttls, tls, none");
    }
  }

  private static String password(String file) throws FdtException {
    if (file.isEmpty()) {
      return "";
    }
    try {
      return Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw usage(
          PASSWORD_FILE + ": '" + file + "' cannot be read: " + IoReason.of(e) + "; allow it");
    }
  }

  private static FdtException usage(String message) {
    return new FdtException(ErrorCode.USAGE, message);
  }

  /** The settings without the password. */
  @Override
  public String toString() {
    return "MailSettings[" + host + ":" + port + ", " + tls + ", " + from + "]";
  }
}
