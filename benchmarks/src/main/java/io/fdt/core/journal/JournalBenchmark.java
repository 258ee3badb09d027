package io.fdt.core.journal;

import io.fdt.core.model.CheckedRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of the journal for each block of a large file: a record is encoded, and appended to a
 * file.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JournalBenchmark {
  private Path file;
  private FileChannel channel;
  private long next;

  /** Creates the file in the directory for temporary files. */
  @Setup
  public void makeFile() throws IOException {
    file = Files.createTempFile("fdt-journal", ".bench");
    channel = FileChannel.open(file, StandardOpenOption.APPEND);
  }

  /** Removes the file. */
  @TearDown
  public void removeFile() throws IOException {
    channel.close();
    Files.delete(file);
  }

  /** Only encodes the record. */
  @Benchmark
  public ByteBuffer record() {
    return KeptRanges.record(new CheckedRange(next, next += 1 << 20, 0x1234));
  }

  /** Encodes and appends the record, without fsync. */
  @Benchmark
  public int append() throws IOException {
    if (channel.size() > 64 << 20) {
      channel.truncate(0);
    }
    return channel.write(record());
  }
}
