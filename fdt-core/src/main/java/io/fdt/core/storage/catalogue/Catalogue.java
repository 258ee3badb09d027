package io.fdt.core.storage.catalogue;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.PathNames;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.BlockReader;
import java.util.Iterator;
import java.util.Optional;

/**
 * Read-only files with listings: an archive, a bucket, the pages of a web server. {@link
 * CatalogueSource} turns it into a source of transfers. Any thread.
 */
public interface Catalogue extends AutoCloseable {
  /**
   * One file or directory.
   *
   * @param kind FILE or DIRECTORY
   * @param size bytes of a file; 0 for a directory
   * @param mode permission bits (0777), used where modes are preserved
   * @param modified modification time; null for a directory to leave its mode and time alone
   * @param stamp what shows that a file is unchanged, so that an interrupted copy continues; NONE
   *     to read the file again
   */
  record Item(EntryKind kind, long size, int mode, Timestamp modified, FileStamp stamp) {
    /** An item without a stamp. */
    public Item(EntryKind kind, long size, int mode, Timestamp modified) {
      this(kind, size, mode, modified, FileStamp.NONE);
    }

    public boolean isDirectory() {
      return kind == EntryKind.DIRECTORY;
    }
  }

  /** A name in a directory. */
  record Listed(FileName name, Item item) implements Comparable<Listed> {
    @Override
    public int compareTo(Listed other) {
      return name.compareTo(other.name);
    }
  }

  /** Names that are read as they are needed. Confined to one thread. */
  interface Names {
    /** The next name; null after the last one. */
    Listed next() throws FdtException;

    /** Names that are known already. */
    static Names of(Iterable<Listed> known) {
      Iterator<Listed> left = known.iterator();
      return () -> left.hasNext() ? left.next() : null;
    }
  }

  /**
   * The name that a copy of an operand gets.
   *
   * @return null for the contents of a directory
   * @throws FdtException USAGE, BAD_NAME
   */
  default FileName nameOf(BytePath path) throws FdtException {
    return PathNames.split(path).last();
  }

  /**
   * The item at a path, as the user wrote it.
   *
   * @param path with or without a trailing slash
   * @return empty when there is none
   * @throws FdtException PERMISSION, IO, ...
   */
  Optional<Item> find(BytePath path) throws FdtException;

  /**
   * The names in a directory, each once, in any order.
   *
   * @throws FdtException NOT_FOUND, PERMISSION, IO, ...
   */
  Names list(BytePath directory) throws FdtException;

  /**
   * Opens a file.
   *
   * @param item result of {@link #find} or {@link #list}
   * @throws FdtException NOT_FOUND, PERMISSION, SOURCE_CHANGED (another file now), IO
   */
  BlockReader open(BytePath path, Item item) throws FdtException;

  @Override
  void close();
}
