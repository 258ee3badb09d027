package io.fdt.udt.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedWindowsTest {
  /** Those of the manual: 32 streams in a quarter of 1 GiB. */
  @Test
  void eachConnectionHasAnEqualPartInEachDirection() {
    SharedWindows windows = new SharedWindows(256 << 20);
    for (int streams = 0; streams < 32; streams++) {
      windows.join();
    }
    assertThat(windows.share()).isEqualTo(4 << 20);
    for (int streams = 0; streams < 16; streams++) {
      windows.leave();
    }
    assertThat(windows.share()).isEqualTo(8 << 20);
  }

  @Test
  void allTogetherNeverHaveMoreThanThereIs() {
    SharedWindows windows = new SharedWindows(100);
    assertThat(windows.take(60)).isTrue();
    assertThat(windows.take(41)).isFalse();
    assertThat(windows.take(40)).isTrue();
    windows.give(60);
    assertThat(windows.taken()).isEqualTo(40);
  }
}
