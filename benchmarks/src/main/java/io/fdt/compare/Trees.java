package io.fdt.compare;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Compares and removes trees, with code that is independent of the tools under test. */
public final class Trees {
  private Trees() {}

  /** The differences between two trees; empty if the second is a copy of the first. */
  public static List<String> differences(Path expected, Path found) throws IOException {
    List<String> differences = new ArrayList<>();
    List<Path> wanted = relative(expected);
    List<Path> there = relative(found);
    for (Path path : wanted) {
      Path source = expected.resolve(path);
      Path copy = found.resolve(path);
      if (Files.isRegularFile(source)
          && (!Files.isRegularFile(copy) || Files.mismatch(source, copy) >= 0)) {
        differences.add(path.toString());
      }
    }
    there.removeAll(new java.util.HashSet<>(wanted));
    there.forEach(path -> differences.add("not in the source: " + path));
    return differences;
  }

  private static List<Path> relative(Path top) throws IOException {
    try (Stream<Path> all = Files.walk(top)) {
      return new ArrayList<>(all.map(top::relativize).sorted().toList());
    }
  }

  /** The total size and number of all files of a tree. */
  public static Size size(Path top) throws IOException {
    long[] sums = new long[2];
    Files.walkFileTree(
        top,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            sums[0] += attributes.size();
            sums[1]++;
            return FileVisitResult.CONTINUE;
          }
        });
    return new Size(sums[0], sums[1]);
  }

  /**
   * The contents of a tree.
   *
   * @param bytes of all files
   * @param files number of files
   */
  public record Size(long bytes, long files) {
    /** The size of {@code count} such trees. */
    Size times(int count) {
      return new Size(bytes * count, files * count);
    }
  }

  /** Removes a tree; a missing one is not an error. */
  public static void delete(Path top) throws IOException {
    if (!Files.exists(top)) {
      return;
    }
    Files.walkFileTree(
        top,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
