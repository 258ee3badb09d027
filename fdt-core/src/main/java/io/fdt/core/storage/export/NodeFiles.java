package io.fdt.core.storage.export;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.storage.TemporaryName;
import io.fdt.core.storage.os.Directory;
import io.fdt.core.storage.os.DirectoryScope;
import io.fdt.core.storage.os.Errno;
import io.fdt.core.storage.os.ExportedRoots;
import io.fdt.core.storage.os.FileDescriptor;
import io.fdt.core.storage.os.IdleDirectories;
import io.fdt.core.storage.os.LibC;
import io.fdt.core.storage.os.NativeBuffers;
import io.fdt.core.storage.os.Syscalls;
import io.fdt.core.storage.source.LocalSourceFile;
import io.fdt.core.storage.source.OpenReaders;
import java.util.List;

/**
 * Opens files for a data node, by the paths that its front end gives. Nothing outside of the node's
 * own exports is opened, no link is followed, and nothing is written but partial files. Any thread.
 */
public final class NodeFiles implements AutoCloseable {
  private static final int WRITE =
      LibC.O_WRONLY | LibC.O_NOFOLLOW | LibC.O_NONBLOCK | LibC.O_NOCTTY;

  private final ExportedRoots exports;
  private final DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
  private final OpenReaders readers = new OpenReaders(scope);

  public NodeFiles(ExportedRoots exports) {
    this.exports = exports;
  }

  /** A name in a directory. */
  private record Found(Directory directory, FileName name) {
    String path() {
      return directory.pathOf(name);
    }
  }

  /**
   * A file to read.
   *
   * @param size as the front end has seen it
   * @param modified the same
   * @param inode the same
   * @throws FdtException SOURCE_CHANGED when it is another one here; NOT_FOUND, PERMISSION, ...
   */
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

  /**
   * Opens a partial file to write to it.
   *
   * @param inode as the front end has seen it
   * @throws FdtException FORBIDDEN for anything that is no partial file; SOURCE_CHANGED when it is
   *     another one here; NOT_FOUND, PERMISSION, ...
   */
  public FileDescriptor partial(BytePath path, long inode) throws FdtException {
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
    if (result < 0 || !NativeBuffers.ofThread().attributes().is(EntryKind.FILE)) {
      file.close();
      throw noPartial(found);
    }
    if (NativeBuffers.ofThread().attributes().inode() != inode) {
      file.close();
      throw another(found);
    }
    return file;
  }

  private static FdtException another(Found found) {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + found.path() + "' is another file at this data node than at its front end");
  }

  private static FdtException noPartial(Found found) {
    return new FdtException(
        ErrorCode.FORBIDDEN, "'" + found.path() + "' is no partial file: not written");
  }

  private Found find(ExportedRoots.Start start, BytePath path) throws FdtException {
    List<FileName> names = start.names();
    if (start.root() == null || names.isEmpty()) {
      throw new FdtException(ErrorCode.PROTOCOL, "'" + path + "' names no file");
    }
    Directory directory = start.root();
    for (FileName name : names.subList(0, names.size() - 1)) {
      directory = directory.child(scope, name);
    }
    return new Found(directory, names.get(names.size() - 1));
  }

  /** Closes what was opened for reading. */
  @Override
  public void close() {
    scope.close();
    readers.close();
  }
}
