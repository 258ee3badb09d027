package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.tuning.Tuning;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What to move, where to, and with what. Immutable; made by {@link #pull()} or {@link #push()}. */
public final class TransferRequest {
  /** Which end has the data. */
  public enum Direction {
    /** From the server to this machine. */
    PULL,
    /** From this machine to the server. */
    PUSH,
    /** From one server to another one. */
    BETWEEN
  }

  private final Direction direction;
  private final List<Operand> sources;
  private final BytePath destination;
  private final boolean destinationIsDirectory;
  private final boolean recursive;
  private final Selection selection;
  private final int streams;
  private final boolean choosesStreams;
  private final Tuning tuning;
  private final boolean explain;
  private final int readersPerDisk;
  private final int writersPerDisk;
  private final ByteSize blockSize;
  private final ByteSize socketBuffer;
  private final RateSchedule rateLimit;
  private final Checksum checksum;
  private final boolean verify;
  private final boolean fsync;
  private final SyncRule sync;
  private final boolean dryRun;
  private final boolean delete;
  private final long maxDelete;
  private final Optional<BytePath> backups;
  private final FilePart part;
  private final Optional<OutputStream> output;
  private final Optional<InputStream> input;
  private final Preservation preservation;

  private final Builder made;

  private TransferRequest(Builder builder) {
    this.made = builder.copy();
    this.direction = builder.direction;
    this.sources = List.copyOf(builder.sources);
    this.destination = Objects.requireNonNull(builder.destination, "destination");
    this.destinationIsDirectory = builder.destinationIsDirectory;
    this.recursive = builder.recursive;
    this.selection = builder.selection;
    this.streams = builder.streams;
    this.choosesStreams = builder.choosesStreams;
    this.tuning =
        new Tuning(
            builder.tunesStreams,
            builder.tunesStreams ? builder.startStreams : 0,
            builder.tunesReaders,
            builder.congestion);
    this.explain = builder.explain;
    this.readersPerDisk = builder.readersPerDisk;
    this.writersPerDisk = builder.writersPerDisk;
    this.blockSize = builder.blockSize;
    this.socketBuffer = builder.socketBuffer;
    this.rateLimit = builder.rateLimit;
    this.checksum = builder.checksum;
    this.verify = builder.verify;
    this.fsync = builder.fsync;
    this.sync = builder.sync;
    this.dryRun = builder.dryRun;
    this.delete = builder.delete;
    this.maxDelete = builder.maxDelete;
    this.backups = Optional.ofNullable(builder.backups);
    this.part = builder.part;
    this.output = Optional.ofNullable(builder.output);
    this.input = Optional.ofNullable(builder.input);
    this.preservation = builder.preservation;
  }

  /** A request that fetches from the server. */
  public static Builder pull() {
    return new Builder(Direction.PULL);
  }

  /** A request that sends to the server. */
  public static Builder push() {
    return new Builder(Direction.PUSH);
  }

  /** A request that has one server send to another one. */
  public static Builder between() {
    return new Builder(Direction.BETWEEN);
  }

  /** The same request, as one of a client that is itself the other end. */
  TransferRequest as(Direction other) {
    Builder builder = made.copy();
    builder.direction = other;
    return new TransferRequest(builder);
  }

  /** The same request for other files. */
  TransferRequest with(List<Operand> otherSources, BytePath otherDestination) {
    Builder builder = made.copy();
    builder.sources.clear();
    builder.sources.addAll(otherSources);
    return builder.destination(otherDestination).build();
  }

  public Direction direction() {
    return direction;
  }

  /** Paths on the server (pull) or on this machine (push); never empty. */
  public List<Operand> sources() {
    return sources;
  }

  /** A path on this machine (pull) or on the server (push). */
  public BytePath destination() {
    return destination;
  }

  /** Whether the destination is a directory even where none is yet. */
  public boolean destinationIsDirectory() {
    return destinationIsDirectory;
  }

  /** Whether directories are copied with all that they hold; refused otherwise. */
  public boolean recursive() {
    return recursive;
  }

  /** Which files beneath the sources are moved. */
  public Selection selection() {
    return selection;
  }

  /** Parallel TCP connections for data (P), 1 to 128. */
  public int streams() {
    return streams;
  }

  /** Whether somebody has said how many streams there are to be. */
  boolean choosesStreams() {
    return choosesStreams;
  }

  /** What the sender finds out while it runs. */
  public Tuning tuning() {
    return tuning;
  }

  /** Whether the listener hears what limits a pull. */
  public boolean explain() {
    return explain;
  }

  /** Threads that read each disk of the source (C), 1 to 64. */
  public int readersPerDisk() {
    return readersPerDisk;
  }

  /** Threads that write each disk of the destination, 1 to 64. */
  public int writersPerDisk() {
    return writersPerDisk;
  }

  /** The unit of scheduling and of one queue buffer, 4 KiB to 64 MiB. */
  public ByteSize blockSize() {
    return blockSize;
  }

  /**
   * Send and receive buffer of each data connection; zero leaves it to the operating system, which
   * adapts it.
   */
  public ByteSize socketBuffer() {
    return socketBuffer;
  }

  /** The most that all streams together may carry. */
  public RateSchedule rateLimit() {
    return rateLimit;
  }

  /** What the bytes of each file are compared by, end to end. */
  public Checksum checksum() {
    return checksum;
  }

  /** Whether each file is read back from its device and compared before it gets its final name. */
  public boolean verify() {
    return verify;
  }

  /** Whether each file, its name and its directories are on their device when it is done. */
  public boolean fsync() {
    return fsync;
  }

  /** Which files stay as they are at the destination. */
  public SyncRule sync() {
    return sync;
  }

  /** Whether to find out what would be moved, and change nothing. */
  public boolean dryRun() {
    return dryRun;
  }

  /** Whether what the source lacks is removed at the destination, after the transfer succeeded. */
  public boolean delete() {
    return delete;
  }

  /** Names that may be removed; with more nothing is. {@code Long.MAX_VALUE}: any number. */
  public long maxDelete() {
    return maxDelete;
  }

  /**
   * Where what is overwritten or deleted goes, relative to the destination; empty when it is gone.
   */
  public Optional<BytePath> backups() {
    return backups;
  }

  /** The part of the one source that is fetched; {@link FilePart#WHOLE} for all of it. */
  public FilePart part() {
    return part;
  }

  /** What the bytes of the one source are written to, in place of a file. */
  public Optional<OutputStream> output() {
    return output;
  }

  /** What the bytes of the one file are read from, in place of a source. */
  public Optional<InputStream> input() {
    return input;
  }

  /** What is kept of files besides names and bytes. */
  public Preservation preservation() {
    return preservation;
  }

  /** Collects a request. Not thread-safe. */
  public static final class Builder implements Cloneable {
    private Direction direction;
    private List<Operand> sources = new ArrayList<>();
    private BytePath destination;
    private boolean destinationIsDirectory;
    private boolean recursive;
    private Selection selection = Selection.ALL;
    private int streams = 4;
    private boolean choosesStreams;
    private boolean tunesStreams;
    private int startStreams;
    private boolean tunesReaders;
    private String congestion = "";
    private boolean explain;
    private int readersPerDisk = 2;
    private int writersPerDisk = 2;
    private ByteSize blockSize = ByteSize.ofBytes(1 << 20);
    private ByteSize socketBuffer = ByteSize.ofBytes(0);
    private RateSchedule rateLimit = RateSchedule.NONE;
    private Checksum checksum = Checksum.CRC32C;
    private boolean verify;
    private boolean fsync;
    private SyncRule sync = SyncRule.DEFAULT;
    private boolean dryRun;
    private boolean delete;
    private long maxDelete = Long.MAX_VALUE;
    private BytePath backups;
    private FilePart part = FilePart.WHOLE;
    private OutputStream output;
    private InputStream input;
    private Preservation preservation = Preservation.DEFAULT;

    private Builder(Direction direction) {
      this.direction = direction;
    }

    private Builder copy() {
      try {
        Builder copy = (Builder) clone();
        copy.sources = new ArrayList<>(sources);
        return copy;
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    /** Adds a source; a trailing slash means the contents of that directory. */
    public Builder source(String path) {
      return source(Operand.of(BytePath.of(path)));
    }

    /** Adds a source on this machine. */
    public Builder source(Path path) {
      return source(Operand.of(BytePath.of(path)));
    }

    /** Adds a source whose name need not be text. */
    public Builder source(Operand operand) {
      sources.add(operand);
      return this;
    }

    public Builder destination(String path) {
      return destination(BytePath.of(path));
    }

    public Builder destination(Path path) {
      return destination(BytePath.of(path));
    }

    public Builder destination(BytePath path) {
      this.destination = path;
      return this;
    }

    /**
     * Says that the destination is a directory even where none is yet. Default: false, rsync's rule
     * decides.
     */
    public Builder destinationIsDirectory(boolean value) {
      this.destinationIsDirectory = value;
      return this;
    }

    /** Copies directories with all that they hold. Default: false. */
    public Builder recursive(boolean value) {
      this.recursive = value;
      return this;
    }

    /** Moves only some of the files beneath the sources. Default: all. */
    public Builder selection(Selection value) {
      this.selection = Objects.requireNonNull(value, "selection");
      return this;
    }

    /**
     * Parallel TCP connections for data, 1 to 128. Default: 4, as in FDT, with others that help to
     * carry the first 2 MiB where a round trip takes more than 20 ms, blocks have 1 MiB or less,
     * the checksum is CRC32C or none, and what is sent is neither encrypted nor a stream.
     */
    public Builder streams(int value) {
      this.streams = inRange("streams", value, 1, 128);
      this.choosesStreams = true;
      this.tunesStreams = false;
      return this;
    }

    /** Opens 32 streams, and has the sender find out, while it runs, how many of them to use. */
    public Builder tuneStreams() {
      this.streams = SenderPipeline.MOST_TUNED_STREAMS;
      this.choosesStreams = true;
      this.tunesStreams = true;
      return this;
    }

    /** With {@link #tuneStreams}: so many at first, 1 to 128; the default follows from the path. */
    public Builder startStreams(int value) {
      this.startStreams = inRange("streams at the start", value, 1, 128);
      return this;
    }

    /**
     * Has the sender find out, while it runs, how many threads read each disk; {@link
     * #readersPerDisk} of them at first.
     */
    public Builder tuneReaders() {
      this.tunesReaders = true;
      return this;
    }

    /**
     * TCP's congestion control for what the sender sends, as its system calls it (Linux: {@code
     * cubic}, {@code bbr}); {@link Tuning#AUTO} tries another one when packets get lost by chance.
     * Default: what the system takes. One that the system does not allow fails the transfer.
     *
     * @throws IllegalArgumentException when it is no such name
     */
    public Builder congestion(String name) {
      this.congestion = new Tuning(false, 0, false, name).congestion();
      return this;
    }

    /** Has a listener told what limits a pull; of a push it is told anyway. */
    public Builder explain(boolean value) {
      this.explain = value;
      return this;
    }

    /** Threads that read each disk, 1 to 64. Default: 2, as in FDT. */
    public Builder readersPerDisk(int value) {
      this.readersPerDisk = inRange("readers per disk", value, 1, 64);
      return this;
    }

    /** Threads that write each disk, 1 to 64. Default: 2. */
    public Builder writersPerDisk(int value) {
      this.writersPerDisk = inRange("writers per disk", value, 1, 64);
      return this;
    }

    /** The unit of scheduling and of one queue buffer, 4 KiB to 64 MiB. Default: 1 MiB. */
    public Builder blockSize(ByteSize value) {
      inRange("block size", value.bytes(), 4 << 10, 64 << 20);
      this.blockSize = value;
      return this;
    }

    /**
     * Socket buffers of the data connections, at most 1 GiB. Default: zero, the operating system
     * adapts them.
     */
    public Builder socketBuffer(ByteSize value) {
      inRange("socket buffer", value.bytes(), 0, 1 << 30);
      this.socketBuffer = value;
      return this;
    }

    /** The most that all streams together may carry. Default: no limit. */
    public Builder rateLimit(BitRate value) {
      return rateLimit(RateSchedule.always(value));
    }

    /** The same at each time of the week, in local time. Default: no limit. */
    public Builder rateLimit(RateSchedule value) {
      this.rateLimit = Objects.requireNonNull(value);
      return this;
    }

    /** What the bytes of each file are compared by, end to end. Default: CRC32C. */
    public Builder checksum(Checksum value) {
      this.checksum = Objects.requireNonNull(value, "checksum");
      return this;
    }

    /**
     * Reads each file back from its device and compares it before it gets its final name. Default:
     * false. Needs a checksum.
     */
    public Builder verify(boolean value) {
      this.verify = value;
      return this;
    }

    /**
     * Has each file, its name and its directories on their device when it is done. Default: false;
     * then they are with the operating system of the destination.
     */
    public Builder fsync(boolean value) {
      this.fsync = value;
      return this;
    }

    /**
     * Which files stay as they are at the destination; they count as unchanged. Default: those of
     * the same size and time of modification.
     */
    public Builder sync(SyncRule value) {
      this.sync = Objects.requireNonNull(value, "sync");
      return this;
    }

    /**
     * Finds out what would be moved, and changes nothing at the destination; the report has {@link
     * TransferReport#filesDue}. Permissions and space are not tried. Default: false.
     */
    public Builder dryRun(boolean value) {
      this.dryRun = value;
      return this;
    }

    /**
     * Removes at the destination what the source lacks, beneath the directories that were copied,
     * after everything has succeeded; what {@link #selection} leaves out stays. Default: false.
     */
    public Builder delete(boolean value) {
      this.delete = value;
      return this;
    }

    /** Removes nothing when it would be more names than this. Default: any number. */
    public Builder maxDelete(long value) {
      this.maxDelete = inRange("names to delete", value, 0, Long.MAX_VALUE);
      return this;
    }

    /**
     * Moves what is overwritten or deleted to a directory, keeping its path beneath the
     * destination; an older backup of the same name is replaced. The directory is relative to the
     * destination, on the same file system, neither the destination nor above it; a server takes
     * only one in the same export, to which an absolute path is relative. Deletions leave it alone.
     * Default: it is gone.
     */
    public Builder backups(BytePath value) {
      this.backups = Objects.requireNonNull(value, "backups");
      return this;
    }

    /**
     * What is kept of files besides names and bytes. Default: mode, times and holes; links are
     * copied as links. Owners, special bits and all attributes need a destination that runs as
     * root, and a server that allows them.
     */
    public Builder preservation(Preservation value) {
      this.preservation = Objects.requireNonNull(value, "preservation");
      return this;
    }

    /**
     * Fetches a part of the one source, which is a file; it arrives as a file of its own, which
     * replaces whatever file has its name. The digest is that of the part. Default: all of it.
     */
    public Builder part(FilePart value) {
      this.part = Objects.requireNonNull(value, "part");
      return this;
    }

    /**
     * Writes the bytes of the one source, which is a file, to a stream, in order; there is no
     * destination then. The stream is written to by one thread at a time, may block, is flushed at
     * the end, and stays open. What is wrong is only known when bytes have been written: the report
     * says whether they were right. Memory: up to 32 MiB, or eight blocks, for what comes early.
     */
    public Builder output(OutputStream value) {
      this.output = Objects.requireNonNull(value, "output");
      return destination("-");
    }

    /**
     * Sends what a stream has until its end as one file, in place of a source; the destination is
     * its path, with its name. It is read by one thread, which may block (no longer than {@link
     * FdtClient.Builder#stallTimeout} when nothing else moves) and is interrupted when the transfer
     * ends first; it stays open. Nothing has the name before the stream has ended well. Memory: up
     * to 64 MiB, or sixteen blocks. Goes with CRC32C, or no checksum.
     */
    public Builder input(InputStream value) {
      this.input = Objects.requireNonNull(value, "input");
      return source("-");
    }

    private void checkInput() {
      if (direction == Direction.PULL || sources.size() > 1 || recursive) {
        throw new IllegalArgumentException("only one file that is sent is read from a stream");
      }
      if (destinationIsDirectory || destination.toString().endsWith("/")) {
        throw new IllegalArgumentException("what is read from a stream needs a name");
      }
      if (checksum != Checksum.CRC32C && checksum != Checksum.NONE) {
        throw new IllegalArgumentException(checksum.text() + " needs a size that is known before");
      }
      if (dryRun || delete || !sync.equals(SyncRule.DEFAULT)) {
        throw new IllegalArgumentException("a stream cannot be tried, or compared with a file");
      }
    }

    private void checkOneFile() {
      if (direction == Direction.PUSH || sources.size() > 1 || recursive) {
        throw new IllegalArgumentException("only one file that is fetched has a part or an order");
      }
      if (output != null && (verify || fsync || dryRun || backups != null)) {
        throw new IllegalArgumentException(
            "what goes to a stream cannot be read back, forced to a device, or tried, and replaces"
                + " nothing");
      }
    }

    /**
     * The request.
     *
     * @throws IllegalArgumentException there is no source, or nothing to verify or compare by, or a
     *     part or an order of something else than one file
     */
    public TransferRequest build() {
      if (output != null || !part.isWhole()) {
        checkOneFile();
      }
      if (input != null) {
        checkInput();
      }
      if (sources.isEmpty()) {
        throw new IllegalArgumentException("no source");
      }
      if (verify && checksum == Checksum.NONE) {
        throw new IllegalArgumentException("without a checksum there is nothing to verify by");
      }
      if (sync.level() == SyncRule.Level.CHECKSUM && checksum == Checksum.NONE) {
        throw new IllegalArgumentException("without a checksum there is nothing to compare by");
      }
      if (delete && preservation.links() == Preservation.Links.FOLLOW) {
        throw new IllegalArgumentException(
            "a deletion does not look through links: it goes with links that are copied or left"
                + " out, not followed");
      }
      return new TransferRequest(this);
    }

    private static int inRange(String what, int value, int least, int most) {
      return (int) inRange(what, (long) value, least, most);
    }

    private static long inRange(String what, long value, long least, long most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            what + " " + value + " is not between " + least + " and " + most);
      }
      return value;
    }
  }
}
