package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fingerprints as text. */
class FingerprintTest {
  private static final String TEXT = "SHA256:-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSs";

  @Test
  void whatIsShownIsWhatIsRead() {
    Fingerprint fingerprint = Identity.generate().fingerprint();

    assertThat(fingerprint.toString()).matches("SHA256:[A-Za-z0-9_-]{43}");
    assertThat(Fingerprint.parse(fingerprint.toString())).isEqualTo(fingerprint);
  }

  @Test
  void bothAlphabetsOfBase64AreRead() {
    String other = TEXT.replace('-', '+').replace('_', '/') + "=";

    assertThat(Fingerprint.parse(other)).isEqualTo(Fingerprint.parse(TEXT)).hasToString(TEXT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SHA256:",
        "SHA1:-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSs",
        "-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSs",
        "SHA256:-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hS",
        "SHA256:-_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSsAAAA",
        "SHA256:!_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSs"
      })
  void anythingElseIsNoFingerprint(String text) {
    assertThatThrownBy(() -> Fingerprint.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'" + text + "' is not a fingerprint");
  }
}
