package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.BlockHasher;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.PartialFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sessions whose digests are made of the hashes of chunks of 4 KiB; each block is one of them. */
class ChunkedSessionTest {
  private static final int CHUNK = 4 << 10;
  private static final int SIZE = 10 * CHUNK + 5;
  private static final DigestMethod METHOD = DigestMethod.of(Checksum.SHA256, CHUNK);

  private final ByteBuf content = content();
  private final BlockHasher hasher = new BlockHasher(METHOD);
  private final List<Control> sent = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final ReceiverDriver<String> receiver =
      new ReceiverDriver<>(
          ReceiverDriver.spec(METHOD, CHUNK), message -> sent.add(message.build()), new Recorder());

  private static ByteBuf content() {
    byte[] bytes = new byte[SIZE];
    new Random(1).nextBytes(bytes);
    return Unpooled.wrappedBuffer(bytes);
  }

  /** Writes down what the session asks for. */
  private final class Recorder implements ReceiverDriver.Actions<String> {
    @Override
    public void store(IncomingFile<String> file) {
      asked.add("store");
    }

    @Override
    public void settled(IncomingFile<String> file, ErrorCode failure, String message) {
      asked.add("settled " + failure + " " + message);
    }

    @Override
    public void finishDirectory(Entry directory) {
      throw new AssertionError("there is no directory");
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      throw new AssertionError("there is nothing but a file");
    }
  }

  private IncomingFile<String> file() throws FdtException {
    receiver.onManifest(List.of(Entries.file(1, 0, SIZE)));
    return receiver.file(1);
  }

  private void receive(IncomingFile<String> file, long start) throws FdtException {
    int length = Math.toIntExact(Math.min(CHUNK, SIZE - start));
    assertThat(receiver.onBlock(1, start, length)).isSameAs(file);
    receiver.onHashed(file, start, hashes(start, length));
    receiver.onWritten(file, start, length, 0);
  }

  private byte[] hashes(long start, int length) {
    return hasher.chunks(content, Math.toIntExact(start), length, start, SIZE);
  }

  private FileEnd end() {
    byte[] digest = hasher.whole(content, 0, SIZE);
    return FileEnd.newBuilder().setId(1).setDigest(ByteString.copyFrom(digest)).build();
  }

  @Test
  void aFileThatCameBackwardsIsStored() throws FdtException {
    IncomingFile<String> file = file();
    receiver.onWanted(file, List.of());
    receiver.onFileEnd(end());
    for (long start = 10 * CHUNK; start >= 0; start -= CHUNK) {
      assertThat(asked).isEmpty();
      receive(file, start);
    }
    assertThat(asked).containsExactly("store");
    assertThat(file.digest()).isEqualTo(end().getDigest().toByteArray());
  }

  @Test
  void aFileWithAnotherDigestIsNotStored() throws FdtException {
    IncomingFile<String> file = file();
    receiver.onWanted(file, List.of());
    receiver.onFileEnd(end().toBuilder().setDigest(ByteString.copyFrom(new byte[32])).build());
    for (long start = 0; start < SIZE; start += CHUNK) {
      receive(file, start);
    }
    assertThat(asked)
        .singleElement()
        .asString()
        .isEqualTo("settled VERIFICATION differs from the source: not kept");
  }

  @Test
  void aResumedFileWithAnotherDigestNamesTheKeptBytes() throws FdtException {
    IncomingFile<String> file = file();
    receiver.onWanted(file, List.of(new CheckedRange(0, 10 * CHUNK, 0)));
    receiver.onFileEnd(end());
    receive(file, 10 * CHUNK);
    receiver.onHashed(file, 0, new byte[hashes(0, 10 * CHUNK).length]);

    assertThat(asked)
        .containsExactly(
            "settled VERIFICATION differs from the source, perhaps in 40.0 KiB of an interrupted"
                + " transfer: not kept");
    assertThat(receiver.machine().bytesKept()).isZero();
    assertThat(receiver.machine().failedBytes()).isEqualTo(SIZE);
  }

