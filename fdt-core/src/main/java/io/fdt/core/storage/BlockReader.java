package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** An open file of a source. Several threads may read at once. */
public interface BlockReader extends AutoCloseable {
  /**
   * Appends up to {@code length} bytes of the file from {@code offset} on to {@code target}.
   *
   * @return how many; fewer than {@code length} only at the end of the file
   */
  int read(ByteBuf target, int length, long offset) throws FdtException;

  /**
   * Checks that size and modification time are unchanged since the walk. A source that copies
   * changing files only records the change, see {@link SourceTree.SourceFile#change}.
   *
   * @throws FdtException SOURCE_CHANGED, with the change
   */
  void checkUnchanged() throws FdtException;

  /**
   * Ranges of zeros, as far as the file system reports them, in order, not adjacent.
   *
   * @param most the maximum number; the smallest ranges are dropped beyond it
   */
  List<Range> holes(int most) throws FdtException;

  @Override
  void close();
}
