package io.fdt.core.session;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Range;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileHoles;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.ManifestEnd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The receiver's half of a session: which entries are known, which ranges of each file have
 * arrived, and when a file or a directory is complete.
 *
 * <pre>
 *   entry -> prepared (decision) -> blocks: take, write, wrote -> complete and verified -> store -> result
 *   directory: made when prepared; finished when its last descendant has an outcome
 * </pre>
 *
 * It asks {@link Actions} for what only disks can do and is told how that ended.
 *
 * <p>Not thread-safe: confined to the event loop of the session. Holds no file, no socket and no
 * clock.
 *
 * @param <F> what writes a file; only kept
 */
public final class ReceiverSession<F> {
  /**
   * What the session asks of the engine. Each request is answered by the method of the session that
   * it names.
   */
  public interface Actions<F> {
    /** Give the file its final name: {@link #onStored}. */
    void store(IncomingFile<F> file);

    /**
     * Nothing more of this file will be written. Its outcome is known; what was written of a failed
     * one is to go away.
     */
    void settled(IncomingFile<F> file, ErrorCode failure, String message);

    /**
     * Whether something of a file that failed is still in its directory, so that {@link
     * #onReleased} will say when it is not.
     */
    default boolean isHeld(IncomingFile<F> file) {
      return false;
    }

    /**
     * Set mode and time of a directory in which everything is done: {@link #onDirectoryFinished}.
     */
    void finishDirectory(Entry directory);

    /** Both digests of a file that {@link #onCompare} told of are known. */
    default void compared(IncomingFile<F> file, boolean areSame) {
      throw new IllegalStateException("nothing was to be compared");
    }

    /**
     * The sender has given up a file that {@link #onCompare} told of. It keeps its place in the
     * window until {@link #onPrepareFailed}, which is to follow once nothing here reads it.
     */
    default void givenUp(IncomingFile<F> file, ErrorCode failure, String message) {
      throw new IllegalStateException("nothing was to be compared");
    }

    /** Something that is no file will not arrive, or is not as it should be. */
    void failed(Entry entry, ErrorCode failure, String message);
  }

  /** A directory of which something is still to come. */
  private static final class OpenDirectory {
    final Entry entry;
    long open;
    boolean ended;
    boolean usable;

    OpenDirectory(Entry entry) {
      this.entry = entry;
    }
  }

  /**
   * Pieces that one file may be in: an honest sender has no more blocks under way than its streams
   * and buffers hold. Memory: 32 bytes each.
   */
  private static final int MAX_PIECES = 1 << 16;

  /**
   * Entries that a sender may have offered without knowing their outcome. At 150 ms of round-trip
   * time this allows 200,000 files per second. Memory: about 500 bytes each, at each end; one with
   * extended attributes counts as many as its memory is worth.
   */
  public static final int WINDOW = 32_768;

  /**
   * Directories of which something is still to come, at once: as many as the window has entries,
   * and those above them. Memory: about 500 bytes each.
   */
  private static final int MAX_DIRECTORIES = 2 * WINDOW;

  /** The pieces of all files together. */
  private static final int MAX_PIECES_OF_ALL = 1 << 20;

  /**
   * Of one message: with texts of three bytes a character, a fifth of the longest that is allowed.
   */
  private static final int MAX_RESULTS = 256;

  /** No file system has larger files. */
  private static final long MAX_STREAM_BYTES = 1L << 60;

  private static final int MAX_RESULT_CHARS = 64 << 10;

  private static final int DIGESTS_CAPACITY = MAX_RESULTS * DigestMethod.MAX_LENGTH;

  private final DigestMethod method;
  private final Outbox outbox;
  private final Actions<F> actions;
  private final Map<Long, IncomingFile<F>> files = new HashMap<>();
  private final Map<Long, OpenDirectory> directories = new HashMap<>();
  private final Map<Integer, AckList> acks = new HashMap<>();
  private final DecisionList decisions = new DecisionList();
  private final Comparisons<F> comparisons;
  private final FileResults.Builder results = FileResults.newBuilder();

  /** Of the files that are done in {@link #results}. */
  private final ByteString.Output digests = ByteString.newOutput(DIGESTS_CAPACITY);

