package io.fdt.core.wire;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.wire.control.ManifestBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of the manifest for each entry: encoded by the sender, decoded and checked by the
 * receiver.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManifestBenchmark {
  private static final int BATCH = 512;

  private final Entry entry = entry(1);
  private final byte[] wire = ManifestCoding.encode(entry).toByteArray();
  private final List<Entry> entries = new ArrayList<>();
  private final byte[] batch;

  /** Makes files that differ in id and name. */
  public ManifestBenchmark() {
    for (int id = 1; id <= BATCH; id++) {
      entries.add(entry(id));
    }
    batch = encodeBatch();
  }

  private static Entry entry(int id) {
    return new Entry(
        id,
        Entry.ROOT,
        FileName.of("file-%06d.dat".formatted(id)),
        EntryKind.FILE,
        12_345,
        0644,
        new Timestamp(1_700_000_000, 123_456_789),
        BytePath.EMPTY);
  }

  /** Encodes a batch of regular files as columns; the figure is for one file. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public final byte[] encodeBatch() {
    ManifestBatch.Builder message = ManifestBatch.newBuilder().setFirstId(1);
    BatchCoding.encode(entries, message);
    return message.build().toByteArray();
  }

  /** Decodes a batch; the figure is for one file. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public List<Entry> decodeBatch()
      throws FdtException, com.google.protobuf.InvalidProtocolBufferException {
    return BatchCoding.decode(ManifestBatch.parseFrom(batch));
  }

  /** Encodes an entry with a message of its own, such as a directory. */
  @Benchmark
  public byte[] encode() {
    return ManifestCoding.encode(entry).toByteArray();
  }

  /** Decodes an entry with a message of its own. */
  @Benchmark
  public Entry decode() throws FdtException, com.google.protobuf.InvalidProtocolBufferException {
    return ManifestCoding.decode(io.fdt.core.wire.control.Entry.parseFrom(wire), 1);
  }
}
