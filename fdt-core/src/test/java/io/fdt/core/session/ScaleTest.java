package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.session.receiver.ReceiverMachine;
import io.fdt.core.session.sender.OutgoingFile;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What is too large to be moved in a test: the sessions see all of it, and no byte is there. */
class ScaleTest {
  private static final long SEED = 20261121;
  private static final long FIVE_TB = 5_000_000_000_000L;
  private static final int BLOCK = 16 << 20;

  /** Blocks under way at once, in any order. */
  private static final int UNDER_WAY = 512;

  /** Twelve windows; {@code make soak} has five million. */
  private static final int ENTRIES = Integer.getInteger("fdt.session.entries", 400_000);

  private static final int BATCH = 1000;

  private static Entry file(long id, long size) {
    return new Entry(
        id,
        Entry.ROOT,
        FileName.of("f" + id),
        EntryKind.FILE,
        size,
        0644,
        new Timestamp(1_700_000_000L, 0),
        BytePath.EMPTY);
  }

  /** Two sessions whose messages and blocks arrive at once, or out of order where that is said. */
  private static final class Pair {
    final ArrayDeque<Control> toReceiver = new ArrayDeque<>();
    final ArrayDeque<Control> toSender = new ArrayDeque<>();
    final ArrayDeque<Entry> toPlace = new ArrayDeque<>();
    final ArrayDeque<IncomingFile<Object>> toStore = new ArrayDeque<>();
    final SenderDriver<Object> sender =
        new SenderDriver<>(
            BLOCK, message -> toReceiver.add(message.build()), (file, outcome, code, text) -> {});
    final ReceiverDriver<Object> receiver =
        new ReceiverDriver<>(message -> toSender.add(message.build()), new Actions());

    Pair() {
      assertThat(sender.addLane()).isZero();
    }

    void offer(List<Entry> entries) throws FdtException {
      for (Entry entry : entries) {
        sender.offer(entry, entry, 0);
      }
      receiver.onManifest(entries);
      toPlace.addAll(entries);
      settle();
    }

    void settle() throws FdtException {
      for (Entry entry = toPlace.poll(); entry != null; entry = toPlace.poll()) {
        receiver.onWanted(receiver.file(entry.id()), List.of());
      }
      receiver.flush();
      sender.flush();
      while (!toSender.isEmpty() || !toReceiver.isEmpty() || !toStore.isEmpty()) {
        if (!toStore.isEmpty()) {
          receiver.onStored(toStore.poll());
          receiver.flush();
        } else if (!toSender.isEmpty()) {
          atSender(toSender.poll());
        } else {
          atReceiver(toReceiver.poll());
        }
      }
    }

    private void atSender(Control message) throws FdtException {
      switch (message.getBodyCase()) {
        case DECISIONS -> sender.onDecisions(message.getDecisions());
        case FRAME_ACKS -> sender.onAcks(message.getFrameAcks());
        case FILE_RESULTS -> sender.onFileResults(message.getFileResults(), failure -> {});
        case FINISHED -> sender.onFinished(message.getFinished());
        default -> throw new AssertionError(message.getBodyCase());
      }
    }

    private void atReceiver(Control message) throws FdtException {
      if (message.hasManifestEnd()) {
        receiver.onManifestEnd(message.getManifestEnd());
        return;
      }
      for (FileEnd end : message.getFileEnds().getFilesList()) {
        receiver.onFileEnd(end);
      }
    }

    void end() throws FdtException {
      sender.endManifest();
      settle();
      assertThat(receiver.isFinished()).isTrue();
      receiver.sendFinished();
      settle();
      assertThat(sender.machine().finished()).isNotNull();
    }

    private final class Actions implements ReceiverDriver.Actions<Object> {
      @Override
      public void store(IncomingFile<Object> file) {
        toStore.add(file);
      }

      @Override
      public void settled(IncomingFile<Object> file, ErrorCode failure, String message) {
        assertThat(failure).as(message).isNull();
      }

      @Override
      public void finishDirectory(Entry directory) {
        throw new AssertionError("there is none");
      }

