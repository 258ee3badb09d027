package io.fdt.storage.local.source;

import io.fdt.core.model.DirectIo;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.CachePolicy;
import io.fdt.storage.local.os.DirectoryScope;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open files of one tree, closed with it. Any thread. */
public final class OpenReaders {
  private final DirectoryScope scope;
  private volatile CachePolicy cache = new CachePolicy(DirectIo.OFF);
  private final Set<BlockReader> readers = ConcurrentHashMap.newKeySet();

  /** Files being opened or read. */
  private final Set<SourceTree.SourceFile> busy = ConcurrentHashMap.newKeySet();

  /** The files of the tree of a scope. */
  public OpenReaders(DirectoryScope scope) {
    this.scope = scope;
  }

  /** Sets how they pass the page cache, before the first is opened. Default: they stay there. */
  void pass(CachePolicy policy) {
    cache = policy;
  }

  CachePolicy cache() {
    return cache;
  }

  void begin(SourceTree.SourceFile file) {
    busy.add(file);
  }

  void end(SourceTree.SourceFile file) {
    busy.remove(file);
  }

  /** The path of a file being opened or read; empty for none. */
  String busy() {
    return busy.stream().findFirst().map(SourceTree.SourceFile::path).orElse("");
  }

  /** Adds a reader until it is closed, or closes it at once when the tree is closed. */
  void opened(BlockReader reader) {
    readers.add(reader);
    if (scope.isClosed()) {
      reader.close();
    }
  }

  void closed(BlockReader reader) {
    readers.remove(reader);
  }

  /** Closes the readers, after the scope. */
  public void close() {
    readers.forEach(BlockReader::close);
  }
}
