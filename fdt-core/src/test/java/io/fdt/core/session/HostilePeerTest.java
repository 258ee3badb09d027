package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.session.receiver.IncomingFile;
import io.fdt.core.session.receiver.ReceiverDriver;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.ManifestEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Messages with random fields at random moments against a session that is otherwise used as it
 * should be. A peer may be refused, with PROTOCOL; nothing else may come out, and every call must
 * return.
 */
@Timeout(60)
class HostilePeerTest {
  private static final long FIRST_SEED = 777;
  private static final int SESSIONS = 20_000;
  private static final int MESSAGES = 100;

  /** Whether the peer was refused. */
  private enum Outcome {
    REFUSED,
    ENDURED
  }

  private interface Attack {
    void run() throws FdtException;
  }

  @Test
  void aSenderThatBreaksTheRulesIsRefused() {
    check(seed -> new AgainstReceiver(new Random(seed)).run());
  }

  @Test
  void aReceiverThatBreaksTheRulesIsRefused() {
    check(seed -> new AgainstSender(new Random(seed)).run());
  }

  private interface Run {
    Outcome of(long seed);
  }

  private static void check(Run run) {
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SESSIONS; seed++) {
      try {
        outcomes.merge(run.of(seed), 1, Integer::sum);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e, e);
      }
    }
    assertThat(outcomes.get(Outcome.REFUSED)).isGreaterThan(SESSIONS / 10);
    assertThat(outcomes.get(Outcome.ENDURED)).isGreaterThan(SESSIONS / 100);
  }

  /** Sends until the session refuses. */
  private static Outcome attack(Random random, List<Attack> attacks) {
    for (int left = random.nextInt(MESSAGES); left >= 0; left--) {
      try {
        attacks.get(random.nextInt(attacks.size())).run();
      } catch (FdtException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
        return Outcome.REFUSED;
      }
    }
    return Outcome.ENDURED;
  }

  /** Mostly one of the numbers that make sense, or their neighbours; else one at an edge. */
  private static long number(Random random, long highest) {
    return switch (random.nextInt(100)) {
      case 0 -> 0;
      case 1 -> highest + 1;
      case 2 -> -1;
      case 3 -> Long.MAX_VALUE;
      case 4 -> Long.MIN_VALUE;
      case 5 -> Long.MAX_VALUE - highest;
      case 6 -> random.nextLong();
      default -> 1 + random.nextInt((int) Math.max(1, Math.min(highest, 1000)));
    };
  }

  /** A session that receives from somebody bad. */
  private static final class AgainstReceiver implements ReceiverDriver.Actions<String> {
    private final Random random;
    private final ReceiverDriver<String> session = new ReceiverDriver<>(message -> {}, this);
    private final ArrayDeque<Entry> toPlace = new ArrayDeque<>();
    private final List<Runnable> diskWork = new ArrayList<>();
    private long lastId;

    AgainstReceiver(Random random) {
      this.random = random;
    }

    Outcome run() {
      Outcome outcome =
          attack(
              random,
              List.of(
                  this::manifest,
                  this::manifest,
                  this::place,
                  this::place,
                  this::place,
                  this::diskWorks,
                  this::diskWorks,
                  this::diskWorks,
                  this::directoryEnd,
                  this::manifestEnd,
                  this::fileEnd,
                  this::block,
                  this::block,
                  this::block,
                  this::record,
                  this::holes,
                  session::flush));
      if (session.isFinished()) {
        session.sendFinished();
        assertThat(session.openFiles()).isEmpty();
      }
      return outcome;
    }

    private void manifest() throws FdtException {
      List<Entry> entries = new ArrayList<>();
      for (int count = random.nextInt(4); count >= 0; count--) {
        io.fdt.core.wire.control.Entry.Builder entry =
            io.fdt.core.wire.control.Entry.newBuilder()
                .setParentId(random.nextInt(3) > 0 ? 0 : number(random, lastId))
                .setName(ByteString.copyFromUtf8(random.nextInt(100) == 0 ? ".." : "name"))
                .setKindValue(random.nextInt(50) == 0 ? 9 : 1 + random.nextInt(3))
                .setMode(random.nextInt(50) == 0 ? -1 : 0644);
        entry.setModified(io.fdt.core.wire.control.Timestamp.getDefaultInstance());
        if (entry.getKindValue() == 1) {
          entry.setSize(random.nextInt(20) == 0 ? number(random, 100) : random.nextInt(100));
          entry.setSparse(random.nextBoolean());
        } else if (entry.getKindValue() == 3) {
          entry.setLinkTarget(ByteString.copyFromUtf8("target"));
        }
        long id = random.nextInt(100) == 0 ? number(random, lastId) : lastId + 1;
        entries.add(ManifestCoding.decode(entry.build(), id));
        lastId = id;
      }
      List<Entry> numbered = session.onManifest(entries);
      toPlace.addAll(numbered);
      lastId = numbered.get(numbered.size() - 1).id();
    }

    /** As the engine does, which keeps the rules. */
    private void place() {
      Entry entry = toPlace.poll();
      if (entry == null) {
        return;
      }
      if (random.nextInt(6) == 0) {
        session.onPrepareFailed(entry, ErrorCode.IO, "planned");
      } else if (entry.kind() != EntryKind.FILE) {
        session.onPrepared(entry);
      } else if (random.nextInt(6) == 0) {
        session.onUnchanged(session.file(entry.id()));
      } else {
        session.onWanted(session.file(entry.id()), List.of());
      }
    }

    private void diskWorks() {
      if (!diskWork.isEmpty()) {
        diskWork.remove(random.nextInt(diskWork.size())).run();
      }
    }

    private void directoryEnd() throws FdtException {
      session.onDirectoryEnd(number(random, lastId));
    }

    private void manifestEnd() throws FdtException {
      long entries = random.nextInt(3) > 0 ? lastId : number(random, lastId);
      session.onManifestEnd(ManifestEnd.newBuilder().setEntries(entries).build());
    }

    private void fileEnd() throws FdtException {
      session.onFileEnd(
          FileEnd.newBuilder()
              .setId(number(random, lastId))
              .setCode(random.nextBoolean() ? 0 : random.nextInt())
              .setCrc32C(random.nextInt(3))
              .build());
    }

    /** The fields of a header that was read from the wire: offset and length do not overflow. */
    private void block() throws FdtException {
      int length = random.nextInt(60);
      long offset = number(random, 60) & Long.MAX_VALUE;
      if (offset + length < 0) {
        return;
      }
      IncomingFile<String> file = session.onBlock(number(random, lastId), offset, length);
      if (file == null) {
        session.acknowledge(0, 0);
      } else if (random.nextInt(5) == 0) {
        diskWork.add(() -> session.fail(file, ErrorCode.IO, "planned"));
      } else {
        diskWork.add(() -> session.onWritten(file, offset, length, 0));
      }
    }

    private void record() throws FdtException {
      long id = number(random, lastId);
      IncomingFile<String> open = session.file(id);
      boolean right = open != null && open.size() < 1000 && random.nextInt(3) > 0;
      IncomingFile<String> file =
          session.onRecord(id, right ? (int) open.size() : random.nextInt(100));
      if (file != null) {
        diskWork.add(() -> session.onRecordStored(file));
      }
    }

    private void holes() throws FdtException {
      FileHoles.Builder holes = FileHoles.newBuilder().setId(number(random, lastId));
      for (int count = random.nextInt(3); count >= 0; count--) {
        holes.addHoles(number(random, 60)).addHoles(number(random, 60));
      }
      session.onHoles(
          holes.build(), (file, made) -> diskWork.add(() -> session.onHolesMade(file, made)));
    }

    @Override
    public void store(IncomingFile<String> file) {
      diskWork.add(() -> session.onStored(file));
    }

    @Override
    public void settled(IncomingFile<String> file, ErrorCode failure, String message) {
      assertThat(file.isSettled()).isTrue();
    }

    @Override
    public void finishDirectory(Entry directory) {
      diskWork.add(() -> session.onDirectoryFinished(directory, null, ""));
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      assertThat(entry.kind()).isNotEqualTo(EntryKind.FILE);
    }
  }

  /** A session that sends to somebody bad. */
  private static final class AgainstSender {
    private static final int STREAMS = 2;

    private final Random random;
    private final SenderDriver<String> session;
    private final int lane;
    private final long[] nextFrame = new long[STREAMS];
    private final List<ReadJob<String>> read = new ArrayList<>();
    private int settled;
    private int files;

    AgainstSender(Random random) {
      this.random = random;
      this.session =
          new SenderDriver<>(64, message -> {}, (file, outcome, code, message) -> settled++);
      this.lane = session.addLane();
    }

    Outcome run() {
      Outcome outcome =
          attack(
              random,
              List.of(
                  this::offer,
                  this::offer,
                  this::read,
                  this::read,
                  this::read,
                  this::send,
                  this::send,
                  this::decisions,
                  this::decisions,
                  this::decisions,
                  this::acks,
                  this::acks,
                  this::result,
                  this::result,
                  this::finished,
                  this::streamLost));
      assertThat(settled).isLessThanOrEqualTo(files);
      return outcome;
    }

    private void offer() {
      for (int count = random.nextInt(4); count >= 0; count--) {
        long id = session.lastId() + 1;
        boolean file = random.nextInt(4) > 0;
        files += file ? 1 : 0;
        session.offer(
            file ? Entries.file(id, 0, random.nextInt(200)) : Entries.link(id, 0), "", lane);
      }
    }

    private void read() {
      ReadJob<String> job = session.nextJob(lane);
      if (job instanceof ReadJob.Block<String> block) {
        session.onBlockRead(block, 0);
      }
      if (job != null) {
        read.add(job);
      }
      session.flush();
    }

    private void send() {
      if (!read.isEmpty()) {
        int stream = random.nextInt(STREAMS);
        session.onSent(stream, nextFrame[stream]++, read.remove(0));
      }
    }

    private void streamLost() {
      session.onStreamLost(random.nextInt(STREAMS));
    }

    private void decisions() throws FdtException {
      Decisions.Builder decisions = Decisions.newBuilder();
      long next = session.judgedThrough() + 1;
      for (int runs = random.nextInt(3); runs > 0; runs--) {
        boolean right = random.nextInt(10) > 0;
        long count = right ? 1 : number(random, session.lastId());
        decisions.addRuns(
            DecisionRun.newBuilder()
                .setFirstId(random.nextInt(10) > 0 ? next : number(random, session.lastId()))
                .setCount(count)
                .setDecisionValue(random.nextInt(30) == 0 ? 7 : 1 + random.nextInt(2)));
        next += count;
      }
      session.onDecisions(decisions.build());
    }

    private void acks() throws FdtException {
      int stream = random.nextInt(STREAMS + 1);
      long sent = stream < STREAMS ? nextFrame[stream] : 0;
      FrameAcks.Builder acks = FrameAcks.newBuilder().setStream(stream);
      for (int values = random.nextInt(2); values > 0; values--) {
        acks.addWritten(random.nextBoolean() ? sent - 1 : number(random, sent) - 1);
        acks.addWritten(random.nextInt(3) > 0 ? 1 : number(random, sent));
      }
      if (random.nextInt(4) == 0) {
        acks.addDamaged(number(random, sent) - 1);
      }
      if (random.nextInt(20) == 0) {
        acks.addWritten(1);
      }
      session.onAcks(acks.build());
    }

    private void result() throws FdtException {
      FileResults.Builder results = FileResults.newBuilder();
      for (int i = random.nextInt(3); i >= 0; i--) {
        results.addDone(number(random, session.judgedThrough()));
      }
      if (random.nextBoolean()) {
        results.addFailed(
            FileFailure.newBuilder()
                .setId(number(random, session.judgedThrough()))
                .setCode(random.nextInt(5) == 0 ? 0 : random.nextInt()));
      }
      if (random.nextInt(3) == 0) {
        results.setDigests(ByteString.copyFrom(new byte[random.nextInt(200)]));
      }
      session.onFileResults(results.build(), other -> {});
    }

    private void finished() throws FdtException {
      if (random.nextInt(10) == 0) {
        session.onFinished(Finished.newBuilder().setBytes(random.nextLong()).build());
      }
    }
  }
}
