package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.spec.TransferSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two parts of the route of files that are handed over to a relay. */
class HandOverTest {
  private static final BytePath PLACE = BytePath.of("/.spool/p");

  private static TransferSpec wanted(Checksum checksum) {
    return TransferRequest.push()
        .source("run")
        .destination("/in")
        .recursive(true)
        .delete(true)
        .checksum(checksum)
        .build()
        .spec();
  }

  @ParameterizedTest
  @CsvSource({"CRC32C, XXH3", "NONE, XXH3", "SHA256, SHA256", "BLAKE3, BLAKE3"})
  void bothPartsHaveADigestThatTheRelayKeeps(Checksum given, Checksum used) {
    for (TransferSpec part :
        List.of(HandOver.toRelay(wanted(given), PLACE), HandOver.fromRelay(wanted(given), PLACE))) {
      assertThat(part.assurance().checksum()).isEqualTo(used);
    }
  }

  @Test
  void whatTheRelayGetsIsOnItsDiskBeforeItIsHandedOver() {
    assertThat(HandOver.toRelay(wanted(Checksum.XXH3), PLACE).assurance().fsync()).isTrue();
  }

  @Test
  void whatIsDeliveredIsOnADiskBeforeTheRelayRemovesIt() {
    assertThat(HandOver.fromRelay(wanted(Checksum.XXH3), PLACE).assurance().fsync()).isTrue();
  }

  /** Existing files may be damaged, and leftovers of an earlier attempt are removed. */
  @Test
  void whatLiesAtTheRelayBecomesWhatTheSourceHas() {
    TransferSpec part = HandOver.toRelay(wanted(Checksum.XXH3), PLACE);

    assertThat(part.sync().level().name()).isEqualTo("CHECKSUM");
    assertThat(part.delete()).isTrue();
    assertThat(part.deleteFromEmpty()).isTrue();
  }

  @Test
  void theOptionsOfAPushHoldForTheDelivery() {
    TransferSpec part = HandOver.fromRelay(wanted(Checksum.XXH3), PLACE);

    assertThat(part.delete()).isTrue();
    assertThat(part.destination()).hasToString("/in");
    assertThat(part.sources().get(0).path()).hasToString("/.spool/p/0/run");
  }
}
