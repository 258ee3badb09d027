package io.fdt.compare;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A test dataset: the same name and scale always give the same bytes.
 *
 * @param name as on the command line
 * @param what description for the report
 * @param shape writes the files
 */
public record Dataset(String name, String what, Shape shape) {
  /** Writes the files of a dataset into an empty directory. */
  @FunctionalInterface
  public interface Shape {
    void make(Path directory, SplittableRandom random) throws IOException;
  }

  /** Mean of the logarithm of a size in the mixed set: e^11.5 is about 100 kB. */
  private static final double MIXED_LOG_MEAN = 11.5;

  /**
   * The standard deviation of the logarithm of sizes: from a few hundred bytes to some hundred
   * megabytes.
   */
  private static final double MIXED_LOG_DEVIATION = 2.0;

  private static final int BLOCK = 1 << 20;

  /** The name of a tree that the user provides. */
  static final String TREE = "tree";

  /** All datasets. */
  static final List<Dataset> ALL =
      List.of(
          new Dataset("one-4g", "one file of 4 GiB", (d, r) -> file(d, "file", 4L << 30, r)),
          small("small-20k", 200, 100),
          small("small-100k", 1000, 100),
          new Dataset(
              "mixed",
              "3,000 files of log-normal size (median 99 kB, deviation 2.0) in 60 directories",
              (d, r) -> mixed(d, r)),
          oneFile("one-64m", 64L << 20),
          small("small-1k", 10, 100));

  /** The dataset with this name. */
  static Dataset named(String name) {
    return ALL.stream()
        .filter(d -> d.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no dataset "
                        + name
                        + ": there are "
                        + ALL.stream().map(Dataset::name).toList()));
  }

  /** The description of a dataset, or of the user's tree. */
  static String what(String name) {
    return name.equals(TREE) ? "an existing tree, cold" : named(name).what();
  }

  /**
   * Writes the dataset beneath a directory unless it exists; returns the directory of its files.
   */
  public Path in(Path directory) throws IOException {
    Path made = directory.resolve(name);
    if (!Files.isDirectory(made)) {
      Path unfinished = directory.resolve(name + ".unfinished");
      Trees.delete(unfinished);
      Files.createDirectories(unfinished);
      shape.make(unfinished, new SplittableRandom(name.hashCode()));
      Files.move(unfinished, made);
    }
    return made;
  }

  /** One file of random bytes. */
  public static Dataset oneFile(String name, long bytes) {
    return new Dataset(
        name, "one file of %,d bytes".formatted(bytes), (d, r) -> file(d, "file", bytes, r));
  }

  /** Files of 0 to 16 KiB. */
  public static Dataset small(String name, int directories, int filesInEach) {
    String what = "%,d small files".formatted(directories * filesInEach);
    return new Dataset(
        name,
        what,
        (top, random) -> {
          for (int d = 0; d < directories; d++) {
            Path directory = Files.createDirectory(top.resolve("directory-%04d".formatted(d)));
            for (int f = 0; f < filesInEach; f++) {
              file(directory, "file-%03d".formatted(f), random.nextLong(16_385), random);
            }
          }
        });
  }

  private static void mixed(Path top, SplittableRandom random) throws IOException {
    java.util.Random normal = new java.util.Random(random.nextLong());
    for (int d = 0; d < 60; d++) {
      Path directory = Files.createDirectory(top.resolve("directory-%02d".formatted(d)));
      for (int f = 0; f < 50; f++) {
        double size = Math.exp(MIXED_LOG_MEAN + MIXED_LOG_DEVIATION * normal.nextGaussian());
        file(directory, "file-%02d".formatted(f), Math.min((long) size, 512L << 20), random);
      }
    }
  }

  private static void file(Path directory, String name, long size, SplittableRandom random)
      throws IOException {
    byte[] block = new byte[(int) Math.min(size, BLOCK)];
    try (OutputStream out = Files.newOutputStream(directory.resolve(name))) {
      for (long left = size; left > 0; left -= block.length) {
        random.nextBytes(block);
        out.write(left >= block.length ? block : Arrays.copyOf(block, (int) left));
      }
    }
  }
}
