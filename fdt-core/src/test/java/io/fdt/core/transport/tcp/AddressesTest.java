package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class AddressesTest {
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
}
