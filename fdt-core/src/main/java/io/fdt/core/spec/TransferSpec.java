package io.fdt.core.spec;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.Delta;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.SelectionCoding;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The options of a transfer: the value shared by command, library, protocol and session machines.
 * It wraps the message {@code TransferSpec} of control.proto, and its constructor checks each
 * option. Immutable; equal when every option is equal.
 *
 * <p>A spec says neither which end has the data nor where the ends are. {@link TransferSpecCoding}
 * encodes and decodes it.
 */
public final class TransferSpec {
  /** Smallest block that an option or a peer may ask for, in bytes. */
  public static final int MIN_BLOCK = 4 << 10;

  /** Most bytes of one block. */
  public static final int MAX_BLOCK = 64 << 20;

  /** Most data streams of one session. */
  public static final int MAX_STREAMS = 128;

  /** Streams of one session by default, as in FDT. */
  public static final int DEFAULT_STREAMS = 4;

  /** Bytes of one block by default. */
  public static final int DEFAULT_BLOCK = 1 << 20;

  /** Streams opened when the sender tunes their number. */
  public static final int TUNED_STREAMS = 32;

  /** Most threads for one disk of one session. */
  public static final int MAX_THREADS_PER_DISK = 64;

  /** As in the original FDT. */
  static final int THREADS_PER_DISK = 2;

  /** Memory for the names that a deletion remembers. */
  public static final long DELETION_NAMES_BYTES = 32 << 20;

  /** The limit on sources; a list of this many paths takes at most 1 GB of memory. */
  private static final Range SOURCES = new Range("number of sources", 0, 100_000);

  /** In bytes; the limit is PATH_MAX of Linux. */
  private static final Range BACKUP_PATH = new Range("length of the path of backups", 0, 4096);

  private static final Range OLDER_PATH = new Range("length of the path of older files", 0, 4096);

  /** Tests use smaller blocks than options allow. */
  private static final Range ANY_BLOCK = new Range("block size", 1, MAX_BLOCK);

  /**
   * Fewest blocks that one end may hold in memory, so that disks and network work at the same time.
   */
  private static final int MIN_BUFFERED_BLOCKS = 8;

  private static final long BUFFERED_BYTES = 32L << 20;

  static final Range STREAMS = new Range("streams", 1, MAX_STREAMS);
  static final Range READERS = new Range("readers per disk", 1, MAX_THREADS_PER_DISK);
  static final Range WRITERS = new Range("writers per disk", 1, MAX_THREADS_PER_DISK);
  static final Range BLOCK_SIZE = new Range("block size", MIN_BLOCK, MAX_BLOCK);
  static final Range SOCKET_BUFFER = new Range("socket buffer", 0, 1 << 30);
  static final Range MAX_DELETE = new Range("names to delete", 0, Long.MAX_VALUE);

  private final List<Operand> sources;

  /** All other options. */
  private final io.fdt.core.wire.control.TransferSpec options;

  private final Selection selection;
  private final FilePart part;
  private final Changing changing;
  private final Delta delta;
  private final DirectIo directIo;
  private final NameRule names;
  private final SyncRule sync;
  private final Preservation preservation;
  private final Assurance assurance;
  private final Tuning tuning;
  private final RateSchedule rateLimit;
  private final Compression compression;

