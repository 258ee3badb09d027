package io.fdt.core.receive;

import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/** A stream on which nothing moves: a test gives its frames to the handler. */
final class SilentStream implements DataStream {
  private final int number;

  SilentStream(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void sendAndRelease(ByteBuf frame, Runnable released) {
    throw new AssertionError("a receiver sends no frame");
  }

  @Override
  public void setReading(boolean reading) {}

  @Override
  public long wireBytes() {
    return 0;
  }

  @Override
  public long payloadBytes() {
    return 0;
  }

  @Override
  public long segmentsRepeated() {
    return 0;
  }

  @Override
  public Optional<PathState> pathState() {
    return Optional.empty();
  }

  @Override
  public boolean setCongestion(String name) {
    return false;
  }

  @Override
  public void limitUnsent(long bytes) {}

  @Override
  public String congestion() {
    return "";
  }

  @Override
  public void close() {}
}
