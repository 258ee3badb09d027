package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Root;
import io.fdt.core.wire.control.Roots;
import org.junit.jupiter.api.Test;

/** What goes before the other end has agreed. */
class EarlySendingTest {
  private final EarlySending early = new EarlySending();

  @Test
  void aFewMessagesGoAndTheRestIsHeldInOrder() {
    for (int number = 1; number <= EarlySending.MOST; number++) {
      assertThat(early.mayGo(message(number, 10))).isTrue();
    }
    assertThat(early.mayGo(message(13, 10))).isFalse();
    assertThat(early.mayGo(message(14, 10))).isFalse();
    assertThat(early.held()).extracting(Control::getNumber).containsExactly(13L, 14L);
  }

  @Test
  void nothingOvertakesALargeOne() {
    assertThat(early.mayGo(message(1, EarlySending.MOST_BYTES / 2))).isTrue();
    assertThat(early.mayGo(message(2, EarlySending.MOST_BYTES / 2))).isFalse();
    assertThat(early.mayGo(message(3, 1))).isFalse();
    assertThat(early.held()).extracting(Control::getNumber).containsExactly(2L, 3L);
  }

  private static Control message(long number, int bytes) {
    Root root = Root.newBuilder().setName(ByteString.copyFrom(new byte[bytes])).build();
    return Control.newBuilder()
        .setNumber(number)
        .setRoots(Roots.newBuilder().addRoots(root))
        .build();
  }
}
