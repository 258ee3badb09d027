package io.fdt.core.storage.stream;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.forward.DisklessDestination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Writes one file to a stream of bytes, in order.
 *
 * <p>Errors show only at the end, after bytes have been written. Any thread; one thread at a time
 * writes, and blocks while the stream's reader does not read.
 */
public final class InOrderDestination extends DisklessDestination {
  private static final DiskId STREAM = new DiskId("stream");
  private static final ByteBuf ZEROS =
      Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(new byte[64 << 10]).asReadOnly());

  private final OutputStream out;
  private final long window;
  private volatile boolean closed;

  /**
   * @param out stays open
   * @param window most bytes held
   */
  public InOrderDestination(OutputStream out, long window) {
    this.out = out;
    this.window = window;
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.ALL.withWindow(window);
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    if (roots.size() != 1 || roots.get(0).kind() != EntryKind.FILE) {
      if (roots.isEmpty()) {
        return new Base(new Place(), null); // the sender reports the missing source
      }
      throw new FdtException(
          ErrorCode.WRONG_KIND, "only one file can be written to a stream; choose a file");
    }
    return new Base(new Place(), null);
  }

  @Override
  public void close() {
    closed = true;
  }

  /** The only directory. */
  private final class Place extends DisklessDestination.Directory {
    @Override
    public DiskId disk() {
      return STREAM;
    }

    @Override
    public String path() {
      return "-";
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) throws FdtException {
      throw noFile(name);
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      throw noFile(name);
    }

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size)
        throws FdtException {
      throw noFile(name);
    }

    private FdtException noFile(FileName name) {
      return new FdtException(
          ErrorCode.WRONG_KIND,
          "'" + name + "' is not a file, and only a file can be written to a stream; name a file");
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) {
      return new InOrderFile(new Stream(), window);
    }
  }

  /** The end of the stream. */
  private final class Stream extends DisklessDestination.File {
    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      if (closed) {
        throw new FdtException(ErrorCode.CANCELLED, "the stream was closed before it was done");
      }
      try {
        source.getBytes(source.readerIndex(), out, source.readableBytes());
      } catch (IOException e) {
        throw unwritable(e);
      }
    }

    /** Written bytes cannot be read back. */
    @Override
    public int read(ByteBuf target, int length, long offset) throws FdtException {
      throw new FdtException(ErrorCode.IO, "a stream cannot be read back");
    }

    /** {@inheritDoc} Zeros are written like other bytes. */
    @Override
    public void makeHole(Range range) throws FdtException {
      for (long at = range.start(); at < range.end(); at += ZEROS.capacity()) {
        write(ZEROS.slice(0, (int) Math.min(ZEROS.capacity(), range.end() - at)), at);
      }
    }

    /** {@inheritDoc} There is nothing to sync or to evict. */
    @Override
    public void forget(LongConsumer forced) {}

    /** {@inheritDoc} Only flushes the stream. */
    @Override
    public void publish(int mode, Timestamp modified, Durability durability) throws FdtException {
      try {
        out.flush();
      } catch (IOException e) {
        throw unwritable(e);
      }
    }

    private static FdtException unwritable(IOException cause) {
      return new FdtException(
          IoReason.codeOf(cause), "the output cannot be written: " + IoReason.of(cause), cause);
    }
  }
}