  /**
   * Checks every option.
   *
   * @param options without sources
   * @throws IllegalArgumentException an option is out of its range, or two options contradict each
   *     other; the message is for the user
   */
  TransferSpec(List<Operand> sources, io.fdt.core.wire.control.TransferSpec options) {
    this.sources = List.copyOf(sources);
    this.options = options;
    names = TransferSpecCoding.constant(NameRule.class, options.getNames());
    Selection selected = SelectionCoding.decode(options.getSelection());
    selection = names == NameRule.DECODE ? selected.withEncodedNames() : selected;
    part = TransferSpecCoding.part(options.getPart());
    changing = TransferSpecCoding.constant(Changing.class, options.getChanging());
    delta = TransferSpecCoding.constant(Delta.class, options.getDelta());
    directIo = TransferSpecCoding.constant(DirectIo.class, options.getDirectIo());
    sync =
        new SyncRule(
            TransferSpecCoding.constant(SyncRule.Level.class, options.getSync()),
            options.getUpdate());
    preservation = TransferSpecCoding.preservation(options);
    assurance =
        new Assurance(
            TransferSpecCoding.constant(Checksum.class, options.getChecksum()),
            options.getVerify(),
            options.getFsync());
    tuning =
        new Tuning(
            options.getAutoStreams(),
            options.getStartStreams(),
            options.getAutoReaders(),
            options.getCongestion());
    rateLimit = TransferSpecCoding.rateLimit(options);
    compression =
        options.getCompression().isEmpty()
            ? Compression.OFF
            : Compression.parse(options.getCompression());
    SOURCES.check(sources.size());
    MAX_DELETE.check(maxDelete());
    STREAMS.check(streams());
    READERS.check(readersPerDisk());
    WRITERS.check(writersPerDisk());
    ANY_BLOCK.check(blockSize());
    SOCKET_BUFFER.check(socketBuffer());
    BACKUP_PATH.check(options.getBackups().size());
    OLDER_PATH.check(options.getDeltaFrom().size());
    if (deltaFrom().isPresent() && delta() == Delta.OFF) {
      throw new IllegalArgumentException("older files are of no use without deltas");
    }
    if (sync.level() == SyncRule.Level.CHECKSUM && assurance.checksum() == Checksum.NONE) {
      throw new IllegalArgumentException("comparing contents needs a checksum");
    }
    if (delete() && preservation.links() == Preservation.Links.FOLLOW) {
      throw new IllegalArgumentException(
          "a deletion cannot be combined with links that are followed; copy them or leave them"
              + " out");
    }
    if (!part.isWhole() && (recursive() || sources.size() > 1)) {
      throw new IllegalArgumentException("a range needs exactly one file");
    }
    boolean needsWhole =
        dryRun() || changing != Changing.FAIL || sync.level() == SyncRule.Level.CHECKSUM;
    if (part.cut().isPresent() && needsWhole) {
      throw new IllegalArgumentException(
          "a file is not cut into ranges in a dry run, when it may change, or when its digest is"
              + " compared");
    }
  }

  /** The options without sources, for {@link TransferSpecCoding} and builders. */
  io.fdt.core.wire.control.TransferSpec options() {
    return options;
  }

  /** Paths at the sender; empty at the receiver. */
  public List<Operand> sources() {
    return sources;
  }

  /** Path at the receiver; empty at the sender. */
  public BytePath destination() {
    return TransferSpecCoding.path(options.getDestination());
  }

  /** Whether the destination is a directory even if it does not exist yet. */
  public boolean destinationIsDirectory() {
    return options.getDestinationIsDirectory();
  }

  /** Whether directories are copied with their contents; otherwise they are refused. */
  public boolean recursive() {
    return options.getRecursive();
  }

  /** Which files beneath the sources are transferred. */
  public Selection selection() {
    return selection;
  }

  /**
   * The part of the one source; {@link FilePart#WHOLE} for all of it. Receivers know it only if it
   * is a range of a cut.
   */
  public FilePart part() {
    return part;
  }

  /** The treatment of a file that changes during the transfer. */
  public Changing changing() {
    return changing;
  }

  /** Whether the bytes of a file are looked for in the file that it replaces. */
  public Delta delta() {
    return delta;
  }

  /** How the data of large files passes the page cache. */
  public DirectIo directIo() {
    return directIo;
  }

  /** The treatment of names that some systems refuse. */
  public NameRule names() {
    return names;
  }

  /** The rule for existing files that are kept at the destination. */
  public SyncRule sync() {
    return sync;
  }

  /** Whether to report what would be transferred, and change nothing. */
  public boolean dryRun() {
    return options.getDryRun();
  }

  /** Whether to remove at the destination what the source lacks, after everything is copied. */
  public boolean delete() {
    return options.getDelete();
  }

  /** Names to remove at most, 0 or more; with more, nothing is removed. */
  public long maxDelete() {
    long plusOne = options.getMaxDeletePlusOne();
    return plusOne == 0 ? Long.MAX_VALUE : plusOne - 1;
  }

  /** Whether names are removed even if a source directory is empty. */
  public boolean deleteFromEmpty() {
    return options.getDeleteFromEmpty();
  }

  /**
   * The directory for overwritten and deleted files, relative to the destination; empty if they are
   * not kept. At most 4,096 bytes.
   */
  public Optional<BytePath> backups() {
    return options.getBackups().isEmpty()
        ? Optional.empty()
        : Optional.of(TransferSpecCoding.path(options.getBackups()));
  }

  /** See {@link TransferSpecBuilder#deltaFrom}. */
  public Optional<BytePath> deltaFrom() {
    return options.getDeltaFrom().isEmpty()
        ? Optional.empty()
        : Optional.of(TransferSpecCoding.path(options.getDeltaFrom()));
  }

  /** Which metadata is preserved besides names and bytes. */
  public Preservation preservation() {
    return preservation;
  }

  /** How contents are verified and made durable. */
  public Assurance assurance() {
    return assurance;
  }

  /** Parallel data connections, 1 to 128. */
  public int streams() {
    return options.getStreams();
  }

  /** Whether the user chose their number; otherwise a long path may begin with more. */
  public boolean streamsChosen() {
    return options.getStreamsChosen();
  }

