package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.PlainFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class BatchCodingTest {
  private static final long FIRST = 40;
  private static final Timestamp TIME = new Timestamp(-1, 999_999_999);

  private static Entry file(long id, String name, long identity, FileMetadata metadata) {
    return new Entry(
        id,
        id / 2,
        FileName.of(name),
        EntryKind.FILE,
        id == 1 ? 0 : Long.MAX_VALUE - id,
        07777,
        TIME,
        BytePath.EMPTY,
        FileStamp.of(identity),
        metadata);
  }

  private static Entry plain(long id, String name) {
    return file(id, name, 0, FileMetadata.NONE);
  }

  private static Entry directory(long id) {
    return new Entry(id, 0, FileName.of("d"), EntryKind.DIRECTORY, 0, 0755, TIME, BytePath.EMPTY);
  }

  private static Entry link(long id) {
    return new Entry(
        id, 0, FileName.of("l"), EntryKind.SYMLINK, 0, 0777, TIME, BytePath.of("../x"));
  }

  private static ManifestBatch.Builder batch(List<Entry> entries) {
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(entries.get(0).id());
    BatchCoding.encode(entries, batch);
    return batch;
  }

  /** A file with any trait goes as a message of its own: the columns have no place for one. */
  @Test
  void noTraitIsLostInTheColumns() throws Exception {
    List<FileMetadata> all =
        List.of(
            FileMetadata.NONE.withSparse(true),
            FileMetadata.NONE.withNames(1, 0),
            FileMetadata.NONE.withNames(0, 2),
            FileMetadata.NONE.withMetadata(new Owner(0, 0), List.of()),
            FileMetadata.NONE.withMetadata(
                null, List.of(new ExtendedAttribute(new byte[] {'u'}, new byte[0]))),
            FileMetadata.OF_STREAM);
    assertThat(all).hasSameSizeAs(FileMetadata.class.getRecordComponents());
    for (FileMetadata metadata : all) {
      List<Entry> entries = List.of(file(metadata.sizeUnknown() ? 1 : 4, "f", 0, metadata));
      ManifestBatch wire = ManifestBatch.parseFrom(batch(entries).build().toByteArray());
      assertThat(BatchCoding.decode(wire)).as("%s", metadata).isEqualTo(entries);
    }
  }

  @Test
  void entriesOfAllKindsKeepTheirOrder() throws Exception {
    FileMetadata owned = FileMetadata.NONE.withMetadata(new Owner(1, 2), List.of());
    List<Entry> entries =
        List.of(
            plain(1, "\n"),
            directory(2),
            plain(3, "a"),
            file(4, "b", 77, FileMetadata.NONE),
            link(5),
            file(6, "c", 0, owned),
            plain(7, "x".repeat(255)),
            plain(8, "é"));
    ManifestBatch wire = ManifestBatch.parseFrom(batch(entries).build().toByteArray());
    assertThat(wire.getEntriesCount()).isEqualTo(4);
    assertThat(BatchCoding.decode(wire)).isEqualTo(entries);
    assertThat(BatchCoding.decode(ManifestBatch.getDefaultInstance())).isEmpty();
  }

  @Test
  void aBatchOfAnyMixtureComesOutAsItWentIn() throws Exception {
    Random random = new Random(20261122);
    for (int round = 0; round < 200; round++) {
      List<Entry> entries = new ArrayList<>();
      for (long id = 1L + random.nextInt(1000), end = id + 1 + random.nextInt(50); id < end; id++) {
        entries.add(
            switch (random.nextInt(4)) {
              case 0 -> directory(id);
              case 1 -> link(id);
              default -> plain(id, "name " + random.nextInt());
            });
      }
      assertThat(BatchCoding.decode(batch(entries).build())).isEqualTo(entries);
    }
  }

  @Test
  void columnsOfDifferentLengthAreRefused() {
    List<UnaryOperator<PlainFiles.Builder>> changes =
        List.of(
            f -> f.addParentIds(0),
            f -> f.addSizes(1),
            f -> f.addModes(1),
            f -> f.addSeconds(1),
            f -> f.addNanos(1),
            f -> f.clearNames(),
            f -> f.setNames(ByteString.copyFromUtf8("a\0b")),
            f -> f.setNames(ByteString.copyFromUtf8("a\0b\0c\0")),
            f -> f.clearPlaces());
    for (UnaryOperator<PlainFiles.Builder> change : changes) {
      assertThat(flawWith(change)).isEqualTo("columns of files that differ in length");
    }
  }

  @Test
  void placesThatABatchHasNotAreRefused() {
    int[][] all = {{0, 2}, {1, 1}, {1, 0}, {-1, 0}, {0, Integer.MAX_VALUE}};
    for (int[] places : all) {
      assertThat(flawWith(f -> f.setPlaces(0, places[0]).setPlaces(1, places[1])))
          .isEqualTo("file index beyond the batch of 2 entries");
    }
  }

  @Test
  void whatCannotBeAFileIsRefused() {
    assertThat(flawWith(f -> f.setParentIds(0, FIRST))).isEqualTo("entry 40 before its parent 40");
    assertThat(flawWith(f -> f.setParentIds(1, -1)))
        .isEqualTo("entry 41 before its parent 18446744073709551615");
    assertThat(flawWith(f -> f.setNames(ByteString.copyFromUtf8("\0b\0"))))
        .isEqualTo("entry 40 has a empty name: ''");
    assertThat(flawWith(f -> f.setNames(ByteString.copyFromUtf8("a\0..\0"))))
        .contains("entry 41 has a name that leads elsewhere");
    assertThat(flawWith(f -> f.setNames(ByteString.copyFromUtf8("a\0b/c\0"))))
        .contains("entry 41 has a name with a slash");
    assertThat(flawWith(f -> f.setSizes(1, -1))).contains("entry 41, a FILE, of 1844");
    assertThat(flawWith(f -> f.setModes(0, 010000))).contains("entry 40 with mode=10000");
    assertThat(flawWith(f -> f.setNanos(1, 1_000_000_000))).contains("entry 41 with nanoseconds");
    assertThat(flawWith(f -> f.setNanos(1, -1))).contains("entry 41 with nanoseconds=4294967295");
  }

  @Test
  void idsStayWithinTheirRange() {
    for (long first : new long[] {0, -1, Long.MAX_VALUE}) {
      ManifestBatch batch =
          batch(List.of(plain(FIRST, "a"), plain(FIRST + 1, "b"))).setFirstId(first).build();
      assertThat(flawOf(batch)).startsWith("id of an entry: ");
    }
  }

  private static String flawWith(UnaryOperator<PlainFiles.Builder> change) {
    ManifestBatch.Builder batch = batch(List.of(plain(FIRST, "a"), plain(FIRST + 1, "b")));
    return flawOf(batch.setFiles(change.apply(batch.getFiles().toBuilder())).build());
  }

  private static String flawOf(ManifestBatch batch) {
    FdtException flaw = catchThrowableOfType(FdtException.class, () -> BatchCoding.decode(batch));
    assertThat(flaw.code()).isEqualTo(ErrorCode.PROTOCOL);
    return flaw.getMessage();
  }
}
