package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.unit.ByteSize;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The number by which a server knows the same request again. */
class RequestKeyTest {
  private static TransferRequest.Builder pull() {
    return TransferRequest.pull().source("/data/a").destination("copies");
  }

  @Test
  void theSameRequestHasTheSameKeyAndEveryOtherAnother() {
    long key = RequestKey.of(pull().build());

    assertThat(RequestKey.of(pull().build())).isEqualTo(key).isNotZero();
    assertThat(
            Stream.of(
                pull().source("/data/b").build(),
                pull().destination("elsewhere").build(),
                pull().dryRun(true).build(),
                TransferRequest.push().source("/data/a").destination("copies").build()))
        .allSatisfy(other -> assertThat(RequestKey.of(other)).isNotEqualTo(key));
  }

  /** How fast it goes is no part of what is moved. */
  @Test
  void streamsAndBlocksDoNotMatter() {
    assertThat(RequestKey.of(pull().streams(7).blockSize(ByteSize.ofBytes(1 << 16)).build()))
        .isEqualTo(RequestKey.of(pull().build()));
  }
}
