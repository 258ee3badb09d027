package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.journal.KeptRanges;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.RangeSet;
import io.fdt.core.session.RandomDataset.Fault;
import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.SimulatedLink.Frame;
import io.fdt.core.session.SimulatedLink.Piece;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The receiving end of a simulated transfer: a real session, one placer, and writers that take
 * random times.
 */
final class SimulatedReceiver {
  /** A file at the destination: what was written where, how often, and what the journal holds. */
  static final class Target {
    final byte[] bytes;
    final int[] writes;
    final KeptRanges journal = new KeptRanges();
    int stored;

    Target(long size) {
      bytes = new byte[Math.toIntExact(size)];
      writes = new int[bytes.length];
    }

    void write(Piece piece) {
      int at = Math.toIntExact(piece.offset());
      for (byte b : piece.bytes()) {
        bytes[at] = b;
        writes[at++]++;
      }
    }

    /** The writer died in the middle: nobody knows how much of this is there. */
    void tear(Piece piece, int length) {
      int at = Math.toIntExact(piece.offset());
      System.arraycopy(piece.bytes(), 0, bytes, at, length);
    }
  }

  /** Bytes that are on their way to the disk. */
  private record Pending(Target target, Piece piece) {}

  private static final int LONGEST_DISK = 40;
  private static final int LONGEST_FLUSH = 10;

  private final VirtualTime time;
  private final RandomDataset dataset;
  private final ReceiverSession<Target> session;
  private final VirtualTime.Queue placer;
  private boolean flushScheduled;
  private boolean finishing;
  private final Random random;
  private final Set<Pending> pending = new LinkedHashSet<>();
  private final Map<Long, RangeSet> kept = new HashMap<>();
  final Map<Long, Target> targets;
  final Map<Long, Optional<ErrorCode>> settled = new HashMap<>();
  final Set<Long> failedOthers = new HashSet<>();
  final Set<Long> finishedDirectories = new HashSet<>();
  final Set<Long> placed = new HashSet<>();
  long bytesWritten;
  long intactFrames;
  long damagedFrames;

  /**
   * Begins a transfer.
   *
   * @param targets what earlier transfers left at the destination, by entry
   */
  SimulatedReceiver(
      VirtualTime time,
      Random random,
      RandomDataset dataset,
      Map<Long, Target> targets,
      Consumer<Control> toSender) {
    this.time = time;
    this.random = random;
    this.targets = targets;
    this.dataset = dataset;
    this.placer = time.new Queue(1 + random.nextInt(LONGEST_DISK));
    this.session =
        new ReceiverSession<>(message -> toSender.accept(message.build()), new Actions());
  }

  ReceiverSession<Target> session() {
    return session;
  }

  void onManifest(List<Entry> entries, List<Long> endedDirectories) throws FdtException {
    session.onManifest(entries);
    for (long id : endedDirectories) {
      session.onDirectoryEnd(id);
    }
    placer.add(() -> place(entries));
    afterEvent();
  }

