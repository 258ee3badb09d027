package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InOrderWindowTest {
  @Test
  void itMovesWithTheFirstByteThatIsMissing() {
    InOrderWindow window = new InOrderWindow(10);
    assertThat(window.allows(10)).isTrue();
    assertThat(window.allows(11)).isFalse();
    window.written(5, 5);
    assertThat(window.allows(11)).isFalse();
    window.written(0, 4);
    assertThat(window.allows(14)).isTrue();
    assertThat(window.allows(15)).isFalse();
    window.written(4, 1);
    assertThat(window.allows(20)).isTrue();
    assertThat(window.allows(21)).isFalse();
  }
}
