package io.fdt.storage.local.source;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.ListedFile;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** A local file that is open for reading. Confined to one thread. */
public final class LocalListedFile implements ListedFile {
  private final DiskId disk;
  private final LocalBlockReader reader;

  public LocalListedFile(DiskId disk, LocalBlockReader reader) {
    this.disk = disk;
    this.reader = reader;
  }

  @Override
  public DiskId disk() {
    return disk;
  }

  @Override
  public FileVersion version() throws FdtException {
    return reader.version();
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    return reader.read(target, length, offset);
  }

  @Override
  public List<Range> holes(int most) throws FdtException {
    return reader.holes(most);
  }

  @Override
  public void close() {
    reader.close();
  }
}
