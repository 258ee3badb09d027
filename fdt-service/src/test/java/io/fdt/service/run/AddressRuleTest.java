package io.fdt.service.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRuleTest {
  private static final AddressRule USUAL = AddressRule.of(List.of());

  @ParameterizedTest
  @ValueSource(strings = {"10.1.2.3", "192.0.2.1", "2001:db8::1", "64:ff9b::a01:203", "fd00::1"})
  void othersAreDialled(String host) throws Exception {
    assertThat(USUAL.resolve(host, false)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "2002:7f00:1::"})
  void theMachineOfTheServiceIsForItsOperator(String host) throws Exception {
    assertThat(USUAL.resolve(host, true)).isNotNull();
    assertThatThrownBy(() -> USUAL.resolve(host, false)).hasMessageContaining("--dial-to");
    assertThat(AddressRule.of(List.of("127.0.0.0/8", "::1/128")).resolve("127.0.0.1", false))
        .isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "fe80::1",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "ff02::1",
        "fd00:ec2::254",
        "100.100.100.200"
      })
  void nobodyReachesThese(String host) {
    assertThatThrownBy(() -> USUAL.resolve(host, true)).hasMessageContaining("--dial-to");
  }
}
