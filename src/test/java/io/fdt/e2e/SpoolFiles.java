package io.fdt.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files in which a relay has what it holds of connections.
 *
 * @param directory of them
 */
record SpoolFiles(Path directory) {
  /** What they take together. */
  long bytes() {
    return list().stream().mapToLong(SpoolFiles::size).sum();
  }

  List<Path> list() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0; // it has been taken
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
