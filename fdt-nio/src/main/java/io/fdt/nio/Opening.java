package io.fdt.nio;

import io.fdt.core.model.EntryKind;
import io.fdt.nio.server.RemoteAttributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/** Opens files of servers to read and to write them. Stateless. */
final class Opening {
  /**
   * The size from which on a stream uses a transfer; below it, the start of one costs more than it
   * gains.
   */
  static final long STREAMED_BYTES = 4L << 20;

  private Opening() {}

  static InputStream input(FdtPath path, OpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(List.of(options)); // an option may be repeated
    WriteOptions wanted = WriteOptions.of(all);
    if (wanted.write()) {
      throw new UnsupportedOperationException("an input stream does not write");
    }
    Remote.Found found = file(path, follows(all));
    if (found.file().size() < STREAMED_BYTES || wanted.deleteOnClose()) {
      return Channels.newInputStream(channel(path, found, wanted));
    }
    FdtFileSystem fileSystem = path.getFileSystem();
    return fileSystem.opened(new StreamedInput(found.path(), fileSystem.transfers()));
  }

  static OutputStream output(FdtPath path, OpenOption... options) throws IOException {
    return output(path, OptionalInt.empty(), options);
  }

  /**
   * The same for a new file with these permissions; an existing one keeps its own.
   *
   * @param mode empty for the default of new files
   */
  static OutputStream output(FdtPath path, OptionalInt mode, OpenOption... options)
      throws IOException {
    Set<OpenOption> all = new HashSet<>(List.of(options));
    if (all.contains(StandardOpenOption.READ)) {
      throw new IllegalArgumentException("an output stream does not read");
    }
    if (all.isEmpty()) {
      all.add(StandardOpenOption.CREATE);
      all.add(StandardOpenOption.TRUNCATE_EXISTING);
    }
    all.add(StandardOpenOption.WRITE);
    WriteOptions wanted = WriteOptions.of(all);
    Target target = target(path, wanted, follows(all));
    Publication publication = publication(target, wanted, mode);
    boolean keepsBytes = target.existing().isPresent() && !wanted.truncate();
    if (keepsBytes || publication.isPrivate()) {
      return new StagedOutput(staged(target, wanted, mode));
    }
    return path.getFileSystem().opened(new StreamedOutput(publication));
  }

  static SeekableByteChannel channel(
      FdtPath path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    WriteOptions wanted = WriteOptions.of(options);
    OptionalInt mode = mode(attributes);
    if (!wanted.write()) {
      return channel(path, file(path, follows(options)), wanted);
    }
    return staged(target(path, wanted, follows(options)), wanted, mode);
  }

  private static boolean follows(Set<? extends OpenOption> options) {
    return !options.contains(LinkOption.NOFOLLOW_LINKS);
  }

  private static SeekableByteChannel channel(FdtPath path, Remote.Found found, WriteOptions wanted)
      throws IOException {
    Remote remote = path.getFileSystem().remote();
    RangeChannel.CloseAction atClose =
        wanted.deleteOnClose() ? () -> remote.delete(found.path()) : () -> {};
    return path.getFileSystem().opened(new RangeChannel(path, remote, found, atClose));
  }

  private static Remote.Found file(FdtPath path, boolean follow) throws IOException {
    Remote.Found found = path.getFileSystem().remote().find(path.unseen(), follow);
    if (found.file().is(EntryKind.FILE)) {
      int unused =
          path.getFileSystem()
              .remote()
              .read(found, 0, java.nio.ByteBuffer.allocate(0)); // unreadable files fail now
      return found;
    }
    throw notFile(path, found);
  }

  private static IOException notFile(FdtPath path, Remote.Found found) {
    String what =
        found.file().is(EntryKind.DIRECTORY)
            ? "Is a directory"
            : found.file().is(EntryKind.SYMLINK) ? "Is a symbolic link" : "Is not a file";
    return new FileSystemException(path.toString(), null, what);
  }

  /**
   * The target of a write.
   *
   * @param asked the path as given by the program
   * @param real the path without links
   * @param existing the existing file
   */
  private record Target(FdtPath asked, FdtPath real, Optional<Remote.Found> existing) {}

  private static Target target(FdtPath path, WriteOptions wanted, boolean follow)
      throws IOException {
    Remote remote = path.getFileSystem().remote();
    Optional<Remote.Found> existing =
        remote.findIfThere(path.unseen(), follow && !wanted.createNew());
    if (existing.isPresent() && wanted.createNew()) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (existing.isEmpty() && !wanted.create() && !wanted.createNew()) {
      throw new NoSuchFileException(path.toString());
    }
    if (existing.isPresent() && !existing.get().file().is(EntryKind.FILE)) {
      throw notFile(path, existing.get());
    }
    FdtPath real = remote.forWriting(existing.isPresent() ? existing.get().path() : path);
    return new Target(path, real, existing);
  }

  /** The publication for a target; an overwritten file keeps its permissions. */
  private static Publication publication(Target target, WriteOptions wanted, OptionalInt mode) {
    OptionalInt kept =
        target.existing().isPresent()
            ? OptionalInt.of(target.existing().get().file().mode() & 0777)
            : mode;
    return new Publication(target.asked(), target.real(), wanted, kept);
  }

  private static StagedChannel staged(Target target, WriteOptions wanted, OptionalInt mode)
      throws IOException {
    boolean keeps = target.existing().isPresent() && !wanted.truncate();
    FdtFileSystem fileSystem = target.asked().getFileSystem();
    return fileSystem.opened(
        StagedChannel.open(
            wanted,
            publication(target, wanted, mode),
            local -> {
              if (keeps) {
                fileSystem.transfers().download(target.real(), local);
              }
            }));
  }

  /**
   * The permissions among attributes of a new file.
   *
   * @throws UnsupportedOperationException for any other attribute
   */
  static OptionalInt mode(FileAttribute<?>... attributes) {
    OptionalInt mode = OptionalInt.empty();
    for (FileAttribute<?> attribute : attributes) {
      if (!attribute.name().equals("posix:permissions")) {
        throw new UnsupportedOperationException(
            "'" + attribute.name() + "' is not set: only posix:permissions");
      }
      Set<PosixFilePermission> permissions =
          ((Set<?>) attribute.value())
              .stream().map(PosixFilePermission.class::cast).collect(Collectors.toSet());
      mode = OptionalInt.of(RemoteAttributes.mode(permissions));
    }
    return mode;
  }
}
