package io.fdt.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SourcesTest {
  @Test
  void whatAProxyNearbyHasWrittenDownCounts() {
    for (String proxy : List.of("127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::5")) {
      assertThat(Sources.address(proxy, "198.51.100.9, 203.0.113.7"))
          .isEqualTo("203.0.113.7 by " + proxy);
    }
    assertThat(Sources.address("127.0.0.1", "2001:db8::1")).isEqualTo("2001:db8::1 by 127.0.0.1");
  }

  /** Otherwise each request would come from another network, and be under no limit. */
  @Test
  void whatAClientFarAwaySaysOfItselfDoesNot() {
    for (String client : List.of("203.0.113.7", "2001:db8::7", "8.8.8.8")) {
      assertThat(Sources.address(client, "198.51.100.9")).isEqualTo(client);
    }
    for (String bad : List.of("", "unknown", "dead.beef", "a.example", "1.2.3.4 by x", "\n")) {
      assertThat(Sources.address("127.0.0.1", bad)).as(bad).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void aNetworkIsWhatItsHolderCannotChoose() {
    assertThat(Sources.network("203.0.113.7 by 127.0.0.1")).isEqualTo("203.0.113.7");
    assertThat(Sources.network("::ffff:203.0.113.7")).isEqualTo("203.0.113.7");
    assertThat(Sources.network("2001:db8:1:2::1"))
        .isEqualTo(Sources.network("2001:db8:1:2:ffff:1:2:3"))
        .isNotEqualTo(Sources.network("2001:db8:1:3::1"));
    assertThat(Sources.network("999.1.1.1")).isEqualTo("unknown");
    assertThat(Sources.network("")).isEqualTo("unknown");
  }
}
