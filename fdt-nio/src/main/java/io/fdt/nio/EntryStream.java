package io.fdt.nio;

import java.io.IOException;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The names of a directory, all read when the stream is opened. Not thread-safe, except {@link
 * #close}.
 */
final class EntryStream implements DirectoryStream<Path>, FdtFileSystem.Opened {
  private final Iterator<FdtPath> entries;
  private final Filter<? super Path> filter;
  private boolean iterated;
  private volatile boolean closed;

  EntryStream(List<FdtPath> entries, Filter<? super Path> filter) {
    this.entries = entries.iterator();
    this.filter = filter;
  }

  @Override
  public Iterator<Path> iterator() {
    if (closed) {
      throw new ClosedDirectoryStreamException();
    }
    if (iterated) {
      throw new IllegalStateException("it was iterated already");
    }
    iterated = true;
    return new Iterator<>() {
      private Path next;

      @Override
      public boolean hasNext() {
        while (next == null && !closed && entries.hasNext()) {
          Path entry = entries.next();
          next = accepts(entry) ? entry : null;
        }
        return next != null;
      }

      @Override
      public Path next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        Path entry = next;
        next = null;
        return entry;
      }
    };
  }

  private boolean accepts(Path entry) {
    try {
      return filter.accept(entry);
    } catch (IOException e) {
      throw new DirectoryIteratorException(e);
    }
  }

  @Override
  public void fileSystemClosed() {
    closed = true;
  }

  @Override
  public void close() {
    closed = true;
  }
}
