package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLException;

/**
 * Sends requests: follows redirects, adds credentials for the host that the user named, and waits
 * for a busy server. Any thread; each request that runs has a connection of its own.
 */
final class WebClient {
  private static final int MOST_REDIRECTS = 10;

  /** With the waits between them (1, 2, 4, 8 s). */
  private static final int ATTEMPTS = 5;

  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);

  /** A server that names a longer wait is left. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  /** Waits between attempts. */
  interface Pause {
    void await(Duration duration) throws InterruptedException;
  }

  private final Map<String, String> environment;
  private final Credentials credentials;
  private final EnvironmentProxies proxies;
  private final Duration patience;
  private final Pause pause;

  /** Null before the first request. */
  private HttpClient client;

  /**
   * @param environment proxies, tokens, the places of the netrc and of certificates
   * @param patience how long a server may send nothing
   */
  WebClient(Map<String, String> environment, Duration patience, Pause pause) {
    this.environment = environment;
    this.credentials = new Credentials(environment);
    this.proxies = new EnvironmentProxies(environment);
    this.patience = patience;
    this.pause = pause;
  }

  /** The client of a process, which waits a minute for a silent server. */
  static WebClient of(Map<String, String> environment) {
    return new WebClient(environment, Duration.ofMinutes(1), wait -> Thread.sleep(wait.toMillis()));
  }

  /**
   * Sends a request, and repeats it while the server is busy.
   *
   * @param named the URL of the user, whose host gets the credentials
   * @param first to ask: that one, or where it redirected to before
   * @throws FdtException UNREACHABLE, UNTRUSTED, TIMEOUT, BUSY, FORBIDDEN (a redirect that is not
   *     followed), CANCELLED
   */
  Answer send(String method, URI named, URI first, Map<String, String> headers)
      throws FdtException {
    Duration wait = FIRST_WAIT;
    for (int attempt = 1; ; attempt++) {
      Answer answer = follow(method, named, first, headers);
      if (!answer.isBusy()) {
        return answer;
      }
      answer.close();
      Duration asked = retryAfter(answer).orElse(wait);
      if (attempt == ATTEMPTS || asked.compareTo(LONGEST_WAIT) > 0) {
        throw answer.failure(Urls.shown(named));
      }
      await(asked, named);
      wait = wait.multipliedBy(2);
    }
  }

  /** Waits before another attempt. */
  void await(Duration wait, URI url) throws FdtException {
    try {
      pause.await(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "'" + Urls.shown(url) + "' was not read", e);
    }
  }

  private static Optional<Duration> retryAfter(Answer answer) {
    String text = answer.headers().firstValue("Retry-After").orElse("").strip();
    if (text.matches("\\d{1,9}")) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
    Instant now =
        answer.headers().firstValue("Date").flatMap(Version::time).orElseGet(Instant::now);
    return Version.time(text)
        .map(time -> Duration.between(now, time))
        .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
  }

  private Answer follow(String method, URI named, URI first, Map<String, String> headers)
      throws FdtException {
    URI url = first;
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      Answer answer = sendOnce(method, named, url, headers);
      Optional<String> location = answer.headers().firstValue("Location");
      boolean isRedirect =
          location.isPresent()
              && switch (answer.status()) {
                case 301, 302, 303, 307, 308 -> true;
                default -> false;
              };
      if (!isRedirect) {
        return answer;
      }
      answer.close();
      url = redirected(named, url, location.get());
    }
    throw new FdtException(
        ErrorCode.PROTOCOL,
        "'%s' redirects more than %d times; check the path"
            .formatted(Urls.shown(named), MOST_REDIRECTS));
  }

  static URI redirected(URI named, URI from, String location) throws FdtException {
    URI to;
    try {
      to = from.resolve(URI.create(location.strip()));
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "'" + Urls.shown(named) + "' redirects to a malformed URL; check the path",
          e);
    }
    boolean isHttp =
        to.getHost() != null && to.getScheme() != null && to.getScheme().matches("(?i)https?");
    if (!isHttp
        || to.getRawUserInfo() != null
        || (Urls.isEncrypted(from) && !Urls.isEncrypted(to))) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "'%s' redirects to %s, which is not followed; name the file there yourself"
              .formatted(
                  Urls.shown(named),
                  isHttp && to.getRawUserInfo() == null
                      ? "http:// without encryption, at " + to.getHost()
                      : "something other than http:// or https://HOST"));
    }
    return to;
  }

  private Answer sendOnce(String method, URI named, URI url, Map<String, String> headers)
      throws FdtException {
    proxies.check(url);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(withoutFragment(url))
            .timeout(patience)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("User-Agent", "fdt")
            .header("Accept-Encoding", "identity");
    headers.forEach(request::header);
    if (Urls.haveSameOrigin(named, url)) {
      credentials.authorization(url).ifPresent(text -> request.header("Authorization", text));
    }
    String shown = Urls.shown(named);
    HttpClient open = client();
    try {
      HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
          open.send(request.build(), HttpResponse.BodyHandlers.ofPublisher());
      Body body = new Body(shown, patience);
      response.body().subscribe(body);
      return new Answer(url, response.statusCode(), response.headers(), body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "'" + shown + "' was not read", e);
    } catch (IOException e) {
      throw failure(e, shown, url.getHost());
    }
  }

  private synchronized HttpClient client() throws FdtException {
    if (client == null) {
      client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1) // HTTP/2 has one connection for all requests
              .followRedirects(HttpClient.Redirect.NEVER)
              .connectTimeout(patience)
              .proxy(proxies)
              .sslContext(Authorities.of(environment))
              .build();
    }
    return client;
  }

  private static URI withoutFragment(URI url) {
    String text = url.toString();
    return text.indexOf('#') < 0 ? url : URI.create(text.substring(0, text.indexOf('#')));
  }

  private FdtException failure(IOException cause, String shown, String host) {
    if (cause instanceof SSLException) {
      return new FdtException(
          ErrorCode.UNTRUSTED,
          "'%s': no encrypted connection to %s: check its certificate with openssl s_client"
              .formatted(shown, host),
          cause);
    }
    if (cause instanceof HttpTimeoutException) {
      return new FdtException(
          ErrorCode.TIMEOUT,
          "'%s': %s has sent nothing for %d s; run the command again"
              .formatted(shown, host, patience.toSeconds()),
          cause);
    }
    boolean isUnknown = false;
    for (Throwable e = cause; e != null; e = e.getCause()) {
      isUnknown |= e instanceof UnresolvedAddressException;
    }
    String reason =
        isUnknown
            ? "the name does not resolve"
            : cause instanceof ConnectException ? "nothing listens there" : IoReason.of(cause);
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "'%s': %s cannot be reached: %s; check the name and the proxy"
            .formatted(shown, host, reason),
        cause);
  }
}
