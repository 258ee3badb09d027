package io.fdt.service;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.core.unit.ValueText;
import io.fdt.service.mail.MailSettings;
import io.fdt.service.oidc.OidcSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The command line of the service. Immutable.
 *
 * @param port of the page; 0 for any
 * @param home with the database, the key and the file by which the command finds the service
 * @param fdtHome with tokens and known hosts of the user
 * @param database a JDBC address
 * @param dialTo ranges of allowed addresses; empty for the default
 * @param names further names of the service, for example behind a proxy
 * @param lease time after which other processes take over the tasks of a silent one
 * @param requestsPerSecond of one user over REST, on average
 * @param listen the numeric address to listen on
 * @param keepTasks how long ended tasks and their events are kept
 * @param proxies whose X-Forwarded-For is trusted; empty for none
 * @param url of the service for browsers, behind a proxy; empty for the port on loopback
 * @param oidc the identity provider
 * @param mail the mail server
 */
public record ServiceOptions(
    int port,
    Path home,
    Path fdtHome,
    String database,
    List<String> dialTo,
    List<String> names,
    Duration lease,
    int requestsPerSecond,
    String listen,
    Duration keepTasks,
    List<AddressRange> proxies,
    Optional<URI> url,
    Optional<OidcSettings> oidc,
    Optional<MailSettings> mail) {
  /** The default: not reachable from other machines. */
  private static final String LOOPBACK = "127.0.0.1";

  public static final int DEFAULT_PORT = 54380;

  static final String USAGE =
      "fdt service [--port PORT] [--home DIR] [--database URL] [--dial-to RANGE]... [--name"
          + " HOST]... [--lease SECONDS] [--requests-per-second N] [--keep-tasks DAYS] [--listen"
          + " ADDRESS] [--proxy RANGE]... [--url URL] [--oidc-issuer URL --oidc-client ID"
          + " [--oidc-secret-file FILE]...] [--mail-server HOST[:PORT] --mail-from ADDRESS...]";

  /**
   * Longer than the servers' idle timeout (30 s), so that a process suspended for this long starts
   * nothing when it resumes.
   */
  private static final Duration USUAL_LEASE = Duration.ofSeconds(60);

  private static final int USUAL_REQUESTS = 100;

  private static final int USUAL_DAYS = 90;

  public ServiceOptions {
    dialTo = List.copyOf(dialTo);
    names = List.copyOf(names);
    proxies = List.copyOf(proxies);
  }

  /**
   * Reads a command line.
   *
   * @param fdtHome with tokens and known hosts of the user
   * @throws FdtException USAGE with one line that describes the error
   */
  public static ServiceOptions parse(
      List<String> arguments, Map<String, String> environment, Path fdtHome) throws FdtException {
    int port = DEFAULT_PORT;
    Path home = fdtHome.resolve("service");
    String database = environment.getOrDefault("FDT_SERVICE_DATABASE", "");
    List<String> dialTo = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Duration lease = USUAL_LEASE;
    int requests = USUAL_REQUESTS;
    int days = USUAL_DAYS;
    String listen = environment.getOrDefault("FDT_SERVICE_LISTEN", LOOPBACK);
    List<AddressRange> proxies = new ArrayList<>();
    Optional<URI> url = Optional.empty();
    Map<String, String> others = new HashMap<>();
    for (int i = 0; i < arguments.size(); i += 2) {
      String option = arguments.get(i);
      if (i + 1 == arguments.size()) {
        throw usage("'" + option + "' needs a value, or is unknown");
      }
      String value = arguments.get(i + 1);
      switch (option) {
        case "-p", "--port" -> port = number(option, value, 0, 65535);
        case "--home" -> home = Path.of(value).toAbsolutePath();
        case "--database" -> database = value;
        case "--dial-to" -> dialTo.add(range(option, value).toString());
        case "--name" -> names.add(value);
        case "--lease" -> lease = Duration.ofSeconds(number(option, value, 2, 3600));
        case "--requests-per-second" -> requests = number(option, value, 1, 1_000_000);
        case "--keep-tasks" -> days = number(option, value, 1, 36_500);
        case "--listen" -> listen = value;
        case "--proxy" -> proxies.add(range(option, value));
        case "--url" -> url = Optional.of(url(value));
        default -> {
          if (!OidcSettings.OPTIONS.contains(option) && !MailSettings.OPTIONS.contains(option)) {
            throw usage("unknown option " + option);
          }
          others.put(option, value);
        }
      }
    }
    if (!listen.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*")) {
      throw usage(
          "--listen: '" + listen + "' is no address; write 0.0.0.0 for all of this machine");
    }
    if (database.isEmpty()) {
      database = "jdbc:sqlite:" + home.resolve("service.db");
    } else if (!database.startsWith("jdbc:sqlite:") && !database.startsWith("jdbc:postgresql:")) {
      throw usage("--database must begin with jdbc:postgresql: or jdbc:sqlite:");
    }
    return new ServiceOptions(
        port,
        home,
        fdtHome,
        database,
        dialTo,
        names,
        lease,
        requests,
        listen,
        Duration.ofDays(days),
        proxies,
        url,
        OidcSettings.of(others),
        MailSettings.of(others));
  }

  private static AddressRange range(String option, String text) throws FdtException {
    return read(option, () -> AddressRange.parse(text));
  }

  private static URI url(String text) throws FdtException {
    try {
      URI url = URI.create(text.endsWith("/") ? text : text + "/");
      boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      if (isHttp && url.getHost() != null && "/".equals(url.getRawPath())) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // The same error as for a URL of another scheme.
    }
    throw usage("--url: '" + text + "' is not of the form https://HOST[:PORT]");
  }

  private static int number(String option, String text, int least, int most) throws FdtException {
    return read(option, () -> ValueText.count(text, least, most));
  }

  private static <T> T read(String option, Supplier<T> value) throws FdtException {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw usage(option + ": " + e.getMessage());
    }
  }

  private static FdtException usage(String message) {
    return new FdtException(ErrorCode.USAGE, message + "; write: " + USAGE);
  }
}
