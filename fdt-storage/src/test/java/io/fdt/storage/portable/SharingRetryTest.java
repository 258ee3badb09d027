package io.fdt.storage.portable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.storage.posix.Errno;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharingRetryTest {
  private final List<Long> pauses = new ArrayList<>();
  private final SharingRetry retry = new SharingRetry(pauses::add);

  @Test
  void aFileThatAScannerHoldsForAMomentIsTriedAgain() {
    Iterator<Integer> results = List.of(-Errno.EACCES, -Errno.EBUSY, 0).iterator();
    assertThat(retry.run(results::next)).isZero();
    assertThat(pauses).containsExactly(10L, 20L);
  }

  @Test
  void aLastingRefusalEndsAfterABoundedTime() {
    assertThat(retry.run(() -> -Errno.EACCES)).isEqualTo(-Errno.EACCES);
    assertThat(pauses).containsExactly(10L, 20L, 40L, 80L, 160L, 320L);
  }

  @Test
  void anotherFailureIsNotTriedAgain() {
    assertThat(retry.run(() -> -Errno.ENOENT)).isEqualTo(-Errno.ENOENT);
    assertThat(pauses).isEmpty();
  }
}
