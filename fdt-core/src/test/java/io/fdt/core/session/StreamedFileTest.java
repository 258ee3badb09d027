package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FrameAcks;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Both halves of a session that moves one file whose size only its end tells. */
class StreamedFileTest {
  private static final int BLOCK = 128;
  private static final int WINDOW = 4 * BLOCK;
  private static final int STREAM = 5;
  private static final Entry ENTRY =
      new Entry(
          1,
          Entry.ROOT,
          FileName.of("-"),
          EntryKind.FILE,
          0,
          0644,
          new Timestamp(1_700_000_000L, 0),
          BytePath.EMPTY,
          FileStamp.NONE,
          FileMetadata.OF_STREAM);

  private final List<Control> sent = new ArrayList<>();

  /** The half that reads. */
  private final class Sending {
    final SenderDriver<String> session =
        new SenderDriver<>(
            BLOCK, message -> sent.add(message.build()), (file, outcome, code, message) -> {});
    final int lane;
    long frames;

    Sending() throws FdtException {
      session.keepInOrder(WINDOW);
      lane = session.addLane();
      session.offer(ENTRY, "-", lane);
      session.onDecisions(
          Decisions.newBuilder()
              .addRuns(
                  DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.WANTED))
              .build());
    }

    ReadJob.Block<String> next() {
      return (ReadJob.Block<String>) session.nextJob(lane);
    }

    /** The input has so many bytes for this block. */
    void read(ReadJob.Block<String> block, int length) {
      ReadJob.Block<String> found =
          new ReadJob.Block<>(block.file(), block.offset(), length, block.repeated());
      session.onBlockRead(found, crc(block.offset(), length));
      if (length > 0) {
        session.onSent(STREAM, frames++, found);
      }
    }

    void written(long first) throws FdtException {
      session.onAcks(
          FrameAcks.newBuilder().setStream(STREAM).addWritten(first).addWritten(1).build());
    }