      @Override
      public void failed(Entry entry, ErrorCode failure, String message) {
        throw new AssertionError(message);
      }
    }
  }

  @Test
  void aFileOfFiveTerabytesArrivesInAnyOrderOfItsBlocks() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    Pair pair = new Pair();
    pair.offer(List.of(file(1, FIVE_TB)));
    IncomingFile<Object> incoming = pair.receiver.file(1);
    List<ReadJob.Block<Object>> underWay = new ArrayList<>();
    long blocks = 0;
    long highest = 0;
    long last = 0;
    int mostPieces = 0;
    while (true) {
      ReadJob<Object> job = underWay.size() < UNDER_WAY ? pair.sender.nextJob(0) : null;
      if (job instanceof ReadJob.Block<Object> block) {
        pair.sender.onBlockRead(block, (int) block.offset());
        underWay.add(block);
        continue;
      }
      if (underWay.isEmpty()) {
        break;
      }
      ReadJob.Block<Object> block = underWay.remove(random.nextInt(underWay.size()));
      assertThat(pair.receiver.onBlock(1, block.offset(), block.length())).isSameAs(incoming);
      assertThat(pair.receiver.onBlock(1, block.offset(), block.length())).as("again").isNull();
      pair.receiver.onWritten(incoming, block.offset(), block.length(), (int) block.offset());
      highest = Math.max(highest, block.offset());
      last = Math.max(last, block.offset() + block.length());
      mostPieces = Math.max(mostPieces, incoming.pieces());
      blocks++;
    }
    pair.end();

    assertThat(blocks).isEqualTo((FIVE_TB + BLOCK - 1) / BLOCK);
    assertThat(highest).isGreaterThan(1L << 42);
    assertThat(last).isEqualTo(FIVE_TB);
    assertThat(pair.sender.machine().finished().getBytes()).isEqualTo(FIVE_TB);
    assertThat(pair.sender.machine().finished().getFilesDone()).isEqualTo(1);
    // Which blocks are late is random, so a few stay behind for long; never more than are under
    // way.
    assertThat(mostPieces).isBetween(2, UNDER_WAY + 1);
  }

  @Test
  void millionsOfEntriesPassThroughABoundedWindow() throws Exception {
    Pair pair = new Pair();
    long mostOpen = 0;
    for (long id = 1; id <= ENTRIES; id += BATCH) {
      List<Entry> batch = new ArrayList<>(BATCH);
      for (long i = id; i < id + BATCH; i++) {
        batch.add(file(i, 0));
      }
      pair.offer(batch);
      mostOpen =
          Math.max(
              mostOpen, Math.max(open(pair.sender.openFiles()), open(pair.receiver.openFiles())));
      for (ReadJob<Object> job = pair.sender.nextJob(0);
          job != null;
          job = pair.sender.nextJob(0)) {
        for (OutgoingFile<Object> file : ((ReadJob.Pack<Object>) job).files()) {
          pair.receiver.onRecordStored(pair.receiver.onRecord(file.id(), 0));
        }
      }
      pair.settle();
      assertThat(open(pair.sender.openFiles())).isZero();
      assertThat(open(pair.receiver.openFiles())).isZero();
    }
    pair.end();

    assertThat(pair.sender.machine().finished().getFilesDone()).isEqualTo(ENTRIES);
    assertThat(mostOpen).isBetween((long) BATCH, (long) ReceiverMachine.WINDOW);
  }

  @Test
  void aManifestBeyondTheWindowIsRefused() throws Exception {
    Pair pair = new Pair();
    List<Entry> window = new ArrayList<>();
    for (long id = 1; id <= ReceiverMachine.WINDOW; id++) {
      window.add(file(id, 1));
    }
    pair.receiver.onManifest(window);
    assertThat(
            catchThrowableOfType(
                    FdtException.class,
                    () -> pair.receiver.onManifest(List.of(file(ReceiverMachine.WINDOW + 1L, 1))))
                .code())
        .isEqualTo(ErrorCode.PROTOCOL);
  }

  private static long open(Iterable<?> files) {
    long count = 0;
    for (Object file : files) {
      count += file == null ? 0 : 1;
    }
    return count;
  }
}
