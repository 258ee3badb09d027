package io.fdt.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A stream to a {@link StagedChannel}. Not thread-safe. */
final class StagedOutput extends OutputStream implements Abandonable {
  private final StagedChannel channel;

  StagedOutput(StagedChannel channel) {
    this.channel = channel;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    ByteBuffer bytes = ByteBuffer.wrap(source, offset, length);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void abandon(IOException cause) {
    channel.abandon();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
