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
 * A transfer with its direction and the local streams that take part. Immutable; made by {@link
 * #pull()}, {@link #push()} or {@link #between()}, or around a {@link TransferSpec}.
 *
 * @param direction which end has the data
 * @param spec the options; it has at least one source, and a destination
 * @param explain whether the listener receives the bottleneck of a pull; for a push it always does
 * @param monitor whether the listener receives the details that a monitor shows
 * @param output the stream that receives the bytes of the one source, in place of a file
 * @param input the stream that provides the bytes of the one file, in place of a source
 * @param command that repeats it, for display; may be empty
 * @param plainDigests computed by this machine; see {@link #withPlainDigests}
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

  /** A request without plain digests. */
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
   *     with anything but one file
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
      throw new IllegalArgumentException("a stream is the only source of a push");
    }
    if (spec.destinationIsDirectory() || spec.destination().toString().endsWith("/")) {
      throw new IllegalArgumentException("a stream needs a name at the destination");
    }
    Checksum checksum = spec.assurance().checksum();
    if (checksum != Checksum.CRC32C && checksum != Checksum.NONE) {
      throw new IllegalArgumentException(checksum.text() + " needs a size that is known before");
    }
    if (spec.dryRun() || spec.delete() || !spec.sync().equals(SyncRule.DEFAULT)) {
      throw new IllegalArgumentException(
          "a stream has no dry run, and cannot be compared with a file");
    }
  }

  private static void checkOneFile(Direction direction, TransferSpec spec, boolean goesToStream) {
    boolean isRange = !goesToStream && spec.part().cut().isPresent();
    if ((direction == Direction.PUSH && !isRange)
        || spec.sources().size() > 1
        || spec.recursive()) {
      throw new IllegalArgumentException("a part or an output stream needs a pull of one file");
    }
    boolean needsFile =
        spec.assurance().verify()
            || spec.assurance().fsync()
            || spec.dryRun()
            || spec.backups().isPresent()
            || spec.deltaFrom().isPresent();
    if (goesToStream && needsFile) {
      throw new IllegalArgumentException(
          "an output stream cannot be read back, synced, or used in a dry run, and replaces"
              + " nothing");
    }
  }

  /**
   * Checks that this is a request between two servers.
   *
   * @throws IllegalArgumentException unless it is between two servers
   */
  public void checkBetween() {
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

  /** A copy for a client that is itself the other end. */
  public TransferRequest as(Direction other) {
    return new TransferRequest(other, spec, explain, monitor, output, input, command, plainDigests);
  }

  /** A copy with another spec. */
  public TransferRequest with(TransferSpec other) {
    return new TransferRequest(
        direction, other, explain, monitor, output, input, command, plainDigests);
  }

  /** A copy for other files. */
  public TransferRequest with(List<Operand> otherSources, BytePath otherDestination) {
    TransferSpec other =
        spec.toBuilder().sources(otherSources).destination(otherDestination).build();
    return new TransferRequest(
        direction, other, explain, monitor, output, input, command, plainDigests);
  }

  /** A copy that deletes even if a source directory is empty. */
  public TransferRequest withDeletionFromEmpty() {
    return with(spec.toBuilder().deleteFromEmpty(true).build());
  }

  /**
   * A copy that hashes files in order while they are copied, at this end: as they are read in a
   * push, as they are written in a pull. A file that {@code check} rejects does not get its name;
   * an existing file stays. The events then have the plain digests. Costs one thread of the disk
   * for each file at the speed of the hash, and a second read of early blocks, mostly from the page
   * cache. Without digests: hard links, and unchanged files.
   *
   * @throws IllegalArgumentException between two servers, for streams, in dry runs, and for files
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
     * Whether the listener receives the bottleneck of a pull; for a push it always does. Default:
     * false.
     */
    public Builder explain(boolean value) {
      this.explain = value;
      return this;
    }

    /**
     * Whether {@link TransferListener#observed} is also called for a pull, and observations have a
     * {@link io.fdt.core.tuning.Detail}: the streams, and processors, memory and disks of both
     * ends. Costs a message of up to 4 KB a second. Default: false.
     */
    public Builder monitor(boolean value) {
      this.monitor = value;
      return this;
    }

    /**
     * Writes the bytes of the one source, a file, to a stream, in order, without a destination. One
     * thread at a time writes to the stream, which may block, is flushed at the end, and stays
     * open. Errors show only after bytes have been written: check the report. Memory: up to 32 MiB,
     * or eight blocks, for early blocks.
     */
    public Builder output(OutputStream value) {
      this.output = Optional.of(value);
      return destination("-");
    }

    /**
     * Sends a stream until its end as one file, in place of a source; the destination is its path,
     * with its name. One thread reads it, which may block (no longer than {@link
     * FdtClient.Builder#stallTimeout} when nothing else moves) and is interrupted when the transfer
     * ends first; it stays open. The file gets its name only after the stream has ended without an
     * error. Memory: up to 64 MiB, or sixteen blocks. Works with CRC32C, or no checksum.
     */
    public Builder input(InputStream value) {
      this.input = Optional.of(value);
      return source("-");
    }

    /**
     * The command that repeats the request, shown to clients that attach to a transfer between two
     * servers. Default: nothing.
     */
    public Builder command(String value) {
      this.command = Objects.requireNonNull(value, "command");
      return this;
    }

    /**
     * Builds the request.
     *
     * @throws IllegalArgumentException there is no source, or nothing to verify or compare by, or a
     *     part or an output stream with anything but one file
     */
    public TransferRequest build() {
      return new TransferRequest(direction, spec(), explain, monitor, output, input, command);
    }
  }
}
