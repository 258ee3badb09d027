package io.fdt.storage.local.export;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.storage.Storage;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.IdleDirectories;
import io.fdt.storage.local.source.LocalListedFile;
import io.fdt.storage.local.source.LocalSourceFile;
import io.fdt.storage.local.source.OpenReaders;
import io.fdt.storage.local.source.SourcePaths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Lists a path within exports, or of this machine: the path itself, the names in a directory, or a
 * whole tree. Links are shown, not followed.
 *
 * <p>First all names of a directory, as the file system lists them; then, for a tree, those of its
 * subdirectories, sorted by name. Memory: the names of the subdirectories still to visit at each
 * level. Confined to one thread.
 */
public final class LocalListing {
  private record Step(Directory directory, BytePath path, Deque<FileName> subdirectories) {}

  private final SourcePaths paths;
  private final OpenReaders readers;
  private final ExportedRoots exports;
  private final ListingVisitor visitor;

  private LocalListing(
      DirectoryScope scope, SourcePaths paths, ExportedRoots exports, ListingVisitor visitor) {
    this.paths = paths;
    this.readers = new OpenReaders(scope);
    this.exports = exports;
    this.visitor = visitor;
  }

  /**
   * Lists a path; the root above several exports holds these.
   *
   * @throws FdtException NOT_FOUND, FORBIDDEN for "..", PERMISSION, WRONG_KIND when the path leads
   *     through a link, and failures of the visitor
   */
  public static void list(
      ExportedRoots exports, BytePath path, Storage.Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
    SourcePaths paths = SourcePaths.confined(scope, exports);
    new LocalListing(scope, paths, exports, visitor).listAndClose(scope, path, depth);
  }

  /**
   * Lists a path of the local user; links before its last name are followed.
   *
   * @throws FdtException NOT_FOUND, PERMISSION, and failures of the visitor
   */
  public static void listTrusted(BytePath path, Storage.Depth depth, ListingVisitor visitor)
      throws FdtException, InterruptedException {
    DirectoryScope scope = new DirectoryScope(IdleDirectories.OF_PROCESS);
    SourcePaths paths = SourcePaths.trusted(scope);
    new LocalListing(scope, paths, null, visitor).listAndClose(scope, path, depth);
  }

  private void listAndClose(DirectoryScope scope, BytePath path, Storage.Depth depth)
      throws FdtException, InterruptedException {
    try {
      list(path, depth);
      visitor.ended();
    } finally {
      scope.close();
      readers.close();
    }
  }

  private void list(BytePath path, Storage.Depth depth) throws FdtException, InterruptedException {
    PathNames split = paths.split(path);
    Directory directory = paths.directory(split.directory());
    Attributes attributes =
        split.last() == null ? attributes(directory) : paths.get(directory, split.last());
    if (depth == Storage.Depth.ITSELF || !attributes.is(EntryKind.DIRECTORY)) {
      visitor.item(
          split.last() == null || directory == null
              ? new ListingVisitor.Item(path, attributes, BytePath.EMPTY, null)
              : item(directory, split.last(), path, attributes));
      return;
    }
    if (split.last() != null) {
      directory = paths.child(directory, split.last());
    }
    if (depth == Storage.Depth.CONTENTS) {
      listNames(directory, BytePath.EMPTY, null);
    } else {
      descend(directory);
    }
  }

  private static Attributes attributes(Directory directory) throws FdtException {
    return directory == null ? SourcePaths.ABOVE_EXPORTS : directory.current();
  }

  private void descend(Directory start) throws FdtException, InterruptedException {
    Deque<Step> way = new ArrayDeque<>();
    way.push(step(start, BytePath.EMPTY));
    while (!way.isEmpty()) {
      Step step = way.peek();
      FileName next = step.subdirectories().poll();
      if (next == null) {
        way.pop();
        continue;
      }
      BytePath path = step.path().resolve(BytePath.of(next.bytes()));
      try {
        way.push(step(paths.child(step.directory(), next), path));
      } catch (FdtException e) {
        if (e.code() == ErrorCode.TIMEOUT || e.code() == ErrorCode.UNAUTHENTICATED) {
          throw e; // a failure of the visitor ends the listing
        }
        if (e.code() != ErrorCode.NOT_FOUND) {
          visitor.failed(path, e);
        }
      }
    }
  }

  private Step step(Directory directory, BytePath path) throws FdtException, InterruptedException {
    List<FileName> subdirectories = new ArrayList<>();
    listNames(directory, path, subdirectories);
    Collections.sort(subdirectories);
    return new Step(directory, path, new ArrayDeque<>(subdirectories));
  }

  /**
   * @param subdirectories collects those of a tree; null to skip them
   */
  private void listNames(Directory directory, BytePath path, List<FileName> subdirectories)
      throws FdtException, InterruptedException {
    if (directory == null) {
      for (FileName name : exports.names()) {
        Attributes attributes = exports.attributes(name);
        if (subdirectories != null) {
          subdirectories.add(name);
        }
        visitor.item(
            new ListingVisitor.Item(BytePath.of(name.bytes()), attributes, BytePath.EMPTY, null));
      }
      return;
    }
    try (DirectoryListing listing =
        DirectoryListing.open(directory, DirectoryListing.newBuffer())) {
      while (listing.next()) {
        if (FileName.flawOf(listing.name()) != null) {
          continue;
        }
        FileName name = FileName.of(listing.name());
        ListingVisitor.Item item =
            itemOrNull(directory, name, path.resolve(BytePath.of(name.bytes())));
        if (item == null || (subdirectories != null && isUnfinished(item, listing.name()))) {
          continue;
        }
        if (subdirectories != null && item.attributes().is(EntryKind.DIRECTORY)) {
          subdirectories.add(name);
        }
        visitor.item(item);
      }
    }
  }

  private static boolean isUnfinished(ListingVisitor.Item item, byte[] name) {
    return TemporaryName.isOld(name)
        || (item.attributes().is(EntryKind.FILE) && TemporaryName.isTemporary(name));
  }

  /** The item of a listed name; null if the name has vanished since. */
  private ListingVisitor.Item itemOrNull(Directory directory, FileName name, BytePath shown)
      throws FdtException {
    try {
      Attributes attributes = directory.find(name);
      return attributes == null ? null : item(directory, name, shown, attributes);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  private ListingVisitor.Item item(
      Directory directory, FileName name, BytePath shown, Attributes attributes)
      throws FdtException {
    boolean isLink = attributes.is(EntryKind.SYMLINK);
    boolean isFile = attributes.is(EntryKind.FILE);
    return new ListingVisitor.Item(
        shown,
        attributes,
        isLink ? directory.linkTarget(name) : BytePath.EMPTY,
        isFile ? () -> open(directory, name, attributes) : null);
  }

  private ListedFile open(Directory directory, FileName name, Attributes attributes)
      throws FdtException {
    LocalSourceFile file = new LocalSourceFile(directory, name, attributes, readers);
    return new LocalListedFile(file.disk(), file.open());
  }
}
