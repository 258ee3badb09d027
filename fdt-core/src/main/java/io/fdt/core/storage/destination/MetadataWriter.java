package io.fdt.core.storage.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.os.AccessList;
import io.fdt.core.storage.os.Errno;
import io.fdt.core.storage.os.FileCreationMask;
import io.fdt.core.storage.os.FileDescriptor;
import io.fdt.core.storage.os.Syscalls;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** What the files and directories of one destination get besides their bytes. Any thread. */
final class MetadataWriter {
  private static final int PERMISSIONS = 0777;
  private static final int SPECIAL = 07000;

  /** What mkdir and open ask for when nobody has said anything. */
  private static final int NEW_DIRECTORY = 0777;

  private static final int NEW_FILE = 0666;

  private static final byte[] ACCESS_LIST =
      ExtendedAttribute.ACCESS_LIST.getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DEFAULT_ACCESS_LIST =
      ExtendedAttribute.DEFAULT_ACCESS_LIST.getBytes(StandardCharsets.US_ASCII);

  private final Preservation kept;
  private final AtomicBoolean unsupportedWasTold = new AtomicBoolean();

  MetadataWriter(Preservation kept) {
    this.kept = kept;
  }

  /**
   * Makes sure that this process can set what is asked for.
   *
   * @throws FdtException PERMISSION when only root can
   */
  void require() throws FdtException {
    if ((kept.keeps(Aspect.OWNER) || kept.keeps(Aspect.ALL_XATTRS))
        && Syscalls.effectiveUser() != 0) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "only root can set owners and all extended attributes at the destination: leave out owner"
              + " and all-xattrs, or run as root there");
    }
  }

  boolean keepsTimes() {
    return kept.keeps(Aspect.TIMES);
  }

  /** The mode that a file gets, of the mode that its source has. */
  int modeOfFile(int mode) {
    if (!kept.keeps(Aspect.MODE)) {
      return FileCreationMask.applyTo(NEW_FILE);
    }
    return kept.keeps(Aspect.SPECIAL_BITS) ? mode : mode & PERMISSIONS;
  }

  /**
   * The mode that a directory gets; what makes it a shared directory (setgid, sticky) stays as it
   * is unless it was asked for.
   *
   * @param before the mode that it has
   * @param fresh whether this transfer made it
   */
  int modeOfDirectory(int mode, int before, boolean fresh) {
    if (!kept.keeps(Aspect.MODE)) {
      int permissions = fresh ? FileCreationMask.applyTo(NEW_DIRECTORY) : before & PERMISSIONS;
      return permissions | (before & SPECIAL);
    }
    return kept.keeps(Aspect.SPECIAL_BITS) ? mode : (mode & PERMISSIONS) | (before & SPECIAL);
  }

  /** Whether a file that stays has the mode that it should have, as far as that is kept. */
  boolean hasMode(Attributes seen, int mode) {
    int kinds = kept.keeps(Aspect.SPECIAL_BITS) ? PERMISSIONS | SPECIAL : PERMISSIONS;
    return !kept.keeps(Aspect.MODE) || (seen.mode() & kinds) == (mode & kinds);
  }

  /**
   * Whether a file that stays has the owner that it should have.
   *
   * @param owner null when it is not kept
   */
  boolean hasOwner(Attributes seen, Owner owner) {
    return owner == null || (seen.user() == owner.user() && seen.group() == owner.group());
  }

  /**
   * Whether a file that stays has all that it should have.
   *
   * @param modified null when its time stays
   */
  boolean agrees(Attributes seen, int mode, Timestamp modified, Owner owner) {
    return hasMode(seen, mode) && hasTime(seen, modified) && hasOwner(seen, owner);
  }

  /** Whether a directory that was there has what it gets at the end; a new one is asked nothing. */
  boolean agreesAsDirectory(Attributes seen, int mode, Timestamp modified, Owner owner) {
    return modeOfDirectory(mode, seen.mode(), false) == seen.mode()
        && hasTime(seen, modified)
        && hasOwner(seen, owner);
  }

  private boolean hasTime(Attributes seen, Timestamp modified) {
    Timestamp wanted = time(modified);
    return wanted == null || wanted.equals(seen.modified());
  }

  /**
   * The mode that a file that stays gets.
   *
   * @param before the mode that it has
   * @param isOwned whether it has its owner: what belongs to the wrong user gives no rights
   */
  int modeOfUnchanged(int mode, int before, boolean isOwned) {
    int wanted = kept.keeps(Aspect.MODE) ? modeOfFile(mode) : before & PERMISSIONS;
    return isOwned ? wanted : wanted & PERMISSIONS;
  }

  /** The time to set, or null for none. */
  Timestamp time(Timestamp modified) {
    return keepsTimes() ? modified : null;
  }

  /**
   * Sets the owner of a file, before its mode.
   *
   * @return whether it has the owner that it should have
   */
  boolean setOwner(FileDescriptor file, Owner owner, Consumer<FdtException> warnings)
      throws FdtException {
    if (owner == null) {
      return true;
    }
    int result = file.call(fd -> Syscalls.chown(fd, owner.user(), owner.group()));
    if (result < 0) {
      warnings.accept(Errno.ofData(-result, "give to " + owner, file.path()));
    }
    return result >= 0;
  }

  /** Sets the extended attributes and access lists of a file. */
  void setAttributes(FileDescriptor file, FileMetadata metadata, Consumer<FdtException> warnings)
      throws FdtException {
    if (kept.keeps(Aspect.ACLS) && !hasAccessList(metadata, ExtendedAttribute.ACCESS_LIST)) {
      file.call(fd -> Syscalls.removeAttribute(fd, ACCESS_LIST)); // one that its directory gave it
    }
    for (ExtendedAttribute attribute : metadata.attributes()) {
      set(file, attribute, attribute.value(), warnings);
    }
  }

  /**
   * Sets the extended attributes and access lists of a directory in which things are still to be
   * put: until it gets its mode its owner may do anything in it, and nobody else does in a new one.
   */
  void setAttributesOfDirectory(
      FileDescriptor directory,
      boolean fresh,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException {
    if (kept.keeps(Aspect.ACLS)) {
      if (!hasAccessList(metadata, ExtendedAttribute.ACCESS_LIST)) {
        directory.call(fd -> Syscalls.removeAttribute(fd, ACCESS_LIST));
      }
      if (!hasAccessList(metadata, ExtendedAttribute.DEFAULT_ACCESS_LIST)) {
        directory.call(fd -> Syscalls.removeAttribute(fd, DEFAULT_ACCESS_LIST));
      }
    }
    for (ExtendedAttribute attribute : metadata.attributes()) {
      byte[] value =
          attribute.isNamed(ExtendedAttribute.ACCESS_LIST)
              ? AccessList.opened(attribute.value(), fresh)
              : attribute.value();
      set(directory, attribute, value, warnings);
    }
  }

  /** Whether attributes are to be set, or taken away that a directory gives what is in it. */
  boolean touchesAttributes(FileMetadata metadata) {
    return kept.keeps(Aspect.ACLS) || !metadata.attributes().isEmpty();
  }

  private static boolean hasAccessList(FileMetadata metadata, String name) {
    return metadata.attributes().stream().anyMatch(attribute -> attribute.isNamed(name));
  }

  private void set(
      FileDescriptor file,
      ExtendedAttribute attribute,
      byte[] value,
      Consumer<FdtException> warnings)
      throws FdtException {
    int result = file.call(fd -> Syscalls.setAttribute(fd, attribute.name(), value));
    if (result == -Errno.EOPNOTSUPP) {
      if (unsupportedWasTold.compareAndSet(false, true)) {
        warnings.accept(
            new FdtException(
                ErrorCode.IO,
                "the file system of '%s' does not support the attribute '%s': such attributes are not set"
                        .formatted(file.path(), attribute)
                    + " here and, without further messages, on all other files"));
      }
    } else if (result < 0) {
      warnings.accept(
          Errno.ofData(-result, "set the extended attribute '" + attribute + "' of", file.path()));
    }
  }
}
