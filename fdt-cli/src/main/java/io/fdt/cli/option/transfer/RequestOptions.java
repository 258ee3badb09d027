package io.fdt.cli.option.transfer;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.CongestionOption;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.client.DataTransport;
import io.fdt.client.NettestRequest;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.ByteSize;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Requests made from the options that both spellings share. Pure. */
public final class RequestOptions {
  private static final int DEFAULT_STREAMS = 4;
  private static final int DEFAULT_SECONDS = 10;
  public static final int DEFAULT_BLOCK_BYTES = 1 << 20;

  private RequestOptions() {}

  /** Applies the options to a request. */
  public static void apply(ParsedLine line, Instant now, TransferRequest.Builder request)
      throws UsageException {
    request.recursive(line.has(Options.RECURSIVE));
    request.selection(SelectionOptions.of(line, now));
    SyncOptions.applyDeletion(line, request);
    request.preservation(PreserveOptions.of(line));
    request.changing(SyncOptions.changing(line));
    request.dryRun(line.has(OutputOptions.DRY_RUN));
    if (request.direction() == TransferRequest.Direction.BETWEEN) {
      CongestionOption.checkNoList(line, "copies between two servers");
    }
    boolean auto = CongestionOption.tunesStreams(line);
    if (auto) {
      request.tuneStreams();
    } else if (line.value(Options.STREAMS).isPresent()) {
      request.streams(streams(line));
    }
    request.blockSize(blockSize(line));
    request.socketBuffer(socketBuffer(line));
    Optional<String> readers = line.value(Options.READERS);
    if (readers.orElse(auto ? OptionValue.AUTO : "").equals(OptionValue.AUTO)) {
      request.tuneReaders();
    } else if (readers.isPresent()) {
      request.readersPerDisk(OptionValue.count(line, Options.READERS, 1, 64, 0));
    }
    if (line.has(Options.WRITERS)) {
      request.writersPerDisk(OptionValue.count(line, Options.WRITERS, 1, 64, 0));
    }
    applyCongestion(line, request);
    Optional<String> compression = line.value(Options.COMPRESS);
    if (compression.isPresent()) {
      request.compression(OptionValue.compression(Options.COMPRESS, compression.get()));
    }
    request.explain(line.has(OutputOptions.EXPLAIN));
    request.monitor(line.has(OutputOptions.MONITOR));
    assurance(line, request);
    OptionValue.rates(line, Options.LIMIT).ifPresent(request::rateLimit);
  }

  private static void applyCongestion(ParsedLine line, TransferRequest.Builder request)
      throws UsageException {
    Optional<String> option = line.value(Options.CONGESTION);
    boolean isPull = request.direction() == TransferRequest.Direction.PULL;
    if (CongestionOption.isTuned(line)) {
      request.congestion(Tuning.AUTO);
    } else if (option.isPresent()) {
      ViaOptions via = ViaOptions.of(line);
      String name =
          CongestionOption.isList(line)
              ? CongestionOption.of(line, via).ofSender(isPull)
              : OptionValue.congestion(Options.CONGESTION, option.get());
      int part = isPull ? via.relays().size() : 0;
      if (TransportOption.of(line, via).part(part) == DataTransport.UDT
          && !name.equals(Tuning.AUTO)) {
        throw new UsageException(
            "%s %s: the sender sends over UDP, which has a rate control of its own; leave it out, or give auto"
                .formatted(line.typed(Options.CONGESTION), option.get()));
      }
      request.congestion(name);
    }
  }

  private static void assurance(ParsedLine line, TransferRequest.Builder request)
      throws UsageException {
    Optional<String> text = line.value(Options.CHECKSUM);
    Checksum checksum =
        text.isEmpty() ? usualChecksum(line) : OptionValue.checksum(Options.CHECKSUM, text.get());
    if (line.has(Options.VERIFY) && checksum == Checksum.NONE) {
      throw new UsageException(
          "--verify compares checksums, and --checksum none leaves nothing to compare");
    }
    SyncRule sync = SyncOptions.of(line);
    if (sync.level() == SyncRule.Level.CHECKSUM && checksum == Checksum.NONE) {
      throw new UsageException(
          "--sync checksum compares checksums, and --checksum none leaves nothing to compare");
    }
    request.sync(sync);
    request.checksum(checksum).verify(line.has(Options.VERIFY)).fsync(line.has(Options.FSYNC));
  }

  /** A relay sees clear data, and could change it so that CRC32C does not notice. */
  private static Checksum usualChecksum(ParsedLine line) {
    boolean isSeen = line.has(ViaOptions.VIA) && !line.has(AccessOptions.ENCRYPT);
    return isSeen ? Checksum.SHA256 : Checksum.CRC32C;
  }

  public static NettestRequest nettest(ParsedLine line, boolean pull) throws UsageException {
    return new NettestRequest(
        pull ? TransferRequest.Direction.PULL : TransferRequest.Direction.PUSH,
        streams(line),
        Duration.ofSeconds(seconds(line, DEFAULT_SECONDS)),
        blockSize(line),
        socketBuffer(line));
  }

  /** How long a test of the network takes. */
  public static int seconds(ParsedLine line, int otherwise) throws UsageException {
    return OptionValue.count(line, Options.SECONDS, 1, 3600, otherwise);
  }

  /** Streams of a session. */
  public static int streams(ParsedLine line) throws UsageException {
    return OptionValue.count(line, Options.STREAMS, 1, 128, DEFAULT_STREAMS);
  }

  private static ByteSize blockSize(ParsedLine line) throws UsageException {
    return OptionValue.size(line, Options.BLOCK_SIZE, 4 << 10, 64 << 20, "4KiB and 64MiB")
        .orElse(ByteSize.ofBytes(DEFAULT_BLOCK_BYTES));
  }

  private static ByteSize socketBuffer(ParsedLine line) throws UsageException {
    Optional<String> text =
        line.value(Options.SOCKET_BUFFER).filter(size -> !size.equals(OptionValue.AUTO));
    return text.isEmpty()
        ? ByteSize.ofBytes(0)
        : OptionValue.size(line.typed(Options.SOCKET_BUFFER), text.get(), 0, 1 << 30, "0 and 1GiB");
  }
}
