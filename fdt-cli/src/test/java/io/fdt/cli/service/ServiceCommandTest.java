package io.fdt.cli.service;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceCommandTest {
  @Test
  void aWordThatIsNoneSaysWhichThereAre() {
    assertThatThrownBy(() -> ServiceCommand.parse(List.of("stop")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("'stop' is none of audit, link, role, users");
  }
}