  /** Parameters that the sender auto-tunes. */
  public Tuning tuning() {
    return tuning;
  }

  /** Threads that read each disk of the source, 1 to 64. */
  public int readersPerDisk() {
    return options.getReadersPerDisk();
  }

  /** Those of a source that prefers another number than the default. */
  public int readersPerDisk(int preferred) {
    return readersPerDisk() == THREADS_PER_DISK ? preferred : readersPerDisk();
  }

  /** Threads that write each disk of the destination, 1 to 64. */
  public int writersPerDisk() {
    return options.getWritersPerDisk();
  }

  /** Those of a destination that prefers another number than the default. */
  public int writersPerDisk(int preferred) {
    return writersPerDisk() == THREADS_PER_DISK ? preferred : writersPerDisk();
  }

  /** Bytes of one block, at most 64 MiB; options allow no less than 4 KiB. */
  public int blockSize() {
    return options.getBlockSize();
  }

  /** Bytes of each data socket's buffers, at most 1 GiB; 0 leaves them to the operating system. */
  public int socketBuffer() {
    return options.getSocketBuffer();
  }

  /** Upper bound of the rate of all streams together, in local time. */
  public RateSchedule rateLimit() {
    return rateLimit;
  }

  /** How the sender compresses payloads. */
  public Compression compression() {
    return compression;
  }

  /** A builder with the default of each option. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder with these options. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Builds a spec. Not thread-safe. */
  public static final class Builder extends TransferSpecBuilder<Builder> {
    private Builder() {}

    private Builder(TransferSpec spec) {
      super(spec);
    }

    @Override
    protected Builder self() {
      return this;
    }

    /**
     * The spec.
     *
     * @throws IllegalArgumentException options contradict each other
     */
    public TransferSpec build() {
      return spec();
    }
  }

  /** The part of the spec that the sender needs. */
  public TransferSpec forSender() {
    var needed =
        options.toBuilder()
            .clearDestination()
            .clearDestinationIsDirectory()
            .clearBackups()
            .clearDeltaFrom()
            .clearRateLimit();
    if (names == NameRule.ENCODE) {
      needed.clearNames();
    }
    return new TransferSpec(sources, needed.build());
  }

  /**
   * The part of the spec that the receiver needs: no sources, and only the part of the selection
   * that a deletion needs.
   */
  public TransferSpec forReceiver() {
    var needed = options.toBuilder().clearRecursive().clearRateLimit();
    if (!delete()) {
      needed.setSelection(SelectionCoding.encode(Selection.ALL));
    }
    if (part.cut().isEmpty()) {
      needed.clearPart();
    }
    if (names == NameRule.DECODE) {
      needed.clearNames();
    }
    return new TransferSpec(List.of(), needed.build());
  }

  /** The part of the spec that a data node needs, at either end: no names. */
  public TransferSpec forDataNode() {
    return new TransferSpec(
        List.of(),
        forSender().options.toBuilder()
            .clearRecursive()
            .setSelection(SelectionCoding.encode(Selection.ALL))
            .clearPart()
            .clearDelete()
            .clearNames()
            .build());
  }

  /** A copy that begins with another number of streams, if their number is tuned. */
  public TransferSpec startingWith(int streams) {
    return toBuilder().startStreams(streams).build();
  }

  /**
   * A copy whose sender tunes the number of streams, and the congestion control if none is chosen.
   *
   * @param most streams, all of which carry the beginning
   */
  public TransferSpec tunedWithin(int most) {
    Builder tuned = toBuilder();
    tuned.options.setStreams(most).setAutoStreams(true);
    return tuning.congestion().isEmpty() ? tuned.congestion(Tuning.AUTO).build() : tuned.build();
  }

  /** For FDT itself: the construction of the files' digests. */
  public DigestMethod digestMethod() {
    return DigestMethod.of(assurance.checksum(), blockSize());
  }

  /** Memory of one end for blocks: 32 MiB, or eight blocks if these are larger. */
  public long bufferBytes() {
    return Math.max(BUFFERED_BYTES, (long) MIN_BUFFERED_BLOCKS * blockSize());
  }

  /**
   * Most memory of one end: waiting blocks, one incomplete block per stream, names for a deletion.
   */
  public long memoryBytes(int openStreams) {
    long names = delete() ? DELETION_NAMES_BYTES : 0;
    return bufferBytes() + (long) openStreams * blockSize() + names;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TransferSpec that
        && sources.equals(that.sources)
        && options.equals(that.options);
  }

  @Override
  public int hashCode() {
    return Objects.hash(sources, options);
  }

  /** The values that a number may have, both ends included. */
  record Range(String what, long least, long most) {
    long check(long value) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            what + " " + value + " is not between " + least + " and " + most);
      }
      return value;
    }
  }
}
