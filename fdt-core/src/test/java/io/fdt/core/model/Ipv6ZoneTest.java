package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Ipv6ZoneTest {
  @ParameterizedTest
  @CsvSource({
    "fe80::1%25v1, fe80::1%v1",
    "fe80::1%25eth0.100, fe80::1%eth0.100",
    "fe80::1%v1, fe80::1%v1",
    "fe80::1%25, fe80::1%25",
    "fe80::1%251, fe80::1%251",
    "fe80::1, fe80::1",
    "storage1.example, storage1.example",
  })
  void aZoneOfAUriIsReadAsTheSystemWritesIt(String host, String plain) {
    assertThat(Ipv6Zone.plain(host)).isEqualTo(plain);
  }
}
