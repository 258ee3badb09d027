package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.SourceTree;
import io.fdt.storage.local.os.AttributeReader;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Inodes;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the {@link FileMetadata} of the entries of a walk, as far as the session keeps them.
 *
 * <p>Remembers files with several names until all of them have been found: about 110 bytes each.
 * Confined to the thread of its walk.
 */
public final class MetadataReader {
  /** Fewest missing bytes for which a file is searched for holes: one block of 4 KiB. */
  private static final int LEAST_HOLE = 4 << 10;

  /** Bytes compared at a time. */
  private static final int COMPARED = 64 << 10;

  /** Some file systems give several files one inode: then these values distinguish most of them. */
  private record FileKey(
      long device, long inode, long size, Timestamp modified, Timestamp changed, long names) {
    static FileKey of(Attributes found) {
      return new FileKey(
          found.device(),
          found.inode(),
          found.size(),
          found.modified(),
          found.changed(),
          found.names());
    }
  }

  private static final class FirstName {
    final long id;
    long left;

    /** The directory of the file, on file systems with unreliable inodes; else null. */
    final Directory directory;

    final FileName name;

    FirstName(long id, long left, Directory directory, FileName name) {
      this.id = id;
      this.left = left;
      this.directory = directory;
      this.name = name;
    }
  }

  private final Preservation kept;
  private final SourceTree.Visitor visitor;
  private final int mostFirstNames;
  private final Map<FileKey, FirstName> firstNames = new HashMap<>();

  /** Whether inodes are reliable, by device. */
  private final Map<Long, Boolean> trusted = new HashMap<>();

  private boolean fullWasReported;

  public MetadataReader(Preservation kept, SourceTree.Visitor visitor, int mostFirstNames) {
    this.kept = kept;
    this.visitor = visitor;
    this.mostFirstNames = mostFirstNames;
  }

  /** The metadata of a file or link with this id. */
  public FileMetadata of(Directory directory, FileName name, Attributes found, long id) {
    FileMetadata metadata = FileMetadata.NONE;
    if (found.is(EntryKind.FILE)) {
      // Another name repeats all attributes: the first one may fail.
      metadata = names(metadata, directory, name, found, id);
      boolean lacksBlocks = found.size() - found.allocated() >= LEAST_HOLE;
      metadata = metadata.withSparse(kept.keeps(Aspect.SPARSE) && lacksBlocks);
      return metadata.withMetadata(
          owner(found), keepsAttributes() ? attributesOf(directory, name, found) : List.of());
    }
    return metadata.withMetadata(owner(found), List.of());
  }

  /** The metadata of a directory; null stands for one outside the file system. */
  FileMetadata ofDirectory(Directory directory, Attributes found) {
    if (directory == null) {
      return FileMetadata.NONE;
    }
    return FileMetadata.NONE.withMetadata(
        owner(found), keepsAttributes() ? attributesOf(directory) : List.of());
  }

  private Owner owner(Attributes found) {
    return kept.keeps(Aspect.OWNER) ? new Owner(found.user(), found.group()) : null;
  }

  private boolean keepsAttributes() {
    return kept.keeps(Aspect.XATTRS) || kept.keeps(Aspect.ACLS);
  }

  private FileMetadata names(
      FileMetadata metadata, Directory directory, FileName name, Attributes found, long id) {
    if (found.names() < 2 || !kept.keeps(Aspect.HARD_LINKS)) {
      return metadata;
    }
    FileKey key = FileKey.of(found);
    FirstName first = firstNames.get(key);
    if (first != null && !isOneFile(first, directory, name, found)) {
      return metadata;
    }
    if (first != null) {
      if (--first.left == 0) {
        firstNames.remove(key);
      }
      return metadata.withNames(first.id, 0);
    }
    if (firstNames.size() == mostFirstNames) {
      reportFull(directory.pathOf(name));
      return metadata;
    }
    boolean isTrusted = trusted.computeIfAbsent(found.device(), any -> areTrusted(directory));
    firstNames.put(
        key,
        isTrusted
            ? new FirstName(id, found.names() - 1, null, null)
            : new FirstName(id, found.names() - 1, directory, name));
    return metadata.withNames(0, found.names());
  }

