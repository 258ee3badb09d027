package io.fdt.nio;

import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Copies of files and trees between this machine and a server, by whole transfers: parallel
 * streams, verified, resumable, with modes and times. {@link Files#copy} copies files one by one;
 * this copies a tree at full rate.
 */
public final class FdtFiles {
  private FdtFiles() {}

  /**
   * Copies a file or a directory with its contents. One path is on this machine, the other one on a
   * server. Existing files of the same size and time are skipped; a second run resumes an
   * interrupted copy. Other files at the target are kept. Blocks.
   *
   * @param source a file or a directory; links in it are copied as links
   * @param target its new path, in an existing directory
   * @return figures of the transfer
   * @throws FileAlreadyExistsException the kinds of source and target differ
   * @throws IOException a file failed; the message names it
   * @throws IllegalArgumentException both paths are on this machine, or both on servers
   */
  public static TransferReport copy(Path source, Path target) throws IOException {
    boolean pull = source instanceof FdtPath;
    if (pull == (target instanceof FdtPath) || !isLocal(pull ? target : source)) {
      throw new IllegalArgumentException(
          "'%s' and '%s': one is a path of this machine, the other one of an FDT server"
              .formatted(source, target));
    }
    boolean isDirectory = Files.isDirectory(source);
    if (!isDirectory && !Files.isRegularFile(source)) {
      Files.getLastModifiedTime(source); // says so when there is nothing
      throw new FileSystemException(source.toString(), null, "neither a file nor a directory");
    }
    if (Files.exists(target) && Files.isDirectory(target) != isDirectory) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "the target is " + (isDirectory ? "no" : "a") + " directory");
    }
    FdtPath remote = FdtPath.of(pull ? source : target);
    FdtPath real =
        pull
            ? remote.getFileSystem().remote().find(remote, true).path()
            : remote.getFileSystem().remote().forWriting(remote);
    BytePath local = BytePath.of((pull ? target : source).toAbsolutePath());
    return remote
        .getFileSystem()
        .transfers()
        .copy(real, pull, pull ? real.bytes() : local, pull ? local : real.bytes(), isDirectory);
  }

  private static boolean isLocal(Path path) {
    return path.getFileSystem().equals(FileSystems.getDefault());
  }

  /** The server's error code of an exception of this provider; INTERNAL for others. */
  public static ErrorCode codeOf(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof io.fdt.core.error.FdtException known) {
        return known.code();
      }
    }
    return ErrorCode.INTERNAL;
  }
}
