package io.fdt.storage.portable;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls on files by java.nio.file alone, for every system that has Java. They give no extended
 * attributes, find and make no holes, and have neither unnamed files nor atomic exchanges; see
 * docs/PLATFORMS.md. Any thread.
 */
public final class PortableCalls implements FileCalls {
  private static final LinkOption[] NOT_FOLLOWING = {LinkOption.NOFOLLOW_LINKS};

  /** Attempts to open a file that others replace meanwhile. */
  private static final int ATTEMPTS = 3;

  /** Attempts to delete by a path that others change, some ten milliseconds in all. */
  private static final int ATTEMPTS_TO_DELETE = 5_000;

  /** Java 17 sets times on Unix to the microsecond. */
  private static final long JAVA_STEP = 1_000;

  private static final long NTFS_STEP = 100;

  private static final int UNKNOWN_USER = -1;

  private static final int GROUP_OR_OTHERS_WRITE = 022;
  private static final int SPECIAL_BITS = 07000;
  private static final int STICKY = 01000;

  // A record of getdents64(2): inode (8), offset (8), length (2), type (1), the name with a NUL.
  private static final int RECORD_LENGTH = 16;
  private static final int TYPE = 18;
  private static final int NAME = 19;

  /** Types of local file systems, whose close reports nothing. */
  private static final Set<String> LOCAL =
      Set.of(
          "ext2",
          "ext3",
          "ext4",
          "xfs",
          "btrfs",
          "tmpfs",
          "ramfs",
          "overlay",
          "f2fs",
          "zfs",
          "bcachefs",
          "jfs",
          "vfat",
          "msdos",
          "exfat",
          "ntfs3",
          "hfsplus",
          "apfs",
          "hfs",
          "ufs",
          "NTFS",
          "ReFS",
          "FAT",
          "FAT32",
          "exFAT",
          "jimfs");

  private static final long MSDOS_SUPER_MAGIC = 0x4D44;

  /** Types of statfs(2) that matter: small files only, made-up inodes, files without a size. */
  private static final Map<String, Long> TYPES =
      Map.ofEntries(
          Map.entry("FAT", MSDOS_SUPER_MAGIC),
          Map.entry("FAT32", MSDOS_SUPER_MAGIC),
          Map.entry("vfat", MSDOS_SUPER_MAGIC),
          Map.entry("msdos", MSDOS_SUPER_MAGIC),
          Map.entry("fuse", 0x65735546L),
          Map.entry("fuseblk", 0x65735546L),
          Map.entry("cifs", 0xff534d42L),
          Map.entry("smb3", 0xfe534d42L),
          Map.entry("9p", 0x01021997L),
          Map.entry("proc", 0x9fa0L),
          Map.entry("sysfs", 0x62656572L));

  /** A call that fails by an exception. */
  private interface Attempt {
    int run() throws IOException;
  }

  /** Gives an entry a path. */
  private interface Creation {
    void at(Path path) throws IOException;
  }

  /** Changes what a path leads to. */
  private interface PathCall {
    int on(Path path) throws IOException;
  }

  private static final ThreadLocal<Attributes> ATTRIBUTES = new ThreadLocal<>();
  private static final ThreadLocal<byte[]> DATA = new ThreadLocal<>();

  private final FileSystem files;
  private final Names names;
  private final AttributeSource attributeSource;
  private final FileLocks locks = new FileLocks();
  private final Map<Integer, Handle> handles = new ConcurrentHashMap<>();
  private final AtomicInteger lastDescriptor = new AtomicInteger();

  private final int user;

  /**
   * @param files the file system; tests use others than the default one
   */
  public PortableCalls(FileSystem files) {
    this.files = files;
    this.names = new Names(files);
    this.attributeSource = new AttributeSource(files);
    this.user = effectiveUser();
  }

  @Override
  public String obstacle() {
    return null;
  }

  @Override
  public Capabilities capabilities() {
    Set<Aspect> aspects = EnumSet.of(Aspect.TIMES, Aspect.HARD_LINKS);
    if (!names.isWindows()) {
      aspects.add(Aspect.SPARSE); // what is not written there is a hole
    }
    if (attributeSource.hasPosix()) {
      aspects.add(Aspect.MODE);
    }
    if (attributeSource.hasUnix()) {
      aspects.addAll(EnumSet.of(Aspect.OWNER, Aspect.SPECIAL_BITS));
    }
    long timeStep = names.isWindows() ? NTFS_STEP : JAVA_STEP;
    return new Capabilities(aspects, true, false, Long.MAX_VALUE, timeStep, this::allows);
  }

