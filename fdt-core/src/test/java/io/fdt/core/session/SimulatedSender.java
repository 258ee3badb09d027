package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.RandomDataset.Step;
import io.fdt.core.session.SimulatedLink.Frame;
import io.fdt.core.session.SimulatedLink.Piece;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.control.Control;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The sending end of a simulated transfer: a real session, a walk and readers that take random
 * times.
 */
final class SimulatedSender {
  /** How a file ended, as this end was told. */
  record Settled(SenderSession.FileOutcome outcome, ErrorCode code) {}

  /** Carries what this end says; in order. */
  interface ToReceiver {
    void manifest(List<Entry> entries, List<Long> endedDirectories);

    void control(Control message);
  }

  private static final int LANES = 2;
  private static final int JOBS_OF_A_LANE = 3;
  private static final int LONGEST_READ = 30;

  private final VirtualTime time;
  private final Random random;
  private final RandomDataset dataset;
  private final ToReceiver receiver;
  private final double spuriousRate;
  private final SenderSession<Item> session;
  private final int[] jobs = new int[LANES];
  private final Map<Long, Integer> timesRead = new HashMap<>();
  private final List<SimulatedLink.Stream> streams = new ArrayList<>();
  private final ArrayDeque<Ready> ready = new ArrayDeque<>();
  private int walked;
  private boolean dead;
  final Map<Long, Settled> settled = new HashMap<>();

  /** Frames by stream and number that are neither acknowledged nor lost with their stream. */
  final Map<Integer, Set<Long>> inFlight = new HashMap<>();

  /** A job that was read. */
  private record Ready(ReadJob<Item> job, List<Piece> pieces) {}

  SimulatedSender(VirtualTime time, Random random, RandomDataset dataset, ToReceiver receiver) {
    this.time = time;
    this.random = random;
    this.dataset = dataset;
    this.receiver = receiver;
    this.spuriousRate = random.nextInt(3) * 0.02;
    this.session =
        new SenderSession<>(
            RandomDataset.BLOCK, message -> receiver.control(message.build()), this::settled);
    for (int lane = 0; lane < LANES; lane++) {
      assertThat(session.addLane()).isEqualTo(lane);
    }
  }

  SenderSession<Item> session() {
    return session;
  }

  void start() {
    time.within(LONGEST_READ, this::walkOn);
  }

  /** The process dies: it sends nothing more, and hears nothing. */
  void die() {
    dead = true;
  }

  private void walkOn() {
    if (dead) {
      return;
    }
    List<Entry> entries = new ArrayList<>();
    List<Long> ended = new ArrayList<>();
    int until = Math.min(dataset.walk().size(), walked + 1 + random.nextInt(10));
    for (; walked < until; walked++) {
      Step step = dataset.walk().get(walked);
      if (step.item() == null) {
        ended.add(step.endedDirectory());
      } else {
        Item item = step.item();
        entries.add(item.entry());
        session.offer(item.entry(), item, item.isFile() ? random.nextInt(LANES) : -1);
      }
    }
    receiver.manifest(entries, ended);
    if (walked < dataset.walk().size()) {
      time.within(LONGEST_READ, this::walkOn);
    } else {
      session.endManifest();
    }
  }

  void onControl(Control message) throws FdtException {
    if (dead) {
      return;
    }
    switch (message.getBodyCase()) {
      case DECISIONS -> session.onDecisions(message.getDecisions());
      case FRAME_ACKS -> {
        session.onAcks(message.getFrameAcks());
        Set<Long> sent = inFlight.getOrDefault(message.getFrameAcks().getStream(), new HashSet<>());
        for (int i = 0; i < message.getFrameAcks().getWrittenCount(); i += 2) {
          long first = message.getFrameAcks().getWritten(i);
          for (long n = 0; n < message.getFrameAcks().getWritten(i + 1); n++) {
            sent.remove(first + n);
          }
        }
        message.getFrameAcks().getDamagedList().forEach(sent::remove);
      }
      case FILE_RESULTS -> session.onFileResults(message.getFileResults(), failure -> {});
      case FINISHED -> session.onFinished(message.getFinished());
      default -> throw new AssertionError("a receiver sent " + message.getBodyCase());
    }
    pump();
  }

  private void settled(
      OutgoingFile<Item> file, SenderSession.FileOutcome outcome, ErrorCode code, String message) {
    assertThat(settled.put(file.id(), new Settled(outcome, code)))
        .as("outcome before this")
        .isNull();
  }

