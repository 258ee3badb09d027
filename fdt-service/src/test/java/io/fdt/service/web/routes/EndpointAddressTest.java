package io.fdt.service.web.routes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.service.value.ServiceException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointAddressTest {
  @ParameterizedTest
  @CsvSource({
    "storage1, storage1, 54321, ''",
    "storage1:7000, storage1, 7000, ''",
    "[::1], ::1, 54321, ''",
    "[2001:db8::1]:7000, 2001:db8::1, 7000, ''",
    "fdt://storage1, storage1, 54321, ''",
    "fdt://storage1:7000, storage1, 7000, ''",
    "FDT://storage1:7000/, storage1, 7000, ''",
    "fdt://[::1]:7000/, ::1, 7000, ''",
    "fdt://storage1:7000?fingerprint=SHA256:ab+/c, storage1, 7000, SHA256:ab+/c",
    "fdt://storage1:7000/?fingerprint=SHA256:ab+/c, storage1, 7000, SHA256:ab+/c"
  })
  void hostsAndUrls(String text, String host, int port, String fingerprint) throws Exception {
    assertThat(EndpointAddress.parse(text)).isEqualTo(new EndpointAddress(host, port, fingerprint));
  }

  @ParameterizedTest
  @CsvSource({
    "'', is no address: HOST[:PORT] or fdt://HOST[:PORT]",
    "storage1/, is no address",
    "storage1?fingerprint=SHA256:ab, is no address",
    "http://storage1, is no address",
    "fdt://, is no address",
    "::1, is no address",
    "storage1:0, port 0 is not between 1 and 65535",
    "fdt://storage1:70000, port 70000 is not between",
    "fdt://storage1/data, has a path: leave it out"
  })
  void whatIsNone(String text, String message) {
    assertThatThrownBy(() -> EndpointAddress.parse(text))
        .isInstanceOf(ServiceException.class)
        .hasMessageContaining(message);
  }
}
