package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.Checksum;
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
    window.planned(file, 10);
    assertThat(window.allows(file, 10)).isTrue();
    assertThat(window.allows(file, 11)).isFalse();
    window.written(file, 5, 5);
    assertThat(window.allows(file, 11)).isFalse();
    window.written(file, 0, 4);
    assertThat(window.allows(file, 14)).isTrue();
    assertThat(window.allows(file, 15)).isFalse();
    window.written(file, 4, 1);
    window.planned(file, 11);
    assertThat(window.allows(file, 20)).isTrue();
    assertThat(window.allows(file, 21)).isFalse();
  }

  @Test
  void allFilesTogetherHaveOneWindow() {
    InOrderWindow window = new InOrderWindow(10);
    OutgoingFile<String> other = file(2);
    window.planned(file, 8);
    assertThat(window.allows(other, 2)).isTrue();
    assertThat(window.allows(other, 3)).isFalse();
    window.written(file, 0, 8);
    assertThat(window.allows(other, 10)).isTrue();
  }

  @Test
  void oneBlockIsAllowedWhateverItsSize() {
    InOrderWindow window = new InOrderWindow(Long.MAX_VALUE);
    assertThat(window.allows(file, 1L << 60)).isTrue();
    window.limit(10);
    assertThat(window.allows(file, 1000)).isTrue();
    window.planned(file, 1000);
    assertThat(window.allows(file, 1001)).isFalse();
  }
}
