package io.fdt.service.web.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.security.AddressRange;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SourcesTest {
  private static Sources behind(String... proxies) {
    return new Sources(Stream.of(proxies).map(AddressRange::parse).toList());
  }

  @Test
  void whatAConfiguredProxyHasWrittenDownCounts() {
    Sources sources = behind("127.0.0.1", "10.0.0.0/8", "::1");
    for (String proxy : List.of("127.0.0.1", "10.1.2.3", "::1")) {
      assertThat(sources.address(proxy, "198.51.100.9, 203.0.113.7"))
          .isEqualTo("203.0.113.7 by " + proxy);
    }
    assertThat(sources.address("127.0.0.1", "2001:db8::1")).isEqualTo("2001:db8::1 by 127.0.0.1");
    assertThat(sources.address("127.0.0.1", "198.51.100.9, 203.0.113.7, 10.1.2.3"))
        .as("a proxy behind a proxy")
        .isEqualTo("203.0.113.7 by 127.0.0.1");
  }

  /** Otherwise each request would come from another network, and be under no limit. */
  @Test
  void whatOthersSayOfThemselvesDoesNot() {
    for (String client : List.of("127.0.0.1", "10.1.2.3", "fd00::5", "203.0.113.7")) {
      assertThat(behind().address(client, "198.51.100.9")).isEqualTo(client);
      assertThat(behind("192.0.2.1").address(client, "198.51.100.9")).isEqualTo(client);
    }
    for (String bad : List.of("", "unknown", "dead.beef", "a.example", "1.2.3.4 by x", "\n")) {
      assertThat(behind("127.0.0.1").address("127.0.0.1", bad)).as(bad).isEqualTo("127.0.0.1");
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
