package io.fdt.storage.local.export;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.NodeFiles;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.source.LocalSourceFile;
import io.fdt.storage.local.source.OpenReaders;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** The exported files that a data node shares with its front end. Any thread. */
public final class LocalNodeFiles implements NodeFiles {
  private static final int WRITE =
      Flags.O_WRONLY | Flags.O_NOFOLLOW | Flags.O_NONBLOCK | Flags.O_NOCTTY;

  private final ExportedRoots exports;
  private final DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
  private final OpenReaders readers = new OpenReaders(scope);

  public LocalNodeFiles(ExportedRoots exports) {
    this.exports = exports;
  }

  /** A name in a directory. */
  private record Found(Directory directory, FileName name) {
    String path() {
      return directory.pathOf(name);
    }
  }

  @Override
  public SourceFile source(BytePath path, long size, Timestamp modified, long inode)
      throws FdtException {
    Found found = find(exports.start(path), path);
    Attributes here = found.directory().get(found.name());
    if (!here.is(EntryKind.FILE)
        || here.inode() != inode
        || here.size() != size
        || !here.modified().equals(modified)) {
      throw another(found);
    }
    return new LocalSourceFile(found.directory(), found.name(), here, readers);
  }

  @Override
  public Partial partial(BytePath path, long inode) throws FdtException {
    Found found = find(exports.startOfWriting(path), path);
    if (!TemporaryName.isTemporary(found.name().bytes())) {
      throw noPartial(found);
    }
    int pinned = found.directory().pin();
    int descriptor;
    try {
      descriptor = Syscalls.open(pinned, found.name(), WRITE, 0);
    } finally {
      found.directory().unpin();
    }
    if (descriptor < 0) {
      throw Errno.ofName(-descriptor, "open", found.path());
    }
    FileDescriptor file = new FileDescriptor(descriptor, found::path);
    int result = Syscalls.statx(descriptor);
    if (result < 0 || !Syscalls.attributes().is(EntryKind.FILE)) {
      file.close();
      throw noPartial(found);
    }
    if (Syscalls.attributes().inode() != inode) {
      file.close();
      throw another(found);
    }
    return new LocalPartial(file);
  }

  private record LocalPartial(FileDescriptor file) implements Partial {
    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      file.write(source, offset);
    }

    @Override
    public void finish(boolean force) throws FdtException {
      int result = force ? file.call(Syscalls::fsync) : 0;
      int closing = file.closeNow();
      int failure = result < 0 ? result : closing;
      if (failure < 0 && failure != -Errno.EINTR) {
        throw Errno.ofData(-failure, "write", file.path());
      }
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private static FdtException another(Found found) {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + found.path() + "' is not the same file at this data node and at its front end");
  }

  private static FdtException noPartial(Found found) {
    return new FdtException(
        ErrorCode.FORBIDDEN, "'" + found.path() + "' is not a partial file: not written");
  }

  private Found find(ExportedRoots.Start start, BytePath path) throws FdtException {
    List<FileName> names = start.names();
    if (start.root() == null || names.isEmpty()) {
      throw new FdtException(ErrorCode.PROTOCOL, "'" + path + "' does not name a file");
    }
    Directory directory = start.root();
    for (FileName name : names.subList(0, names.size() - 1)) {
      directory = directory.child(scope, name);
    }
    return new Found(directory, names.get(names.size() - 1));
  }

  @Override
  public void close() {
    scope.close();
    readers.close();
  }
}
