package io.fdt.service.oidc;

import io.fdt.json.Json;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Duration;
import java.util.Map;

/**
 * What a browser that was sent to the provider has to bring back. It is kept in a cookie of that
 * browser, encrypted: any process of the service can go on with it, and nobody fills a memory with
 * attempts that never end. Immutable.
 *
 * @param state what the answer must repeat
 * @param nonce what the token must repeat
 * @param verifier of which the provider knows the hash only (PKCE)
 * @param expires milliseconds since 1970
 */
public record SignInAttempt(String state, String nonce, String verifier, long expires) {
  /** For a person who looks for a password. */
  public static final Duration LIFE = Duration.ofMinutes(10);

  /** A new one. */
  public static SignInAttempt begin(long now) {
    return new SignInAttempt(
        Secrets.secret(""), Secrets.secret(""), Secrets.secret(""), now + LIFE.toMillis());
  }

  /** What {@link #ofText} reads. */
  public String text() {
    return Json.text(
        Map.of("state", state, "nonce", nonce, "verifier", verifier, "expires", expires));
  }

  /** Reads what {@link #text} wrote. */
  public static SignInAttempt ofText(String text) throws ServiceException {
    Fields fields = Fields.ofJson(text);
    return new SignInAttempt(
        fields.text("state", 100),
        fields.text("nonce", 100),
        fields.text("verifier", 100),
        fields.number("expires", 0, Long.MAX_VALUE, 0));
  }

  /**
   * Refuses an answer that does not belong to this attempt.
   *
   * @param answered the state that came with it
   */
  public void check(String answered, long now) throws ServiceException {
    if (now >= expires) {
      throw new ServiceException(
          Fault.UNAUTHENTICATED, "the sign-in took longer than ten minutes; begin again");
    }
    if (!Secrets.hash(state).equals(Secrets.hash(answered))) {
      throw new ServiceException(
          Fault.UNAUTHENTICATED, "the answer belongs to another sign-in; begin again");
    }
  }
}
