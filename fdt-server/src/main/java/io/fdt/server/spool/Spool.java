package io.fdt.server.spool;

import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.OtherUsers;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.RemovalVisitor;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a relay: {@code data/PLACE} has the files of each request, {@code records/PLACE}
 * its record, next to its digests, and {@code passing} bytes of connections, useless to another
 * process. Thread-safe.
 *
 * @param directory of all
 * @param size limit of the files and these bytes together
 */
public record Spool(Path directory, ByteSize size) {
  /** The export that clients copy to. */
  public static final FileName EXPORT = FileName.of(".spool");

  /** Prefix of names to remove. */
  private static final String TRASH = "trash-";

  /** Bytes of a place's name that identify its owner. */
  private static final int OWNER_LENGTH = 8;

  /** Characters of {@link #prefix}. */
  static final int PREFIX_LENGTH = 2 * OWNER_LENGTH;

  private static final String PASSING = "passing";

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  /**
   * Creates the directories, readable by this user only, and locks the spool against other servers.
   *
   * @return the lock, released when closed
   * @throws FdtException IN_USE; the directories cannot be created
   */
  public Closeable open() throws FdtException {
    try {
      for (String name : List.of("data", "records", PASSING)) {
        Files.createDirectories(directory.resolve(name));
        OtherUsers.exclude(directory.resolve(name));
      }
      FileChannel lock =
          FileChannel.open(
              directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isLocked(lock)) {
        clearPassing();
        return lock;
      }
      lock.close();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO,
          "cannot make the spool %s: %s".formatted(directory, HomeDirectory.reason(e)),
          e);
    }
    throw new FdtException(
        ErrorCode.IN_USE, "another server has the spool " + directory + ": give each its own");
  }

  private static boolean isLocked(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // by another server of this process
    }
  }

  /** The directory for bytes of connections. */
  Path passing() {
    return directory.resolve(PASSING);
  }

  /** Removes bytes of connections of an earlier process or a stopped server. */
  void clearPassing() throws IOException {
    try (Stream<Path> files = Files.list(passing())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  /** The directory that clients copy to; each request has a directory in it. */
  public BytePath data() {
    return BytePath.of(directory.toAbsolutePath().resolve("data"));
  }

  /**
   * The place for the files of a request. Tokens have separate places, even for equal ids: their
   * names begin with {@link #prefix}.
   */
  public static SessionId place(Grant grant, SessionId id) {
    byte[] place = Arrays.copyOf(hash(owner(grant)), SessionId.LENGTH);
    System.arraycopy(hash(id.bytes()), 0, place, OWNER_LENGTH, place.length - OWNER_LENGTH);
    return SessionId.of(place);
  }

  /** The prefix of the names of all places of a token, unique to that token. */
  public static String prefix(Grant grant) {
    return HexFormat.of().formatHex(hash(owner(grant)), 0, OWNER_LENGTH);
  }

  private static byte[] owner(Grant grant) {
    return (grant.created() + " " + grant.name()).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] hash(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The path of a request, as its clients see it. */
  public static BytePath path(SessionId place) {
    return BytePath.of("/" + EXPORT + "/" + place);
  }

  /** The names of all directories of requests, and of other files, except those being removed. */
  List<String> names() throws FdtException {
    return list("data").stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> !name.startsWith(TRASH))
        .toList();
  }

  private static SessionId place(Path file) {
    return SessionId.of(HexFormat.of().parseHex(file.getFileName().toString()));
  }

  /** The request of a path beneath {@link #path}; empty for another path. */
  public static Optional<SessionId> placeIn(BytePath path) {
    return Optional.of(path)
        .filter(Spool::isInSpool)
        .map(Spool::nameIn)
        .filter(Spool::isId)
        .map(name -> SessionId.of(HexFormat.of().parseHex(name)));
  }

  private static boolean isInSpool(BytePath path) {
    try {
      return !path.names().isEmpty() && path.names().get(0).equals(EXPORT);
    } catch (IllegalArgumentException e) {
      return false; // ".."
    }
  }

  /** The first name of a path of the export; empty for the export itself. */
  static String nameIn(BytePath path) {
    try {
      List<FileName> names = path.names();
      return names.size() < 2 ? "" : names.get(1).toString();
    } catch (IllegalArgumentException e) {
      return ""; // ".."
    }
  }

  /** Sum of the sizes of a request's files. Reads the whole tree. */
  public long bytes(SessionId place) {
    return bytes(place.toString());
  }

  /** The same for one of {@link #names}. */
  public long bytes(String name) {
    Path root = directory.resolve("data").resolve(name);
    AtomicLong sum = new AtomicLong();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes found) {
              sum.addAndGet(found.isRegularFile() ? found.size() : 0);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE; // it has gone meanwhile
            }
          });
    } catch (IOException e) {
      LOG.warn("the spool cannot be measured reason={}", HomeDirectory.reason(e));
    }
    return sum.get();
  }

  /** Bytes of the digests of one of {@link #names}. */
  long bytesOfDigests(String name) {
    try {
      return Files.size(record(name + SpoolDigests.SUFFIX));
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      LOG.warn("the spool cannot be measured reason={}", HomeDirectory.reason(e));
      return 0;
    }
  }

  private Path files(SessionId place) {
    return directory.resolve("data").resolve(place.toString());
  }

  /** Whether there is a directory for a request. */
  public boolean has(SessionId place) {
    return Files.isDirectory(files(place));
  }

  /** Creates the directory of a request, or updates its time. */
  public void touch(SessionId place) throws FdtException {
    try {
      Files.createDirectories(files(place));
      Files.setLastModifiedTime(files(place), FileTime.from(Instant.now()));
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO, "cannot write to the spool: " + HomeDirectory.reason(e), e);
    }
  }

  /** Moves the files of a request away from clients; {@link #emptyTrash} removes them. */
  public void discard(SessionId place) {
    discard(files(place));
    forget(place + SpoolDigests.SUFFIX);
  }

  private void discard(Path file) {
    try {
      Files.move(file, file.resolveSibling(TRASH + System.nanoTime()));
    } catch (NoSuchFileException e) {
      LOG.debug("gone already: {}", file);
    } catch (IOException e) {
      LOG.warn("cannot remove from the spool path={} reason={}", file, HomeDirectory.reason(e));
    }
  }

  /** Removes discarded files. */
  public void emptyTrash(ExportedStorage roots) throws FdtException, InterruptedException {
    for (Path file : list("data")) {
      String name = file.getFileName().toString();
      if (name.startsWith(TRASH)) {
        roots.remove(BytePath.of("/" + EXPORT + "/" + name), true, new Removal());
      }
    }
  }

  private static final class Removal implements RemovalVisitor {
    @Override
    public void removed(Attributes what) {}

    @Override
    public void failed(String path, FdtException cause) {
      LOG.warn("cannot remove from the spool path={} reason={}", path, cause.getMessage());
    }
  }

  private HomeDirectory records() {
    return new HomeDirectory(directory.resolve("records"));
  }

  /** Stores the record of a delivery durably. */
  public void keep(SessionId place, Delivery delivery) throws FdtException {
    records().replace(place.toString(), delivery.toByteArray());
  }

  public void forget(SessionId place) {
    forget(place.toString());
  }

  /** Removes a file beside the records. */
  public void forget(String name) {
    try {
      Files.deleteIfExists(record(name));
    } catch (IOException e) {
      LOG.warn("cannot remove from the spool record={} reason={}", name, HomeDirectory.reason(e));
    }
  }

  /** A file beside the records, which only the user of this process may read. */
  public Path record(String name) {
    return records().file(name);
  }

  /** The names of files beside the records with this suffix. */
  List<String> records(String suffix) throws FdtException {
    return list("records").stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> name.endsWith(suffix))
        .toList();
  }

  /** All records. Logs and skips unreadable ones. */
  public List<Delivery> deliveries() throws FdtException {
    List<Delivery> all = new ArrayList<>();
    for (Path file : list("records")) {
      try {
        byte[] bytes = isId(file) ? records().readIfThere(file.getFileName().toString()) : null;
        if (bytes != null) {
          all.add(Delivery.parseFrom(bytes));
        }
      } catch (InvalidProtocolBufferException | FdtException e) {
        LOG.error("the record of a delivery cannot be read file={}", file, e);
      }
    }
    return all;
  }

  /**
   * Requests whose directories were last touched before a time. Discards other files of the same
   * age.
   */
  public List<SessionId> untouchedSince(Instant time) throws FdtException {
    List<SessionId> old = new ArrayList<>();
    for (Path file : list("data")) {
      String name = file.getFileName().toString();
      try {
        boolean isOld = Files.getLastModifiedTime(file).toInstant().isBefore(time);
        if (isOld && isId(file)) {
          old.add(place(file));
        } else if (isOld && !name.startsWith(TRASH)) {
          discard(file);
        }
      } catch (IOException e) {
        LOG.debug("gone meanwhile: {}", file);
      }
    }
    return old;
  }

  private List<Path> list(String name) throws FdtException {
    try (Stream<Path> files = Files.list(directory.resolve(name))) {
      return files.toList();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.IO, "cannot read the spool " + directory + ": " + HomeDirectory.reason(e), e);
    }
  }

  private static boolean isId(Path file) {
    return isId(file.getFileName().toString());
  }

  private static boolean isId(String name) {
    return name.matches("[0-9a-f]{" + 2 * SessionId.LENGTH + "}");
  }
}
