package io.fdt.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import java.net.InetAddress;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What one client, address or token can have of what a server has. */
class QuotaTest {
  private final Quota places = new Quota("MB", 80);

  @Test
  void halfForOneAddressAndOneToken() throws Exception {
    take("a", "192.0.2.1", "x", 20);
    take("b", "192.0.2.1", "y", 20);
    assertRefused(ErrorCode.BUSY, "192.0.2.1", "z", 1, "from the address 192.0.2.1");
    take("d", "192.0.2.2", "x", 20);
    assertRefused(ErrorCode.BUSY, "192.0.2.3", "x", 1, "with the token 'x'");
    take("f", "192.0.2.3", "z", 20);
    assertRefused(ErrorCode.BUSY, "192.0.2.4", "w", 1, "at most 80 MB:");
    places.giveBack("f");
    take("g", "192.0.2.4", "w", 20);
  }

  @Test
  void oneLargePieceLeavesAnEighth() throws Exception {
    take("large", "192.0.2.1", "x", 70);
    assertRefused(ErrorCode.BUSY, "192.0.2.1", "x", 1, "from the address");
    take("small", "192.0.2.2", "y", 10);
    places.giveBack("large");
    places.giveBack("large");
    assertRefused(ErrorCode.USAGE, "192.0.2.3", "z", 71, "allows at most 70");
    take("large", "192.0.2.3", "z", 70);
  }

  private void assertRefused(
      ErrorCode code, String address, String token, long share, String message) {
    assertThatThrownBy(() -> take(new Object(), address, token, share))
        .isInstanceOfSatisfying(FdtException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private void take(Object holder, String address, String token, long share) throws Exception {
    Grant grant = Grant.unlimited(token, Instant.EPOCH);
    places.take(holder, InetAddress.getByName(address), grant, share);
  }
}
