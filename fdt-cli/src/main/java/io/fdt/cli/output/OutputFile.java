package io.fdt.cli.output;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * An output file of a command, which is written as by a shell's redirection.
 *
 * <pre>
 *   a link -> its target is written
 *   absent, or a regular file            -> written beside it, and renamed when it is complete
 *   a device, a FIFO                     -> opened and written, never replaced
 *   an open file (/dev/stdout, /dev/fd)  -> written where it stands
 * </pre>
 *
 * <p>Not thread-safe.
 */
public final class OutputFile implements AutoCloseable {
  /** The limit of the kernel. */
  private static final int MAX_LINKS = 40;

  private static final Path PROC = Path.of("/proc");
  private static final Path OWN_FILES = Path.of("/proc/self/fd");

  private final String option;
  private final Path path;
  private final OutputStream stream;

  /** The file that is renamed; null if the file itself is written. */
  private final Path unfinished;

  private final Path target;

  private OutputFile(String option, Path path, OutputStream stream, Path unfinished, Path target) {
    this.option = option;
    this.path = path;
    this.stream = stream;
    this.unfinished = unfinished;
    this.target = target;
  }

  /**
   * Begins a file.
   *
   * @param option by which the user asked for it
   * @throws FdtException USAGE when nothing can be written there
   */
  public static OutputFile create(String option, Path path) throws FdtException {
    if (path.toString().isEmpty() || Files.isDirectory(path)) {
      throw new FdtException(
          ErrorCode.USAGE, option + " '" + path + "': a directory; name a file in it");
    }
    try {
      Path target = target(path);
      if (isOpenFile(target)) {
        return new OutputFile(option, path, openFile(target), null, null);
      }
      if (Files.exists(target) && !Files.isRegularFile(target)) {
        OutputStream stream = Files.newOutputStream(target, StandardOpenOption.WRITE);
        return new OutputFile(option, path, stream, null, null);
      }
      Path unfinished = unfinished(target);
      return new OutputFile(option, path, Files.newOutputStream(unfinished), unfinished, target);
    } catch (IOException e) {
      throw failure(ErrorCode.USAGE, option, path, e);
    }
  }

  /** The temporary name; it omits the last part of the name if the locale cannot encode it. */
  private static Path unfinished(Path target) {
    String end = ".part-" + ProcessHandle.current().pid();
    try {
      return target.resolveSibling(target.getFileName() + end);
    } catch (InvalidPathException e) {
      return target.resolveSibling(Integer.toHexString(target.toUri().hashCode()) + end);
    }
  }

  /** The target of links, up to one for an open file. */
  private static Path target(Path path) throws IOException {
    Path target = path;
    for (int links = 0; Files.isSymbolicLink(target) && !isOpenFile(target); links++) {
      if (links == MAX_LINKS) {
        throw new FileSystemLoopException(path.toString());
      }
      target = target.resolveSibling(Files.readSymbolicLink(target));
    }
    return target;
  }

  /** Whether the path is a link of /proc, whose target is not a path. */
  private static boolean isOpenFile(Path path) throws IOException {
    return Files.isSymbolicLink(path) && directory(path).startsWith(PROC);
  }

  private static Path directory(Path path) throws IOException {
    return path.toAbsolutePath().getParent().toRealPath();
  }

  /**
   * Returns the shared standard streams: sockets cannot be reopened, and a reopened file would be
   * written from its start.
   */
  private static OutputStream openFile(Path descriptor) throws IOException {
    if (directory(descriptor).equals(OWN_FILES.toRealPath())) {
      switch (descriptor.getFileName().toString()) {
        case "1" -> {
          return shared(FileDescriptor.out);
        }
        case "2" -> {
          return shared(FileDescriptor.err);
        }
        default -> {}
      }
    }
    return Files.newOutputStream(
        descriptor,
        Files.isRegularFile(descriptor) ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
  }

  private static OutputStream shared(FileDescriptor descriptor) {
    FileOutputStream stream = new FileOutputStream(descriptor);
    return new OutputStream() {
      @Override
      public void write(int octet) throws IOException {
        stream.write(octet);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
      }
    };
  }

  /** The unbuffered stream to write to. */
  public OutputStream stream() {
    return stream;
  }

  /**
   * Completes the file, and gives it its name.
   *
   * @param earlier the failure of an earlier write, or null
   * @throws FdtException the file is missing or incomplete
   */
  public void finish(IOException earlier) throws FdtException {
    try {
      stream.close();
      if (earlier != null) {
        throw earlier;
      }
      if (unfinished != null) {
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      throw failure(IoReason.codeOf(e), option, path, e);
    }
  }

  private static FdtException failure(ErrorCode code, String option, Path path, IOException e) {
    return new FdtException(code, "%s '%s': %s".formatted(option, path, reason(e)), e);
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "the directory does not exist; make it, or choose another one";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied; choose another place";
    }
    if (e instanceof FileSystemLoopException) {
      return "its links lead in a circle; choose another place";
    }
    return IoReason.of(e) + "; choose another place";
  }

  /** Removes an unfinished file. Idempotent. */
  @Override
  public void close() {
    try {
      stream.close();
      if (unfinished != null) {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException e) {
      return; // the first error was thrown before
    }
  }
}
