package io.fdt.cli.option.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class SshSettingsTest {
  private static final SshHost HOST =
      new SshHost(Optional.of("alice"), "storage1", OptionalInt.of(2222));

  private static SshSettings with(String... command) {
    return new SshSettings(List.of(command), false, OptionalInt.empty(), Optional.of("/k"), false);
  }

  @Test
  void sshIsToldWhatMattersForACommand() {
    assertThat(with().run(HOST, "true"))
        .startsWith("ssh", "-T")
        .containsSubsequence("-o", "ClearAllForwardings=yes")
        .endsWith("-i", "/k", "-p", "2222", "-l", "alice", "storage1", "true");
    assertThat(with().describe(HOST))
        .contains(List.of("ssh", "-G", "-i", "/k", "-p", "2222", "-l", "alice", "storage1"));
  }

  @Test
  void anotherProgramIsToldNoOptionsThatOnlySshHas() {
    assertThat(with("rsh", "-x").run(HOST, "true"))
        .containsExactly("rsh", "-x", "-i", "/k", "-p", "2222", "-l", "alice", "storage1", "true");
    assertThat(with("rsh").describe(HOST)).isEmpty();
    assertThat(with("/opt/bin/ssh", "-F", "x").describe(HOST)).isPresent();
  }

  @Test
  void wordsMayBeQuoted() throws UsageException {
    assertThat(SshSettings.words(" ssh  -o 'A b' -i \"c d\"e '' "))
        .containsExactly("ssh", "-o", "A b", "-i", "c de", "");
    for (String wrong : List.of("", " ", "ssh 'x")) {
      assertThatThrownBy(() -> SshSettings.words(wrong)).isInstanceOf(UsageException.class);
    }
  }
}
