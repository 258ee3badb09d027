package io.fdt.plan;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** The paths of the files of a plan, and their creation (docs/PLAN.md). Immutable; any thread. */
public final class PlanFiles {
  /** The unit name of the last step. */
  public static final String FINAL = "final";

  private static final int UNITS_OF_DIRECTORY = 1000;

  private static final String UNFINISHED = ".part";

  private final Path directory;

  /**
   * @param directory of the plan
   */
  public PlanFiles(Path directory) {
    this.directory = directory;
  }

  Path header() {
    return directory.resolve("plan.json");
  }

  Path unfinishedHeader() {
    return directory.resolve("planning.json");
  }

  /** The file that the planner locks. */
  Path plannerLock() {
    return directory.resolve("planning.lock");
  }

  Path index() {
    return directory.resolve("index.jsonl");
  }

  Path unit(int number) {
    return directory.resolve("units").resolve(shard(number)).resolve(name(number) + ".jsonl");
  }

  Path state(String unit) {
    return directory.resolve("state").resolve(shardOf(unit));
  }

  public Path log(String unit, int attempt) {
    return directory.resolve("log").resolve(shardOf(unit)).resolve(unit + "." + attempt + ".jsonl");
  }

  Path worker(String name) {
    return directory.resolve("workers").resolve(name + Heartbeat.SUFFIX);
  }

  /** The name of a unit: six digits or more. */
  public static String name(int number) {
    return String.format(Locale.ROOT, "%06d", number);
  }

  private static String shard(int number) {
    return String.format(Locale.ROOT, "%03d", number / UNITS_OF_DIRECTORY);
  }

  /** The state directory of a unit, shared with other units. */
  public static String shardOf(String unit) {
    return unit.equals(FINAL) ? FINAL : shard(Integer.parseInt(unit));
  }

  /** Whether both units are in the same directory. */
  static boolean areListedTogether(int one, int other) {
    return one / UNITS_OF_DIRECTORY == other / UNITS_OF_DIRECTORY;
  }

  /**
   * Writes a file that appears complete under its name, and is synced to its device. Processes on
   * several machines may write the same file, so temporary names contain more than process ids.
   */
  static void write(Path target, byte[] bytes) throws FdtException {
    Path unfinished =
        target.resolveSibling(
            ".%s.%016x%s"
                .formatted(
                    target.getFileName(), ThreadLocalRandom.current().nextLong(), UNFINISHED));
    try {
      Files.createDirectories(target.getParent());
      try (FileChannel channel =
          FileChannel.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
          channel.write(left);
        }
        channel.force(true);
      }
      Files.move(
          unfinished, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      FdtException failure = failure("write", target, e);
      try {
        Files.deleteIfExists(unfinished);
      } catch (IOException alsoFailed) {
        failure.addSuppressed(alsoFailed);
      }
      throw failure;
    }
  }

  /** Whether a file was left by a killed writer. */
  static boolean isUnfinished(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(".") && name.endsWith(UNFINISHED);
  }

  static byte[] read(Path file) throws FdtException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw failure("read", file, e);
    }
  }

  /** The failure of a file operation, as an exception with a message for the user. */
  static FdtException failure(String verb, Path file, IOException cause) {
    if (cause instanceof FdtException known) {
      return known;
    }
    String what = "cannot " + verb + " '" + file + "': ";
    if (cause instanceof NoSuchFileException) {
      return new FdtException(ErrorCode.NOT_FOUND, what + "no such file", cause);
    }
    if (cause instanceof AccessDeniedException) {
      return new FdtException(ErrorCode.PERMISSION, what + "permission denied", cause);
    }
    ErrorCode code = IoReason.codeOf(cause);
    String remedy =
        code == ErrorCode.STORAGE_FULL ? "; free some space and run the same command again" : "";
    return new FdtException(code, what + IoReason.of(cause) + remedy, cause);
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
