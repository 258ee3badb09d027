package io.fdt.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
  @ParameterizedTest
  @EnumSource
  void theCommandShowsItsOption(Setting setting) {
    assertThat(Setting.asOptions("raise " + setting + "; then (" + setting + ")"))
        .isEqualTo("raise " + setting.option() + "; then (" + setting.option() + ")");
  }

  @Test
  void aValueFollowsItsOption() {
    assertThat(Setting.asOptions("use " + Setting.LINKS.with("skip") + ", or none"))
        .isEqualTo("use --links skip, or none");
    assertThat(Setting.asOptions("add " + Setting.FINGERPRINT.with("SHA256:a-_") + ";"))
        .isEqualTo("add --fingerprint SHA256:a-_;");
  }

  @Test
  void otherProgramsHaveOtherNames() {
    String message = "add " + Setting.ENCRYPTION + ", or " + Setting.VIA;

    assertThat(Setting.shown(message, s -> s == Setting.ENCRYPTION ? "fdt.encrypt=true" : null))
        .isEqualTo("add fdt.encrypt=true, or FdtClient.via");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'Client.java' is a directory",
        "FdtClient.tokens(1)",
        "MyTransferRequest.sync",
        "delete(true)",
        "$1 \\ FdtClient"
      })
  void otherWordsStay(String message) {
    assertThat(Setting.asOptions(message)).isEqualTo(message);
  }
}
