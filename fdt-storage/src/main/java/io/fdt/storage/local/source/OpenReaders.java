package io.fdt.storage.local.source;

import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.DirectoryScope;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open files of one tree, which are closed with it. Any thread. */
public final class OpenReaders {
  private final DirectoryScope scope;
  private final Set<BlockReader> readers = ConcurrentHashMap.newKeySet();

  /** Files that are being opened or read. */
  private final Set<SourceTree.SourceFile> busy = ConcurrentHashMap.newKeySet();

  /** Those of the tree that a scope belongs to. */
  public OpenReaders(DirectoryScope scope) {
    this.scope = scope;
  }

  void begin(SourceTree.SourceFile file) {
    busy.add(file);
  }

  void end(SourceTree.SourceFile file) {
    busy.remove(file);
  }

  /** The path of a file that is being opened or read, for people; empty without one. */
  String busy() {
    return busy.stream().findFirst().map(SourceTree.SourceFile::path).orElse("");
  }

  /** Keeps a reader until it is closed, or closes it right away when the tree is closed. */
  void opened(BlockReader reader) {
    readers.add(reader);
    if (scope.isClosed()) {
      reader.close();
    }
  }

  void closed(BlockReader reader) {
    readers.remove(reader);
  }

  /** Closes them, after the scope. */
  public void close() {
    readers.forEach(BlockReader::close);
  }
}
