package io.fdt.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MonitorViewTest {
  @Test
  void theFirstVariableThatIsSetNamesTheCharacters() {
    assertThat(MonitorView.isUtf8(Map.of())).isFalse();
    assertThat(MonitorView.isUtf8(Map.of("LANG", "de_DE.UTF-8"))).isTrue();
    assertThat(MonitorView.isUtf8(Map.of("LANG", "de_DE.utf8"))).isTrue();
    assertThat(MonitorView.isUtf8(Map.of("LANG", "de_DE.UTF-8", "LC_ALL", "C"))).isFalse();
    assertThat(MonitorView.isUtf8(Map.of("LC_ALL", "", "LC_CTYPE", "C.UTF-8"))).isTrue();
  }
}
