package io.fdt.cli.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.model.BytePath;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SshGreetingTest {
  private static final BytePath ALL_BYTES = allBytes();

  private static BytePath allBytes() {
    byte[] bytes = new byte[255];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    return BytePath.of(bytes);
  }

  private static final SshGreeting HELLO =
      new SshGreeting(
          40123,
          List.of("192.0.2.1", "2001:db8::1"),
          "SHA256:abc",
          "fdt_secret",
          List.of(ALL_BYTES, BytePath.of("/a b,c=d%e")));

  @Test
  void aLineOfTextHoldsAnyBytes() {
    String line = HELLO.encode();

    assertThat(line).matches("[!-~ ]+");
    assertThat(SshGreeting.decode(line)).isEqualTo(HELLO);
    SshGreeting bare = new SshGreeting(1, List.of(), "f", "t", List.of());
    assertThat(SshGreeting.decode(bare.encode())).isEqualTo(bare);
  }

  @Test
  void whatIsCutOrChangedIsNoHelloAndTheTokenIsNotRepeated() {
    String line = HELLO.encode();
    for (String wrong :
        List.of(
            "",
            line.substring(0, line.indexOf(" token")),
            line.replace("port=40123", "port=x"),
            line.replace("port=40123", "port=400000"),
            line + "%4",
            line + "%zz")) {
      assertThatThrownBy(() -> SshGreeting.decode(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("secret");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.1.0/2, 0.1.0/2, true",
    "0.1.0-SNAPSHOT/2, 0.1.0/2, true",
    "0.2/2, 0.1.9/2, true",
    "0.10.0/2, 0.9.0/2, true",
    "0.1.0/2, 0.1.1/2, false",
    "1.0/3, 1.0/2, false",
    "1.0/1, 1.0/2, false"
  })
  void aFarSideIsOfTheSameProtocolAndNotOlder(String far, String near, boolean fits) {
    assertThat(SshVersion.parse(far).fits(SshVersion.parse(near))).isEqualTo(fits);
  }
}
