package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "::",
        "::1",
        "1::",
        "2001:db8::1",
        "fd00::2",
        "1:0:2::3",
        "1::2:0:0:3",
        "1:0:0:2::3",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7:0",
        "10:0:20:0:30:0:40:0"
      })
  void anAddressIsShort(String text) throws UnknownHostException {
    InetAddress address = InetAddress.getByName(text);

    assertThat(AddressText.of(address.getHostAddress()))
        .isEqualTo(text)
        .isEqualTo(NetUtil.toAddressString(address));
  }

  @Test
  void aScopeStays() throws UnknownHostException {
    byte[] linkLocal = InetAddress.getByName("fe80::1").getAddress();

    assertThat(AddressText.of(Inet6Address.getByAddress(null, linkLocal, 7).getHostAddress()))
        .isEqualTo("fe80::1%7");
  }
}
