package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The limits of what a token allows. */
class GrantTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final Grant LIMITED =
      new Grant(
          "name",
          Instant.EPOCH,
          Optional.of(NOON),
          false,
          Set.of(FileName.of("data")),
          List.of("192.0.2.0/24", "2001:db8::1"),
          false,
          false,
          RelayGrant.NONE);

  @Test
  void grantExpiresAtItsMoment() {
    assertThat(LIMITED.hasExpired(NOON.minusNanos(1))).isFalse();
    assertThat(LIMITED.hasExpired(NOON)).isTrue();
    assertThat(LIMITED.hasExpired(NOON.plusNanos(1))).isTrue();
    assertThat(Grant.unlimited("name", NOON).hasExpired(Instant.MAX)).isFalse();
  }

  @Test
  void grantIsGoodFromEachOfItsRanges() throws Exception {
    assertThat(AddressRange.isGoodFrom(LIMITED.addresses(), InetAddress.getByName("192.0.2.255")))
        .isTrue();
    assertThat(AddressRange.isGoodFrom(LIMITED.addresses(), InetAddress.getByName("2001:db8::1")))
        .isTrue();
    assertThat(AddressRange.isGoodFrom(LIMITED.addresses(), InetAddress.getByName("192.0.3.0")))
        .isFalse();
    assertThat(
            AddressRange.isGoodFrom(
                Grant.unlimited("name", NOON).addresses(), InetAddress.getByName("192.0.3.0")))
        .isTrue();
  }

  @Test
  void grantForReadingKeepsAllOtherLimits() {
    Grant reading = LIMITED.forReading();
    assertThat(reading.readOnly()).isTrue();
    assertThat(reading)
        .isNotEqualTo(LIMITED)
        .usingRecursiveComparison()
        .ignoringFields("readOnly")
        .isEqualTo(LIMITED);
  }

  @Test
  void labelOfTheTokensOfTheServersUserIsOwn() {
    assertThat(Grant.unlimited("alice", NOON).label()).isEqualTo("alice");
    assertThat(Grant.unlimited("own:", NOON).label()).isEqualTo("own");
    assertThat(Grant.unlimited("own:4711", NOON).label()).isEqualTo("own");
  }
}