  private static boolean areTrusted(Directory directory) {
    try {
      int pinned = directory.pin();
      try {
        return Inodes.areTrusted(pinned);
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      return false;
    }
  }

  /** Whether two names of one unreliable inode have the same content. */
  private static boolean isOneFile(
      FirstName first, Directory directory, FileName name, Attributes found) {
    if (first.directory == null) {
      return true;
    }
    ByteBuf one = Unpooled.buffer(COMPARED, COMPARED);
    ByteBuf other = Unpooled.buffer(COMPARED, COMPARED);
    try (FileDescriptor firstFile = open(first.directory, first.name);
        FileDescriptor file = open(directory, name)) {
      for (long at = 0; at < found.size(); at += COMPARED) {
        firstFile.read(one.clear(), COMPARED, at);
        file.read(other.clear(), COMPARED, at);
        if (!one.isReadable() || !one.equals(other)) {
          return false;
        }
      }
      return true;
    } catch (FdtException e) {
      return false; // each is sent by itself, and reports its error
    }
  }

  private static FileDescriptor open(Directory directory, FileName name) throws FdtException {
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, name, Flags.O_FILE, 0);
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "open", directory.pathOf(name));
      }
      return new FileDescriptor(descriptor, () -> directory.pathOf(name));
    } finally {
      directory.unpin();
    }
  }

  private void reportFull(String path) {
    if (!fullWasReported) {
      fullWasReported = true;
      visitor.failed(
          path,
          new FdtException(
              ErrorCode.RESOURCES,
              ("more than %d files with hard links wait for their other names: from here"
                      + " on hard links arrive as separate files")
                  .formatted(mostFirstNames)));
    }
  }

  /** A file that cannot be opened has none here: reading it will report the error. */
  private List<ExtendedAttribute> attributesOf(
      Directory directory, FileName name, Attributes found) {
    try {
      int pinned = directory.pin();
      int descriptor;
      try {
        descriptor = Syscalls.open(pinned, name, Flags.O_FILE, 0);
      } finally {
        directory.unpin();
      }
      if (descriptor < 0) {
        return List.of();
      }
      try (FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(name))) {
        boolean isSame = file.call(Syscalls::statx) == 0 && Syscalls.attributes().isSameFile(found);
        return isSame ? attributesOf(file, directory.pathOf(name)) : List.of();
      }
    } catch (FdtException e) {
      visitor.failed(directory.pathOf(name), e);
      return List.of();
    }
  }

  private List<ExtendedAttribute> attributesOf(Directory directory) {
    try (FileDescriptor opened = directory.openToRead()) {
      return attributesOf(opened, directory.path());
    } catch (FdtException e) {
      return List.of(); // listing it fails for the same reason, and reports it
    }
  }

  /** Attributes beyond the limits are reported; the file is sent without them. */
  private List<ExtendedAttribute> attributesOf(FileDescriptor file, String path)
      throws FdtException {
    AttributeReader reader = new AttributeReader(kept);
    int result = file.call(reader::read);
    if (result < 0) {
      visitor.failed(path, Errno.ofData(-result, "read the extended attributes of", path));
      return List.of();
    }
    if (reader.isTooMuch()) {
      visitor.failed(
          path,
          new FdtException(
              ErrorCode.RESOURCES,
              "%d extended attributes of %d bytes; at most %d of %d bytes are copied, so '%s' arrives without"
                  .formatted(
                      reader.count(),
                      reader.bytes(),
                      FileMetadata.MAX_ATTRIBUTES,
                      FileMetadata.MAX_ATTRIBUTE_BYTES,
                      path)));
      return List.of();
    }
    return reader.found();
  }
}
