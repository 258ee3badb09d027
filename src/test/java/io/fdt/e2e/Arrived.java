package io.fdt.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * How much of a dataset has arrived in a directory, read from the outside while a transfer runs.
 *
 * @param finished bytes of files that have their final name
 * @param kept bytes that journals hold
 */
public record Arrived(long finished, long kept) {
  private static final int NAME_LENGTH_AT = 12;
  private static final int NAME_AT = 80;
  private static final int CRC = 4;
  private static final int RECORD = 24;

  public long total() {
    return finished + kept;
  }

  /** Looks at everything beneath a directory, which need not be there yet. */
  public static Arrived in(Path directory) {
    long[] sums = new long[2];
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              String name = file.getFileName().toString();
              if (!name.startsWith(".fdt-")) {
                sums[0] += attributes.isRegularFile() ? attributes.size() : 0;
              } else if (name.endsWith(".journal")) {
                sums[1] += recorded(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure)
                throws IOException {
              if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE; // it has just got its final name, or is to come
              }
              throw failure;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Arrived(sums[0], sums[1]);
  }

  /**
   * The ranges in the records of a journal, as PROTOCOL.md draws them; a torn one does not count.
   */
  private static long recorded(Path journal) throws IOException {
    ByteBuffer bytes;
    try {
      bytes = ByteBuffer.wrap(Files.readAllBytes(journal));
    } catch (NoSuchFileException e) {
      return 0;
    }
    long sum = 0;
    if (bytes.limit() >= NAME_AT) {
      int at = NAME_AT + bytes.getInt(NAME_LENGTH_AT) + CRC;
      for (; at + RECORD <= bytes.limit(); at += RECORD) {
        sum += bytes.getLong(at + 8) - bytes.getLong(at);
      }
    }
    return sum;
  }
}