  @Test
  void aBlockThatCutsAChunkIsAgainstTheRules() throws FdtException {
    receiver.onWanted(file(), List.of());
    for (long[] block : new long[][] {{1, CHUNK - 1}, {0, CHUNK - 1}, {CHUNK, CHUNK + 1}}) {
      assertThatThrownBy(() -> receiver.onBlock(1, block[0], (int) block[1]))
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
    }
  }

  @Test
  void whatIsKeptIsWholeChunksAndReadAgain() throws FdtException {
    IncomingFile<String> file = file();
    List<Range> again =
        receiver.onWanted(
            file,
            List.of(
                new CheckedRange(1, CHUNK + 1, 0),
                new CheckedRange(2 * CHUNK - 1, 4 * CHUNK + 1, 0),
                new CheckedRange(9 * CHUNK, SIZE, 0)));
    assertThat(again).containsExactly(new Range(2 * CHUNK, 4 * CHUNK), new Range(9 * CHUNK, SIZE));
    assertThat(receiver.machine().bytesKept()).isEqualTo(3 * CHUNK + 5);
    receiver.onFileEnd(end());
    for (int chunk : new int[] {0, 1, 4, 5, 6, 7, 8}) {
      receive(file, (long) chunk * CHUNK);
    }
    receiver.onHashed(file, 9 * CHUNK, hashes(9 * CHUNK, CHUNK + 5));
    assertThat(asked).isEmpty();
    receiver.onHashed(file, 2 * CHUNK, hashes(2 * CHUNK, 2 * CHUNK));
    assertThat(asked).containsExactly("store");
  }

  @Test
  void theSenderReadsWhatIsKeptAndDoesNotSendIt() throws FdtException {
    List<Control> toReceiver = new ArrayList<>();
    SenderDriver<String> sender =
        new SenderDriver<>(
            CHUNK + 100,
            METHOD,
            message -> toReceiver.add(message.build()),
            (file, outcome, code, message) -> {});
    int lane = sender.addLane();
    sender.offer(Entries.file(1, 0, SIZE), "", lane);
    sender.onDecisions(decisions(0, 2 * CHUNK, 9 * CHUNK, SIZE));
    int blocks = 0;
    for (ReadJob<String> job = sender.nextJob(lane); job != null; job = sender.nextJob(lane)) {
      assertThat(toReceiver).isEmpty();
      if (job instanceof ReadJob.Check<String> check) {
        assertThat(check.offset() < 2 * CHUNK || check.offset() >= 9 * CHUNK).isTrue();
        sender.onChecked(check, 0, hashes(check.offset(), check.length()));
      } else {
        ReadJob.Block<String> block = (ReadJob.Block<String>) job;
        blocks++;
        assertThat(block.length()).isEqualTo(CHUNK);
        sender.onBlockRead(block, 0, hashes(block.offset(), CHUNK));
      }
      sender.flush();
    }
    assertThat(blocks).isEqualTo(7);
    assertThat(sender.machine().bytesWanted()).isEqualTo(7 * CHUNK);
    assertThat(toReceiver).singleElement().extracting(Control::getFileEnds).isNotNull();
    assertThat(toReceiver.get(0).getFileEnds().getFilesList()).containsExactly(end());
  }

  @Test
  void aReceiverCannotKeepAPartOfAChunk() {
    SenderDriver<String> sender =
        new SenderDriver<>(CHUNK, METHOD, message -> {}, (file, outcome, code, message) -> {});
    sender.offer(Entries.file(1, 0, SIZE), "", sender.addLane());
    assertThatThrownBy(() -> sender.onDecisions(decisions(0, CHUNK + 1)))
        .hasMessageContaining("invalid range");
  }

  private static Decisions decisions(long... kept) {
    PartialFile.Builder partial = PartialFile.newBuilder().setId(1);
    for (long bound : kept) {
      partial.addKept(bound);
    }
    return Decisions.newBuilder()
        .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.WANTED))
        .addPartialFiles(partial)
        .build();
  }
}
