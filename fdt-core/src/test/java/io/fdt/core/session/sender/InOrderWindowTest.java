package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Range;
import io.fdt.core.session.Entries;
import org.junit.jupiter.api.Test;

class InOrderWindowTest {
  private final OutgoingFile<String> file = file(1);

  private static OutgoingFile<String> file(long id) {
    return new OutgoingFile<>(
        Entries.file(id, 0, 1000), "", 0, DigestMethod.of(Checksum.CRC32C, 64 << 10));
  }

  @Test
  void itMovesWithTheFirstByteThatIsMissing() {
    InOrderWindow window = new InOrderWindow(10);
    window.planned(file, new Range(0, 10));
    assertThat(window.allows(0)).isTrue();
    assertThat(window.allows(1)).isFalse();
    window.written(file, 5, 5);
    assertThat(window.allows(1)).isFalse();
    window.written(file, 0, 4);
    assertThat(window.allows(4)).isTrue();
    assertThat(window.allows(5)).isFalse();
    window.written(file, 4, 1);
    window.planned(file, new Range(10, 11));
    assertThat(window.allows(9)).isTrue();
    assertThat(window.allows(10)).isFalse();
  }

  @Test
  void allFilesTogetherHaveOneWindow() {
    InOrderWindow window = new InOrderWindow(10);
    window.planned(file, new Range(0, 4));
    window.planned(file(2), new Range(0, 4));
    assertThat(window.allows(2)).isTrue();
    assertThat(window.allows(3)).isFalse();
    window.written(file, 0, 4);
    assertThat(window.allows(6)).isTrue();
  }

  /** Otherwise a kept range that is longer than the window would end the transfer's progress. */
  @Test
  void rangesThatTheReceiverKeepsAreNotMissing() {
    InOrderWindow window = new InOrderWindow(10);
    window.planned(file, new Range(0, 5));
    window.written(file, 0, 5);
    window.planned(file, new Range(100, 105));
    assertThat(window.allows(5)).isTrue();
    assertThat(window.allows(6)).isFalse();
    window.written(file, 100, 5);
    assertThat(window.allows(10)).isTrue();
  }

  @Test
  void oneBlockIsAllowedWhateverItsSize() {
    InOrderWindow window = new InOrderWindow(Long.MAX_VALUE);
    assertThat(window.allows(1L << 60)).isTrue();
    window.limit(10);
    assertThat(window.allows(1000)).isTrue();
    window.planned(file, new Range(0, 1000));
    assertThat(window.allows(1)).isFalse();
  }
}
