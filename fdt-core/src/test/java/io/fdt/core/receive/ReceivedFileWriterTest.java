package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.forward.ForwardingDirectory;
import io.fdt.core.storage.forward.ForwardingFile;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** In which order a received file is written and its journal told. */
class ReceivedFileWriterTest {
  private static final int BLOCK = 8192;

  private final List<String> calls = new ArrayList<>();
  private boolean isFull;

  @Test
  void theJournalSpeaksOfABlockWhenItIsWritten() throws Exception {
    ReceivedFileWriter writer = writer(DestinationDirectory.JOURNALED_BYTES, false);

    writer.writeBlock(Unpooled.wrappedBuffer(new byte[BLOCK]), BLOCK, 7);

    assertThat(calls).containsExactly("write 8192+8192", "journal 8192+8192");
  }

  @Test
  void theJournalSpeaksOfABlockOfASparseFileWhenItIsWritten() throws Exception {
    ReceivedFileWriter writer = writer(DestinationDirectory.JOURNALED_BYTES, true);
    byte[] block = new byte[BLOCK];
    block[0] = 1;

    writer.writeBlock(Unpooled.wrappedBuffer(block), 0, 7);

    assertThat(calls).containsExactly("write 0+4096", "hole 4096+4096", "journal 0+8192");
  }

  @Test
  void theJournalSpeaksOfAHoleWhenItIsThere() throws Exception {
    ReceivedFileWriter writer = writer(DestinationDirectory.JOURNALED_BYTES, true);

    writer.makeHoles(List.of(new Range(0, BLOCK), new Range(2 * BLOCK, 3 * BLOCK)));

    assertThat(calls)
        .containsExactly("hole 0+8192", "journal 0+8192", "hole 16384+8192", "journal 16384+8192");
  }

  @Test
  void theJournalDoesNotSpeakOfWhatCouldNotBeWritten() throws Exception {
    isFull = true;
    for (boolean sparse : new boolean[] {false, true}) {
      ReceivedFileWriter writer = writer(DestinationDirectory.JOURNALED_BYTES, sparse);
      byte[] block = new byte[BLOCK];
      block[BLOCK - 1] = 1;

      assertThatThrownBy(() -> writer.writeBlock(Unpooled.wrappedBuffer(block), 0, 7))
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_FULL));
      assertThatThrownBy(() -> writer.makeHoles(List.of(new Range(0, BLOCK))))
          .isInstanceOf(FdtException.class);
    }

    assertThat(calls).noneMatch(call -> call.startsWith("journal"));
  }

  @Test
  void aSmallFileHasNoJournal() throws Exception {
    ReceivedFileWriter writer = writer(DestinationDirectory.JOURNALED_BYTES - 1, false);

    writer.writeBlock(Unpooled.wrappedBuffer(new byte[BLOCK]), 0, 7);

    assertThat(calls).containsExactly("write 0+8192");
  }

  @Test
  void dataNodesWriteNeitherSmallNorSparseFiles() throws Exception {
    assertThat(writer(DestinationDirectory.JOURNALED_BYTES, false).share()).isPresent();
    assertThat(writer(DestinationDirectory.JOURNALED_BYTES - 1, false).share()).isEmpty();
    assertThat(writer(DestinationDirectory.JOURNALED_BYTES, true).share()).isEmpty();
  }

  private ReceivedFileWriter writer(long size, boolean sparse) {
    DestinationDirectory directory =
        SyntheticDestination.verifying(List.of()).open(List.of()).directory();
    Entry entry =
        new Entry(
            1,
            Entry.ROOT,
            FileName.of("file"),
            EntryKind.FILE,
            size,
            0644,
            new Timestamp(1_700_000_000L, 0),
            BytePath.EMPTY,
            FileStamp.of(77),
            FileMetadata.NONE.withSparse(sparse));
    return new ReceivedFileWriter(
        entry, new Place(new Recording(directory), entry.name()), List.of(), Optional.empty());
  }

  private final class Recording extends ForwardingDirectory {
    Recording(DestinationDirectory directory) {
      super(directory);
    }

    @Override
    protected PendingFile wrap(FileName name, FileShape shape, PendingFile file) {
      return new RecordingFile(file);
    }
  }

  private final class RecordingFile extends ForwardingFile implements SharedFile {
    RecordingFile(PendingFile file) {
      super(file);
    }

    @Override
    public void write(ByteBuf source, long offset) throws FdtException {
      checkRoom();
      calls.add("write " + offset + "+" + source.readableBytes());
    }

    @Override
    public void makeHole(Range range) throws FdtException {
      checkRoom();
      calls.add("hole " + range.start() + "+" + range.length());
    }

    private void checkRoom() throws FdtException {
      if (isFull) {
        throw new FdtException(ErrorCode.STORAGE_FULL, "no room");
      }
    }

    @Override
    public Shared share() {
      return new Shared(BytePath.of("file"), 5);
    }

    @Override
    public void keep(CheckedRange range) {
      calls.add("journal " + range.start() + "+" + range.length());
    }
  }
}