  @Override
  public Set<Aspect> readAspects() {
    Set<Aspect> read = EnumSet.copyOf(capabilities().aspects());
    read.remove(Aspect.SPARSE);
    if (!attributeSource.hasUnix()) {
      read.remove(Aspect.HARD_LINKS); // Java does not count names
    }
    return read;
  }

  /** Names that are no paths of this system are not given. */
  private boolean allows(FileName name) {
    try {
      Path unused = names.name(name.bytes());
      return true;
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private static int attempt(Attempt call) {
    try {
      return call.run();
    } catch (IOException
        | IllegalArgumentException
        | IllegalStateException
        | UnsupportedOperationException
        | DirectoryIteratorException e) {
      return -Failures.errnoOf(e);
    }
  }

  /** For what Windows refuses while another program has the file open. */
  private int persistently(Attempt call) {
    return names.isWindows() ? SharingRetry.SLEEPING.run(() -> attempt(call)) : attempt(call);
  }

  /**
   * The name of an entry of a directory.
   *
   * @throws InvalidPathException also for the short name that Windows made up for a longer one
   *     (LONGNA~1.TXT), which would lead to that one's file
   */
  private Path name(OpenDirectory directory, FileName name) throws IOException {
    Path path = names.name(name.bytes());
    if (names.mayBeShort(path) && isShort(directory.path().resolve(path))) {
      throw new InvalidPathException(path.toString(), "the short name of another file");
    }
    return path;
  }

  private static boolean isShort(Path path) throws IOException {
    try {
      Path real = path.toRealPath(NOT_FOLLOWING).getFileName();
      return !real.toString().equalsIgnoreCase(path.getFileName().toString());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  // Opening and closing.

  @Override
  public int open(int directory, FileName name, int flags, int mode) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          return open(in, name(in, name), flags, mode);
        });
  }

  @Override
  public int open(int directory, byte[] path, int flags, int mode) {
    return attempt(
        () -> {
          if ((flags & Flags.O_TMPFILE) == Flags.O_TMPFILE) {
            return -Errno.EOPNOTSUPP;
          }
          if (directory != Flags.AT_FDCWD) {
            OpenDirectory from = open(directory);
            return opened(Arrays.equals(path, Flags.ITSELF) ? reopened(from) : above(from, path));
          }
          return opened(first(names.path(path)));
        });
  }

  /** The first directory of a chain. */
  private OpenDirectory first(Path path) throws IOException {
    Attributes found = attributeSource.of(path, true);
    if (!found.is(EntryKind.DIRECTORY)) {
      throw new NotDirectoryException(path.toString());
    }
    return new OpenDirectory(path, found, stream(path), null, true);
  }

  /** Null for an unreadable directory, whose names can be found all the same, and on Windows. */
  @SuppressWarnings("StreamResourceLeak") // closed with the directory
  private DirectoryStream<Path> stream(Path path) throws IOException {
    try {
      return names.isWindows() ? null : Files.newDirectoryStream(path);
    } catch (AccessDeniedException e) {
      return null;
    }
  }

  private int open(OpenDirectory directory, Path name, int flags, int mode) throws IOException {
    if ((flags & Flags.O_TMPFILE) == Flags.O_TMPFILE) {
      return -Errno.EOPNOTSUPP;
    }
    return (flags & Flags.O_DIRECTORY) == 0
        ? openFile(directory, name, flags, mode)
        : opened(child(directory, name));
  }

  /** The same directory, opened again: its listing starts anew. */
  @SuppressWarnings("StreamResourceLeak") // closed with the directory
  private OpenDirectory reopened(OpenDirectory directory) throws IOException {
    DirectoryStream<Path> stream =
        directory.secure() == null
            ? stream(directory.path())
            : directory.secure().newDirectoryStream(files.getPath("."), NOT_FOLLOWING);
    return checked(
        new OpenDirectory(
            directory.path(),
            directory.firstSeen(),
            stream,
            directory.first(),
            directory.isPinned()));
  }

  /** Closes a directory that is not the one that was seen before: it was replaced meanwhile. */
  private OpenDirectory checked(OpenDirectory opened) throws IOException {
    try {
      if (!attributesOf(opened).isSameFile(opened.firstSeen())) {
        throw new NoSuchFileException(opened.path().toString());
      }
      return opened;
    } catch (IOException e) {
      opened.close();
      throw e;
    }
  }

  /** The directory that holds a directory: the path is "..". */
  private OpenDirectory above(OpenDirectory directory, byte[] path) throws IOException {
    Path up = names.path(path);
    Path above = directory.path().resolve(up);
    if (directory.secure() == null) {
      return first(above);
    }
    return new OpenDirectory(
        above,
        attributeSource.of(above, true),
        directory.secure().newDirectoryStream(up, NOT_FOLLOWING),
        null,
        directory.isPinned());
  }

  /** A directory in a directory; a link is none. */
  private OpenDirectory child(OpenDirectory directory, Path name) throws IOException {
    Attributes found = find(directory, name, false);
    Path path = directory.path().resolve(name);
    if (!found.is(EntryKind.DIRECTORY)) {
      throw new NotDirectoryException(path.toString());
    }
    boolean isPinned = directory.isPinned() && isPinned(attributesOf(directory), found);
    return checked(
        new OpenDirectory(
            path, found, stream(directory, name, path, isPinned), directory.first(), isPinned));
  }

  /** Null for an unreadable directory that this user may make readable. */
  @SuppressWarnings("StreamResourceLeak") // closed with the directory
  private DirectoryStream<Path> stream(
      OpenDirectory directory, Path name, Path path, boolean isPinned) throws IOException {
    try {
      return directory.secure() == null
          ? stream(path)
          : directory.secure().newDirectoryStream(name, NOT_FOLLOWING);
    } catch (AccessDeniedException e) {
      if (isPinned) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Whether only this user and root can replace an entry of a directory: others may not write to
   * it, or it is sticky, as /tmp is.
   */
  private boolean isPinned(Attributes directory, Attributes entry) {
    boolean isSticky = (directory.mode() & STICKY) != 0;
    return isOurs(directory) && (!isShared(directory) || (isSticky && isOurs(entry)));
  }

  /** Whether no other user can have the path of an entry lead to another one. */
  private boolean holdsNames(OpenDirectory directory) {
    Attributes found = directory.firstSeen();
    return directory.isPinned() && isOurs(found) && !isShared(found);
  }

  private static boolean isShared(Attributes directory) {
    return (directory.mode() & GROUP_OR_OTHERS_WRITE) != 0;
  }

  private boolean isOurs(Attributes found) {
    return user != UNKNOWN_USER && (found.user() == user || found.user() == 0);
  }

  private int openFile(OpenDirectory directory, Path name, int flags, int mode) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Attributes before = null;
      if ((flags & Flags.O_EXCL) == 0) {
        try {
          before = look(directory, name);
        } catch (NoSuchFileException e) {
          if ((flags & Flags.O_CREAT) == 0) {
            throw e;
          }
        }
        if (before != null && before.is(EntryKind.SYMLINK)) {
          return -Errno.ELOOP;
        }
        if (before != null && !before.is(EntryKind.FILE)) {
          return (flags & (Flags.O_WRONLY | Flags.O_RDWR)) == 0
              ? opened(new OpenSpecial(before))
              : -Errno.EISDIR;
        }
      }
      FileChannel channel = channel(directory, name, flags, mode);
      try {
        boolean isWritable = (flags & (Flags.O_WRONLY | Flags.O_RDWR)) != 0;
        // A file that this user's programs replace just now counts as changed when it is read.
        boolean isSettled = before != null && !isWritable && holdsNames(directory);
        Identity identity = isSettled ? Identity.of(before) : identityOf(directory, name);
        if (before == null || Identity.of(before).equals(identity)) {
          FileChannel open = channel;
          channel = null;
          return opened(new OpenFile(directory, name, open, isWritable, identity));
        }
      } finally {
        if (channel != null) {
          channel.close();
        }
      }
    }
    return -Errno.ESTALE;
  }

  /** The identity of a name; that of no file when it is gone. */
  private Identity identityOf(OpenDirectory directory, Path name) throws IOException {
    try {
      return Identity.of(look(directory, name));
    } catch (NoSuchFileException e) {
      return Identity.NONE;
    }
  }

  private FileChannel channel(OpenDirectory directory, Path name, int flags, int mode)
      throws IOException {
    Set<OpenOption> options = new HashSet<>();
    options.add(LinkOption.NOFOLLOW_LINKS);
    if ((flags & Flags.O_WRONLY) == 0) {
      options.add(StandardOpenOption.READ);
    }
    if ((flags & (Flags.O_WRONLY | Flags.O_RDWR)) != 0 || (flags & Flags.O_CREAT) != 0) {
      options.add(StandardOpenOption.WRITE);
    }
    if ((flags & Flags.O_CREAT) != 0) {
      options.add(
          (flags & Flags.O_EXCL) == 0 ? StandardOpenOption.CREATE : StandardOpenOption.CREATE_NEW);
    }
    FileAttribute<?>[] attributesOfNew =
        (flags & Flags.O_CREAT) == 0 ? new FileAttribute<?>[0] : permissions(mode);
    return (FileChannel)
        (directory.secure() == null
            ? Files.newByteChannel(directory.path().resolve(name), options, attributesOfNew)
            : directory.secure().newByteChannel(name, options, attributesOfNew));
  }

  private FileAttribute<?>[] permissions(int mode) {
    return attributeSource.hasPosix()
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(AttributeSource.permissions(mode))
        }
        : new FileAttribute<?>[0];
  }

