package io.fdt.core.storage.synthetic;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.forward.DisklessDestination;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A destination without a disk, for measuring a network: discards everything, keeps no names and no
 * journals, and reads nothing back. Any thread.
 */
public final class NullDestination extends DisklessDestination {
  private static final DiskId MEMORY = new DiskId("memory");

  @Override
  public Base open(List<Root> roots) {
    return new Base(new Nowhere(""), null);
  }

  /** A directory that is only a path. */
  private static final class Nowhere extends DisklessDestination.Directory {
    private final String path;

    Nowhere(String path) {
      this.path = path;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public DiskId disk() {
      return MEMORY;
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) {
      return new Nowhere(path.isEmpty() ? name.toString() : path + "/" + name);
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) {
      return new Sink(shape.size());
    }
  }

  /** A file that discards its bytes. */
  private static final class Sink extends DisklessDestination.File {
    private final long size;

    Sink(long size) {
      this.size = size;
    }

    @Override
    public void write(ByteBuf source, long offset) {}

    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      throw new FdtException(
          ErrorCode.IO, "the destination discards its bytes; none can be read back");
    }

    @Override
    public void forget(LongConsumer forced) {
      forced.accept(size);
    }

    @Override
    public void makeHole(Range range) {}

    @Override
    public void publish(int mode, Timestamp modified, Durability durability) {
      durability.synced().accept(size);
    }
  }
}
