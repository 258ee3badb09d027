package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.FdtException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of addresses that may connect. */
class AddressListTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.8, false",
    "192.0.2.0/24, 192.0.2.255, true",
    "192.0.2.0/24, 192.0.3.0, false",
    "192.0.2.128/25, 192.0.2.127, false",
    "192.0.2.128/25, 192.0.2.128, true",
    "0.0.0.0/0, 203.0.113.9, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::1, false",
    "::1, ::1, true",
    "::1, 127.0.0.1, false",
    "::ffff:192.0.2.7, 192.0.2.7, true",
    "192.0.2.0/31, 192.0.2.1, true",
    "192.0.2.0/31, 192.0.2.2, false"
  })
  void aRangeHoldsWhatBeginsWithTheSameBits(String range, String address, boolean expected)
      throws Exception {
    assertThat(AddressRange.parse(range).contains(InetAddress.getByName(address)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7/32, 192.0.2.7, true",
    "192.0.2.7/32, 192.0.2.6, false",
    "2001:db8::1/128, 2001:db8::1, true",
    "2001:db8::1/128, 2001:db8::0, false",
    "::/0, 2001:db8::1, true"
  })
  void allBitsOrNoneMayCount(String range, String address, boolean expected) throws Exception {
    assertThat(AddressRange.parse(range).contains(InetAddress.getByName(address)))
        .isEqualTo(expected);
  }

  /** One machine has all of a /64. */
  @Test
  void siteIsAnIpv4AddressOrTheFirstHalfOfAnIpv6Address() throws Exception {
    assertThat(siteOf("192.0.2.7")).isEqualTo("192.0.2.7");
    assertThat(siteOf("2001:db8:1:2:3:4:5:6"))
        .isEqualTo(siteOf("2001:db8:1:2::"))
        .isEqualTo("2001:db8:1:2::/64")
        .isNotEqualTo(siteOf("2001:db8:1:3::"));
  }

  private static String siteOf(String address) throws Exception {
    return AddressRange.siteOf(InetAddress.getByName(address));
  }

  @Test
  void rangesOfAddressesAreEqualByAddressAndBits() {
    AddressRange one = AddressRange.parse("10.0.0.0/8");
    assertThat(AddressRange.parse("10.0.0.0/8")).isEqualTo(one).hasSameHashCodeAs(one);
    for (String other : List.of("10.0.0.0/9", "11.0.0.0/8", "a00::/8")) {
      assertThat(AddressRange.parse(other)).as(other).isNotEqualTo(one);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/24",
        "192.0.2",
        "192.0.2.256",
        "192.0.2.0/33",
        "192.0.2.0/-1",
        "192.0.2.0/x",
        "::/129",
        "example.org",
        "example.org/24",
        "1:2:3",
        "192.0.2.0/24/24",
        "010.0.0.1.1"
      })
  void anythingElseIsNoRange(String text) {
    assertThatThrownBy(() -> AddressRange.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsNotUnderstoodLetsNobodyInAndIsSaid() throws Exception {
    Path file = directory.resolve("list");
    Files.writeString(
        file,
        """
        # machines of the site
        192.0.2.0/24   # rack 1
        2001:db8::/32
        localhost

        192.0.2.300
        no-such-host.invalid
        """);

    AddressList list = AddressList.read(file);

    assertThat(list.contains(InetAddress.getByName("192.0.2.9"))).isTrue();
    assertThat(list.contains(InetAddress.getByName("2001:db8::5"))).isTrue();
    assertThat(list.contains(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))).isTrue();
    assertThat(list.contains(InetAddress.getByName("198.51.100.1"))).isFalse();
    assertThat(list.flaws())
        .satisfiesExactly(
            flaw -> assertThat(flaw).contains("line 6", "192.0.2.300"),
            flaw -> assertThat(flaw).contains("line 7", "no-such-host.invalid"));
  }

  @Test
  void anEmptyListLetsNobodyInAndAMissingOneIsAnError() throws Exception {
    Path file = Files.writeString(directory.resolve("list"), "\n# nobody\n");

    assertThat(AddressList.read(file).contains(InetAddress.getLoopbackAddress())).isFalse();
    assertThatThrownBy(() -> AddressList.read(directory.resolve("missing")))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("no such file or directory");
  }
}
