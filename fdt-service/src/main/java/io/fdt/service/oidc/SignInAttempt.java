package io.fdt.service.oidc;

import io.fdt.json.Json;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Duration;
import java.util.Map;

/**
 * The values that a browser brings back from the provider, in an encrypted cookie: any process of
 * the service can complete the sign-in, and attempts take no memory. Immutable.
 *
 * @param state a value that the answer must repeat
 * @param nonce a value that the token must repeat
 * @param verifier the provider knows only its hash (PKCE)
 * @param expires milliseconds since 1970
 */
public record SignInAttempt(String state, String nonce, String verifier, long expires) {
  /** The time for a user to sign in. */
  public static final Duration LIFE = Duration.ofMinutes(10);

  public static SignInAttempt begin(long now) {
    return new SignInAttempt(
        Secrets.secret(""), Secrets.secret(""), Secrets.secret(""), now + LIFE.toMillis());
  }

  /** The text that {@link #ofText} reads. */
  public String text() {
    return Json.text(
        Map.of("state", state, "nonce", nonce, "verifier", verifier, "expires", expires));
  }

  public static SignInAttempt ofText(String text) throws ServiceException {
    Fields fields = Fields.ofJson(text);
    return new SignInAttempt(
        fields.text("state", 100),
        fields.text("nonce", 100),
        fields.text("verifier", 100),
        fields.number("expires", 0, Long.MAX_VALUE, 0));
  }

  /**
   * Refuses the answer to another attempt.
   *
   * @param answered the state in the answer
   */
  public void check(String answered, long now) throws ServiceException {
    if (now >= expires) {
      throw Fault.UNAUTHENTICATED.of("the sign-in took longer than ten minutes; begin again");
    }
    if (!Secrets.hash(state).equals(Secrets.hash(answered))) {
      throw Fault.UNAUTHENTICATED.of("the answer belongs to another sign-in; begin again");
    }
  }
}
