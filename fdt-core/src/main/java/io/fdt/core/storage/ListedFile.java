package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** An open file of a listing. Confined to one thread. */
public interface ListedFile extends AutoCloseable {
  DiskId disk();

  /** The current version of the file. A disk operation. */
  FileVersion version() throws FdtException;

  /** See {@link BlockReader#read}. */
  int read(ByteBuf target, int length, long offset) throws FdtException;

  /** See {@link BlockReader#holes}. */
  List<Range> holes(int most) throws FdtException;

  @Override
  void close();
}
