package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Files of pseudo-random bytes that differ from one another and do not compress. */
public final class Content {
  private static final int CHUNK = 64 << 10;

  private Content() {}

  /**
   * Makes a file of {@code size} bytes; its directory is made too. The same seed gives the same
   * bytes.
   */
  public static Path write(Path file, long size, long seed) {
    try {
      Files.createDirectories(file.getParent());
      try (OutputStream out = Files.newOutputStream(file)) {
        append(out, size, seed);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void append(OutputStream out, long size, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    for (long left = size; left > 0; left -= CHUNK) {
      chunk.clear();
      while (chunk.hasRemaining()) {
        chunk.putLong(random.nextLong());
      }
      out.write(chunk.array(), 0, (int) Math.min(left, CHUNK));
    }
  }

  /** Fails unless both files have the same bytes. AssertJ compares them one by one. */
  public static void assertSame(Path file, Path expected) {
    try {
      assertThat(Files.mismatch(file, expected))
          .as("first difference of %s and %s", file, expected)
          .isEqualTo(-1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails unless the file has exactly these bytes. */
  public static void assertHolds(Path file, byte[] expected) {
    try {
      assertThat(Arrays.mismatch(Files.readAllBytes(file), expected))
          .as("first difference of %s", file)
          .isEqualTo(-1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
