package io.fdt.nio.server;

import io.fdt.client.RemoteFile;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/**
 * The attributes of a file of a server. The modification time also stands for the other two times.
 * Immutable.
 */
public final class RemoteAttributes implements PosixFileAttributes {
  /** A user or a group of the server's host, by its number. */
  record Principal(String getName) implements GroupPrincipal {
    @Override
    public String toString() {
      return getName;
    }
  }

  private static final PosixFilePermission[] BITS = {
    PosixFilePermission.OTHERS_EXECUTE,
    PosixFilePermission.OTHERS_WRITE,
    PosixFilePermission.OTHERS_READ,
    PosixFilePermission.GROUP_EXECUTE,
    PosixFilePermission.GROUP_WRITE,
    PosixFilePermission.GROUP_READ,
    PosixFilePermission.OWNER_EXECUTE,
    PosixFilePermission.OWNER_WRITE,
    PosixFilePermission.OWNER_READ,
  };

  private final RemoteFile file;

  public RemoteAttributes(RemoteFile file) {
    this.file = file;
  }

  /** The bits of these permissions. */
  public static int mode(Set<PosixFilePermission> permissions) {
    int mode = 0;
    for (int i = 0; i < BITS.length; i++) {
      mode |= permissions.contains(BITS[i]) ? 1 << i : 0;
    }
    return mode;
  }

  /** The permissions of these bits. */
  public static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < BITS.length; i++) {
      if ((mode & (1 << i)) != 0) {
        permissions.add(BITS[i]);
      }
    }
    return permissions;
  }

  public static Timestamp timestamp(FileTime time) {
    Instant instant = time.toInstant();
    return new Timestamp(instant.getEpochSecond(), instant.getNano());
  }

  RemoteFile file() {
    return file;
  }

  @Override
  public Set<PosixFilePermission> permissions() {
    return permissions(file.mode());
  }

  /**
   * @throws UnsupportedOperationException the server does not send the owner
   */
  @Override
  public UserPrincipal owner() {
    return new Principal(Integer.toUnsignedString(known().user()));
  }

  /**
   * @throws UnsupportedOperationException the server does not send the group
   */
  @Override
  public GroupPrincipal group() {
    return new Principal(Integer.toUnsignedString(known().group()));
  }

  private Owner known() {
    return file.owner()
        .orElseThrow(() -> new UnsupportedOperationException("the server sends no owner"));
  }

  @Override
  public FileTime lastModifiedTime() {
    return FileTime.from(Instant.ofEpochSecond(file.modified().seconds(), file.modified().nanos()));
  }

  @Override
  public FileTime lastAccessTime() {
    return lastModifiedTime();
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return file.is(EntryKind.FILE);
  }

  @Override
  public boolean isDirectory() {
    return file.is(EntryKind.DIRECTORY);
  }

  @Override
  public boolean isSymbolicLink() {
    return file.is(EntryKind.SYMLINK);
  }

  @Override
  public boolean isOther() {
    return file.kind().isEmpty();
  }

  @Override
  public long size() {
    return isSymbolicLink() ? file.linkTarget().length() : file.size();
  }

  @Override
  public Object fileKey() {
    return file.identity() == 0 ? null : file.identity();
  }
}
