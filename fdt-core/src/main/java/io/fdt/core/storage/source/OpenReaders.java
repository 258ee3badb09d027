package io.fdt.core.storage.source;

import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.os.DirectoryScope;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open files of one tree, which are closed with it. Any thread. */
public final class OpenReaders {
  private final DirectoryScope scope;
  private final Set<BlockReader> readers = ConcurrentHashMap.newKeySet();

  /** Those of the tree that a scope belongs to. */
  public OpenReaders(DirectoryScope scope) {
    this.scope = scope;
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
