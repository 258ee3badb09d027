package io.fdt.core.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.FileShape;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class InOrderDestinationTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final InOrderDestination tree = new InOrderDestination(out, 4);

  private DestinationDirectory.PendingFile file() throws FdtException {
    Root root = new Root(FileName.of("f"), EntryKind.FILE, 0644, new Timestamp(0, 0));
    return tree.open(List.of(root)).directory().create(FileName.of("f"), FileShape.of(10));
  }

  private static void write(DestinationDirectory.PendingFile file, String text, long offset)
      throws FdtException {
    file.write(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.US_ASCII)), offset);
  }

  private static void assertTooFar(DestinationDirectory.PendingFile file, String text, long at) {
    assertThatThrownBy(() -> write(file, text, at))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void blocksLeaveInOrder() throws Exception {
    DestinationDirectory.PendingFile file = file();
    write(file, "cd", 2);
    write(file, "ef", 4);
    assertThat(out.size()).isZero();
    write(file, "ab", 0);
    assertThat(out).hasToString("abcdef");
    write(file, "g", 6);
    assertThat(out).hasToString("abcdefg");
  }

  @Test
  void noMoreThanTheWindowIsHeld() throws Exception {
    DestinationDirectory.PendingFile file = file();
    write(file, "bcd", 1);
    assertTooFar(file, "ef", 4);
    assertTooFar(file, "x", 1);
    write(file, "e", 4);
    write(file, "a", 0);
    assertThat(out).hasToString("abcde");
    assertTooFar(file, "a", 0);
  }

  @Test
  void nothingIsWrittenAfterTheEnd() throws Exception {
    DestinationDirectory.PendingFile file = file();
    tree.close();
    assertThatThrownBy(() -> write(file, "a", 0))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
  }
}
