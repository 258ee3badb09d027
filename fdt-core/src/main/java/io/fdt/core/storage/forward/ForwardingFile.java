package io.fdt.core.storage.forward;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Forwards every call to another pending file, for subclasses to override. */
public class ForwardingFile implements DestinationDirectory.PendingFile {
  private final DestinationDirectory.PendingFile file;

  public ForwardingFile(DestinationDirectory.PendingFile file) {
    this.file = file;
  }

  @Override
  public void write(ByteBuf source, long offset) throws FdtException {
    file.write(source, offset);
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return file.read(target, length, offset);
  }

  @Override
  public void forget(LongConsumer forced) throws FdtException {
    file.forget(forced);
  }

  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) throws FdtException {
    file.attach(metadata, warnings);
  }

  @Override
  public void makeHole(Range range) throws FdtException {
    file.makeHole(range);
  }

  @Override
  public void keep(CheckedRange range) throws FdtException {
    file.keep(range);
  }

  @Override
  public void discard() {
    file.discard();
  }

  @Override
  public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
    file.publish(mode, modified, durability);
  }

  @Override
  public void close() {
    file.close();
  }
}
