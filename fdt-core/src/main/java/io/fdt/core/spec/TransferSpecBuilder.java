package io.fdt.core.spec;

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
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.control.Aspect;
import io.fdt.core.wire.control.ChangeRule;
import io.fdt.core.wire.control.DeltaRule;
import io.fdt.core.wire.control.DirectRule;
import io.fdt.core.wire.control.LinkRule;
import io.fdt.core.wire.control.SyncLevel;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the options of a {@link TransferSpec}. Each setter names the default. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class TransferSpecBuilder<B extends TransferSpecBuilder<B>> {
  /**
   * The longest time of a block; a slower one would look like a stall, and be lost with its stream.
   */
  private static final int MAX_BLOCK_SECONDS = 2;

  private static final io.fdt.core.wire.control.TransferSpec DEFAULTS =
      io.fdt.core.wire.control.TransferSpec.newBuilder()
          .setVersion(TransferSpecCoding.VERSION)
          .setSelection(SelectionCoding.encode(Selection.ALL))
          .addPreserve(Aspect.ASPECT_MODE)
          .addPreserve(Aspect.ASPECT_TIMES)
          .addPreserve(Aspect.ASPECT_SPARSE)
          .setStreams(TransferSpec.DEFAULT_STREAMS)
          .setReadersPerDisk(TransferSpec.THREADS_PER_DISK)
          .setWritersPerDisk(TransferSpec.THREADS_PER_DISK)
          .setBlockSize(TransferSpec.DEFAULT_BLOCK)
          .build();

  private final List<Operand> sources = new ArrayList<>();

  /** All other options, as a message. */
  final io.fdt.core.wire.control.TransferSpec.Builder options;

  /** Begins with the default of each option. */
  protected TransferSpecBuilder() {
    options = DEFAULTS.toBuilder();
  }

  /** Begins with the options of a spec. */
  protected TransferSpecBuilder(TransferSpec spec) {
    sources.addAll(spec.sources());
    options = spec.options().toBuilder();
  }

  /** This builder. */
  protected abstract B self();

  /**
   * Builds the spec.
   *
   * @throws IllegalArgumentException options contradict each other
   */
  protected final TransferSpec spec() {
    var spec = options.clone();
    FilePart part = TransferSpecCoding.part(spec.getPart());
    if (!part.isWhole() && part.cut().isEmpty()) {
      // A range cannot be compared: the destination does not record which range it holds.
      spec.setSync(SyncLevel.SYNC_NEVER).setUpdate(false);
    }
    if (spec.getStreamsChosen() && !spec.getAutoStreams()) {
      spec.clearStartStreams();
    }
    if (sources.size() > 1) {
      spec.setDestinationIsDirectory(true);
    }
    spec.setBlockSize(blockSizeWithin(TransferSpecCoding.rateLimit(options).leastBytesPerSecond()));
    return new TransferSpec(sources, spec.build());
  }

  private int blockSizeWithin(long leastRate) {
    if (leastRate == 0 || options.getBlockSize() <= leastRate * MAX_BLOCK_SECONDS) {
      return options.getBlockSize();
    }
    long slow = Long.highestOneBit(leastRate * MAX_BLOCK_SECONDS);
    return Math.toIntExact(Math.max(TransferSpec.MIN_BLOCK, slow));
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
    options.setDestination(TransferSpecCoding.bytes(path));
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
    options.setDestinationIsDirectory(value);
    return self();
  }

  /** Copies directories with their contents. Default: false. */
  public B recursive(boolean value) {
    options.setRecursive(value);
    return self();
  }

  /** Transfers only some of the files beneath the sources. Default: all. */
  public B selection(Selection value) {
    options.setSelection(SelectionCoding.encode(value));
    return self();
  }

  /**
   * Parallel TCP connections for data, 1 to 128. Default: 4, as in the original FDT; if the round
   * trip takes more than 20 ms, blocks have at most 1 MiB, and the data is no stream, the sender
   * tunes their number, up to 12, and the congestion control.
   */
  public B streams(int value) {
    TransferSpec.STREAMS.check(value);
    options.setStreams(value).setStreamsChosen(true).setAutoStreams(false);
    return self();
  }

  /** Auto-tunes the number of streams: opens 32, and the sender tunes how many it uses. */
  public B tuneStreams() {
    options.setStreams(TransferSpec.TUNED_STREAMS).setStreamsChosen(true).setAutoStreams(true);
    return self();
  }

  /**
   * With {@link #tuneStreams}: streams at the beginning, 1 to 128; the default follows from the
   * path.
   */
  public B startStreams(int value) {
    TransferSpec.STREAMS.check(value);
    options.setStartStreams(value);
    return self();
  }

  /**
   * Auto-tunes the number of threads that read each disk, starting with {@link #readersPerDisk}.
   */
  public B tuneReaders() {
    options.setAutoReaders(true);
    return self();
  }

  /** Keeps {@link #readersPerDisk} threads for each disk. The default. */
  public B keepReaders() {
    options.setAutoReaders(false);
    return self();
  }

  /**
   * TCP's congestion control of the sender, by its system's name (Linux: {@code cubic}, {@code
   * bbr}); {@link Tuning#AUTO} tries another one when packets are lost at random. Default: the
   * system's own. A name that the system does not allow fails the transfer.
   *
   * @throws IllegalArgumentException for an invalid name
   */
  public B congestion(String name) {
    options.setCongestion(new Tuning(false, 0, false, name).congestion());
    return self();
  }

  /**
   * How the sender compresses payloads. Default: {@link Compression#OFF}. {@link Compression#AUTO}
   * compresses where that makes the transfer faster.
   */
  public B compression(Compression value) {
    options.setCompression(value.isOn() ? value.toString() : "");
    return self();
  }

  /** Threads that read each disk, 1 to 64. Default: 2, as in the original FDT. */
  public B readersPerDisk(int value) {
    TransferSpec.READERS.check(value);
    options.setReadersPerDisk(value);
    return self();
  }

  /** Threads that write each disk, 1 to 64. Default: 2. */
  public B writersPerDisk(int value) {
    TransferSpec.WRITERS.check(value);
    options.setWritersPerDisk(value);
    return self();
  }

  /** The unit of scheduling and of one queue buffer, 4 KiB to 64 MiB. Default: 1 MiB. */
  public B blockSize(ByteSize value) {
    options.setBlockSize((int) TransferSpec.BLOCK_SIZE.check(value.bytes()));
    return self();
  }

  /**
   * Socket buffers of the data connections, at most 1 GiB. Default: zero, which leaves them to the
   * operating system.
   */
  public B socketBuffer(ByteSize value) {
    options.setSocketBuffer((int) TransferSpec.SOCKET_BUFFER.check(value.bytes()));
    return self();
  }

  /** Upper bound of the rate of all streams together. Default: no limit. */
  public B rateLimit(BitRate value) {
    return rateLimit(RateSchedule.always(value));
  }

  /** The bandwidth limit at each time of the week, in local time. Default: no limit. */
  public B rateLimit(RateSchedule value) {
    options.setRateLimit(value.isNone() ? "" : value.toString());
    return self();
  }

  /** The digest by which both ends compare each file. Default: CRC32C. */
  public B checksum(Checksum value) {
    options.setChecksum(TransferSpecCoding.sent(io.fdt.core.wire.control.Checksum.class, value));
    return self();
  }

  /**
   * Reads each file back from its device and compares it before it gets its final name. Default:
   * false. Needs a checksum.
   */
  public B verify(boolean value) {
    options.setVerify(value);
    return self();
  }

  /**
   * A file is done only when its data, its name and its directories are on their device. Default:
   * false; they may still be in the page cache of the destination.
   */
  public B fsync(boolean value) {
    options.setFsync(value);
    return self();
  }

  /**
   * The existing files that are kept at the destination, and count as unchanged. Default: those of
   * the same size and modification time.
   */
  public B sync(SyncRule value) {
    options
        .setSync(TransferSpecCoding.sent(SyncLevel.class, value.level()))
        .setUpdate(value.update());
    return self();
  }

  /**
   * Reports what would be transferred, and changes nothing at the destination. Does not check
   * permissions and space. Default: false.
   */
  public B dryRun(boolean value) {
    options.setDryRun(value);
    return self();
  }

  /**
   * Removes at the destination what the source lacks, in the copied directories, after everything
   * has succeeded; names that {@link #selection} excludes are kept. A directory is replaced by a
   * file or link of its name. Default: false.
   */
  public B delete(boolean value) {
    options.setDelete(value);
    return self();
  }

  /** Removes nothing if more names than this would be removed. Default: no limit. */
  public B maxDelete(long value) {
    TransferSpec.MAX_DELETE.check(value);
    // Long.MAX_VALUE (no limit) is encoded as 0.
    options.setMaxDeletePlusOne(value == Long.MAX_VALUE ? 0 : value + 1);
    return self();
  }

  /**
   * Removes names even if a source directory is empty, like the mount point of an unmounted file
   * system. Default: false; then nothing is removed, and the transfer ends with SOURCE_EMPTY.
   */
  public B deleteFromEmpty(boolean value) {
    options.setDeleteFromEmpty(value);
    return self();
  }

  /**
   * Moves overwritten and deleted files to a directory, with their paths beneath the destination; a
   * later backup of the same name gets a number. The directory is relative to the destination and
   * on the same file system, but neither the destination nor above it; on a server it must be in
   * the same export, and an absolute path is relative to that. Deletions do not touch it. Default:
   * no backups.
   */
  public B backups(BytePath value) {
    options.setBackups(TransferSpecCoding.bytes(value));
    return self();
  }

  /**
   * Looks for the bytes of files that replace nothing in an older file, or in the files of the same
   * names of an older directory. The path is relative to the destination, or absolute; a server
   * reads it in its exports. Default: none.
   */
  public B deltaFrom(BytePath value) {
    options.setDeltaFrom(TransferSpecCoding.bytes(value));
    return self();
  }

  /**
   * Which metadata is preserved besides names and bytes. Default: mode, times and holes; links are
   * copied as links. Owners, special bits and all attributes need a destination that runs as root,
   * and a server that allows them.
   */
  public B preservation(Preservation value) {
    options.clearPreserve().setLinks(TransferSpecCoding.sent(LinkRule.class, value.links()));
    for (Preservation.Aspect aspect : value.aspects()) {
      options.addPreserve(TransferSpecCoding.sent(Aspect.class, aspect));
    }
    return self();
  }

  /** Whether the bytes of a file are looked for in the file that it replaces. Default: AUTO. */
  public B delta(Delta value) {
    options.setDelta(TransferSpecCoding.sent(DeltaRule.class, value));
    return self();
  }

  /** How the data of large files passes the page cache of both machines. Default: AUTO. */
  public B directIo(DirectIo value) {
    options.setDirectIo(TransferSpecCoding.sent(DirectRule.class, value));
    return self();
  }

  /** How a file that changes during the transfer is treated. Default: it fails. */
  public B changing(Changing value) {
    options.setChanging(TransferSpecCoding.sent(ChangeRule.class, value));
    return self();
  }

  /** How names are treated that some systems refuse. Default: they stay as they are. */
  public B names(NameRule value) {
    options.setNames(TransferSpecCoding.sent(io.fdt.core.wire.control.NameRule.class, value));
    return self();
  }

  /**
   * Fetches a range of one file. It becomes a separate file, and replaces a file of that name. The
   * digest covers the range. Default: the whole file.
   */
  public B part(FilePart value) {
    options.clearPart();
    if (!value.isWhole()) {
      options.setPart(TransferSpecCoding.encode(value));
    }
    return self();
  }
}
