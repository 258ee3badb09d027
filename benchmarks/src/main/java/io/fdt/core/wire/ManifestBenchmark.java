package io.fdt.core.wire;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Timestamp;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What the manifest costs for each entry: written at the sender, read and checked at the receiver.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManifestBenchmark {
  private final Entry entry =
      new Entry(
          1,
          Entry.ROOT,
          FileName.of("file-000001.dat"),
          EntryKind.FILE,
          12_345,
          0644,
          new Timestamp(1_700_000_000, 123_456_789),
          BytePath.EMPTY);

  private final byte[] wire = ManifestCoding.encode(entry).toByteArray();

  /** An entry into bytes. */
  @Benchmark
  public byte[] encode() {
    return ManifestCoding.encode(entry).toByteArray();
  }

  /** And back. */
  @Benchmark
  public Entry decode() throws FdtException, com.google.protobuf.InvalidProtocolBufferException {
    return ManifestCoding.decode(io.fdt.core.wire.control.Entry.parseFrom(wire), 1);
  }
}
