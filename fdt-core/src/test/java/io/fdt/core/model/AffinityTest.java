package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AffinityTest {
  @Test
  void listIsAsThatOfTaskset() {
    Affinity affinity = Affinity.parse("16,0-3,2-5");
    assertThat(affinity.rule()).isEqualTo(Affinity.Rule.LIST);
    assertThat(Affinity.text(affinity.processors())).isEqualTo("0-5,16");
    assertThat(Affinity.parse("auto")).isEqualTo(Affinity.AUTO);
    assertThat(Affinity.parse("off")).isEqualTo(Affinity.OFF);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "3-1", "1,", "-1", "8192", "0-99999", "AUTO", "0x3"})
  void anythingElseIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Affinity.parse(text))
        .withMessageContaining("none of auto, off and a list of processors");
  }
}
