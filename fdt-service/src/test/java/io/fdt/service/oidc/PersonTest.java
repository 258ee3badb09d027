package io.fdt.service.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.oauth2.sdk.id.Audience;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.Subject;
import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import io.fdt.service.value.ServiceException;
import java.net.URI;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

class PersonTest {
  private static final OidcSettings SETTINGS =
      new OidcSettings(URI.create("https://idp.example.org"), "fdt", "", "email", "groups", "", "");

  @Test
  void anAddressCountsOnlyWhereTheProviderHasVerifiedIt() throws Exception {
    IDTokenClaimsSet claims =
        new IDTokenClaimsSet(
            new Issuer("https://idp.example.org"),
            new Subject("7"),
            List.of(new Audience("fdt")),
            Date.from(Instant.ofEpochSecond(2_000_000_000L)),
            Date.from(Instant.ofEpochSecond(1_000_000_000L)));
    claims.setClaim("email", "a@example.org");
    assertThatThrownBy(() -> Person.of(claims, SETTINGS))
        .isInstanceOf(ServiceException.class)
        .hasMessageContaining("your e-mail address is not verified");

    claims.setClaim("email_verified", true);
    assertThat(Person.of(claims, SETTINGS).name()).isEqualTo("a@example.org");
  }
}
