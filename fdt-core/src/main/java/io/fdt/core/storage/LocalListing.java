package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;

/**
 * The listing of one path within exports: the names in a directory, or the one thing that the path
 * names. Links are shown, not followed. Stateless; any thread.
 */
public final class LocalListing {
  /**
   * One line of a listing.
   *
   * @param name last name; the path that was asked for when that is no directory
   * @param attributes what is known of it
   * @param linkTarget where a link points; empty for everything else
   */
  public record Item(BytePath name, Attributes attributes, BytePath linkTarget) {}

  /** Is told the items one by one, in the order of the file system, while the directory is read. */
  public interface Visitor {
    /** Returns whether to go on. */
    boolean item(Item item) throws FdtException, InterruptedException;
  }

  private LocalListing() {}

  /**
   * Lists a path; the root above several exports holds these.
   *
   * @throws FdtException NOT_FOUND, FORBIDDEN for "..", PERMISSION, WRONG_KIND when the path leads
   *     through a link, and what the visitor throws
   */
  public static void list(ExportedRoots exports, BytePath path, Visitor visitor)
      throws FdtException, InterruptedException {
    try (DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS)) {
      SourcePaths paths = SourcePaths.confined(scope, exports);
      PathNames split = PathNames.split(path);
      Directory directory = paths.directory(split.directory());
      if (split.last() != null) {
        Attributes attributes = paths.get(directory, split.last());
        if (!attributes.is(EntryKind.DIRECTORY)) {
          visitor.item(item(directory, split.last(), path, attributes));
          return;
        }
        directory = paths.child(directory, split.last());
      }
      if (directory == null) {
        listExports(exports, visitor);
      } else {
        listNames(directory, visitor);
      }
    }
  }

  private static void listExports(ExportedRoots exports, Visitor visitor)
      throws FdtException, InterruptedException {
    for (FileName name : exports.names()) {
      Attributes attributes = exports.root(name).current();
      if (!visitor.item(new Item(BytePath.of(name.bytes()), attributes, BytePath.EMPTY))) {
        return;
      }
    }
  }

  private static void listNames(Directory directory, Visitor visitor)
      throws FdtException, InterruptedException {
    try (DirectoryListing listing =
        DirectoryListing.open(directory, DirectoryListing.newBuffer())) {
      while (listing.next()) {
        if (FileName.flawOf(listing.name()) != null) {
          continue;
        }
        FileName name = FileName.of(listing.name());
        Item item = itemOrNull(directory, name);
        if (item != null && !visitor.item(item)) {
          return;
        }
      }
    }
  }

  /** Null for a name that has vanished since it was listed. */
  private static Item itemOrNull(Directory directory, FileName name) throws FdtException {
    try {
      Attributes attributes = directory.find(name);
      return attributes == null
          ? null
          : item(directory, name, BytePath.of(name.bytes()), attributes);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  private static Item item(
      Directory directory, FileName name, BytePath shown, Attributes attributes)
      throws FdtException {
    boolean isLink = attributes.is(EntryKind.SYMLINK);
    return new Item(shown, attributes, isLink ? directory.linkTarget(name) : BytePath.EMPTY);
  }
}
