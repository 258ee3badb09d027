package io.fdt.storage.portable;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.DosFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the attributes of files, as far as the file system has them. Immutable.
 *
 * <p>Where there is no time of change, it is the present: such a file is never proven unchanged. A
 * file without a key is identified by its path: not all file systems of Windows keep the time of
 * creation.
 */
final class AttributeSource {
  private static final LinkOption[] FOLLOWING = {};
  private static final LinkOption[] NOT_FOLLOWING = {LinkOption.NOFOLLOW_LINKS};

  /** The attributes of the platform's "unix" view beyond the portable ones. */
  private static final String UNIX = "unix:mode,ino,dev,nlink,uid,gid,size,ctime,lastModifiedTime";

  /** The key of a file on Unix: dev=fe00 (hexadecimal), ino=1234. */
  private static final String DEVICE = "(dev=";

  private static final String INODE = ",ino=";

  private static final int S_IFMT = 0xF000;
  private static final int S_IFDIR = 0x4000;
  private static final int S_IFREG = 0x8000;
  private static final int S_IFLNK = 0xA000;

  private static final int DIRECTORY_MODE = 0755;
  private static final int FILE_MODE = 0644;
  private static final int WRITABLE = 0222;

  /** Above all permissions. */
  private static final int PERMISSIONS = 01000;

  private final boolean hasUnix;
  private final boolean hasPosix;
  private final boolean hasDos;
  private final boolean isLinux = System.getProperty("os.name").equals("Linux");

  AttributeSource(FileSystem files) {
    Set<String> views = files.supportedFileAttributeViews();
    this.hasUnix = views.contains("unix");
    this.hasPosix = views.contains("posix");
    this.hasDos = views.contains("dos");
  }

  /** Whether modes, owners, numbers of names and times of change are known. */
  boolean hasUnix() {
    return hasUnix;
  }

  boolean hasPosix() {
    return hasPosix;
  }

  /** The attributes of a path. */
  Attributes of(Path path, boolean followed) throws IOException {
    LinkOption[] links = followed ? FOLLOWING : NOT_FOLLOWING;
    if (hasUnix) {
      return ofUnix(Files.readAttributes(path, UNIX, links));
    }
    Class<? extends BasicFileAttributes> best =
        hasPosix
            ? PosixFileAttributes.class
            : hasDos ? DosFileAttributes.class : BasicFileAttributes.class;
    return of(path, Files.readAttributes(path, best, links));
  }

  private Attributes ofUnix(Map<String, Object> found) {
    int mode = (Integer) found.get("mode");
    Optional<EntryKind> kind =
        Optional.ofNullable(
            switch (mode & S_IFMT) {
              case S_IFREG -> EntryKind.FILE;
              case S_IFDIR -> EntryKind.DIRECTORY;
              case S_IFLNK -> EntryKind.SYMLINK;
              default -> null;
            });
    long size = ((Number) found.get("size")).longValue();
    return new Attributes(
        kind,
        size,
        kind.isPresent() ? mode & 07777 : mode,
        time((FileTime) found.get("lastModifiedTime")),
        time((FileTime) found.get("ctime")),
        device(((Number) found.get("dev")).longValue()),
        ((Number) found.get("ino")).longValue(),
        (Integer) found.get("nlink"),
        size,
        (Integer) found.get("uid"),
        (Integer) found.get("gid"));
  }

  /** The attributes that a view read. */
  Attributes of(Path path, BasicFileAttributes found) {
    Optional<EntryKind> kind = kindOf(found);
    Identity identity = identity(path, found);
    return new Attributes(
        kind,
        found.size(),
        mode(found, kind),
        time(found.lastModifiedTime()),
        time(FileTime.from(Instant.now())),
        identity.device(),
        identity.inode(),
        1,
        found.size(),
        0,
        0);
  }

  /** A junction of Windows counts as a directory and as something else: it is not followed. */
  private static Optional<EntryKind> kindOf(BasicFileAttributes found) {
    if (found.isSymbolicLink()) {
      return Optional.of(EntryKind.SYMLINK);
    }
    if (found.isOther()) {
      return Optional.empty();
    }
    return Optional.of(found.isDirectory() ? EntryKind.DIRECTORY : EntryKind.FILE);
  }

  private static int mode(BasicFileAttributes found, Optional<EntryKind> kind) {
    if (found instanceof PosixFileAttributes posix) {
      return mode(posix.permissions());
    }
    int usual = kind.filter(EntryKind.DIRECTORY::equals).isPresent() ? DIRECTORY_MODE : FILE_MODE;
    boolean isReadOnly = found instanceof DosFileAttributes dos && dos.isReadOnly();
    return isReadOnly ? usual & ~WRITABLE : usual;
  }

  private Identity identity(Path path, BasicFileAttributes found) {
    Object key = found.fileKey();
    if (key == null) {
      return new Identity(1, hash(path.toAbsolutePath().normalize().toString()));
    }
    String text = key.toString();
    int inode = text.indexOf(INODE);
    return text.startsWith(DEVICE) && inode > 0
        ? new Identity(
            device(Long.parseLong(text, DEVICE.length(), inode, 16)),
            Long.parseLong(text, inode + INODE.length(), text.length() - 1, 10))
        : new Identity(1, 1 + Integer.toUnsignedLong(key.hashCode()));
  }

  /** Not 0; the same for the cases of a letter. */
  private static long hash(String path) {
    long hash = 0;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ Character.toUpperCase(path.charAt(i))) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash | 1;
  }

  /** Major and minor number side by side, as statx(2) of Linux has them. */
  private long device(long number) {
    if (!isLinux) {
      return number;
    }
    long major = (number >>> 8 & 0xFFF) | (number >>> 32 & ~0xFFFL);
    long minor = (number & 0xFF) | (number >>> 12 & ~0xFFL);
    return major << 32 | (minor & 0xFFFF_FFFFL);
  }

  private static Timestamp time(FileTime time) {
    Instant instant = time.toInstant();
    return new Timestamp(instant.getEpochSecond(), instant.getNano());
  }

  /** The attributes of an open file without a name: its time is the present. */
  static Attributes ofNameless(Identity identity, long size) {
    Timestamp now = time(FileTime.from(Instant.now()));
    return new Attributes(
        Optional.of(EntryKind.FILE),
        size,
        FILE_MODE,
        now,
        now,
        identity.device(),
        identity.inode(),
        0,
        size,
        0,
        0);
  }

  static FileTime time(Timestamp time) {
    return FileTime.from(Instant.ofEpochSecond(time.seconds(), time.nanos()));
  }

  /** The permissions of a mode, whose bit 0 is the last of the enum. */
  static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    int bit = PERMISSIONS;
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      bit >>= 1;
      if ((mode & bit) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }

  private static int mode(Set<PosixFilePermission> permissions) {
    int mode = 0;
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      mode = mode << 1 | (permissions.contains(permission) ? 1 : 0);
    }
    return mode;
  }
}