  void onControl(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case MANIFEST_END -> session.onManifestEnd(message.getManifestEnd());
      case FILE_ENDS -> {
        for (FileEnd end : message.getFileEnds().getFilesList()) {
          session.onFileEnd(end);
        }
      }
      default -> throw new AssertionError("a sender sent " + message.getBodyCase());
    }
    afterEvent();
  }

  private void place(List<Entry> entries) {
    for (Entry entry : entries) {
      Item item = dataset.item(entry.id());
      placed.add(entry.id());
      if (item.fault() == Fault.PREPARE || !dataset.hasPlace(item)) {
        session.onPrepareFailed(entry, ErrorCode.PERMISSION, "planned");
      } else if (entry.kind() != EntryKind.FILE) {
        session.onPrepared(entry);
      } else if (item.fault() == Fault.UNCHANGED || isStored(entry)) {
        session.onUnchanged(session.file(entry.id()));
      } else {
        want(session.file(entry.id()));
      }
    }
    session.flush();
    afterEvent();
  }

  private boolean isStored(Entry entry) {
    Target there = targets.get(entry.id());
    return there != null && there.stored > 0;
  }

  /**
   * As the engine does: what the journal of an earlier transfer holds is kept, and nothing else.
   */
  private void want(IncomingFile<Target> file) {
    Target there = targets.get(file.id());
    if (there == null || there.journal.isEmpty()) {
      there = new Target(file.size());
      targets.put(file.id(), there);
    }
    file.setHandle(there);
    RangeSet ranges = new RangeSet();
    there.journal.ranges().forEach(range -> ranges.add(range.start(), range.end()));
    kept.put(file.id(), ranges);
    session.onWanted(file, there.journal.ranges());
  }

  /**
   * The process dies: what was on its way to the disk is there in part or whole, and no journal
   * says so.
   */
  void die() {
    for (Pending torn : pending) {
      torn.target().tear(torn.piece(), random.nextInt(torn.piece().bytes().length + 1));
    }
    pending.clear();
  }

  void onFrame(int stream, Frame frame) throws FdtException {
    FrameHeader header = frame.header();
    for (Piece piece : frame.pieces()) {
      RangeSet there = kept.get(piece.fileId());
      long end = piece.offset() + piece.bytes().length;
      if (there != null && there.intersects(piece.offset(), end)) {
        throw new AssertionError(
            "file %d, bytes from %d to %d, of which some were kept, came again"
                .formatted(piece.fileId(), piece.offset(), end));
      }
    }
    if (!frame.isIntact()) {
      damagedFrames++;
      session.reject(stream, header.number());
      flushSoon();
      return;
    }
    intactFrames++;
    List<Piece> wanted = new ArrayList<>();
    for (Piece piece : frame.pieces()) {
      int length = piece.bytes().length;
      IncomingFile<Target> file =
          header.type() == FrameHeader.Type.BLOCK
              ? session.onBlock(piece.fileId(), piece.offset(), length)
              : session.onRecord(piece.fileId(), length);
      if (file != null) {
        wanted.add(piece);
      }
    }
    if (wanted.isEmpty()) {
      session.acknowledge(stream, header.number());
      flushSoon();
      return;
    }
    List<IncomingFile<Target>> files =
        wanted.stream().map(piece -> session.file(piece.fileId())).toList();
    List<Pending> writes =
        wanted.stream()
            .map(piece -> new Pending(session.file(piece.fileId()).handle(), piece))
            .toList();
    pending.addAll(writes);
    time.within(
        LONGEST_DISK,
        () -> {
          writes.forEach(pending::remove);
          for (int i = 0; i < files.size(); i++) {
            written(header, files.get(i), wanted.get(i));
          }
          session.acknowledge(stream, header.number());
          afterEvent();
        });
  }

  private void written(FrameHeader header, IncomingFile<Target> file, Piece piece) {
    Item item = dataset.item(file.id());
    boolean block = header.type() == FrameHeader.Type.BLOCK;
    boolean fails =
        (item.fault() == Fault.WRITE && item.strikes(piece.offset(), piece.bytes().length))
            || (item.fault() == Fault.STORE && !block);
    if (fails) {
      session.fail(file, ErrorCode.IO, "planned");
      return;
    }
    file.handle().write(piece);
    bytesWritten += piece.bytes().length;
    if (block) {
      long end = piece.offset() + piece.bytes().length;
      file.handle().journal.add(new CheckedRange(piece.offset(), end, header.payloadCrc()));
      session.onWritten(file, piece.offset(), piece.bytes().length, header.payloadCrc());
    } else {
      file.handle().stored++;
      session.onRecordStored(file);
    }
  }

  private void afterEvent() {
    if (session.isFinished() && !finishing) {
      finishing = true;
      placer.add(session::sendFinished);
    }
    flushSoon();
  }

  private void flushSoon() {
    if (!flushScheduled) {
      flushScheduled = true;
      time.within(
          LONGEST_FLUSH,
          () -> {
            flushScheduled = false;
            session.flush();
          });
    }
  }

  private final class Actions implements ReceiverSession.Actions<Target> {
    @Override
    public void store(IncomingFile<Target> file) {
      time.within(
          LONGEST_DISK,
          () -> {
            if (dataset.item(file.id()).fault() == Fault.STORE) {
              session.fail(file, ErrorCode.STORAGE_FULL, "planned");
            } else {
              file.handle().stored++;
              session.onStored(file);
            }
            afterEvent();
          });
    }

    @Override
    public void settled(IncomingFile<Target> file, ErrorCode failure, String message) {
      assertThat(settled.put(file.id(), Optional.ofNullable(failure)))
          .as("outcome of file %d before this", file.id())
          .isNull();
    }

    @Override
    public void finishDirectory(Entry directory) {
      assertThat(finishedDirectories.add(directory.id())).as("first end of the directory").isTrue();
      for (Item item : dataset.items()) {
        if (dataset.isBeneath(item, directory.id())) {
          assertThat(isDone(item)).as("%s within %s", item, directory).isTrue();
        }
      }
      placer.add(
          () -> {
            boolean fails = dataset.item(directory.id()).fault() == Fault.STORE;
            session.onDirectoryFinished(directory, fails ? ErrorCode.PERMISSION : null, "planned");
            afterEvent();
          });
    }

    private boolean isDone(Item item) {
      long id = item.entry().id();
      return switch (item.entry().kind()) {
        case FILE -> settled.containsKey(id);
        case DIRECTORY -> finishedDirectories.contains(id) || failedOthers.contains(id);
        case SYMLINK -> placed.contains(id);
      };
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      assertThat(failedOthers.add(entry.id())).as("first failure of %s", entry).isTrue();
    }
  }
}