  private int opened(Handle handle) {
    int descriptor = lastDescriptor.incrementAndGet();
    handles.put(descriptor, handle);
    return descriptor;
  }

  /** A directory whose names can be resolved. */
  private OpenDirectory directory(int descriptor) throws IOException {
    OpenDirectory directory = open(descriptor);
    if (!directory.isUsable()) {
      throw new AccessDeniedException(directory.path().toString());
    }
    return directory;
  }

  private OpenDirectory open(int descriptor) throws IOException {
    if (handles.get(descriptor) instanceof OpenDirectory directory) {
      return directory;
    }
    throw new NotDirectoryException("descriptor " + descriptor);
  }

  private OpenFile file(int descriptor) {
    if (handles.get(descriptor) instanceof OpenFile file) {
      return file;
    }
    throw new IllegalStateException("descriptor " + descriptor + " is no open file");
  }

  @Override
  public int close(int descriptor) {
    return attempt(
        () -> {
          Handle handle = handles.remove(descriptor);
          if (handle == null) {
            return 0;
          }
          try (handle) {
            if (handle instanceof OpenFile file) {
              locks.close(file);
            }
          }
          return 0;
        });
  }

  /** {@inheritDoc} Java keeps no descriptor that it closes: the data is forced instead. */
  @Override
  public int flush(int descriptor) {
    return attempt(
        () -> {
          file(descriptor).channel().force(false);
          return 0;
        });
  }

