package io.fdt.client;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Operand;
import io.fdt.core.model.SyncRule;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecBuilder;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What to transfer, in which direction, and the streams of this program that take part. Immutable;
 * made by {@link #pull()}, {@link #push()} or {@link #between()}, or around a {@link TransferSpec}.
 *
 * @param direction which end has the data
 * @param spec what and how; it has at least one source, and a destination
 * @param explain whether the listener receives what limits a pull; for a push it always does
 * @param monitor whether what the listener receives has what a monitor shows
 * @param output the stream that gets the bytes of the one source, in place of a file
 * @param input the stream that provides the bytes of the one file, in place of a source
 * @param command what a person types to repeat it, for whoever looks at it later; may be empty
 * @param plainDigests those that this machine makes of the files; see {@link #withPlainDigests}
 */
public record TransferRequest(
    Direction direction,
    TransferSpec spec,
    boolean explain,
    boolean monitor,
    Optional<OutputStream> output,
    Optional<InputStream> input,
    String command,
    Optional<CopyDigests> plainDigests) {
  /** Which end has the data. */
  public enum Direction {
    /** From the server to this machine. */
    PULL,
    /** From this machine to the server. */
    PUSH,
    /** From one server to another one. */
    BETWEEN
  }

  /** Without plain digests. */
  public TransferRequest(
      Direction direction,
      TransferSpec spec,
      boolean explain,
      boolean monitor,
      Optional<OutputStream> output,
      Optional<InputStream> input,
      String command) {
    this(direction, spec, explain, monitor, output, input, command, Optional.empty());
  }

  /**
   * Checks the spec against the direction and the streams.
   *
   * @throws IllegalArgumentException there is no source, or no destination, or a part or a stream
   *     of something else than one file
   */
  public TransferRequest {
    Objects.requireNonNull(direction, "direction");
    if (spec.sources().isEmpty()) {
      throw new IllegalArgumentException("no source");
    }
    if (spec.destination().isEmpty()) {
      throw new IllegalArgumentException("no destination");
    }
    if (output.isPresent() || !spec.part().isWhole()) {
      checkOneFile(direction, spec, output.isPresent());
    }
    if (input.isPresent()) {
      checkInput(direction, spec);
    }
    if (plainDigests.isPresent()) {
      checkDigests(direction, spec, input.isPresent() || output.isPresent());
    }
  }

  private static void checkDigests(Direction direction, TransferSpec spec, boolean ofStream) {
    if (direction == Direction.BETWEEN || ofStream || spec.dryRun()) {
      throw new IllegalArgumentException(
          "plain digests are made of files that this machine reads or writes");
    }
    if (direction == Direction.PUSH && spec.changing() == Changing.COPY) {
      throw new IllegalArgumentException("a file that changes while it is sent has no digest");
    }
  }

  private static void checkInput(Direction direction, TransferSpec spec) {
    if (direction == Direction.PULL || spec.sources().size() > 1 || spec.recursive()) {
      throw new IllegalArgumentException("only one file that is sent is read from a stream");
    }
    if (spec.destinationIsDirectory() || spec.destination().toString().endsWith("/")) {
      throw new IllegalArgumentException("what is read from a stream needs a name");
    }
    Checksum checksum = spec.assurance().checksum();
    if (checksum != Checksum.CRC32C && checksum != Checksum.NONE) {
      throw new IllegalArgumentException(checksum.text() + " needs a size that is known before");
    }
    if (spec.dryRun() || spec.delete() || !spec.sync().equals(SyncRule.DEFAULT)) {
      throw new IllegalArgumentException("a stream cannot be tried, or compared with a file");
    }
  }

  private static void checkOneFile(Direction direction, TransferSpec spec, boolean goesToStream) {
    boolean isRange = !goesToStream && spec.part().cut().isPresent();
    if ((direction == Direction.PUSH && !isRange)
        || spec.sources().size() > 1
        || spec.recursive()) {
      throw new IllegalArgumentException("only one file that is fetched has a part or an order");
    }
    boolean needsFile =
        spec.assurance().verify()
            || spec.assurance().fsync()
            || spec.dryRun()
            || spec.backups().isPresent();
    if (goesToStream && needsFile) {
      throw new IllegalArgumentException(
          "what goes to a stream cannot be read back, forced to a device, or tried, and replaces"
              + " nothing");
    }
  }

  /**
   * Makes sure that it is one between two servers.
   *
   * @throws IllegalArgumentException it is not
   */
  void checkBetween() {
    if (direction != Direction.BETWEEN) {
      throw new IllegalArgumentException("this needs a request made by TransferRequest.between()");
    }
  }

  /** A request that fetches from the server. */
  public static Builder pull() {
    return new Builder(Direction.PULL);
  }

  /** A request that sends to the server. */
  public static Builder push() {
    return new Builder(Direction.PUSH);
  }

  /** A request for a transfer between two servers. */
  public static Builder between() {
    return new Builder(Direction.BETWEEN);
  }

  /** The same request, as one of a client that is itself the other end. */
  TransferRequest as(Direction other) {
    return new TransferRequest(other, spec, explain, monitor, output, input, command, plainDigests);
  }

  /** The same request with another spec. */
  TransferRequest with(TransferSpec other) {
    return new TransferRequest(
        direction, other, explain, monitor, output, input, command, plainDigests);
  }

  /** The same request for other files. */
  TransferRequest with(List<Operand> otherSources, BytePath otherDestination) {
    TransferSpec other =
        spec.toBuilder().sources(otherSources).destination(otherDestination).build();
    return new TransferRequest(
        direction, other, explain, monitor, output, input, command, plainDigests);
  }

  /** The same request, which deletes even if a directory of the source is empty. */
  public TransferRequest withDeletionFromEmpty() {
    return with(spec.toBuilder().deleteFromEmpty(true).build());
  }

  /**
   * The same request, whose files are hashed in order while they are copied, at this end: as they
   * are read in a push, as they are written in a pull. A file that {@code check} refuses does not
   * get its name; what has it already stays. The events then have the plain digests. Costs one
   * thread of the disk for each file at the speed of the hash, and a second read of what comes out
   * of order, mostly from the page cache. Not told: hard links, and files that are unchanged.
   *
   * @throws IllegalArgumentException between two servers, of streams, in dry runs, and of files
   *     that are sent although they change
   */
  public TransferRequest withPlainDigests(Checksum checksum, DigestCheck check) {
    Checksum own = spec.assurance().checksum();
    boolean readsAll =
        direction == Direction.PULL || (own != Checksum.CRC32C && own != Checksum.NONE);
    TransferSpec all = readsAll ? spec : spec.toBuilder().checksum(Checksum.XXH3).build();
    return new TransferRequest(
        direction,
        all,
        explain,
        monitor,
        output,
        input,
        command,
        Optional.of(new CopyDigests(checksum, check)));
  }

  /** Builds a request. Not thread-safe. */
  public static final class Builder extends TransferSpecBuilder<Builder> {
    private final Direction direction;
    private boolean explain;
    private boolean monitor;
    private Optional<OutputStream> output = Optional.empty();
    private Optional<InputStream> input = Optional.empty();
    private String command = "";

    private Builder(Direction direction) {
      this.direction = direction;
    }

    /** Which end has the data. */
    public Direction direction() {
      return direction;
    }

    @Override
    protected Builder self() {
      return this;
    }

    /** Adds a source on this machine. */
    public Builder source(Path path) {
      return source(Operand.of(BytePath.of(path)));
    }

    /** A destination on this machine. */
    public Builder destination(Path path) {
      return destination(BytePath.of(path));
    }

    /**
     * Whether the listener receives what limits a pull; for a push it always does. Default: false.
     */
    public Builder explain(boolean value) {
      this.explain = value;
      return this;
    }

    /**
     * Whether {@link TransferListener#observed} is called for a pull, too, and the observations
     * have a {@link io.fdt.core.tuning.Detail}: the streams, and processors, memory and disks of
     * both ends. Costs a message of up to 4 KB a second. Default: false.
     */
    public Builder monitor(boolean value) {
      this.monitor = value;
      return this;
    }

    /**
     * Writes the bytes of the one source, which is a file, to a stream, in order; there is no
     * destination then. The stream is written to by one thread at a time, may block, is flushed at
     * the end, and stays open. Errors show only after bytes have been written: check the report.
     * Memory: up to 32 MiB, or eight blocks, for what comes early.
     */
    public Builder output(OutputStream value) {
      this.output = Optional.of(value);
      return destination("-");
    }

    /**
     * Sends what a stream has until its end as one file, in place of a source; the destination is
     * its path, with its name. It is read by one thread, which may block (no longer than {@link
     * FdtClient.Builder#stallTimeout} when nothing else moves) and is interrupted when the transfer
     * ends first; it stays open. The file gets its name only after the stream has ended without an
     * error. Memory: up to 64 MiB, or sixteen blocks. Goes with CRC32C, or no checksum.
     */
    public Builder input(InputStream value) {
      this.input = Optional.of(value);
      return source("-");
    }

    /**
     * What a person types to repeat the request. Between two servers, whoever attaches to the
     * transfer is told. Default: nothing.
     */
    public Builder command(String value) {
      this.command = Objects.requireNonNull(value, "command");
      return this;
    }

    /**
     * The request.
     *
     * @throws IllegalArgumentException there is no source, or nothing to verify or compare by, or a
     *     part or an order of something else than one file
     */
    public TransferRequest build() {
      return new TransferRequest(direction, spec(), explain, monitor, output, input, command);
    }
  }
}