    List<FileEnd> ends() {
      List<FileEnd> ends =
          sent.stream().flatMap(m -> m.getFileEnds().getFilesList().stream()).toList();
      sent.clear();
      return ends;
    }
  }

  @Test
  void nothingIsReadFurtherAheadThanTheWindow() throws FdtException {
    Sending sender = new Sending();
    for (int i = 0; i < 4; i++) {
      ReadJob.Block<String> block = sender.next();
      assertThat(block.offset()).isEqualTo((long) i * BLOCK);
      assertThat(block.length()).isEqualTo(BLOCK);
      sender.read(block, BLOCK);
    }
    assertThat(sender.next()).isNull();
    sender.written(1);
    assertThat(sender.next()).as("the first is not written").isNull();
    sender.written(0);
    assertThat(sender.next().offset()).isEqualTo(4L * BLOCK);
    assertThat(sender.session.machine().bytesWanted()).isEqualTo(4L * BLOCK);
    assertThat(sender.ends()).isEmpty();
  }

  @Test
  void aShortBlockIsTheEndAndWhatWasAskedForBehindItIsNothing() throws FdtException {
    Sending sender = new Sending();
    List<ReadJob.Block<String>> blocks = List.of(sender.next(), sender.next(), sender.next());
    sender.read(blocks.get(0), BLOCK);
    sender.read(blocks.get(1), 5);
    sender.read(blocks.get(2), 0);
    assertThat(sender.ends())
        .containsExactly(FileEnd.newBuilder().setId(1).setCrc32C(crc(0, 133)).setSize(133).build());
    assertThat(sender.next()).isNull();
  }

  @Test
  void anEmptyBlockIsTheEndToo() throws FdtException {
    Sending sender = new Sending();
    sender.read(sender.next(), BLOCK);
    sender.read(sender.next(), 0);
    assertThat(sender.ends())
        .containsExactly(
            FileEnd.newBuilder().setId(1).setCrc32C(crc(0, BLOCK)).setSize(BLOCK).build());
  }

  @Test
  void anEmptyStreamEndsAtOnce() throws FdtException {
    Sending sender = new Sending();
    sender.read(sender.next(), 0);
    assertThat(sender.ends()).containsExactly(FileEnd.newBuilder().setId(1).build());
  }

  @Test
  void aBlockThatWasLostGoesAgainAndCountsOnce() throws FdtException {
    Sending sender = new Sending();
    sender.read(sender.next(), BLOCK);
    sender.read(sender.next(), 7);
    sender.written(0);
    sender.session.onStreamLost(STREAM);
    ReadJob.Block<String> again = sender.next();
    assertThat(again.repeated()).isTrue();
    assertThat(again.offset()).isEqualTo(BLOCK);
    assertThat(again.length()).isEqualTo(7);
    sender.read(again, 7);
    assertThat(sender.ends()).singleElement().matches(end -> end.getSize() == BLOCK + 7);
  }

  @Test
  void aStreamThatBreaksIsGivenUp() throws FdtException {
    Sending sender = new Sending();
    ReadJob.Block<String> block = sender.next();
    sender.session.onReadFailed(block.file(), new FdtException(ErrorCode.IO, "broken"));
    assertThat(sender.ends()).singleElement().matches(e -> e.getCode() == ErrorCode.IO.wireCode());
  }

  /** The half that writes. */
  private static final class Receiving implements ReceiverDriver.Actions<String> {
    final List<String> asked = new ArrayList<>();
    final ReceiverDriver<String> session = new ReceiverDriver<>(message -> {}, this);
    final IncomingFile<String> file;

    Receiving() throws FdtException {
      session.takeStream(WINDOW);
      session.onManifest(List.of(ENTRY));
      file = session.file(1);
      session.onWanted(file, List.of());
    }

    void write(long offset, int length) throws FdtException {
      assertThat(session.onBlock(1, offset, length)).isSameAs(file);
      session.onWritten(file, offset, length, crc(offset, length));
    }

    void end(long size, int crc) throws FdtException {
      session.onFileEnd(FileEnd.newBuilder().setId(1).setSize(size).setCrc32C(crc).build());
    }

    @Override
    public void store(IncomingFile<String> stored) {
      asked.add("store " + stored.size());
    }

    @Override
    public void settled(IncomingFile<String> settled, ErrorCode failure, String message) {
      asked.add("settled " + failure);
    }

    @Override
    public void finishDirectory(Entry directory) {
      throw new IllegalStateException("no directory");
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      throw new IllegalStateException("no other entry");
    }
  }

  @Test
  void blocksMayComeInAnyOrderBeforeAndAfterTheEnd() throws FdtException {
    Receiving receiver = new Receiving();
    receiver.write(256, 44);
    receiver.write(0, 128);
    assertThat(receiver.session.machine().bytesWanted()).isEqualTo(300);
    receiver.end(300, crc(0, 300));
    assertThat(receiver.asked).isEmpty();
    receiver.write(128, 128);
    assertThat(receiver.asked).containsExactly("store 300");
    assertThat(receiver.file.digest()).isEqualTo(BlockHasher.ofCrc(crc(0, 300)));
  }

  @Test
  void theEndMayComeFirst() throws FdtException {
    Receiving receiver = new Receiving();
    receiver.end(200, crc(0, 200));
    receiver.write(128, 72);
    refused(() -> receiver.session.onBlock(1, 200, 1));
    receiver.write(0, 128);
    assertThat(receiver.asked).containsExactly("store 200");
  }

  @Test
  void nothingAtAllIsAFile() throws FdtException {
    Receiving receiver = new Receiving();
    receiver.end(0, 0);
    assertThat(receiver.asked).containsExactly("store 0");
  }

  @Test
  void withoutItsEndNothingIsStored() throws FdtException {
    Receiving receiver = new Receiving();
    receiver.write(0, 128);
    assertThat(receiver.asked).isEmpty();
    receiver.session.onFileEnd(
        FileEnd.newBuilder().setId(1).setCode(ErrorCode.IO.wireCode()).build());
    assertThat(receiver.asked).containsExactly("settled IO");
    assertThat(receiver.session.machine().bytesWanted()).isZero();
  }

  @Test
  void anotherChecksumIsNotStored() throws FdtException {
    Receiving receiver = new Receiving();
    receiver.write(0, 128);
    receiver.end(128, crc(0, 128) ^ 1);
    assertThat(receiver.asked).containsExactly("settled VERIFICATION");
  }

  @Test
  void whatNoSenderCouldHaveSentIsRefused() throws FdtException {
    Receiving receiver = new Receiving();
    refused(() -> receiver.session.onRecord(1, 0));
    refused(() -> receiver.session.onBlock(1, WINDOW - 10, 11));
    refused(() -> receiver.session.onBlock(1, Long.MAX_VALUE - 1, 1));
    receiver.write(0, 100);
    receiver.write(WINDOW, 100);
    refused(() -> receiver.session.onBlock(1, WINDOW + 100, 1));
    refused(() -> receiver.session.onBlock(1, 50, 60));
    refused(() -> receiver.end(WINDOW + 99, 0));
    refused(() -> receiver.end(-1, 0));
    refused(() -> receiver.end(Long.MAX_VALUE, 0));
    assertThat(receiver.asked).isEmpty();
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  /** Checksum of a part of a file in which every byte tells its offset. */
  private static int crc(long offset, int length) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < length; i++) {
      crc.update((int) (offset + i));
    }
    return (int) crc.getValue();
  }
}
