package io.fdt.storage.local.source;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.FileVersion;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.DataFile;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.HoleFinder;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** An open local file. Any thread. */
public final class LocalBlockReader implements BlockReader {
  private final FileDescriptor file;
  private final DataFile data;
  private final Attributes seen;

  /** The whole content of a file of unreliable size; otherwise null. */
  private final ByteBuf content;

  /**
   * The modification time of generated content: the time of opening, which makes each opening
   * another version.
   */
  private final Timestamp opened;

  private final SourceTree.SourceFile source;
  private final Supplier<String> path;
  private final SourceChange change;
  private final OpenReaders readers;

  /** Takes over the descriptor of a file with the attributes {@code seen}. */
  LocalBlockReader(
      int descriptor,
      Attributes seen,
      ByteBuf content,
      SourceTree.SourceFile source,
      SourceChange change,
      OpenReaders readers)
      throws FdtException {
    this.source = source;
    this.path = source::path;
    this.file = new FileDescriptor(descriptor, path);
    this.data = DataFile.read(file, content == null ? seen.size() : 0, readers.cache());
    this.seen = seen;
    this.content = content;
    Instant now = Instant.now();
    this.opened = new Timestamp(now.getEpochSecond(), now.getNano());
    this.change = change;
    this.readers = readers;
  }

  @Override
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    if (content != null) {
      int there = (int) Math.max(0, Math.min(length, content.readableBytes() - offset));
      target.writeBytes(content, (int) Math.min(offset, content.readableBytes()), there);
      return there;
    }
    readers.begin(source);
    try {
      return data.read(target, length, offset);
    } finally {
      readers.end(source);
    }
  }

  @Override
  public List<Range> holes(int most) throws FdtException {
    if (content != null) {
      return List.of();
    }
    HoleFinder finder = new HoleFinder(seen.size(), most);
    int result = file.call(finder::find);
    if (result < 0) {
      throw Errno.ofData(-result, "look for holes in", path.get());
    }
    return finder.found();
  }

  @Override
  public void checkUnchanged() throws FdtException {
    if (content != null) {
      return; // it was read at once
    }
    int result = file.call(Syscalls::statx);
    if (result < 0) {
      throw Errno.ofData(-result, "examine", path.get());
    }
    change.check(seen, Syscalls.attributes(), path);
  }

  /** The current version of the file. */
  FileVersion version() throws FdtException {
    if (content != null) {
      return new FileVersion(
          seen.device(), seen.inode(), content.readableBytes(), seen.modified(), opened);
    }
    int result = file.call(Syscalls::statx);
    if (result < 0) {
      throw Errno.ofData(-result, "examine", path.get());
    }
    return FileVersion.of(Syscalls.attributes());
  }

  @Override
  public void close() {
    data.close();
    file.close();
    readers.closed(this);
  }
}
