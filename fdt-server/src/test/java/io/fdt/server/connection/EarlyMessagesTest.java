package io.fdt.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.Root;
import io.fdt.core.wire.control.Roots;
import org.junit.jupiter.api.Test;

/** Messages that come before their session are kept, but not many of them. */
class EarlyMessagesTest {
  @Test
  void messagesAreBoundedInNumberAndInBytes() {
    Control small = Control.newBuilder().setManifestBatch(ManifestBatch.newBuilder()).build();
    EarlyMessages many = new EarlyMessages();
    for (int i = 0; i < EarlyMessages.MOST; i++) {
      assertThat(many.isFull()).isFalse();
      many.add(small);
    }
    assertThat(many.isFull()).isTrue();

    Root root =
        Root.newBuilder().setName(ByteString.copyFrom(new byte[EarlyMessages.MOST_BYTES])).build();
    EarlyMessages large = new EarlyMessages();
    large.add(Control.newBuilder().setRoots(Roots.newBuilder().addRoots(root)).build());
    assertThat(large.isFull()).isTrue();
    assertThat(large.poll()).isNotNull();
    assertThat(large.poll()).isNull();
  }
}
