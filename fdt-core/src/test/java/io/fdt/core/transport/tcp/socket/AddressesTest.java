package io.fdt.core.transport.tcp.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;

class AddressesTest {
  @Test
  void addressesAreShownAsPeopleWriteThem() throws Exception {
    assertThat(Addresses.text(new InetSocketAddress("0:0:0:0:0:0:0:0", 47100)))
        .isEqualTo("[::]:47100");
  }

  @Test
  void whatNettySaysOfASystemCallIsNotForPeople() {
    IOException reset =
        new IOException("recvAddress(..) failed with error(-104): Connection reset by peer");

    assertThat(Addresses.failure("host:1", reset))
        .hasMessage("connection to host:1 broke: connection reset by peer");
    assertThat(Addresses.failure("host:1", new IOException("something else")))
        .hasMessage("connection to host:1 broke: something else");
    assertThat(Addresses.failure("host:1", new IOException()))
        .hasMessage("connection to host:1 broke: it is closed");
  }

  @Test
  void aConnectionThatDoesNotComeAboutSaysWhatToLookAt() {
    assertThat(Addresses.connectReason(new NoRouteToHostException("null: /192.0.2.7:54321")))
        .isEqualTo("no route to that host; check the address and the network");
    assertThat(
            Addresses.connectReason(
                new ConnectTimeoutException("connection timed out after 10000 ms: /192.0.2.7:1")))
        .isEqualTo("no answer; check the address and the firewalls between");
    assertThat(
            Addresses.connectReason(
                new IOException(
                    "connect(..) failed with error(-99): Cannot assign requested address:"
                        + " host/192.0.2.7:54321")))
        .isEqualTo("cannot assign requested address");
  }

  @Test
  void anAddressThatIsTakenIsSaidSo() {
    assertThat(
            Addresses.bindReason(
                new IOException("bind(..) failed with error(-98): Address already in use")))
        .isEqualTo("another program listens there; stop it or choose another port");
    assertThat(
            Addresses.bindReason(
                new IOException(
                    "bind(..) failed with error(-99): Cannot assign requested address")))
        .isEqualTo("this machine does not have that address");
  }
}
