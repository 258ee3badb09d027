package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.AccessList;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Writes the attributes of the files and directories of one destination. Any thread. */
final class MetadataWriter {
  private static final int PERMISSIONS = 0777;
  private static final int SPECIAL = 07000;

  /** The coarsest resolution, that of FAT. */
  private static final int COARSEST_SECONDS = 2;

  /** The mode that mkdir requests by default. */
  private static final int NEW_DIRECTORY = 0777;

  private static final int NEW_FILE = 0666;

  private static final byte[] ACCESS_LIST =
      ExtendedAttribute.ACCESS_LIST.getBytes(StandardCharsets.US_ASCII);
  private static final byte[] DEFAULT_ACCESS_LIST =
      ExtendedAttribute.DEFAULT_ACCESS_LIST.getBytes(StandardCharsets.US_ASCII);

  /** Attributes that a file system may refuse to set. */
  enum Item {
    MODE("set the mode of"),
    TIME("set the time of"),
    OWNER("change the owner of"),
    ATTRIBUTE("set extended attributes of"),
    KEPT_TIME("keep the time of");

    private final String doing;

    Item(String doing) {
      this.doing = doing;
    }
  }

  private record Refusal(long device, Item item) {}

  private record NewModes(Directory directory, int ofFile, int ofDirectory) {}

  private final Preservation kept;
  private final KeptTimes times;
  private final Set<Refusal> reported = ConcurrentHashMap.newKeySet();

  /** File systems on which a time was read back. */
  private final Set<Long> timesSeen = ConcurrentHashMap.newKeySet();

  /** The modes of new entries in the last directory. */
  private volatile NewModes newModes;

  /**
   * @param measures see {@link KeptTimes}
   */
  MetadataWriter(Preservation kept, boolean measures) {
    this.kept = kept;
    this.times = new KeptTimes(measures);
  }

  /**
   * Checks that this process can set the requested attributes.
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

  /**
   * The mode of a file.
   *
   * @param mode of its source
   * @param directory that holds it
   */
  int modeOfFile(int mode, Directory directory) {
    if (!kept.keeps(Aspect.MODE)) {
      return newModes(directory).ofFile();
    }
    return kept.keeps(Aspect.SPECIAL_BITS) ? mode : mode & PERMISSIONS;
  }

  /** The system's modes for new files and directories: from the default access list, or umask. */
  private NewModes newModes(Directory directory) {
    NewModes known = newModes;
    if (known == null || known.directory() != directory) {
      int allowed = AccessList.newModeIn(directory).orElse(FileCreationMask.applyTo(PERMISSIONS));
      known = new NewModes(directory, NEW_FILE & allowed, NEW_DIRECTORY & allowed);
      newModes = known;
    }
    return known;
  }

  /**
   * The mode of a directory; the bits of a shared directory (setgid, sticky) stay unless requested
   * otherwise.
   *
   * @param before its current mode
   * @param fresh whether this transfer created it
   */
  int modeOfDirectory(Directory directory, int mode, int before, boolean fresh) {
    if (!kept.keeps(Aspect.MODE)) {
      int permissions = fresh ? newModes(directory).ofDirectory() : before & PERMISSIONS;
      return permissions | (before & SPECIAL);
    }
    return kept.keeps(Aspect.SPECIAL_BITS) ? mode : (mode & PERMISSIONS) | (before & SPECIAL);
  }

  /** Whether an existing file has the wanted mode, as far as modes are kept. */
  boolean hasMode(Attributes seen, int mode) {
    int kinds = kept.keeps(Aspect.SPECIAL_BITS) ? PERMISSIONS | SPECIAL : PERMISSIONS;
    return !kept.keeps(Aspect.MODE) || (seen.mode() & kinds) == (mode & kinds);
  }

  /**
   * Whether an existing file has the wanted owner.
   *
   * @param owner null when it is not kept
   */
  boolean hasOwner(Attributes seen, Owner owner) {
    return owner == null || (seen.user() == owner.user() && seen.group() == owner.group());
  }

  /**
   * Whether an existing file has the wanted attributes.
   *
   * @param directory that holds it
   * @param modified null to ignore the time
   */
  boolean agrees(Directory directory, Attributes seen, int mode, Timestamp modified, Owner owner) {
    return hasMode(seen, mode) && hasTime(directory, seen, modified) && hasOwner(seen, owner);
  }

  /** Whether an existing directory has its final attributes; not for new ones. */
  boolean agreesAsDirectory(Directory directory, int mode, Timestamp modified, Owner owner)
      throws FdtException {
    Attributes now = directory.current();
    return modeOfDirectory(directory, mode, now.mode(), false) == now.mode()
        && hasTime(directory, now, modified)
        && hasOwner(now, owner);
  }

  /** Whether a file has the wanted time, as precisely as its file system keeps times. */
  boolean hasTime(Directory directory, Attributes seen, Timestamp modified) {
    Timestamp wanted = time(modified);
    return wanted == null || times.isKept(directory, seen.modified(), wanted);
  }