  private void pump() {
    for (int lane = 0; lane < LANES; lane++) {
      while (jobs[lane] < JOBS_OF_A_LANE) {
        ReadJob<Item> job = session.nextJob(lane);
        if (job == null) {
          break;
        }
        assertThat(filesOf(job)).as("files to be read").noneMatch(OutgoingFile::isSettled);
        int of = lane;
        jobs[lane]++;
        time.within(LONGEST_READ, () -> wasRead(of, job));
      }
    }
    session.flush();
  }

  private static List<OutgoingFile<Item>> filesOf(ReadJob<Item> job) {
    return job instanceof ReadJob.Block<Item> block
        ? List.of(block.file())
        : ((ReadJob.Pack<Item>) job).files();
  }

  private void wasRead(int lane, ReadJob<Item> job) {
    if (dead) {
      return;
    }
    jobs[lane]--;
    if (job instanceof ReadJob.Block<Item> block) {
      blockWasRead(block);
    } else {
      packWasRead((ReadJob.Pack<Item>) job);
    }
    dispatch();
    pump();
  }

  private void blockWasRead(ReadJob.Block<Item> block) {
    Item item = block.file().source();
    boolean fails =
        (item.fault() == Fault.READ && item.strikes(block.offset(), block.length()))
            || (item.fault() == Fault.READ_AGAIN && block.repeated());
    if (fails) {
      session.onReadFailed(block.file(), new FdtException(ErrorCode.SOURCE_CHANGED, "planned"));
      return;
    }
    int version = item.fault() == Fault.CONTENT && block.repeated() ? 1 : 0;
    List<Piece> pieces =
        List.of(
            new Piece(
                block.file().id(),
                block.offset(),
                item.content(block.offset(), block.length(), version)));
    session.onBlockRead(block, SimulatedLink.crcOf(pieces));
    ready.add(new Ready(block, pieces));
  }

  private void packWasRead(ReadJob.Pack<Item> pack) {
    List<OutgoingFile<Item>> read = new ArrayList<>();
    List<Piece> pieces = new ArrayList<>();
    for (OutgoingFile<Item> file : pack.files()) {
      Item item = file.source();
      int before = timesRead.merge(file.id(), 1, Integer::sum) - 1;
      if (item.fault() == Fault.READ || (item.fault() == Fault.READ_AGAIN && before > 0)) {
        session.onReadFailed(file, new FdtException(ErrorCode.SOURCE_CHANGED, "planned"));
        continue;
      }
      int version = item.fault() == Fault.CONTENT ? before : 0;
      read.add(file);
      pieces.add(new Piece(file.id(), 0, item.content(0, Math.toIntExact(file.size()), version)));
    }
    if (!read.isEmpty()) {
      ready.add(new Ready(new ReadJob.Pack<>(read), pieces));
    }
  }

  void dispatch() {
    while (!dead && !ready.isEmpty()) {
      List<SimulatedLink.Stream> writable =
          streams.stream().filter(SimulatedLink.Stream::isWritable).toList();
      if (writable.isEmpty()) {
        return;
      }
      Ready next = ready.poll();
      if (session.isStillNeeded(next.job())) {
        send(writable.get(random.nextInt(writable.size())), next);
      }
    }
  }

  private void send(SimulatedLink.Stream stream, Ready next) {
    long number = stream.takeFrameNumber();
    int crc = SimulatedLink.crcOf(next.pieces());
    Piece first = next.pieces().get(0);
    FrameHeader header =
        next.job() instanceof ReadJob.Block<Item>
            ? FrameHeader.block(number, first.fileId(), first.offset(), first.bytes().length, crc)
            : FrameHeader.pack(number, next.pieces().size(), 0, crc);
    session.onSent(stream.number(), number, next.job());
    inFlight.computeIfAbsent(stream.number(), s -> new HashSet<>()).add(number);
    stream.send(new Frame(header, next.pieces()));
    if (random.nextDouble() < spuriousRate) {
      session.requeue(next.job());
    }
  }

  void streamOpened(SimulatedLink.Stream stream) {
    streams.add(stream);
    dispatch();
  }

  void streamLost(SimulatedLink.Stream stream) {
    streams.remove(stream);
    inFlight.remove(stream.number());
    if (!dead) {
      session.onStreamLost(stream.number());
      pump();
    }
  }
}
