package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Range;
import io.fdt.core.session.Entries;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.RangeRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Arbitrary questions of a receiver about ranges: PROTOCOL, or bounded work. */
class HashedRangesFuzzTest {
  private static final int MIB = 1 << 20;
  private static final int SMALL = PieceHasher.SMALLEST;

  /** Bytes of the XXH3 of a chunk. */
  private static final int HASH = 16;

  private static final int SIZE = 24 * MIB + 1234;

  private final ArrayDeque<ReadJob<String>> jobs = new ArrayDeque<>();
  private SenderDriver<String> sender;
  private boolean isOfChunks;
  private long hashed;
  private Range last;
  private int refused;

  @FuzzTest
  void requests(byte[] data) {
    play(ByteBuffer.wrap(data));
  }

  @Test
  void requestsOfAHostileReceiverEndTheSessionOrAreBoundedWork() {
    for (int seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      byte[] data = new byte[random.nextInt(1000)];
      random.nextBytes(data);
      play(ByteBuffer.wrap(data));
    }
    assertThat(refused).isBetween(100, 290);
  }

  private void play(ByteBuffer data) {
    jobs.clear();
    hashed = 0;
    last = new Range(0, MIB);
    isOfChunks = data.hasRemaining() && data.get() % 4 == 0;
    sender =
        new SenderDriver<>(
            MIB,
            DigestMethod.of(isOfChunks ? Checksum.XXH3 : Checksum.CRC32C, MIB),
            message -> {},
            (file, outcome, code, text) -> {});
    sender.offer(Entries.file(1, 0, SIZE), "source", sender.addLane());
    boolean isDecided = false;
    try {
      while (data.remaining() >= 8) {
        switch (data.get() & 3) {
          case 0 -> {
            if (!isDecided) {
              sender.onDecisions(wanted());
              isDecided = true;
            }
          }
          case 1 -> work();
          default -> ask(data);
        }
      }
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
      refused++;
    }
    assertThat(hashed).isLessThanOrEqualTo(6L * SIZE + 5);
    assertThat(sender.machine().bytesMatched()).isBetween(0L, (long) SIZE);
  }

  private static Decisions wanted() {
    return Decisions.newBuilder()
        .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.WANTED))
        .build();
  }

  /** Begins a few jobs, and ends one. */
  private void work() throws FdtException {
    ReadJob<String> next = sender.nextJob(0);
    if (next != null) {
      jobs.add(next);
    }
    ReadJob<String> job = jobs.size() > 2 || next == null ? jobs.poll() : null;
    if (job instanceof ReadJob.Hash<String> hash) {
      hashed += hash.part().range().length();
      last = hash.part().range();
      sender.handle(to -> to.jobRead(hash, 0, 0, new byte[16], List.of()));
    } else if (job instanceof ReadJob.Block<String> block) {
      sender.onBlockRead(block, 0, new byte[isOfChunks ? HASH : 0]);
    }
  }

  /** Mostly ranges that fit the file, so that more than the first check is reached. */
  private void ask(ByteBuffer data) throws FdtException {
    RangeRequest.Builder request =
        RangeRequest.newBuilder()
            .setId(1)
            .setPiece((data.get() & 1) == 0 ? MIB : SMALL)
            .setStrong((data.get() & 1) == 0);
    int wrong = data.get() & 0xFF;
    long start = (data.get() & 0x7F) % 24 * (long) MIB + (wrong < 8 ? SMALL : 0);
    long end = wrong == 1 ? SIZE + 1L : Math.min(SIZE, start - start % MIB + MIB);
    switch (data.get() & 7) {
      case 0 -> request.addKept(last.start()).addKept(last.end());
      case 1, 2 -> request.addWanted(start).addWanted(end);
      case 3 -> request.addHash(start).addHash(Math.min(SIZE, 4 * end));
      default -> request.addHash(start).addHash(end);
    }
    sender.handle(to -> to.message(Control.newBuilder().setRangeRequest(request).build()));
  }
}