  /** See {@link io.fdt.core.storage.DestinationDirectory#timeOf}. */
  Timestamp timeOf(Directory directory, Attributes seen, Timestamp wanted) {
    return times.isKept(directory, seen.modified(), wanted) ? wanted : seen.modified();
  }

  /**
   * The mode of an existing file.
   *
   * @param before its current mode
   * @param isOwned whether it has its owner: special bits need the right owner
   */
  int modeOfUnchanged(int mode, int before, boolean isOwned) {
    int wanted = kept.keeps(Aspect.SPECIAL_BITS) ? mode : mode & PERMISSIONS;
    int after = kept.keeps(Aspect.MODE) ? wanted : before & PERMISSIONS;
    return isOwned ? after : after & PERMISSIONS;
  }

  /** The time to set; null for none. */
  Timestamp time(Timestamp modified) {
    return keepsTimes() ? modified : null;
  }

  /**
   * Sets the owner of a file, before its mode.
   *
   * @return whether it has the wanted owner
   */
  boolean setOwner(FileDescriptor file, Owner owner, Consumer<FdtException> warnings)
      throws FdtException {
    if (owner == null) {
      return true;
    }
    int result = file.call(fd -> Syscalls.chown(fd, owner.user(), owner.group()));
    return isSet(Item.OWNER, result, device(file), file.path(), warnings);
  }

  private static long device(FileDescriptor file) throws FdtException {
    long[] device = new long[1];
    file.call(
        fd -> {
          int result = Syscalls.statx(fd);
          device[0] = result < 0 ? 0 : Syscalls.attributes().device();
          return result;
        });
    return device[0];
  }

  /**
   * Checks the result of setting an attribute. Reports a file system's refusal once, whatever the
   * number of files.
   *
   * @param result of the system call
   * @param device the file system
   * @return whether the attribute is set
   * @throws FdtException the call failed for a reason specific to this file
   */
  boolean isSet(Item item, int result, long device, String path, Consumer<FdtException> warnings)
      throws FdtException {
    if (result >= 0) {
      return true;
    }
    FdtException failure = Errno.ofData(-result, item.doing, path);
    if (!Errno.isRefusal(-result)) {
      throw failure;
    }
    if (reported.add(new Refusal(device, item))) {
      warnings.accept(
          new FdtException(
              failure.code(),
              failure.getMessage()
                  + "; not set, nor on other files of this file system (these are not reported)"));
    }
    return false;
  }

  /** Whether some file systems cannot keep a time. */
  static boolean isUnusual(Timestamp modified) {
    return KeptTimes.isUnusual(modified);
  }

  /** Whether a time has to be read back: always for the first file. */
  boolean hasToBeSeen(Timestamp modified, long device) {
    return isUnusual(modified) || timesSeen.add(device);
  }

  /** Reports, once, a file system that does not keep times. */
  void checkTime(
      Directory directory,
      Timestamp wanted,
      Attributes now,
      String path,
      Consumer<FdtException> warnings) {
    boolean isNear = Math.abs(now.modified().seconds() - wanted.seconds()) <= COARSEST_SECONDS;
    if (!isNear && reported.add(new Refusal(now.device(), Item.KEPT_TIME))) {
      String help =
          times.isKept(directory, now.modified(), wanted)
              ? "later runs treat them as equal"
              : "add " + Setting.SYNC.with("size") + ", or later runs copy it again";
      warnings.accept(
          new FdtException(
              ErrorCode.IO,
              "'%s' has the time %s instead of %s, which its file system does not keep; %s (others are not reported)"
                  .formatted(path, text(now.modified()), text(wanted), help)));
    }
  }

  private static String text(Timestamp time) {
    return Instant.ofEpochSecond(time.seconds()).toString();
  }

  /** Sets the extended attributes and access lists of a file. */
  void setAttributes(FileDescriptor file, FileMetadata metadata, Consumer<FdtException> warnings)
      throws FdtException {
    if (kept.keeps(Aspect.ACLS) && !hasAccessList(metadata, ExtendedAttribute.ACCESS_LIST)) {
      file.call(fd -> Syscalls.removeAttribute(fd, ACCESS_LIST)); // inherited from its directory
    }
    for (ExtendedAttribute attribute : metadata.attributes()) {
      set(file, attribute, attribute.value(), warnings);
    }
  }

  /**
   * Sets the extended attributes and access lists of a directory before it is filled: until it gets
   * its mode its owner has full access, and for a new one all others have none.
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

  /** Whether there are attributes to set, or inherited ones to remove. */
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
      if (reported.add(new Refusal(device(file), Item.ATTRIBUTE))) {
        warnings.accept(
            new FdtException(
                ErrorCode.IO,
                "the file system of '%s' does not support the attribute '%s': such attributes are not set"
                        .formatted(file.path(), attribute)
                    + " here and, without further messages, on all other files"));
      }
    } else if (result < 0
        && (!Errno.isRefusal(-result) || reported.add(new Refusal(device(file), Item.ATTRIBUTE)))) {
      warnings.accept(
          Errno.ofData(-result, "set the extended attribute '" + attribute + "' of", file.path()));
    }
  }
}
