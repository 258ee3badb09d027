package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.receiver.PackedFile;
import io.fdt.core.session.receiver.PackedFiles;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.PackRecord;
import io.fdt.storage.local.destination.LocalDestination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which files of a pack get their final names, in a real directory. */
class PackWriterTest {
  private static final int BLOCK = TransferSpec.MIN_BLOCK;

  @TempDir Path root;

  private final ByteBuf payload = Unpooled.buffer();
  private final List<PackedFile<ReceivedFileWriter>> files = new ArrayList<>();
  private LocalDestination destination;
  private DestinationDirectory directory;

  @AfterEach
  void close() {
    destination.close();
  }

  @ParameterizedTest
  @CsvSource({
    "CRC32C, true",
    "CRC32C, false",
    "XXH3, true",
    "XXH3, false",
    "BLAKE3, true",
    "SHA256, true"
  })
  void aFileThatIsNotWhatTheSourceSaysNeverGetsItsName(Checksum checksum, boolean isFresh)
      throws Exception {
    open(isFresh);
    DigestMethod method = DigestMethod.of(checksum, BLOCK);
    add(method, "first", "what was sent", "what was sent");
    add(method, "second", "what came", "what was sent");
    add(method, "third", "more", "more");

    write(method);

    assertThat(failures()).containsExactly(null, ErrorCode.VERIFICATION, null);
    assertThat(root.resolve("out").toFile().list()).containsExactlyInAnyOrder("first", "third");
    assertThat(Files.readString(root.resolve("out/first"))).isEqualTo("what was sent");
  }

  /** The existing file stays when its replacement is damaged. */
  @ParameterizedTest
  @EnumSource(
      value = Checksum.class,
      names = {"CRC32C", "XXH3"})
  void aFileThatIsNotWhatTheSourceSaysReplacesNothing(Checksum checksum) throws Exception {
    open(false);
    Files.writeString(root.resolve("out/file"), "older");
    DigestMethod method = DigestMethod.of(checksum, BLOCK);
    add(method, "file", "what came", "what was sent");

    write(method);

    assertThat(failures()).containsExactly(ErrorCode.VERIFICATION);
    assertThat(root.resolve("out").toFile().list()).containsExactly("file");
    assertThat(Files.readString(root.resolve("out/file"))).isEqualTo("older");
  }

  /**
   * @param isFresh whether the transfer creates the directory, which allows a faster path
   */
  private void open(boolean isFresh) throws Exception {
    if (!isFresh) {
      Files.createDirectory(root.resolve("out"));
    }
    destination = LocalDestination.trusted(BytePath.of(root.resolve("out")), true);
    directory = destination.open(List.of(DestinationTreeContract.CONTENTS)).directory();
    assertThat(directory.isFresh()).isEqualTo(isFresh);
  }

  /** Adds a file whose digest is that of {@code said}. */
  private void add(DigestMethod method, String name, String content, String said) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    int index = payload.writerIndex();
    payload.writeBytes(bytes);
    ByteBuf atSource = Unpooled.copiedBuffer(said, StandardCharsets.UTF_8);
    byte[] digest = new BlockHasher(method).whole(atSource, 0, atSource.readableBytes());
    int crc = Crc32c.of(atSource, 0, atSource.readableBytes());
    if (method.packedLength() > 0) {
      payload.writeBytes(digest);
      crc = Crc32c.of(payload, index, payload.writerIndex() - index); // undamaged in transit
    }
    Entry entry =
        new Entry(
            files.size() + 1,
            Entry.ROOT,
            FileName.of(name),
            EntryKind.FILE,
            bytes.length,
            0644,
            DestinationTreeContract.MODIFIED,
            BytePath.EMPTY);
    files.add(
        PackedFiles.wanted(
            entry,
            method,
            new ReceivedFileWriter(
                entry, new Place(directory, entry.name()), List.of(), Optional.empty()),
            new PackRecord(entry.id(), payload.writerIndex() - index, crc, index)));
  }

  private List<ErrorCode> failures() {
    List<ErrorCode> codes = new ArrayList<>();
    for (PackedFile<ReceivedFileWriter> file : files) {
      codes.add(file.failure() == null ? null : file.failure().code());
    }
    return codes;
  }

  private void write(DigestMethod method) {
    CheckMeter checks = new CheckMeter();
    ReceivedDigests digests = new ReceivedDigests(method, checks);
    TransferSpec spec = Specs.blocks(BLOCK, new Assurance(method.checksum(), false, false));
    // A pack needs no loop, no backpressure and no threads: it is written where the test runs.
    FilePublisher publisher =
        new FilePublisher(null, null, spec, digests, checks, null, null, null);
    new PackWriter(digests, publisher).write(files, payload);
  }
}
