package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ManifestCoding;
import io.fdt.core.wire.Pack;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.ManifestEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Gives a real {@link ReceiverMachine} one event at a time, and says what it wants done, as tests
 * like to read it: a fake executor that does nothing by itself.
 */
public final class ReceiverDriver<F> {
  /** Hears what the machine wants done. */
  public interface Actions<F> {
    void store(IncomingFile<F> file);

    void settled(IncomingFile<F> file, ErrorCode failure, String message);

    void finishDirectory(Entry directory);

    void failed(Entry entry, ErrorCode failure, String message);

    default void stopReading(IncomingFile<F> file) {
      throw new IllegalStateException("nothing was to be compared");
    }
  }

  /** Of frames that tests do not acknowledge themselves. */
  private static final int STREAM = 77;

  private static final Supplier<String> PATH = () -> "path";

  private final Consumer<Control.Builder> messages;
  private final Actions<F> actions;
  private final TransferSpec spec;
  private ReceiverMachine<F> machine;

  /** Files of the machine by id, as it last told; some may have an outcome by now. */
  private final Map<Long, IncomingFile<F>> open = new HashMap<>();

  private IncomingFile<F> toWrite;
  private PackedFile<F> packed;
  private List<Range> holes;
  private List<Range> toHash = List.of();
  private boolean finished;
  private boolean rootsSent;
  private long frames;

  /** A session whose checksum is CRC32C. */
  public ReceiverDriver(Consumer<Control.Builder> messages, Actions<F> actions) {
    this(DigestMethod.of(Checksum.CRC32C, DigestMethod.MAX_CHUNK), messages, actions);
  }

  public ReceiverDriver(
      DigestMethod method, Consumer<Control.Builder> messages, Actions<F> actions) {
    this(spec(method, DigestMethod.MAX_CHUNK), messages, actions);
  }

  public ReceiverDriver(TransferSpec spec, Consumer<Control.Builder> messages, Actions<F> actions) {
    this.messages = messages;
    this.actions = actions;
    this.spec = spec;
    this.machine = new ReceiverMachine<>(spec, true);
  }

  /** A spec with which a sender may say nearly everything. */
  public static TransferSpec spec(DigestMethod method, int blockSize) {
    TransferSpec spec =
        TransferSpec.builder()
            .checksum(method.checksum())
            .preservation(Preservation.of(EnumSet.allOf(Aspect.class)))
            .build();
    return Specs.withBlocks(blockSize, spec);
  }

  public ReceiverMachine<F> machine() {
    return machine;
  }

  private void handle(ReceiverEvent<F> event) throws FdtException {
    for (ReceiverAction<F> action : machine.handle(event, 0)) {
      if (action instanceof ReceiverAction.Send<F> send) {
        messages.accept(send.message());
      } else if (action instanceof ReceiverAction.WriteBlock<F> block) {
        toWrite = block.file();
      } else if (action instanceof ReceiverAction.WritePack<F> pack) {
        packed = pack.files().get(0);
        toWrite = packed.file();
      } else if (action instanceof ReceiverAction.Publish<F> publish) {
        actions.store(publish.file());
      } else if (action instanceof ReceiverAction.FileDone<F> done) {
        actions.settled(done.file(), null, "");
      } else if (action instanceof ReceiverAction.FileUnchanged<F> unchanged) {
        actions.settled(unchanged.file(), null, "");
      } else if (action instanceof ReceiverAction.FileDue<F> due) {
        actions.settled(due.file(), null, "");
      } else if (action instanceof ReceiverAction.FileFailed<F> failed) {
        actions.settled(failed.file(), failed.cause().code(), failed.cause().getMessage());
      } else if (action instanceof ReceiverAction.Problem<F> problem) {
        actions.failed(failing, problem.code(), problem.message());
      } else if (action instanceof ReceiverAction.FinishDirectory<F> directory) {
        actions.finishDirectory(directory.directory());
      } else if (action instanceof ReceiverAction.FinishDestination<F>) {
        finished = true;
      } else if (action instanceof ReceiverAction.MakeHoles<F> make) {
        holes = make.holes();
      } else if (action instanceof ReceiverAction.HashKept<F> hash) {
        toHash = hash.ranges();
      } else if (action instanceof ReceiverAction.StopReading<F> stop) {
        actions.stopReading(stop.file());
      }
    }
  }

