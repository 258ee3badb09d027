package io.fdt.cli.option.transfer;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.DigestName;
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
import io.fdt.core.model.Tuning;
import io.fdt.core.spec.TransferOption;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecBuilder;
import io.fdt.core.unit.ByteSize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Applies to requests the options that subcommands and FDT's flags share. Pure. */
public final class RequestOptions {
  private static final int DEFAULT_SECONDS = 10;

  /** Options that depend on other options or on their position, and are read by this class. */
  private static final List<TransferOption<?>> READ_HERE =
      List.of(
          TransferOptions.CONGESTION,
          TransferOptions.CHECKSUM,
          TransferOptions.EXCLUDE,
          TransferOptions.INCLUDE);

  private RequestOptions() {}

  /** Applies the options to a request. */
  public static void apply(ParsedLine line, Instant now, TransferRequest.Builder request)
      throws UsageException {
    check(line);
    if (request.direction() == TransferRequest.Direction.BETWEEN) {
      CongestionOption.checkNoList(line, "copies between two servers");
    }
    apply(line, now, TransferOptions.ALL, request);
    List<String> filters = new ArrayList<>();
    for (ParsedLine.Given given :
        line.inOrder(TransferOptions.INCLUDE.name(), TransferOptions.EXCLUDE.name())) {
      String sign = given.option().equals(TransferOptions.INCLUDE.name()) ? "+ " : "- ";
      filters.add(sign + given.value());
      // Read only for its error message, which names the option.
      OptionValue.read(
          given.option(), () -> TransferOptions.FILTERS.parser().apply(sign + given.value(), now));
    }
    if (!filters.isEmpty()) {
      String all = String.join(TransferOption.SEPARATOR, filters);
      OptionValue.read(
          "--include and --exclude", () -> TransferOptions.FILTERS.set(request, all, now));
    }
    applyCongestion(line, request);
    assurance(line, request);
    request.dryRun(line.has(OutputOptions.DRY_RUN));
    request.explain(line.has(OutputOptions.EXPLAIN));
    request.monitor(line.has(OutputOptions.MONITOR));
  }

  private static void apply(
      ParsedLine line, Instant now, List<TransferOption<?>> options, TransferSpecBuilder<?> spec)
      throws UsageException {
    for (TransferOption<?> option : options) {
      if (!option.names().isEmpty() && !READ_HERE.contains(option) && line.has(option)) {
        String text = line.value(option.name()).orElse("");
        OptionValue.read(line.typed(option.name()), () -> option.set(spec, text, now));
      }
    }
  }

  /** Refuses options that contradict each other. */
  private static void check(ParsedLine line) throws UsageException {
    for (var option : List.of(TransferOptions.MAX_DELETE, TransferOptions.DELETE_FROM_EMPTY)) {
      if (line.has(option) && !line.has(TransferOptions.DELETE)) {
        throw new UsageException(line.typed(option.name()) + " needs --delete");
      }
    }
    if (line.has(TransferOptions.DELETE) && line.has(TransferOptions.LINKS, "follow")) {
      throw new UsageException("--delete cannot be combined with --links follow");
    }
    if (line.has(TransferOptions.SPARSE) && line.has(TransferOptions.NO_SPARSE)) {
      throw new UsageException("--sparse and --no-sparse contradict");
    }
    Optional<String> sync = line.value(TransferOptions.SYNC.name());
    if (line.has(TransferOptions.IGNORE_EXISTING)
        && sync.isPresent()
        && !sync.get().equals("exists")) {
      throw new UsageException("--ignore-existing and --sync " + sync.get() + " contradict");
    }
  }

  private static void applyCongestion(ParsedLine line, TransferRequest.Builder request)
      throws UsageException {
    Optional<String> option = line.value(TransferOptions.CONGESTION.name());
    boolean isPull = request.direction() == TransferRequest.Direction.PULL;
    if (CongestionOption.isTuned(line)) {
      request.congestion(Tuning.AUTO);
    } else if (option.isPresent()) {
      ViaOptions via = ViaOptions.of(line);
      String name =
          CongestionOption.isList(line)
              ? CongestionOption.of(line, via).ofSender(isPull)
              : OptionValue.congestion(TransferOptions.CONGESTION.name(), option.get());
      int part = isPull ? via.relays().size() : 0;
      if (TransportOption.of(line, via).part(part) == DataTransport.UDT
          && !name.equals(Tuning.AUTO)) {
        throw new UsageException(
            "%s %s: the sender sends over UDP, which has a rate control of its own; leave it out, or give auto"
                .formatted(line.typed(TransferOptions.CONGESTION.name()), option.get()));
      }
      request.congestion(name);
    }
  }

  private static void assurance(ParsedLine line, TransferRequest.Builder request)
      throws UsageException {
    String option = TransferOptions.CHECKSUM.name();
    Optional<String> text = line.value(option);
    Checksum checksum =
        text.isEmpty() ? usualChecksum(line) : DigestName.of(option, text.get()).checksum();
    if (line.has(TransferOptions.VERIFY) && checksum == Checksum.NONE) {
      throw new UsageException(
          "--verify compares checksums, and --checksum none leaves nothing to compare");
    }
    if (line.has(TransferOptions.SYNC, "checksum") && checksum == Checksum.NONE) {
      throw new UsageException(
          "--sync checksum compares checksums, and --checksum none leaves nothing to compare");
    }
    request.checksum(checksum);
  }

  /**
   * SHA-256 by default through a relay, which sees clear data and could change it without CRC32C
   * noticing.
   */
  private static Checksum usualChecksum(ParsedLine line) {
    boolean isSeen = line.has(ViaOptions.VIA) && !line.has(AccessOptions.ENCRYPT);
    return isSeen ? Checksum.SHA256 : Checksum.CRC32C;
  }

  public static NettestRequest nettest(ParsedLine line, boolean pull) throws UsageException {
    int streams = streams(line);
    TransferSpec.Builder network = TransferSpec.builder();
    apply(line, Instant.EPOCH, TransferOptions.NETWORK, network);
    TransferSpec spec = network.build();
    return new NettestRequest(
        pull ? TransferRequest.Direction.PULL : TransferRequest.Direction.PUSH,
        streams,
        Duration.ofSeconds(seconds(line, DEFAULT_SECONDS)),
        ByteSize.ofBytes(spec.blockSize()),
        ByteSize.ofBytes(spec.socketBuffer()));
  }

  /** The duration of a network test. */
  public static int seconds(ParsedLine line, int otherwise) throws UsageException {
    return OptionValue.count(line, Options.SECONDS, 1, 3600, otherwise);
  }

  /** The number of streams of a network test. */
  public static int streams(ParsedLine line) throws UsageException {
    return OptionValue.count(
        line,
        TransferOptions.STREAMS.name(),
        1,
        TransferSpec.MAX_STREAMS,
        TransferSpec.DEFAULT_STREAMS);
  }
}
