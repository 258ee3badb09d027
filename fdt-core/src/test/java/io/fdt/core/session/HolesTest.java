package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.PartialFile;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holes of sparse files: what a sender tells of them, and what a receiver believes. */
class HolesTest {
  private static final int BLOCK = 4096;
  private static final long SIZE = 100_000;

  private final List<Control> sent = new ArrayList<>();
  private final List<String> settled = new ArrayList<>();
  private final List<IncomingFile<String>> stored = new ArrayList<>();
  private final List<Range> made = new ArrayList<>();
  private final ReceiverDriver<String> receiver =
      new ReceiverDriver<>(message -> {}, new Actions());

  private SenderDriver<String> sender(Checksum checksum) {
    SenderDriver<String> sender =
        new SenderDriver<>(
            BLOCK,
            DigestMethod.of(checksum, BLOCK),
            message -> sent.add(message.build()),
            (file, outcome, code, message) -> settled.add(file.id() + " " + outcome));
    sender.addLane();
    sender.offer(sparse(1, SIZE), "file", 0);
    return sender;
  }

  private static Entry sparse(long id, long size) {
    Entry file = Entries.file(id, 0, size);
    return new Entry(
        id,
        0,
        file.name(),
        file.kind(),
        size,
        file.mode(),
        file.modified(),
        file.linkTarget(),
        FileStamp.NONE,
        FileMetadata.NONE.withSparse(true));
  }

  @Test
  void onlyWhatIsBetweenHolesIsRead() throws FdtException {
    SenderDriver<String> sender = sender(Checksum.CRC32C);
    sender.onDecisions(wanted());
    ReadJob<String> first = sender.nextJob(0);
    assertThat(first).isInstanceOf(ReadJob.Survey.class);
    assertThat(sender.nextJob(0)).isNull();

    sender.onSurveyed(file(first), List.of(new Range(0, 50_000), new Range(50_010, SIZE)));

    assertThat(told()).containsExactly(0L, 50_000L, 50_010L, SIZE);
    assertThat(sender.machine().bytesWanted()).isEqualTo(10);
    ReadJob.Block<String> block = (ReadJob.Block<String>) sender.nextJob(0);
    assertThat(block.offset() + "+" + block.length()).isEqualTo("50000+10");
    assertThat(sender.nextJob(0)).isNull();
  }

  @Test
  void aFileWhoseFateIsKnownIsNotSurveyed() throws FdtException {
    SenderDriver<String> sender = sender(Checksum.CRC32C);
    sender.onDecisions(wanted());
    FileFailure.Builder full = FileFailure.newBuilder().setId(1).setCode(24).setMessage("full");
    sender.onFileResults(FileResults.newBuilder().addFailed(full).build(), other -> {});
    assertThat(settled).containsExactly("1 FAILED");
    assertThat(sender.nextJob(0)).isNull();
  }

  @Test
  void whatTheReceiverHasIsNotToldAgain() throws FdtException {
    SenderDriver<String> sender = sender(Checksum.CRC32C);
    sender.onDecisions(
        wanted().toBuilder()
            .addPartialFiles(PartialFile.newBuilder().setId(1).addKept(10_000).addKept(60_000))
            .build());

    sender.onSurveyed(file(sender.nextJob(0)), List.of(new Range(5_000, SIZE)));

    assertThat(told()).containsExactly(5_000L, 10_000L, 60_000L, SIZE);
    assertThat(sender.machine().bytesWanted()).isEqualTo(5_000);
  }