  private Entry failing;

  /** For events that break no rule. */
  private void must(ReceiverEvent<F> event) {
    try {
      handle(event);
    } catch (FdtException e) {
      throw new AssertionError(e);
    }
  }

  public void takeStream(long window) {
    machine = new ReceiverMachine<>(spec, true, window);
  }

  private void message(Control.Builder message) throws FdtException {
    handle(to -> to.message(message.build()));
  }

  /** Returns the entries as the wire numbers them: from the first one's id on. */
  public List<Entry> onManifest(List<Entry> entries) throws FdtException {
    if (entries.isEmpty()) {
      return entries;
    }
    if (!rootsSent && entries.stream().anyMatch(entry -> entry.metadata().sizeUnknown())) {
      rootsSent = true;
      List<Root> roots = List.of(new Root(null, EntryKind.FILE, 0644, entries.get(0).modified()));
      message(Control.newBuilder().setRoots(ManifestCoding.encodeRoots(roots)));
    }
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(entries.get(0).id());
    BatchCoding.encode(entries, batch);
    message(Control.newBuilder().setManifestBatch(batch));
    return BatchCoding.decode(batch.build());
  }

  public void onDirectoryEnd(long id) throws FdtException {
    message(
        Control.newBuilder().setManifestBatch(ManifestBatch.newBuilder().addEndedDirectories(id)));
  }

  public void onManifestEnd(ManifestEnd end) throws FdtException {
    message(Control.newBuilder().setManifestEnd(end));
  }

