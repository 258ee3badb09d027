package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The directory with one user's identity, tokens and known hosts, accessible to that user only.
 *
 * <p>Files appear there atomically, and the first of two concurrent writers wins. Any thread, any
 * process.
 */
public final class HomeDirectory {
  /** File locks exclude other processes; these exclude other threads of this one. */
  private static final Map<Path, ReentrantLock> LOCKS_OF_PROCESS = new ConcurrentHashMap<>();

  private final Path directory;

  public HomeDirectory(Path directory) {
    this.directory = directory;
  }

  /** The path of a file of this name, existing or not. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  /**
   * The content of a file; null when it does not exist.
   *
   * @throws FdtException FORBIDDEN when others than its owner may read it
   */
  public byte[] readIfThere(String name) throws FdtException {
    Path file = file(name);
    try {
      checkPrivate(file);
      checkDirectory();
      return Files.readAllBytes(file);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return null;
    } catch (IOException e) {
      throw failure("read", file, e);
    }
  }

  /** The content of a file, which is created when missing. */
  byte[] readOrMake(String name, Supplier<byte[]> content) throws FdtException {
    byte[] there = readIfThere(name);
    if (there != null) {
      return there;
    }
    Path file = file(name);
    Path temporary = writeTemporary(name, content.get());
    try {
      Files.createLink(file, temporary);
    } catch (FileAlreadyExistsException e) {
      // Another process was faster: its file counts.
    } catch (IOException | UnsupportedOperationException e) {
      moveWithoutLinks(temporary, file, e);
    } finally {
      remove(temporary);
    }
    return readIfThere(name);
  }

  /** Without hard links, concurrent first starts may overwrite each other's file. */
  private void moveWithoutLinks(Path temporary, Path file, Exception reason) throws FdtException {
    try {
      Files.move(temporary, file);
    } catch (FileAlreadyExistsException e) {
      return;
    } catch (IOException e) {
      e.addSuppressed(reason);
      throw failure("make", file, e);
    }
  }

  /** Replaces or creates a file. */
  public void replace(String name, byte[] content) throws FdtException {
    Path temporary = writeTemporary(name, content);
    try {
      Files.move(temporary, file(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      remove(temporary);
      throw failure("write", file(name), e);
    }
  }

  /** Appends to a file, which is created when missing. */
  public void append(String name, byte[] content) throws FdtException {
    makeDirectory();
    Path file = file(name);
    try (FileChannel channel =
        FileChannel.open(
            file,
            EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            OtherUsers.allowing("rw-------"))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      giveToOwner(file);
    } catch (IOException e) {
      throw failure("write", file, e);
    }
  }

  /** Runs an action that excludes all others of the same name, in this and other processes. */
  public <T> T locked(String name, Action<T> action) throws FdtException {
    ReentrantLock ofProcess = lockOfProcess(name);
    ofProcess.lock();
    try (FileChannel channel = lockFile(name)) {
      channel.lock();
      return action.run();
    } catch (IOException e) {
      throw failure("lock", file(name), e);
    } finally {
      ofProcess.unlock();
    }
  }

  /** Runs an action, unless another one of the same name is running. */
  public void lockedAtOnce(String name, Action<?> action) throws FdtException {
    ReentrantLock ofProcess = lockOfProcess(name);
    if (!ofProcess.tryLock()) {
      return;
    }
    try (FileChannel channel = lockFile(name)) {
      if (channel.tryLock() != null) {
        action.run();
      }
    } catch (IOException e) {
      throw failure("lock", file(name), e);
    } finally {
      ofProcess.unlock();
    }
  }

  private ReentrantLock lockOfProcess(String name) {
    return LOCKS_OF_PROCESS.computeIfAbsent(
        file(name).toAbsolutePath().normalize(), file -> new ReentrantLock());
  }

  private FileChannel lockFile(String name) throws IOException {
    makeDirectory();
    Path file = file(name);
    FileChannel channel =
        FileChannel.open(
            file,
            EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            OtherUsers.allowing("rw-------"));
    try {
      giveToOwner(file);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Gives a file to the owner of the directory: root writes in the homes of others, who must be
   * able to read it.
   *
   * @throws FdtException PERMISSION when this user can write there, but not give files away
   */
  private void giveToOwner(Path file) throws IOException {
    UserPrincipal owner = Files.getOwner(directory);
    if (!OtherUsers.HAS_MODES || owner.equals(Files.getOwner(file))) {
      return;
    }
    try {
      Files.setOwner(file, owner);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "%s owns '%s' and could not read a new file there; run this as %s"
              .formatted(owner.getName(), directory, owner.getName()),
          e);
    }
  }

  /** An action under a lock. */
  @FunctionalInterface
  public interface Action<T> {
    T run() throws FdtException;
  }

  private Path writeTemporary(String name, byte[] content) throws FdtException {
    makeDirectory();
    Path temporary = file("." + name + "." + UUID.randomUUID());
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            OtherUsers.allowing("rw-------"))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
      giveToOwner(temporary);
      return temporary;
    } catch (IOException e) {
      remove(temporary);
      throw failure("write", temporary, e);
    }
  }

  private static void remove(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      return; // readable by its owner only, and never read
    }
  }

  private void makeDirectory() throws FdtException {
    if (Files.isDirectory(directory)) {
      return;
    }
    try {
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectory(directory, OtherUsers.allowing("rwx------"));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw failure("make the directory", directory, e);
      }
    } catch (IOException e) {
      throw failure("make the directory", directory, e);
    }
  }

  /**
   * Refuses a file that others than its owner may read or change, as ssh does.
   *
   * @throws FdtException FORBIDDEN
   */
  public static void checkPrivate(Path file) throws IOException {
    Optional<String> other = OtherUsers.whoMayUse(file);
    if (other.isPresent()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "%s may read or change '%s'; run: %s"
              .formatted(other.get(), file, OtherUsers.remedy(file, "600")));
    }
  }

  /** A replaceable key protects nothing. */
  private void checkDirectory() throws IOException {
    Optional<String> other = OtherUsers.whoMayChange(directory);
    if (other.isPresent()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "%s may change '%s'; run: %s"
              .formatted(other.get(), directory, OtherUsers.remedy(directory, "700")));
    }
  }

  private FdtException failure(String doing, Path file, IOException e) {
    if (e instanceof FdtException known) {
      return known;
    }
    Optional<String> owner = e instanceof AccessDeniedException ? otherOwner() : Optional.empty();
    if (owner.isPresent()) {
      return new FdtException(
          ErrorCode.PERMISSION,
          "cannot %s '%s': %s; run this as %s, who owns the directory, or set FDT_HOME"
              .formatted(doing, file, reason(e), owner.get()),
          e);
    }
    return new FdtException(
        ErrorCode.PERMISSION,
        "cannot %s '%s': %s; choose another place with FDT_HOME".formatted(doing, file, reason(e)),
        e);
  }

  /** The owner of the directory, unless it is this user. */
  private Optional<String> otherOwner() {
    try {
      return Optional.of(Files.getOwner(directory).getName())
          .filter(owner -> !owner.equals(System.getProperty("user.name")));
    } catch (IOException e) {
      return Optional.empty(); // the first failure counts
    }
  }

  /** The reason as text: messages of file system exceptions are mere names. */
  public static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return String.valueOf(e.getMessage());
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