  /** Hashes are made of whole chunks, so holes are; nobody has to read them for the digest. */
  @Test
  void withHashesOfChunksHolesAreWholeChunks() throws FdtException {
    SenderDriver<String> sender = sender(Checksum.SHA256);
    sender.onDecisions(wanted());

    sender.onSurveyed(
        file(sender.nextJob(0)), List.of(new Range(1, 9_000), new Range(90_000, SIZE)));

    assertThat(told()).containsExactly(4096L, 8192L, 90_112L, SIZE);
    List<String> jobs = new ArrayList<>();
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      boolean isHole = job instanceof ReadJob.Check<String> check && check.isHole();
      jobs.add(job.getClass().getSimpleName() + (isHole ? " of a hole" : ""));
    }
    assertThat(jobs).filteredOn("Check of a hole"::equals).hasSize(4);
    assertThat(jobs).doesNotContain("Check");
  }

  @Test
  void aFileThatIsOneHoleEndsWithoutBeingRead() throws FdtException {
    SenderDriver<String> sender = sender(Checksum.CRC32C);
    sender.onDecisions(wanted());
    sender.onSurveyed(file(sender.nextJob(0)), List.of(new Range(0, SIZE)));
    sender.flush();
    assertThat(sent.get(sent.size() - 1).getFileEnds().getFiles(0).getId()).isEqualTo(1);
    assertThat(sender.nextJob(0)).isNull();
  }

  @Test
  void theDigestCoversTheZeros() throws FdtException {
    IncomingFile<String> file = receives(sparse(1, SIZE));
    CRC32C ones = new CRC32C();
    byte[] data = new byte[10];
    java.util.Arrays.fill(data, (byte) 1);
    ones.update(data);

    receiver.onHoles(holes(1, 0, 50_000, 50_010, SIZE), this::make);
    assertThat(receiver.onBlock(1, 50_000, 10)).isSameAs(file);
    receiver.onWritten(file, 50_000, 10, (int) ones.getValue());
    int shifted = io.fdt.core.wire.Crc32cCombine.shift((int) ones.getValue(), SIZE - 50_010);
    receiver.onFileEnd(FileEnd.newBuilder().setId(1).setCrc32C(shifted).build());

    byte[] whole = new byte[(int) SIZE];
    System.arraycopy(data, 0, whole, 50_000, 10);
    CRC32C expected = new CRC32C();
    expected.update(whole);
    assertThat(stored).containsExactly(file);
    assertThat(HexFormat.of().formatHex(file.digest()))
        .isEqualTo(HexFormat.of().toHexDigits((int) expected.getValue()));
    assertThat(made).containsExactly(new Range(0, 50_000), new Range(50_010, SIZE));
  }

  @ParameterizedTest
  @CsvSource({
    "-1 10",
    "10 10",
    "10 9",
    "0 100001",
    "0 20 19 30",
    "50 60 0 10",
    "0 10 20",
    "9223372036854775807 -9223372036854775808",
    "''",
  })
  void holesThatCannotBeAreRefused(String values) throws FdtException {
    receives(sparse(1, SIZE));
    long[] numbers =
        values.isEmpty()
            ? new long[0]
            : java.util.stream.Stream.of(values.split(" ")).mapToLong(Long::parseLong).toArray();
    refused(holes(1, numbers));
  }

  @Test
  void holesOverWhatHasComeAreRefused() throws FdtException {
    receives(sparse(1, SIZE));
    assertThat(receiver.onBlock(1, 4096, 4096)).isNotNull();
    refused(holes(1, 8191, 9000));
  }

  @Test
  void holesOverWhatAnEarlierTransferLeftAreRefused() throws FdtException {
    receiver.onManifest(List.of(sparse(1, SIZE)));
    receiver.onWanted(receiver.file(1), List.of(new CheckedRange(100, 200, 0)));
    refused(holes(1, 0, 101));
  }

  @Test
  void holesAreToldOnceAndOfSparseFilesOnly() throws FdtException {
    receives(sparse(1, SIZE), Entries.file(2, 0, SIZE));
    receiver.onHoles(holes(1, 0, 10), this::make);
    refused(holes(1, 20, 30));
    refused(holes(2, 20, 30));
    refused(holes(3, 20, 30));
  }

  @Test
  void aBlockThatReachesIntoAHoleIsRefused() throws FdtException {
    receives(sparse(1, SIZE));
    receiver.onHoles(holes(1, 0, 5000), this::make);
    assertThat(receiver.onBlock(1, 0, 4096)).as("within it: not needed").isNull();
    assertThatThrownBy(() -> receiver.onBlock(1, 4096, 4096))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private IncomingFile<String> receives(Entry... entries) throws FdtException {
    receiver.onManifest(List.of(entries));
    for (Entry entry : entries) {
      receiver.onWanted(receiver.file(entry.id()), List.of());
    }
    return receiver.file(1);
  }

  private void make(IncomingFile<String> file, List<Range> holes) {
    made.addAll(holes);
    receiver.onHolesMade(file, holes);
  }

  private void refused(FileHoles holes) {
    assertThatThrownBy(() -> receiver.onHoles(holes, this::make))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static FileHoles holes(long id, long... values) {
    FileHoles.Builder holes = FileHoles.newBuilder().setId(id);
    for (long value : values) {
      holes.addHoles(value);
    }
    return holes.build();
  }

  private List<Long> told() {
    return sent.stream()
        .filter(Control::hasFileHoles)
        .flatMap(message -> message.getFileHoles().getHolesList().stream())
        .toList();
  }

  private static OutgoingFile<String> file(ReadJob<String> survey) {
    return ((ReadJob.Survey<String>) survey).file();
  }

  private static Decisions wanted() {
    return Decisions.newBuilder()
        .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.WANTED))
        .build();
  }

  private final class Actions implements ReceiverDriver.Actions<String> {
    @Override
    public void store(IncomingFile<String> file) {
      stored.add(file);
    }

    @Override
    public void settled(IncomingFile<String> file, ErrorCode failure, String message) {
      throw new AssertionError("nothing fails here: " + message);
    }

    @Override
    public void finishDirectory(Entry directory) {
      throw new AssertionError("there is no directory");
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      throw new AssertionError("nothing fails here: " + message);
    }
  }
}
