package io.fdt.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.TransferRequest;
import io.fdt.core.unit.ByteSize;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The number by which a server recognises a repeated request. */
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

  /** Workers of a plan have absolute paths, and working directories of their own. */
  @Test
  void theWorkingDirectoryCountsForRelativePathsOnly() {
    TransferRequest relative = pull().build();
    TransferRequest absolute = pull().destination("/copies").build();
    TransferRequest sent = TransferRequest.push().source("/data/a").destination("copies").build();
    TransferRequest sentFromHere = TransferRequest.push().source("a").destination("/c").build();

    assertThat(keyIn("/elsewhere", relative)).isNotEqualTo(RequestKey.of(relative));
    assertThat(keyIn("/elsewhere", sentFromHere)).isNotEqualTo(RequestKey.of(sentFromHere));
    assertThat(keyIn("/elsewhere", absolute)).isEqualTo(RequestKey.of(absolute));
    assertThat(keyIn("/elsewhere", sent)).isEqualTo(RequestKey.of(sent));
  }

  private static long keyIn(String directory, TransferRequest request) {
    String before = System.setProperty("user.dir", directory);
    try {
      return RequestKey.of(request);
    } finally {
      System.setProperty("user.dir", before);
    }
  }

  /** Speed is not part of the transferred content. */
  @Test
  void streamsAndBlocksDoNotMatter() {
    assertThat(RequestKey.of(pull().streams(7).blockSize(ByteSize.ofBytes(1 << 16)).build()))
        .isEqualTo(RequestKey.of(pull().build()));
  }
}
