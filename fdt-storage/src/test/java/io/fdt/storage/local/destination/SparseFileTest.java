package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.storage.local.destination.Partials.BLOCK;
import static io.fdt.storage.local.destination.Partials.NAME;
import static io.fdt.storage.local.destination.Partials.VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Range;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.wire.Crc32cCombine;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.source.LocalSource;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files with holes, at the source and at the destination. */
class SparseFileTest extends LocalFileTest {
  private LocalDestination destination;
  private DestinationDirectory directory;
  private Path out;

  @BeforeEach
  void open() throws Exception {
    out = sandbox.directory("out");
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() {
    destination.close();
  }

  @LinuxOnly("holes")
  @Test
  void aFileThatNobodyWritesToIsOneHole() throws Exception {
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, new FileShape(VERSION.size(), true, VERSION, List.of()))) {
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    Attributes made = directory.find(NAME).orElseThrow();
    assertThat(made.size()).isEqualTo(VERSION.size());
    assertThat(made.allocated()).isZero();
  }

  @LinuxOnly("holes")
  @Test
  void aHoleTakesThePlaceOfWhatWasWritten() throws Exception {
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, new FileShape(VERSION.size(), true, VERSION, List.of()))) {
      file.write(Unpooled.wrappedBuffer(filled(3 * BLOCK)), 0);
      file.makeHole(new Range(100, 2L * BLOCK));
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    byte[] expected = new byte[(int) VERSION.size()];
    Arrays.fill(expected, 0, 100, (byte) 7);
    Arrays.fill(expected, 2 * BLOCK, 3 * BLOCK, (byte) 7);
    byte[] content = Files.readAllBytes(out.resolve(NAME.toString()));
    assertThat(Arrays.mismatch(content, expected)).isEqualTo(-1);
  }

  /** Bytes that an interrupted transfer wrote without a record may be anything. */
  @Test
  void holesAreInTheJournalAndWhatIsNotIsMadeAHoleAgain() throws Exception {
    Range noted = new Range(BLOCK, 3L * BLOCK);
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, new FileShape(VERSION.size(), true, VERSION, List.of()))) {
      Partials.write(file, 0);
      file.makeHole(noted);
      file.keep(
          new CheckedRange(noted.start(), noted.end(), Crc32cCombine.ofZeros(noted.length())));
      file.write(Unpooled.wrappedBuffer(filled(BLOCK)), 4L * BLOCK);
    }
    PartialFile found = directory.findPartial(NAME, VERSION);
    assertThat(found.kept()).hasSize(1);
    assertThat(found.kept().get(0).end()).isEqualTo(noted.end());
    Partials.startAnew(Partials.journal(out));
    assertThat(directory.findPartial(NAME, VERSION).kept())
        .as("read and compared after a start of the system")
        .isEqualTo(found.kept());

    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, new FileShape(VERSION.size(), true, VERSION, found.kept()))) {
      file.makeHole(new Range(noted.end(), VERSION.size()));
      file.publish(0644, MODIFIED, Durability.NONE);
    }

    byte[] expected = new byte[(int) VERSION.size()];
    Partials.block(0).getBytes(0, expected, 0, BLOCK);
    byte[] content = Files.readAllBytes(out.resolve(NAME.toString()));
    assertThat(Arrays.mismatch(content, expected)).isEqualTo(-1);
  }

  @LinuxOnly("holes")
  @Test
  void theSourceTellsItsHolesAndTheLargestOfTooMany() throws Exception {
    Path file = sandbox.directory("source").resolve("file");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int i = 0; i < 10; i++) {
        // data of one page behind holes of 64 KiB, 128 KiB, ...
        channel.write(ByteBuffer.wrap(filled(4096)), (i + 1) * (i + 2) / 2 * 65_536L + i * 4096L);
      }
    }
    try (LocalSource source = source("source/")) {
      RecordedWalk walk = RecordedWalk.of(source);
      assertThat(walk.entries.get("file").metadata().sparse()).isTrue();
      try (BlockReader reader = walk.files.get("file").open()) {
        assertThat(reader.holes(100)).hasSize(10).startsWith(new Range(0, 65_536));
        assertThat(reader.holes(5)).isEqualTo(reader.holes(100).subList(5, 10));
      }
    }
  }

  @Test
  void aFileWithoutHolesIsNotAskedForThem() throws Exception {
    Files.write(sandbox.directory("source").resolve("file"), filled(100_000));
    try (LocalSource source = source("source/")) {
      assertThat(RecordedWalk.of(source).entries.get("file").metadata().sparse()).isFalse();
    }
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }
}
