package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** An open file of a source. Reads may run on several threads at once. */
public interface BlockReader extends AutoCloseable {
  /**
   * Appends up to {@code length} bytes of the file from {@code offset} on to {@code target}.
   *
   * @return how many; fewer than {@code length} only at the end of the file
   */
  int read(ByteBuf target, int length, long offset) throws FdtException;

  /**
   * Checks that the file still is what it was when the walk found it: same size and time of
   * modification. A source that copies files that change only takes note of that, see {@link
   * SourceTree.SourceFile#change}.
   *
   * @throws FdtException SOURCE_CHANGED, with what changed
   */
  void checkUnchanged() throws FdtException;

  /**
   * Ranges that hold nothing but zeros, as far as the file system says so, in order and apart from
   * each other.
   *
   * @param most of a file with more of them the smaller ones are left out
   */
  List<Range> holes(int most) throws FdtException;

  @Override
  void close();
}
