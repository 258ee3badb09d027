package io.fdt.core.spec;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Collects the options of a {@link TransferSpec}. Each setter names the default. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class TransferSpecBuilder<B extends TransferSpecBuilder<B>> {
  /** A block that takes longer looks like a stall, and is lost with its stream. */
  private static final int MAX_BLOCK_SECONDS = 2;

  /** A range cannot be compared: the destination does not record which range it holds. */
  private static final SyncRule PARTS = new SyncRule(SyncRule.Level.NEVER, false);

  private final List<Operand> sources = new ArrayList<>();
  private BytePath destination = BytePath.EMPTY;
  private boolean destinationIsDirectory;
  private boolean recursive;
  private Selection selection = Selection.ALL;
  private FilePart part = FilePart.WHOLE;
  private Changing changing = Changing.FAIL;
  private SyncRule sync = SyncRule.DEFAULT;
  private boolean dryRun;
  private boolean delete;
  private long maxDelete = Long.MAX_VALUE;
  private boolean deleteFromEmpty;
  private Optional<BytePath> backups = Optional.empty();
  private Preservation preservation = Preservation.DEFAULT;
  private Checksum checksum = Checksum.CRC32C;
  private boolean verify;
  private boolean fsync;
  private int streams = 4;
  private boolean streamsChosen;
  private boolean tunesStreams;
  private int startStreams;
  private boolean tunesReaders;
  private String congestion = "";
  private int readersPerDisk = 2;
  private int writersPerDisk = 2;
  private int blockSize = 1 << 20;
  private int socketBuffer;
  private RateSchedule rateLimit = RateSchedule.NONE;
  private Compression compression = Compression.OFF;

  /** Begins with the default of each option. */
  protected TransferSpecBuilder() {}

  /** Begins with the options of a spec. */
  protected TransferSpecBuilder(TransferSpec spec) {
    sources.addAll(spec.sources());
    destination = spec.destination();
    destinationIsDirectory = spec.destinationIsDirectory();
    recursive = spec.recursive();
    selection = spec.selection();
    part = spec.part();
    changing = spec.changing();
    sync = spec.sync();
    dryRun = spec.dryRun();
    delete = spec.delete();
    maxDelete = spec.maxDelete();
    deleteFromEmpty = spec.deleteFromEmpty();
    backups = spec.backups();
    preservation = spec.preservation();
    checksum = spec.assurance().checksum();
    verify = spec.assurance().verify();
    fsync = spec.assurance().fsync();
    opening(spec.streams(), spec.tuning());
    streamsChosen = spec.streamsChosen();
    tunesReaders = spec.tuning().readers();
    congestion = spec.tuning().congestion();
    readersPerDisk = spec.readersPerDisk();
    writersPerDisk = spec.writersPerDisk();
    blockSize = spec.blockSize();
    socketBuffer = spec.socketBuffer();
    rateLimit = spec.rateLimit();
    compression = spec.compression();
  }

  /** This builder. */
  protected abstract B self();

  /**
   * Builds the spec.
   *
   * @throws IllegalArgumentException options contradict each other
   */
  protected final TransferSpec spec() {
    boolean keepsStart = tunesStreams || !streamsChosen;
    return new TransferSpec(
        sources,
        destination,
        destinationIsDirectory || sources.size() > 1,
        recursive,
        selection,
        part,
        changing,
        part.isWhole() || part.cut().isPresent() ? sync : PARTS,
        dryRun,
        delete,
        maxDelete,
        deleteFromEmpty,
        backups,
        preservation,
        new Assurance(checksum, verify, fsync),
        streams,
        streamsChosen,
        new Tuning(tunesStreams, keepsStart ? startStreams : 0, tunesReaders, congestion),
        readersPerDisk,
        writersPerDisk,
        blockSizeWithin(rateLimit.leastBytesPerSecond()),
        socketBuffer,
        rateLimit,
        compression);
  }

  private int blockSizeWithin(long leastRate) {
    if (leastRate == 0 || blockSize <= leastRate * MAX_BLOCK_SECONDS) {
      return blockSize;
    }
    long slow = Long.highestOneBit(leastRate * MAX_BLOCK_SECONDS);
    return Math.toIntExact(Math.max(TransferSpec.MIN_BLOCK, slow));
  }

  /** Sets the number of streams without recording it as the user's choice. */
  final B opening(int value, Tuning begins) {
    streams = value;
    tunesStreams = begins.streams();
    startStreams = begins.startStreams();
    return self();
  }

  final B withoutSources() {
    sources.clear();
    return self();
  }

  final B withoutBackups() {
    backups = Optional.empty();
    return self();
  }

  /** Adds a source; a trailing slash means the contents of that directory. */
  public B source(String path) {
    return source(Operand.of(BytePath.of(path)));
  }

  /** Adds a source as bytes, which need not be text. */
  public B source(Operand operand) {
    sources.add(operand);
    return self();
  }

  public B destination(String path) {
    return destination(BytePath.of(path));
  }

  public B destination(BytePath path) {
    this.destination = Objects.requireNonNull(path, "destination");
    return self();
  }

  /** Replaces all sources. */
  public B sources(List<Operand> operands) {
    sources.clear();
    sources.addAll(operands);
    return self();
  }

  /**
   * The destination is a directory even if it does not exist yet. Default: false; rsync's rule
   * decides.
   */
  public B destinationIsDirectory(boolean value) {
    this.destinationIsDirectory = value;
    return self();
  }

  /** Copies directories with their contents. Default: false. */
  public B recursive(boolean value) {
    this.recursive = value;
    return self();
  }

  /** Transfers only some of the files beneath the sources. Default: all. */
  public B selection(Selection value) {
    this.selection = Objects.requireNonNull(value, "selection");
    return self();
  }

  /**
   * Parallel TCP connections for data, 1 to 128. Default: 4, as in FDT, with others that help to
   * carry the first 2 MiB where a round trip takes more than 20 ms, blocks have 1 MiB or less, the
   * checksum is CRC32C or none, and the data is neither encrypted nor a stream.
   */
  public B streams(int value) {
    this.streams = inRange("streams", value, 1, TransferSpec.MAX_STREAMS);
    this.streamsChosen = true;
    this.tunesStreams = false;
    return self();
  }

  /** Auto-tunes the number of streams: opens 32, and the sender finds out how many to use. */
  public B tuneStreams() {
    this.streams = TransferSpec.TUNED_STREAMS;
    this.streamsChosen = true;
    this.tunesStreams = true;
    return self();
  }

  /**
   * With {@link #tuneStreams}: streams at the beginning, 1 to 128; the default follows from the
   * path.
   */
  public B startStreams(int value) {
    this.startStreams = inRange("streams at the start", value, 1, TransferSpec.MAX_STREAMS);
    return self();
  }

  /**
   * Auto-tunes the number of threads that read each disk, starting with {@link #readersPerDisk}.
   */
  public B tuneReaders() {
    this.tunesReaders = true;
    return self();
  }

  /** Keeps {@link #readersPerDisk} threads for each disk. The default. */
  public B keepReaders() {
    this.tunesReaders = false;
    return self();
  }

  /**
   * TCP's congestion control of the sender, by its system's name (Linux: {@code cubic}, {@code
   * bbr}); {@link Tuning#AUTO} tries another one when packets get lost by chance. Default: the
   * system's own. A name that the system does not allow fails the transfer.
   *
   * @throws IllegalArgumentException when it cannot be a name
   */
  public B congestion(String name) {
    this.congestion = new Tuning(false, 0, false, name).congestion();
    return self();
  }

  /**
   * How the sender compresses payloads. Default: {@link Compression#OFF}. {@link Compression#AUTO}
   * compresses where that makes the transfer faster.
   */
  public B compression(Compression value) {
    this.compression = Objects.requireNonNull(value, "compression");
    return self();
  }

  /** Threads that read each disk, 1 to 64. Default: 2, as in FDT. */
  public B readersPerDisk(int value) {
    this.readersPerDisk = inRange("readers per disk", value, 1, TransferSpec.MAX_THREADS_PER_DISK);
    return self();
  }

  /** Threads that write each disk, 1 to 64. Default: 2. */
  public B writersPerDisk(int value) {
    this.writersPerDisk = inRange("writers per disk", value, 1, TransferSpec.MAX_THREADS_PER_DISK);
    return self();
  }

  /** The unit of scheduling and of one queue buffer, 4 KiB to 64 MiB. Default: 1 MiB. */
  public B blockSize(ByteSize value) {
    this.blockSize =
        inRange("block size", value.bytes(), TransferSpec.MIN_BLOCK, TransferSpec.MAX_BLOCK);
    return self();
  }

  /**
   * Socket buffers of the data connections, at most 1 GiB. Default: zero, the operating system
   * adapts them.
   */
  public B socketBuffer(ByteSize value) {
    this.socketBuffer = inRange("socket buffer", value.bytes(), 0, 1 << 30);
    return self();
  }

  /** Upper bound of the rate of all streams together. Default: no limit. */
  public B rateLimit(BitRate value) {
    return rateLimit(RateSchedule.always(value));
  }

  /** The bandwidth limit at each time of the week, in local time. Default: no limit. */
  public B rateLimit(RateSchedule value) {
    this.rateLimit = Objects.requireNonNull(value);
    return self();
  }

  /** The digest by which both ends compare each file. Default: CRC32C. */
  public B checksum(Checksum value) {
    this.checksum = Objects.requireNonNull(value, "checksum");
    return self();
  }

  /**
   * Reads each file back from its device and compares it before it gets its final name. Default:
   * false. Needs a checksum.
   */
  public B verify(boolean value) {
    this.verify = value;
    return self();
  }

  /**
   * A file is done only when its data, its name and its directories are on their device. Default:
   * false; the operating system of the destination has them.
   */
  public B fsync(boolean value) {
    this.fsync = value;
    return self();
  }

  /**
   * Which files stay as they are at the destination; they count as unchanged. Default: those of the
   * same size and time of modification.
   */
  public B sync(SyncRule value) {
    this.sync = Objects.requireNonNull(value, "sync");
    return self();
  }

  /**
   * Reports what would be transferred, and changes nothing at the destination. Does not check
   * permissions and space. Default: false.
   */
  public B dryRun(boolean value) {
    this.dryRun = value;
    return self();
  }

  /**
   * Removes at the destination what the source lacks, in the copied directories, after everything
   * has succeeded; what {@link #selection} excludes stays. A directory makes room for a file or a
   * link of its name before that is copied. Default: false.
   */
  public B delete(boolean value) {
    this.delete = value;
    return self();
  }

  /** Removes nothing if more names than this would go. Default: no bound. */
  public B maxDelete(long value) {
    this.maxDelete = TransferSpec.checkRange("names to delete", value, 0, Long.MAX_VALUE);
    return self();
  }

  /**
   * Removes names even if a source directory holds nothing, as a file system that is not mounted
   * does. Default: false; then nothing is removed, and the transfer ends with SOURCE_EMPTY.
   */
  public B deleteFromEmpty(boolean value) {
    this.deleteFromEmpty = value;
    return self();
  }

  /**
   * Moves overwritten and deleted files to a directory, keeping its path beneath the destination;
   * where an older backup has the name, the later one gets a number. The directory is relative to
   * the destination, on the same file system, neither the destination nor above it; a server takes
   * only one in the same export, to which an absolute path is relative. Deletions do not touch it.
   * Default: nothing is kept.
   */
  public B backups(BytePath value) {
    this.backups = Optional.of(value);
    return self();
  }

  /**
   * Which metadata is preserved besides names and bytes. Default: mode, times and holes; links are
   * copied as links. Owners, special bits and all attributes need a destination that runs as root,
   * and a server that allows them.
   */
  public B preservation(Preservation value) {
    this.preservation = Objects.requireNonNull(value, "preservation");
    return self();
  }

  /** How a file that changes during the transfer is treated. Default: it fails. */
  public B changing(Changing value) {
    this.changing = Objects.requireNonNull(value, "changing");
    return self();
  }

  /**
   * Fetches a range of one file. It arrives as a file of its own and replaces a file of that name.
   * The digest covers the range. Default: the whole file.
   */
  public B part(FilePart value) {
    this.part = Objects.requireNonNull(value, "part");
    return self();
  }

  private static int inRange(String what, long value, long least, long most) {
    return Math.toIntExact(TransferSpec.checkRange(what, value, least, most));
  }
}
