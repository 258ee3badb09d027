package io.fdt.core.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Root;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.SourceTree;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StreamSourceTest {
  private static final int WINDOW = 30;

  private Entry entry;
  private SourceTree.SourceFile file;

  private void open(InputStream in) throws InterruptedException {
    StreamSource source = new StreamSource(in, WINDOW, 0644);
    assertThat(source.roots()).singleElement().matches(Root::needsName);
    assertThat(source.isInOrder()).isTrue();
    source.walk(
        new SourceTree.Visitor() {
          @Override
          public void entry(Entry found, SourceTree.SourceFile opens) {
            entry = found;
            file = opens;
          }

          @Override
          public void directoryEnd(long id) {
            throw new IllegalStateException("no directory");
          }

          @Override
          public void skipped(String path, String reason) {
            throw new IllegalStateException(path);
          }

          @Override
          public void failed(String path, FdtException reason) {
            throw new IllegalStateException(path);
          }
        });
    assertThat(entry.metadata().sizeUnknown()).isTrue();
  }

  private byte[] read(long offset, int length) throws FdtException {
    ByteBuf target = Unpooled.buffer(length);
    try (BlockReader reader = file.open()) {
      assertThat(reader.read(target, length, offset)).isEqualTo(target.readableBytes());
    }
    return ByteBufUtil.getBytes(target);
  }

  @Test
  void whatMayBeLostIsHeldAndNoMoreThanThat() throws Exception {
    open(
        new ByteArrayInputStream(
            "0123456789abcdefghijKLMNOPQRSTuvwxyz".getBytes(StandardCharsets.US_ASCII)));
    assertThat(read(0, 10)).asString().isEqualTo("0123456789");
    assertThat(read(10, 10)).asString().isEqualTo("abcdefghij");
    assertThat(read(0, 10)).asString().isEqualTo("0123456789");
    assertThat(read(20, 10)).asString().isEqualTo("KLMNOPQRST");
    assertThat(read(30, 10)).as("the end").asString().isEqualTo("uvwxyz");
    assertThat(read(40, 10)).isEmpty();
    assertThat(read(10, 10)).asString().isEqualTo("abcdefghij");
    assertThat(read(30, 6)).asString().isEqualTo("uvwxyz");
  }

  @Test
  void theOldestIsForgottenOnceTheWindowHasPassedIt() throws Exception {
    open(new ByteArrayInputStream(new byte[100]));
    for (int at = 0; at < 50; at += 10) {
      read(at, 10);
    }
    assertThatThrownBy(() -> read(10, 10))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL));
    assertThat(read(20, 10)).hasSize(10);
  }

  @Test
  void anErrorOfTheStreamIsOne() throws Exception {
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    open(closed);
    assertThatThrownBy(() -> read(0, 10))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("the input cannot be read: it was closed");
  }

  /** Whoever waits for more is woken when nobody needs it any more. */
  @Test
  void aSilentStreamDoesNotOutliveItsSession() throws Exception {
    Pipe pipe = Pipe.open();
    open(Channels.newInputStream(pipe.source()));
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                read(0, 10);
                ended.complete(null);
              } catch (FdtException e) {
                ended.complete(e);
              }
            });
    reader.setDaemon(true);
    reader.start();

    file.release(); // before it waits or while it does

    assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(FdtException.class);
    pipe.sink().close();
  }
}
