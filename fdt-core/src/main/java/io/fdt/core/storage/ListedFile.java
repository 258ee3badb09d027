package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** A file of a listing that is open for reading. Confined to one thread. */
public interface ListedFile extends AutoCloseable {
  /** The disk that it lies on. */
  DiskId disk();

  /** Its size and time now. A disk operation. */
  FileVersion version() throws FdtException;

  /** Reads as {@link BlockReader#read}. */
  int read(ByteBuf target, int length, long offset) throws FdtException;

  /** As {@link BlockReader#holes}. */
  List<Range> holes(int most) throws FdtException;

  @Override
  void close();
}
