package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.journal.JournalHeader;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.core.wire.Crc32c;
import io.fdt.storage.local.os.BootId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Interrupted transfers of one synthetic file, and what they leave. Confined to its test. */
final class Partials {
  static final FileName NAME = FileName.of("large");
  static final int BLOCK = 1 << 20;
  static final int BLOCKS = 8;
  static final FileStamp STAMP = new FileStamp(77, new Timestamp(1_700_000_001L, 0), true);
  static final SourceVersion VERSION =
      new SourceVersion((long) BLOCKS * BLOCK, new Timestamp(1_700_000_000L, 5), STAMP);

  private static final int BOOT_AT = 48;

  private Partials() {}

  /** The bytes of one block. */
  static ByteBuf block(int number) {
    ByteBuf bytes = Unpooled.buffer(BLOCK, BLOCK);
    SyntheticContent.of(NAME).appendTo(bytes, BLOCK, (long) number * BLOCK);
    return bytes;
  }

  static CheckedRange range(int number) {
    Crc32c crc = new Crc32c();
    crc.update(block(number), 0, BLOCK);
    return new CheckedRange((long) number * BLOCK, (number + 1L) * BLOCK, crc.value());
  }

  /** The blocks from one up to, and without, another one, as one range. */
  static CheckedRange joined(int first, int end) {
    Crc32c crc = new Crc32c();
    for (int number = first; number < end; number++) {
      crc.update(block(number), 0, BLOCK);
    }
    return new CheckedRange((long) first * BLOCK, (long) end * BLOCK, crc.value());
  }

  /** Writes blocks as the receiver does: the bytes, then the record. */
  static void write(DestinationDirectory.PendingFile file, int... numbers) throws FdtException {
    for (int number : numbers) {
      file.write(block(number), (long) number * BLOCK);
      file.keep(range(number));
    }
  }

  /** A transfer that ends after these blocks. */
  static void interrupted(DestinationDirectory directory, int... numbers) throws FdtException {
    interruptedOf(VERSION, directory, numbers);
  }

  /** The same of another version of the source. */
  static void interruptedOf(SourceVersion version, DestinationDirectory directory, int... numbers)
      throws FdtException {
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, FileShape.of(version, List.of()))) {
      write(file, numbers);
    }
  }

  static Path part(Path directory) {
    return directory.resolve(TemporaryName.of(NAME).toString());
  }

  static Path journal(Path directory) {
    return directory.resolve(
        TemporaryName.Kind.JOURNAL.name(TemporaryName.number(NAME)).toString());
  }

  /** Makes a journal look as if the system had been started anew since. */
  static void startAnew(Path journal) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(journal));
    JournalHeader header = JournalHeader.decode(bytes).orElseThrow();
    assertThat(bytes.getLong(BOOT_AT)).isEqualTo(BootId.HIGH);
    JournalHeader before =
        new JournalHeader(header.name(), header.source(), ~header.bootHigh(), header.bootLow());
    bytes.put(0, before.encode().array());
    Files.write(journal, bytes.array());
  }

  /** Where the records of a journal begin. */
  static int recordsAt(Path journal) throws IOException {
    return JournalHeader.decode(ByteBuffer.wrap(Files.readAllBytes(journal)))
        .orElseThrow()
        .length();
  }

  static int recordLength() {
    return KeptRanges.RECORD_LENGTH;
  }
}
