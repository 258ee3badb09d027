package io.fdt.plan;

import io.fdt.core.error.FdtException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The outcomes of the files of one attempt, written while it runs. The log of a dead worker is
 * valid up to its last complete line. Any thread.
 */
public final class UnitLog implements AutoCloseable {
  private static final long FLUSH_NANOS = 1_000_000_000L;

  private final Path path;
  private final FileChannel file;
  private final BufferedWriter writer;
  private long flushedNanos = System.nanoTime();
  private IOException failure;

  private UnitLog(Path path, FileChannel file) {
    this.path = path;
    this.file = file;
    this.writer = new BufferedWriter(Channels.newWriter(file, StandardCharsets.UTF_8));
  }

  public static UnitLog create(Path path) throws FdtException {
    try {
      Files.createDirectories(path.getParent());
      return new UnitLog(
          path,
          FileChannel.open(
              path,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw PlanFiles.failure("write", path, e);
    }
  }

  public synchronized void add(String line) {
    try {
      writer.write(line);
      writer.write('\n');
      long now = System.nanoTime();
      if (now - flushedNanos >= FLUSH_NANOS) {
        writer.flush();
        flushedNanos = now;
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  /** Writes the last line and forces the log to the device, before the unit is marked as done. */
  public synchronized void end(String summary) throws FdtException {
    add(summary);
    try {
      writer.flush();
      file.force(true);
    } catch (IOException e) {
      failure = e;
    }
    close();
    if (failure != null) {
      throw PlanFiles.failure("write", path, failure);
    }
  }

  /** Closes the log. Idempotent. */
  @Override
  public synchronized void close() {
    try {
      writer.close();
    } catch (IOException e) {
      failure = e;
    }
  }
}