  public void onFileEnd(FileEnd end) throws FdtException {
    message(Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(end)));
  }

  public void onHoles(FileHoles told, BiConsumer<IncomingFile<F>, List<Range>> made)
      throws FdtException {
    holes = null;
    message(Control.newBuilder().setFileHoles(told));
    if (holes != null) {
      made.accept(file(told.getId()), holes);
    }
  }

  /** The file of this id while its outcome is open; null otherwise. */
  public IncomingFile<F> file(long id) {
    if (!open.containsKey(id)) {
      open.clear();
      machine.openFiles().forEach(file -> open.put(file.id(), file));
    }
    IncomingFile<F> file = open.get(id);
    return file == null || file.isSettled() ? null : file;
  }

  public void place(PlacedEntry<F> placed) {
    failing = placed.entry();
    place(List.of(placed));
  }

  public void place(List<PlacedEntry<F>> placed) {
    must(to -> to.entriesPlaced(placed));
  }

  public List<Range> onWanted(IncomingFile<F> file, List<CheckedRange> kept) {
    return onWanted(file, kept, null);
  }

  public List<Range> onWanted(IncomingFile<F> file, List<CheckedRange> kept, F writer) {
    toHash = List.of();
    place(new PlacedEntry.Wanted<>(file.entry(), PATH, writer, kept, "", 0));
    return toHash;
  }

  public void onUnchanged(IncomingFile<F> file) {
    place(new PlacedEntry.Unchanged<>(file.entry(), PATH));
  }

  public void onCompare(IncomingFile<F> file) {
    place(new PlacedEntry.Compare<>(file.entry(), PATH, ""));
  }

  public void onPrepared(Entry entry) {
    place(new PlacedEntry.Made<>(entry, PATH, true));
  }

  public void onPrepareFailed(Entry entry, ErrorCode code, String message) {
    place(new PlacedEntry.Failed<>(entry, PATH, new FdtException(code, message)));
  }

  public void onMetadataWarning(Entry entry, ErrorCode code, String message) {
    place(new PlacedEntry.Incomplete<>(entry, PATH, new FdtException(code, message)));
  }

  public void onDigestRead(IncomingFile<F> file, byte[] digest) {
    must(to -> to.digestRead(file, digest));
  }

  /** The file that an intact block is to be written to; null when it is not needed. */
  public IncomingFile<F> onBlock(long id, long offset, int length) throws FdtException {
    checkSayable(id);
    FrameHeader header = FrameHeader.block(frames++, id, offset, length, 0);
    return arrived(new ReceivedFrame(header, Unpooled.EMPTY_BUFFER, true));
  }

  /** The same for a whole small file. */
  public IncomingFile<F> onRecord(long id, int size) throws FdtException {
    checkSayable(id);
    ByteBuf payload = Unpooled.buffer();
    int start = Pack.begin(payload);
    payload.writeZero(size + spec.digestMethod().packedLength());
    Pack.finish(payload, start, id);
    FrameHeader header = FrameHeader.pack(frames++, 1, payload.readableBytes(), 0);
    return arrived(new ReceivedFrame(header, payload, true));
  }

  /** What the decoder of frames refuses never reaches a machine. */
  private static void checkSayable(long id) throws FdtException {
    if (id < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "no frame has this file: " + id);
    }
  }

  private IncomingFile<F> arrived(ReceivedFrame frame) throws FdtException {
    toWrite = null;
    handle(to -> to.frameArrived(STREAM, frame));
    return toWrite;
  }

  /** A frame of a test's own stream came damaged. */
  public void reject(int stream, long number) {
    FrameHeader header = FrameHeader.block(number, 1, 0, 1, 0);
    must(to -> to.frameArrived(stream, new ReceivedFrame(header, Unpooled.EMPTY_BUFFER, false)));
  }

  /** All of a pack on a test's own stream is dealt with. */
  public void acknowledge(int stream, long number) {
    must(to -> to.packWritten(stream, number));
  }

  public void onWritten(IncomingFile<F> file, long offset, int length, int crc) {
    FrameHeader header = FrameHeader.block(0, file.id(), offset, length, crc);
    must(to -> to.blockWritten(file, STREAM, header, new byte[0], null));
  }

  /** A data node that held it is gone. */
  public void onLost(IncomingFile<F> file, long number, long offset, int length) {
    FrameHeader header = FrameHeader.block(number, file.id(), offset, length, 0);
    must(to -> to.blockLost(file, STREAM, header));
  }

  public void onHashed(IncomingFile<F> file, long offset, byte[] hashes) {
    must(to -> to.rangeHashed(file, offset, hashes));
  }

  public List<Range> onHolesMade(IncomingFile<F> file, List<Range> made) {
    toHash = List.of();
    must(to -> to.holesMade(file, made, null));
    return toHash;
  }

  /** Work on a disk fails. */
  public void fail(IncomingFile<F> file, ErrorCode code, String message) {
    file.beginWork();
    must(to -> to.keptHashed(file, new FdtException(code, message)));
  }

  public void onStored(IncomingFile<F> file) {
    must(to -> to.published(file, List.of(), null));
  }

  public void onRecordStored(IncomingFile<F> file) {
    onRecordStored(file, file.digest());
  }

  public void onRecordStored(IncomingFile<F> file, byte[] digest) {
    boolean isPacked = packed != null && packed.file() == file;
    PackedFile<F> one = isPacked ? packed : new PackedFile<>(file, null);
    one.stored(digest, List.of());
    must(to -> to.filesStored(List.of(one)));
  }

  public void onReleased(IncomingFile<F> file) {
    must(to -> to.released(file));
  }

  public void onDirectoryFinished(Entry directory, ErrorCode failure, String message) {
    failing = directory;
    must(
        to ->
            to.directoryFinished(
                directory, failure == null ? null : new FdtException(failure, message)));
  }

  public void flush() {
    must(to -> to.woken());
  }

  public boolean isFinished() {
    return finished;
  }

  public void sendFinished() {
    must(to -> to.destinationFinished(null, false));
  }

  public Iterable<IncomingFile<F>> openFiles() {
    return machine.openFiles();
  }
}