  private final MetadataWarningList warnings;

  private long streamWindow;
  private long lastId;
  private int openEntries;
  private int pieces;
  private int resultChars;
  private boolean manifestEnded;
  private boolean finished;
  private long bytesWanted;
  private long bytesKept;
  private long bytesWritten;
  private long filesSeen;
  private long filesDone;
  private long filesUnchanged;
  private long filesDue;
  private long failures;
  private long directoriesDone;
  private long linksDone;

  /** A session whose checksum is CRC32C. */
  public ReceiverSession(Outbox outbox, Actions<F> actions) {
    this(DigestMethod.of(Checksum.CRC32C, DigestMethod.MAX_CHUNK), outbox, actions);
  }

  public ReceiverSession(DigestMethod method, Outbox outbox, Actions<F> actions) {
    this.method = method;
    this.outbox = outbox;
    this.actions = actions;
    this.comparisons = new Comparisons<>(actions);
    this.warnings = new MetadataWarningList(outbox);
    OpenDirectory root = new OpenDirectory(null);
    root.usable = true;
    directories.put(Entry.ROOT, root);
  }

  /**
   * Lets a file come whose size is unknown, before its entry.
   *
   * @param window bytes from the first that is not written to the last that may come
   */
  public void takeStream(long window) {
    streamWindow = window;
  }

