package io.fdt.cli.run;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** Writes a list of digests, which has its name when it is complete. Not thread-safe. */
final class SumsWriter implements AutoCloseable {
  private final Path path;
  private final Path unfinished;
  private final OutputStream out;
  private IOException failure;

  private SumsWriter(Path path, Path unfinished, OutputStream out) {
    this.path = path;
    this.unfinished = unfinished;
    this.out = out;
  }

  /**
   * Begins a list.
   *
   * @param path nothing is written without one
   * @throws FdtException USAGE when nothing can be written there
   */
  static SumsWriter of(Optional<Path> path) throws FdtException {
    if (path.isEmpty()) {
      return new SumsWriter(null, null, OutputStream.nullOutputStream());
    }
    Path file = path.get();
    if (file.toString().isEmpty() || Files.isDirectory(file)) {
      throw new FdtException(
          ErrorCode.USAGE, "--manifest '" + file + "': a directory; name a file in it");
    }
    Path part = file.resolveSibling(file.getFileName() + ".part-" + ProcessHandle.current().pid());
    try {
      return new SumsWriter(file, part, new BufferedOutputStream(Files.newOutputStream(part)));
    } catch (IOException e) {
      throw new FdtException(ErrorCode.USAGE, "--manifest " + file + ": " + reason(e), e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "the directory does not exist; make it, or choose another one";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied; choose another place";
    }
    return "it cannot be written; check the space and the disk there";
  }

  /** Adds a line, without its end. */
  void line(String text) {
    try {
      out.write(ByteText.encode(text + "\n"));
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
  }

  /**
   * Gives the list its name.
   *
   * @throws FdtException IO when it is not there, or not whole
   */
  void finish() throws FdtException {
    try {
      out.close();
      if (failure != null) {
        throw failure;
      }
      if (path != null) {
        Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      throw new FdtException(ErrorCode.IO, "--manifest " + path + ": " + reason(e), e);
    }
  }

  /** Removes what did not become a list. Idempotent. */
  @Override
  public void close() throws FdtException {
    try {
      out.close();
      if (path != null) {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException e) {
      throw new FdtException(ErrorCode.IO, "--manifest " + path + ": " + reason(e), e);
    }
  }
}
