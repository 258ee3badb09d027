package io.fdt.service.oidc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.value.ServiceException;
import org.junit.jupiter.api.Test;

/** How long a sign-in by a provider may take, and to whom its answer belongs. */
class SignInAttemptTest {
  private static final long TEN_MINUTES = 600_000;

  @Test
  void anAttemptIsGoodForTenMinutes() throws Exception {
    SignInAttempt attempt = SignInAttempt.ofText(SignInAttempt.begin(1000).text());

    attempt.check(attempt.state(), 1000 + TEN_MINUTES - 1);

    assertThatThrownBy(() -> attempt.check(attempt.state(), 1000 + TEN_MINUTES))
        .isInstanceOf(ServiceException.class)
        .hasMessageContaining("ten minutes");
    assertThatThrownBy(() -> attempt.check("another", 1000)).isInstanceOf(ServiceException.class);
  }
}
