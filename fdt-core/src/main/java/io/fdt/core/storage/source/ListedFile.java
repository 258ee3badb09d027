package io.fdt.core.storage.source;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileVersion;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** A file of an export that is open for reading. Confined to one thread. */
public final class ListedFile implements AutoCloseable {
  private final DiskId disk;
  private final LocalBlockReader reader;

  public ListedFile(DiskId disk, LocalBlockReader reader) {
    this.disk = disk;
    this.reader = reader;
  }

  /** The disk that it lies on. */
  public DiskId disk() {
    return disk;
  }

  /** What it is now. A disk operation. */
  public FileVersion version() throws FdtException {
    return reader.version();
  }

  /**
   * Appends up to {@code length} bytes from {@code offset} on to {@code target}.
   *
   * @return how many; fewer than {@code length} only at the end of the file
   */
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return reader.read(target, length, offset);
  }

  /**
   * Ranges that hold nothing but zeros, in order, as far as the file system says so.
   *
   * @param most of a file with more of them the smaller ones are left out
   */
  public List<Range> holes(int most) throws FdtException {
    return reader.holes(most);
  }

  @Override
  public void close() {
    reader.close();
  }
}