  /** Takes note of the entries of one batch, before they are prepared. */
  public void onManifest(List<Entry> entries) throws FdtException {
    for (Entry entry : entries) {
      OpenDirectory parent = directories.get(entry.parentId());
      if (entry.id() != lastId + 1 || manifestEnded || parent == null || parent.ended) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "entry %d with parent %d has no place in the manifest"
                .formatted(entry.id(), entry.parentId()));
      }
      int weight = entry.metadata().weight();
      if (openEntries + weight > WINDOW) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "more than " + WINDOW + " entries whose outcome is open");
      }
      lastId = entry.id();
      openEntries += weight;
      parent.open++;
      switch (entry.kind()) {
        case FILE -> {
          filesSeen++;
          files.put(entry.id(), new IncomingFile<>(entry, method));
        }
        case DIRECTORY -> {
          if (directories.size() > MAX_DIRECTORIES) {
            throw new FdtException(
                ErrorCode.PROTOCOL,
                "more than " + MAX_DIRECTORIES + " directories that are not ended");
          }
          directories.put(entry.id(), new OpenDirectory(entry.withoutAttributes()));
        }
        case SYMLINK -> {}
      }
    }
  }

  /** No more entries have this parent. */
  public void onDirectoryEnd(long id) throws FdtException {
    OpenDirectory directory = directories.get(id);
    if (directory == null || directory.ended || id == Entry.ROOT) {
      throw new FdtException(ErrorCode.PROTOCOL, "end of directory " + id + ", which is not open");
    }
    directory.ended = true;
    finishIfDone(directory);
  }

  public void onManifestEnd(ManifestEnd end) throws FdtException {
    if (manifestEnded || end.getEntries() != lastId) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "manifest of %d entries ended at %d".formatted(end.getEntries(), lastId));
    }
    manifestEnded = true;
    for (OpenDirectory directory : directories.values()) {
      if (!directory.ended && directory.entry != null) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "manifest ended within directory " + directory.entry.id());
      }
    }
    directories.get(Entry.ROOT).ended = true;
    finishIfAllDone();
  }

  /** The file of this id while its outcome is open; null otherwise. */
  public IncomingFile<F> file(long id) {
    return files.get(id);
  }

  /**
   * A place was found: the file is to be sent. Answers come in the order of the manifest.
   *
   * @param written ranges that an earlier transfer has written, in order
   * @return those that are to be read again for their hashes: {@link #onHashed}
   */
  public List<Range> onWanted(IncomingFile<F> file, List<CheckedRange> written) {
    List<Range> kept = needed(file, Decision.WANTED, written);
    file.moveTo(IncomingFile.State.WANTED);
    return method.isOfChunks() ? kept : List.of();
  }

  /**
   * A dry run: the file would be wanted.
   *
   * @param written as in {@link #onWanted}
   * @return bytes of it that would have to come
   */
  public long onDue(IncomingFile<F> file, List<CheckedRange> written) {
    needed(file, Decision.DUE, written);
    filesDue++;
    settle(file, null, "");
    return file.size() - file.keptBytes();
  }

  private List<Range> needed(IncomingFile<F> file, Decision decision, List<CheckedRange> written) {
    List<Range> kept = file.keep(written);
    if (!kept.isEmpty()) {
      pieces += file.pieces();
    }
    judge(file, decision, kept);
    bytesWanted += file.size() - file.keptBytes();
    bytesKept += file.keptBytes();
    return kept;
  }

  private void judge(IncomingFile<F> file, Decision decision, List<Range> kept) {
    if (file.state() == IncomingFile.State.COMPARING) {
      comparisons.end(file, decision, kept);
    } else {
      decisions.add(file.id(), decision, kept);
    }
  }

  /**
   * A file of the same size is there: both ends make its digest. When both are known {@link
   * Actions#compared} is called, and one of {@link #onWanted}, {@link #onDue} and {@link
   * #onUnchanged} is to follow.
   */
  public void onCompare(IncomingFile<F> file) {
    decisions.add(file.id(), Decision.COMPARE, List.of());
    file.moveTo(IncomingFile.State.COMPARING);
  }

  /**
   * The digest of what is at the destination is known.
   *
   * @param digest null when it cannot be made: then it is not the same
   */
  public void onDigestThere(IncomingFile<F> file, byte[] digest) {
    if (!file.isSettled()) {
      comparisons.here(file, digest);
    }
  }

  /** The file becomes another name of one that comes, or is there: {@link #onStored}. */
  public void onLinked(IncomingFile<F> file) {
    decisions.add(file.id(), Decision.LINKED, List.of());
    file.link();
    pieces += file.pieces();
  }

  /** Something of an entry that is in place could not be set. */
  public void onMetadataWarning(long id, ErrorCode code, String message) {
    failures++;
    if (warnings.add(id, code, message)) {
      flush();
    }
  }

  /** The file is there already. */
  public void onUnchanged(IncomingFile<F> file) {
    judge(file, Decision.UNCHANGED, List.of());
    filesUnchanged++;
    settle(file, null, "");
  }

  /** A directory was made or found, or a link put in place. */
  public void onPrepared(Entry entry) {
    decisions.add(entry.id(), Decision.WANTED, List.of());
    openEntries -= entry.metadata().weight();
    if (entry.kind() == EntryKind.DIRECTORY) {
      OpenDirectory directory = directories.get(entry.id());
      directory.usable = true;
      directoriesDone++;
      finishIfDone(directory);
    } else {
      linksDone++;
      childDone(entry.parentId());
    }
  }

  /** An entry cannot be put in its place. */
  public void onPrepareFailed(Entry entry, ErrorCode code, String message) {
    IncomingFile<F> file = files.get(entry.id());
    if (file != null && file.state() == IncomingFile.State.COMPARING) {
      fail(file, code, message); // its decision was to compare it
      return;
    }
    decisions.add(entry.id(), Decision.WANTED, List.of());
    if (entry.kind() == EntryKind.FILE) {
      fail(file, code, message);
      return;
    }
    openEntries -= entry.metadata().weight();
    failures++;
    result(entry.id(), code, message);
    actions.failed(entry, code, message);
    if (entry.kind() == EntryKind.DIRECTORY) {
      finishIfDone(directories.get(entry.id()));
    } else {
      childDone(entry.parentId());
    }
  }

  /**
   * An intact block has come.
   *
   * @return the file that it is to be written to; null when it is not needed (known already, or the
   *     file has failed)
   * @throws FdtException PROTOCOL when no sender that keeps the rules could have sent it
   */
  public IncomingFile<F> onBlock(long id, long offset, int length) throws FdtException {
    IncomingFile<F> file = wantedFile(id);
    if (file == null) {
      return null;
    }
    long end = offset + length;
    if (length == 0
        || end > mostEnd(file)
        || !method.isCutAt(offset, file.size())
        || !method.isCutAt(end, file.size())) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "block %d+%d of file %d, which has %d bytes".formatted(offset, length, id, file.size()));
    }
    if (file.hasTaken(offset, offset + length)) {
      return null;
    }
    int before = file.pieces();
    boolean isNew = file.take(offset, offset + length);
    pieces += file.pieces() - before;
    checkPieces(file);
    bytesWanted += file.growTo(end);
    if (!isNew) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "block %d+%d of file %d, of which a part came before".formatted(offset, length, id));
    }
    return file;
  }

  /**
   * The sender says where a sparse file has holes.
   *
   * @param made gets the file and its holes, which are to be made: {@link #onHolesMade}
   * @throws FdtException PROTOCOL when no sender that keeps the rules could have said it
   */
  public void onHoles(FileHoles message, BiConsumer<IncomingFile<F>, List<Range>> made)
      throws FdtException {
    IncomingFile<F> file = wantedFile(message.getId());
    if (file == null) {
      return;
    }
    List<Range> holes = HoleRules.checked(message, file.size(), method);
    int before = file.pieces();
    if (!file.entry().metadata().sparse()
        || file.state() != IncomingFile.State.WANTED
        || !file.takeHoles(holes)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "holes of file " + file.id() + ", which cannot have them");
    }
    pieces += file.pieces() - before;
    checkPieces(file);
    for (Range hole : holes) {
      bytesWanted -= hole.length();
    }
    made.accept(file, holes);
  }

  /**
   * The holes that {@link #onHoles} asked for are there.
   *
   * @return those that are to be read for their hashes: {@link #onHashed}
   */
  public List<Range> onHolesMade(IncomingFile<F> file, List<Range> holes) {
    if (file.isSettled()) {
      return List.of();
    }
    file.madeHoles(holes);
    storeIfComplete(file);
    return method.isOfChunks() ? holes : List.of();
  }

  private void checkPieces(IncomingFile<F> file) throws FdtException {
    if (file.pieces() > MAX_PIECES || pieces > MAX_PIECES_OF_ALL) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "file %d in %d pieces, all in %d".formatted(file.id(), file.pieces(), pieces));
    }
  }

  /** Where a block may end at the most. */
  private long mostEnd(IncomingFile<F> file) {
    return file.isGrowing() ? file.writtenPrefix() + streamWindow : file.size();
  }

  /** A whole small file has come; as {@link #onBlock}. */
  public IncomingFile<F> onRecord(long id, int size) throws FdtException {
    IncomingFile<F> file = wantedFile(id);
    if (file == null || file.state() == IncomingFile.State.STORING) {
      return null;
    }
    if (size != file.size() || file.isGrowing()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d bytes for file %d, which has %d".formatted(size, id, file.size()));
    }
    int before = file.pieces();
    if (!file.take(0, size)) {
      return null;
    }
    pieces += file.pieces() - before;
    file.moveTo(IncomingFile.State.STORING);
    return file;
  }

  private IncomingFile<F> wantedFile(long id) throws FdtException {
    if (id < 1 || id > lastId) {
      throw new FdtException(ErrorCode.PROTOCOL, "data of unknown entry " + id);
    }
    IncomingFile<F> file = files.get(id);
    if (file != null && file.state().isBeforeData()) {
      throw new FdtException(ErrorCode.PROTOCOL, "data of entry " + id + " before its decision");
    }
    return file;
  }

  /** A block that {@link #onBlock} gave a file for is written. */
  public void onWritten(IncomingFile<F> file, long offset, int length, int crc) {
    bytesWritten += length;
    if (file.isSettled()) {
      return;
    }
    file.wrote(offset, offset + length, crc);
    storeIfComplete(file);
  }

  /**
   * The hashes of the chunks of a block that {@link #onBlock} gave a file for, to be told before
   * {@link #onWritten}, or of ranges that were kept.
   */
  public void onHashed(IncomingFile<F> file, long offset, byte[] hashes) {
    if (file.isSettled()) {
      return;
    }
    file.hashed(offset, hashes);
    storeIfComplete(file);
  }

  /** What the sender says of a file that it has read to the end or given up. */
  public void onFileEnd(FileEnd end) throws FdtException {
    if (end.getId() < 1 || end.getId() > lastId) {
      throw new FdtException(ErrorCode.PROTOCOL, "end of unknown entry " + end.getId());
    }
    IncomingFile<F> file = files.get(end.getId());
    if (file == null || file.state() == IncomingFile.State.STORING) {
      return;
    }
    if (file.state() == IncomingFile.State.PREPARING) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "end of entry " + end.getId() + " before its decision");
    }
    if (end.getCode() != 0) {
      ErrorCode code = ErrorCode.ofWireCode(end.getCode());
      String message = MessageText.received(end.getMessage());
      if (file.state() == IncomingFile.State.COMPARING) {
        actions.givenUp(file, code, message);
      } else {
        fail(file, code, message);
      }
      return;
    }
    if (file.isGrowing()) {
      checkEndOfStream(file, end.getSize());
      bytesWanted += file.growTo(end.getSize());
    }
    file.end(end);
    if (file.state() == IncomingFile.State.COMPARING) {
      comparisons.there(file);
    } else {
      storeIfComplete(file);
    }
  }

  private static void checkEndOfStream(IncomingFile<?> file, long size) throws FdtException {
    if (size < file.size() || size > MAX_STREAM_BYTES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "file %d ends at %s, and has bytes up to %d"
              .formatted(file.id(), Long.toUnsignedString(size), file.size()));
    }
  }

  private void storeIfComplete(IncomingFile<F> file) {
    if (file.state() != IncomingFile.State.WANTED || !file.isComplete()) {
      return;
    }
    if (!file.isVerified()) {
      fail(file, ErrorCode.VERIFICATION, file.difference());
      return;
    }
    file.moveTo(IncomingFile.State.STORING);
    actions.store(file);
  }

  /** A file has its final name. */
  public void onStored(IncomingFile<F> file) {
    if (file.isSettled()) {
      return;
    }
    filesDone++;
    addDone(file.id(), file.digest());
    settle(file, null, "");
  }

  /** A small file that {@link #onRecord} gave is written, verified and has its final name. */
  public void onRecordStored(IncomingFile<F> file) {
    bytesWritten += file.size();
    onStored(file);
  }

  /** A file cannot be written, stored or verified. */
  public void fail(IncomingFile<F> file, ErrorCode code, String message) {
    if (file.isSettled()) {
      return;
    }
    failures++;
    result(file.id(), code, message);
    if (!file.state().isBeforeData()) {
      bytesWanted -= file.size() - file.keptBytes();
    }
    settle(file, code, message);
  }

  private void settle(IncomingFile<F> file, ErrorCode failure, String message) {
    file.moveTo(IncomingFile.State.SETTLED);
    pieces -= file.pieces();
    files.remove(file.id());
    comparisons.forget(file);
    openEntries -= file.entry().metadata().weight();
    boolean held = failure != null && actions.isHeld(file);
    actions.settled(file, failure, message);
    if (!held) {
      childDone(file.entry().parentId());
    }
  }

  /** What was written of a file that failed is gone, or kept for a later transfer. */
  public void onReleased(IncomingFile<F> file) {
    childDone(file.entry().parentId());
  }

  private void result(long id, ErrorCode failure, String message) {
    String text = MessageText.fit(message);
    resultChars += text.length();
    results.addFailed(
        FileFailure.newBuilder().setId(id).setCode(failure.wireCode()).setMessage(text));
    flushIfFull();
  }

  private void addDone(long id, byte[] digest) {
    if (digests.size() != digest.length * results.getDoneCount()) {
      flush(); // those of one message have one length
    }
    results.addDone(id);
    digests.write(digest, 0, digest.length);
    flushIfFull();
  }

  private void flushIfFull() {
    int count = results.getDoneCount() + results.getFailedCount();
    if (count >= MAX_RESULTS || resultChars >= MAX_RESULT_CHARS) {
      flush();
    }
  }

  private void childDone(long parentId) {
    OpenDirectory parent = directories.get(parentId);
    parent.open--;
    finishIfDone(parent);
  }

  private void finishIfDone(OpenDirectory directory) {
    if (!directory.ended || directory.open > 0) {
      return;
    }
    if (directory.entry == null) {
      finishIfAllDone();
      return;
    }
    if (directory.entry.id() > decisions.last()) {
      return; // still being prepared
    }
    if (directory.usable) {
      directory.usable = false;
      actions.finishDirectory(directory.entry);
    } else {
      close(directory);
    }
  }

  /** Mode and time of a directory are set, or could not be ({@code failure} says why). */
  public void onDirectoryFinished(Entry entry, ErrorCode failure, String message) {
    if (failure != null) {
      failures++;
      result(entry.id(), failure, message);
      actions.failed(entry, failure, message);
    }
    close(directories.get(entry.id()));
  }

  private void close(OpenDirectory directory) {
    directories.remove(directory.entry.id());
    childDone(directory.entry.parentId());
  }

  private void finishIfAllDone() {
    OpenDirectory root = directories.get(Entry.ROOT);
    finished = manifestEnded && root.ended && root.open == 0;
  }

  /** The frame with this number on this stream needs not be kept any longer at the sender. */
  public void acknowledge(int stream, long number) {
    acks.computeIfAbsent(stream, s -> new AckList()).written(number);
  }

  /** The frame with this number on this stream is damaged: it shall come again. */
  public void reject(int stream, long number) {
    acks.computeIfAbsent(stream, s -> new AckList()).damaged(number);
  }

  /** Sends what was collected for the sender. To be called after each round of events. */
  public void flush() {
    decisions.flush(outbox);
    comparisons.flush(outbox);
    for (Map.Entry<Integer, AckList> list : acks.entrySet()) {
      outbox.send(Control.newBuilder().setFrameAcks(list.getValue().message(list.getKey())));
    }
    acks.clear();
    warnings.flush();
    if (results.getDoneCount() + results.getFailedCount() > 0) {
      results.setDigests(digests.toByteString());
      outbox.send(Control.newBuilder().setFileResults(results.build()));
      results.clear();
      digests.reset();
      resultChars = 0;
    }
  }

  /**
   * Tells the sender that every entry has an outcome. To be sent once, when {@link #isFinished}.
   */
  public void sendFinished() {
    flush();
    outbox.send(
        Control.newBuilder()
            .setFinished(
                Finished.newBuilder()
                    .setFilesDone(filesDone)
                    .setFilesUnchanged(filesUnchanged)
                    .setFilesFailed(failures)
                    .setDirectories(directoriesDone)
                    .setLinks(linksDone)
                    .setBytes(bytesWritten)));
  }

  /** Whether the manifest has ended and every entry has an outcome. */
  public boolean isFinished() {
    return finished;
  }

  public boolean isManifestEnded() {
    return manifestEnded;
  }

  /** Files whose outcome is open. */
  public Iterable<IncomingFile<F>> openFiles() {
    return files.values();
  }

  /** Bytes that earlier transfers had written already. */
  public long bytesKept() {
    return bytesKept;
  }

  /** Bytes of files that the sender is asked for. */
  public long bytesWanted() {
    return bytesWanted;
  }

  public long bytesWritten() {
    return bytesWritten;
  }

  public long filesSeen() {
    return filesSeen;
  }

  public long filesDone() {
    return filesDone;
  }

  public long filesUnchanged() {
    return filesUnchanged;
  }

  /** Files that a dry run would want. */
  public long filesDue() {
    return filesDue;
  }

  /** Entries of any kind that failed. */
  public long failures() {
    return failures;
  }

  public long directoriesDone() {
    return directoriesDone;
  }

  public long linksDone() {
    return linksDone;
  }

  /** Acknowledgements of one stream, in runs. */
  private static final class AckList {
    private final FrameAcks.Builder message = FrameAcks.newBuilder();

    void written(long number) {
      int last = message.getWrittenCount() - 2;
      if (last >= 0 && message.getWritten(last) + message.getWritten(last + 1) == number) {
        message.setWritten(last + 1, message.getWritten(last + 1) + 1);
      } else {
        message.addWritten(number).addWritten(1);
      }
    }

    void damaged(long number) {
      message.addDamaged(number);
    }

    FrameAcks.Builder message(int stream) {
      return message.setStream(stream);
    }
  }
}