  @Override
  public boolean mayFailAtClose(int directory) {
    return !LOCAL.contains(typeOf(directory));
  }

  // Attributes.

  private static boolean follows(int flags) {
    return (flags & Flags.AT_SYMLINK_NOFOLLOW) == 0;
  }

  @Override
  public int statx(int directory, FileName name, int flags) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          try {
            ATTRIBUTES.set(find(in, path, follows(flags)));
            return 0;
          } catch (NoSuchFileException e) {
            return names.mayBeReplaced(path) ? -Errno.EILSEQ : -Errno.ENOENT;
          }
        });
  }

  @Override
  public int statx(int descriptor) {
    return attempt(
        () -> {
          Handle handle = handles.get(descriptor);
          if (handle instanceof OpenSpecial special) {
            ATTRIBUTES.set(special.attributes());
          } else {
            ATTRIBUTES.set(
                handle instanceof OpenDirectory directory
                    ? attributesOf(directory)
                    : attributesOf(file(descriptor)));
          }
          return 0;
        });
  }

  /** The attributes of a name. Those by the path count only if they are of the same file. */
  private Attributes find(OpenDirectory directory, Path name, boolean followed) throws IOException {
    Path path = directory.path().resolve(name);
    if (directory.secure() == null || followed) {
      return attributeSource.of(path, followed);
    }
    return completed(path, look(directory, name));
  }

  /** The source of the kind and the identity of a name, links not followed. */
  private Attributes look(OpenDirectory directory, Path name) throws IOException {
    Path path = directory.path().resolve(name);
    return directory.secure() == null
        ? attributeSource.of(path, false)
        : attributeSource.of(
            path, view(directory, name, PosixFileAttributeView.class).readAttributes());
  }

  private Attributes attributesOf(OpenDirectory directory) throws IOException {
    if (directory.secure() == null) {
      return attributeSource.of(directory.path(), false);
    }
    PosixFileAttributeView view =
        directory.secure().getFileAttributeView(PosixFileAttributeView.class);
    return completed(directory.path(), attributeSource.of(directory.path(), view.readAttributes()));
  }

  private Attributes completed(Path path, Attributes seen) {
    try {
      Attributes byPath = attributeSource.of(path, false);
      return byPath.isSameFile(seen) ? byPath : seen;
    } catch (IOException e) {
      return seen;
    }
  }

  /** The attributes of an open file. If it has lost its name, it counts as changed just now. */
  private Attributes attributesOf(OpenFile file) throws IOException {
    Attributes found = named(file);
    return found == null
        ? AttributeSource.ofNameless(file.identity(), file.channel().size())
        : found;
  }

  /** The attributes of an open file by its name; null if that is gone, or of another file. */
  private Attributes named(OpenFile file) throws IOException {
    try {
      Attributes found = find(file.directory(), file.name(), false);
      if (!Identity.of(found).equals(file.identity())) {
        return null;
      }
      // Windows updates the size in the directory later.
      return names.isWindows() ? found.withSize(file.channel().size()) : found;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * An open file whose attributes can be changed by its name. Where only this user can change names
   * that is not looked at.
   *
   * @throws NoSuchFileException that is gone, or of another file
   */
  private OpenFile namedFile(int descriptor) throws IOException {
    OpenFile file = file(descriptor);
    if (!holdsNames(file.directory())
        && !identityOf(file.directory(), file.name()).equals(file.identity())) {
      throw new NoSuchFileException(file.name().toString());
    }
    return file;
  }

  @Override
  public boolean isAt(int directory, FileName name, int descriptor) {
    int isSame =
        attempt(
            () -> {
              OpenDirectory in = directory(directory);
              Identity found = identityOf(in, name(in, name));
              boolean isThere = !found.equals(Identity.NONE);
              return isThere && found.equals(file(descriptor).identity()) ? 1 : 0;
            });
    return isSame == 1;
  }

  @Override
  public Attributes attributes() {
    return ATTRIBUTES.get();
  }

  @Override
  public boolean isAppendOnly() {
    return false;
  }

  @Override
  public byte[] data(int length) {
    return DATA.get();
  }

  // Names.

  @Override
  public int mkdir(int directory, FileName name, int mode) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          return create(
              in, name(in, name), path -> Files.createDirectory(path, permissions(mode)), null);
        });
  }

  @Override
  public int mkdir(int directory, byte[] path, int mode) {
    return attempt(
        () -> {
          Files.createDirectory(names.path(path), permissions(mode));
          return 0;
        });
  }

  @Override
  public int symlink(byte[] target, int directory, FileName name) {
    return attempt(
        () -> {
          Path to = names.path(target);
          OpenDirectory in = directory(directory);
          return create(in, name(in, name), path -> Files.createSymbolicLink(path, to), null);
        });
  }

  /** {@inheritDoc} Java drops slashes that are doubled or at the end. */
  @Override
  public BytePath keptTarget(BytePath target) {
    try {
      return BytePath.of(names.target(names.path(target.bytes())));
    } catch (InvalidPathException e) {
      return target;
    }
  }

  @Override
  public int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return attempt(
        () -> {
          OpenDirectory source = directory(fromDirectory);
          Path name = name(source, from);
          Path existing = source.path().resolve(name);
          OpenDirectory in = directory(toDirectory);
          return create(
              in,
              name(in, to),
              path -> Files.createLink(path, existing),
              source.secure() == null ? null : Identity.of(look(source, name)));
        });
  }

  /**
   * Creates an entry that Java creates by a path only: under a temporary name, which is moved when
   * it is found within the open directory. Where another user could replace a part of the path,
   * that is in the first directory of the chain.
   *
   * @param wanted the file that it has to be; null for a new one
   */
  private int create(OpenDirectory directory, Path name, Creation creation, Identity wanted)
      throws IOException {
    if (directory.secure() == null) {
      creation.at(directory.path().resolve(name));
      return 0;
    }
    if (exists(directory, name)) {
      return -Errno.EEXIST;
    }
    OpenDirectory in = directory.isPinned() ? directory : directory.first();
    Path temporary =
        names.name(TemporaryName.Kind.OLD.name(ThreadLocalRandom.current().nextLong()).bytes());
    Path created = in.path().resolve(temporary);
    creation.at(created);
    Identity found = identityOf(in, temporary);
    boolean isWanted = !found.equals(Identity.NONE) && (wanted == null || found.equals(wanted));
    int result = isWanted ? move(in, temporary, directory, name) : -Errno.ENOENT;
    if (result < 0) {
      deleteWhereItIs(created);
    }
    return result;
  }

  /** Deletes what was created where a path led for a moment, to which it has to lead again. */
  private static void deleteWhereItIs(Path created) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS_TO_DELETE; attempt++) {
      if (Files.deleteIfExists(created)) {
        return;
      }
      Thread.onSpinWait();
    }
  }

  private boolean exists(OpenDirectory directory, Path name) throws IOException {
    try {
      Attributes unused = look(directory, name);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private int move(OpenDirectory from, Path name, OpenDirectory to, Path newName) {
    return persistently(
        () -> {
          if (from.secure() == null || to.secure() == null) {
            Files.move(
                from.path().resolve(name),
                to.path().resolve(newName),
                StandardCopyOption.ATOMIC_MOVE);
          } else {
            from.secure().move(name, to.secure(), newName);
          }
          return 0;
        });
  }

  @Override
  public int unlink(int directory, FileName name) {
    return persistently(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          if (in.secure() != null) {
            in.secure().deleteFile(path);
          } else if (find(in, path, false).is(EntryKind.DIRECTORY)) {
            return -Errno.EISDIR; // an empty one would be deleted
          } else {
            Files.delete(in.path().resolve(path));
          }
          return 0;
        });
  }

  @Override
  public int rmdir(int directory, FileName name) {
    return persistently(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          if (in.secure() != null) {
            in.secure().deleteDirectory(path);
          } else if (!find(in, path, false).is(EntryKind.DIRECTORY)) {
            return -Errno.ENOTDIR;
          } else {
            Files.delete(in.path().resolve(path));
          }
          return 0;
        });
  }

  @Override
  public int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return attempt(
        () -> {
          OpenDirectory source = directory(fromDirectory);
          OpenDirectory target = directory(toDirectory);
          return move(source, name(source, from), target, name(target, to));
        });
  }

  /** {@inheritDoc} Another process may take the name between two calls, which loses its entry. */
  @Override
  public int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return attempt(
        () -> {
          OpenDirectory target = directory(toDirectory);
          return exists(target, name(target, to))
              ? -Errno.EEXIST
              : rename(fromDirectory, from, toDirectory, to);
        });
  }

  @Override
  public int exchange(int directory, FileName one, FileName other) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public int readlink(int directory, FileName name) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          Attributes link = find(in, path, false);
          if (!link.is(EntryKind.SYMLINK)) {
            return -Errno.EINVAL;
          }
          byte[] target = names.target(Files.readSymbolicLink(in.path().resolve(path)));
          if (!attributeSource.of(in.path().resolve(path), false).isSameFile(link)) {
            return -Errno.ESTALE; // its path leads elsewhere now
          }
          DATA.set(target);
          return target.length;
        });
  }

  @Override
  public int link(int descriptor, int directory, FileName name) {
    return -Errno.EOPNOTSUPP;
  }

  // Changes of attributes.

  @Override
  public int chmod(int descriptor, int mode) {
    return attempt(
        () -> {
          OpenFile file = namedFile(descriptor);
          OpenDirectory directory = file.directory();
          return chmod(
              view(directory, file.name(), PosixFileAttributeView.class),
              directory.path().resolve(file.name()),
              holdsNames(directory) ? file.identity() : Identity.NONE,
              mode);
        });
  }

  /** Changes a mode. Java has special bits by a path only. */
  private int chmod(PosixFileAttributeView view, Path path, Identity pinned, int mode)
      throws IOException {
    boolean isSpecial = (mode & SPECIAL_BITS) != 0;
    if (isSpecial && isAt(path, pinned)) {
      Files.setAttribute(path, "unix:mode", mode, NOT_FOLLOWING);
      return 0;
    }
    if (view == null) {
      return 0; // no modes, as the capabilities say
    }
    view.setPermissions(AttributeSource.permissions(mode));
    return isSpecial ? -Errno.EOPNOTSUPP : 0;
  }

  /**
   * Whether a path leads to a file.
   *
   * @param pinned NONE where another user can replace a part of the path
   */
  private boolean isAt(Path path, Identity pinned) throws IOException {
    return attributeSource.hasUnix() && Identity.of(attributeSource.of(path, false)).equals(pinned);
  }

  /** A view of a name, links not followed. */
  private static <V extends BasicFileAttributeView> V view(
      OpenDirectory directory, Path name, Class<V> type) {
    return directory.secure() == null
        ? view(directory.path().resolve(name), type)
        : directory.secure().getFileAttributeView(name, type, NOT_FOLLOWING);
  }

  private static <V extends BasicFileAttributeView> V view(Path path, Class<V> type) {
    return Files.getFileAttributeView(path, type, NOT_FOLLOWING);
  }

  /** A view of a directory itself. */
  private static <V extends BasicFileAttributeView> V view(OpenDirectory directory, Class<V> type) {
    return directory.secure() == null
        ? view(directory.path(), type)
        : directory.secure().getFileAttributeView(type);
  }

  @Override
  public int chmodDirectory(int directory, int mode) {
    return attempt(
        () -> {
          OpenDirectory changed = open(directory);
          if (!attributesOf(changed).isSameFile(changed.firstSeen())) {
            return -Errno.ESTALE; // an unreadable one has its path only
          }
          return chmod(
              view(changed, PosixFileAttributeView.class),
              changed.path(),
              changed.isPinned() ? Identity.of(changed.firstSeen()) : Identity.NONE,
              mode);
        });
  }

  @Override
  public int chmodOpen(int descriptor, int mode) {
    return chmodDirectory(descriptor, mode);
  }

  @Override
  public int setModified(int descriptor, Timestamp modified) {
    return attempt(
        () -> {
          OpenFile file = namedFile(descriptor);
          return setTime(
              view(file.directory(), file.name(), BasicFileAttributeView.class),
              modified,
              file.isWritable() ? FileTime.from(Instant.now()) : null); // without, Java reads it
        });
  }

  @Override
  public int setModified(int directory, FileName name, Timestamp modified) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          int result = setTime(view(in, path, BasicFileAttributeView.class), modified, null);
          return result == -Errno.ELOOP
              ? ofLink(
                  in,
                  path,
                  link -> setTime(view(link, BasicFileAttributeView.class), modified, null))
              : result;
        });
  }

  /** Changes a link by its path: within an open directory Java opens what it changes. */
  private int ofLink(OpenDirectory directory, Path name, PathCall change) throws IOException {
    Path path = directory.path().resolve(name);
    return holdsNames(directory) && isAt(path, identityOf(directory, name))
        ? change.on(path)
        : -Errno.EOPNOTSUPP;
  }

  @Override
  public int setModifiedOfDirectory(int directory, Timestamp modified) {
    return attempt(
        () -> {
          OpenDirectory changed = open(directory);
          return setTime(view(changed, BasicFileAttributeView.class), modified, null);
        });
  }

  /**
   * Sets a time: Java 17 to the microsecond, and before 1970 to the second.
   *
   * @param accessed null to keep it
   */
  private static int setTime(BasicFileAttributeView view, Timestamp modified, FileTime accessed) {
    FileTime time =
        AttributeSource.time(
            modified.seconds() < 0 ? new Timestamp(modified.seconds(), 0) : modified);
    return attempt(
        () -> {
          view.setTimes(time, accessed, null);
          return 0;
        });
  }

  @Override
  public int chown(int descriptor, int owner, int group) {
    return attempt(
        () -> {
          OpenFile file = namedFile(descriptor);
          return chown(
              view(file.directory(), file.name(), PosixFileAttributeView.class), owner, group);
        });
  }

  @Override
  public int chown(int directory, FileName name, int owner, int group) {
    return attempt(
        () -> {
          OpenDirectory in = directory(directory);
          Path path = name(in, name);
          int result = chown(view(in, path, PosixFileAttributeView.class), owner, group);
          return result == -Errno.ELOOP
              ? ofLink(
                  in, path, link -> chown(view(link, PosixFileAttributeView.class), owner, group))
              : result;
        });
  }

  @Override
  public int chownDirectory(int directory, int owner, int group) {
    return attempt(() -> chown(view(open(directory), PosixFileAttributeView.class), owner, group));
  }

  private int chown(PosixFileAttributeView view, int owner, int group) {
    return attempt(
        () -> {
          if (!attributeSource.hasUnix()) {
            return -Errno.EOPNOTSUPP;
          }
          UserPrincipalLookupService principals = files.getUserPrincipalLookupService();
          // A name that no user has is read as a number.
          view.setOwner(principals.lookupPrincipalByName(Integer.toString(owner)));
          view.setGroup(principals.lookupPrincipalByGroupName(Integer.toString(group)));
          return 0;
        });
  }

  @Override
  public int listAttributes(int descriptor) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public int getAttribute(int descriptor, byte[] name) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public int setAttribute(int descriptor, byte[] name, byte[] value) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public int removeAttribute(int descriptor, byte[] name) {
    return -Errno.EOPNOTSUPP;
  }

  // File systems and space.

  private Path pathOf(int descriptor) throws IOException {
    return handles.get(descriptor) instanceof OpenFile file
        ? file.directory().path()
        : directory(descriptor).path();
  }

  /** The type of the file system of an open file or directory, as the system names it. */
  private String typeOf(int descriptor) {
    try {
      OpenDirectory directory =
          handles.get(descriptor) instanceof OpenFile file
              ? file.directory()
              : directory(descriptor);
      return directory.fileSystemType();
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public long fileSystemType(int descriptor) {
    String type = typeOf(descriptor);
    return TYPES.getOrDefault(type.startsWith("fuse.") ? "fuse" : type, 0L);
  }

  @Override
  public long freeSpace(int directory) throws IOException {
    return Files.getFileStore(pathOf(directory)).getUsableSpace();
  }

  @Override
  public int allocate(int descriptor, long length) {
    return attempt(
        () -> {
          FileStore store = Files.getFileStore(pathOf(descriptor));
          boolean isKnown = store.getTotalSpace() > 0;
          return isKnown && store.getUsableSpace() < length ? -Errno.ENOSPC : 0;
        });
  }

  @Override
  public int truncate(int descriptor, long length) {
    return attempt(
        () -> {
          FileChannel channel = file(descriptor).channel();
          if (channel.size() > length) {
            channel.truncate(length);
          } else if (channel.size() < length) {
            channel.write(ByteBuffer.allocate(1), length - 1);
          }
          return 0;
        });
  }

  @Override
  public int punch(int descriptor, long offset, long length) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public long seekData(int descriptor, long offset) {
    return -Errno.EINVAL;
  }

  @Override
  public long seekHole(int descriptor, long offset) {
    return -Errno.EINVAL;
  }

  @Override
  public int effectiveUser() {
    try {
      return attributeSource.hasUnix()
          ? attributeSource.of(files.getPath("/proc/thread-self"), true).user()
          : UNKNOWN_USER;
    } catch (IOException e) {
      return UNKNOWN_USER;
    }
  }

  // Locks.

  @Override
  public int tryLock(int descriptor) {
    return lock(descriptor, false);
  }

  @Override
  public int tryShareLock(int descriptor) {
    return lock(descriptor, true);
  }

  private int lock(int descriptor, boolean isShared) {
    return attempt(
        () -> {
          OpenFile file = file(descriptor);
          return locks.take(file, isShared, () -> again(file));
        });
  }

  private FileChannel again(OpenFile file) throws IOException {
    if (holdsNames(file.directory())) {
      return null;
    }
    try {
      return channel(file.directory(), file.name(), Flags.O_FILE, 0);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  // Content.

  @Override
  public void adviseSequential(int descriptor) {}

  @Override
  public void dropCache(int descriptor, long end) {}

  @Override
  public boolean mayBeCached(int descriptor, long offset, int length) {
    return true;
  }

  @Override
  public int reopenDirect(int descriptor, int access) {
    return -Errno.EINVAL;
  }

  @Override
  public int startWriteBack(int descriptor) {
    return -Errno.ENOSYS;
  }

  @Override
  public int fsync(int descriptor) {
    return attempt(
        () -> {
          if (handles.get(descriptor) instanceof OpenDirectory directory) {
            return sync(directory);
          }
          file(descriptor).channel().force(true);
          return 0;
        });
  }

  /** Systems that cannot sync directories refuse to open them as files: Windows denies access. */
  private int sync(OpenDirectory directory) throws IOException {
    Set<OpenOption> options = Set.of(StandardOpenOption.READ);
    FileChannel channel;
    try {
      channel =
          (FileChannel)
              (directory.secure() == null
                  ? Files.newByteChannel(directory.path(), options)
                  : directory.secure().newByteChannel(files.getPath("."), options));
    } catch (IOException e) {
      boolean isRefused = names.isWindows() || Failures.errnoOf(e) == Errno.EIO;
      return isRefused ? -Errno.EINVAL : -Failures.errnoOf(e);
    }
    try (channel) {
      channel.force(true);
      return 0;
    }
  }

  /** {@inheritDoc} Java writes back all of a file at once. */
  @Override
  public int writeBack(int descriptor, long offset, long length) {
    return attempt(
        () -> {
          file(descriptor).channel().force(false);
          return 0;
        });
  }

  @Override
  public int read(int descriptor, ByteBuf target, int length, long offset) {
    target.ensureWritable(length);
    int start = target.writerIndex();
    int read = attempt(() -> read(file(descriptor).channel(), target, length, offset));
    target.writerIndex(start + Math.max(0, read));
    return read;
  }

  private static int read(FileChannel channel, ByteBuf target, int length, long offset)
      throws IOException {
    int done = 0;
    for (ByteBuffer part : target.nioBuffers(target.writerIndex(), length)) {
      while (part.hasRemaining()) {
        int read = channel.read(part, offset + done);
        if (read < 0) {
          return done;
        }
        if (read == 0) {
          return -Errno.EAGAIN; // Java has no exception for it
        }
        done += read;
      }
    }
    return done;
  }

  @Override
  public int write(int descriptor, ByteBuf source, long offset) {
    return attempt(
        () -> {
          FileChannel channel = file(descriptor).channel();
          long at = offset;
          for (ByteBuffer part : source.nioBuffers(source.readerIndex(), source.readableBytes())) {
            while (part.hasRemaining()) {
              int written = channel.write(part, at);
              if (written == 0) {
                return -Errno.EAGAIN;
              }
              at += written;
            }
          }
          return 0;
        });
  }

  @Override
  public int readDirectory(int descriptor, ByteBuffer records) {
    return attempt(
        () -> {
          OpenDirectory directory = directory(descriptor);
          records.clear().order(ByteOrder.nativeOrder());
          int end = 0;
          for (Path name = directory.nextName(); name != null; name = directory.nextName()) {
            byte[] bytes = names.bytes(name);
            int next = end + NAME + bytes.length + 1;
            if (next > records.capacity()) {
              directory.putBack(name);
              break;
            }
            records.putShort(end + RECORD_LENGTH, (short) (next - end));
            records.put(end + TYPE, (byte) Flags.DT_UNKNOWN);
            records.put(end + NAME, bytes);
            records.put(next - 1, (byte) 0);
            end = next;
          }
          return end;
        });
  }
}
