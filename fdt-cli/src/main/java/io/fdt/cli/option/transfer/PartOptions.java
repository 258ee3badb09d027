package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.process.StandardOutput;
import io.fdt.cli.process.Surroundings;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.FilePart;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.unit.ByteSize;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The options that choose a part of one file, and standard input and output in place of a file.
 * Pure.
 */
public final class PartOptions {
  private static final String OFFSET = "--offset";
  private static final String LENGTH = "--length";

  /** The options of a range. */
  public static final List<String> ALL = List.of(OFFSET, LENGTH);

  /** Options about existing files of the destination. */
  private static final List<String> OF_DESTINATION =
      Options.names(TransferOptions.EXISTING).stream()
          .filter(name -> !name.equals(TransferOptions.CHANGING.name()))
          .toList();

  /** Standard output, as a destination; standard input, as a source. */
  public static final String STANDARD = "-";

  private PartOptions() {}

  public static void add(CommandSpec spec) {
    Options.value(
        spec, "SIZE", "Fetch a range of one file, starting at this byte, such as 1G.", OFFSET);
    Options.value(spec, "SIZE", "Length of the range (default: to the end of the file).", LENGTH);
  }

  /** Whether a part is asked for. */
  public static boolean arePresent(ParsedLine line) {
    return line.has(OFFSET) || line.has(LENGTH);
  }

  /** Applies the options to a request. */
  public static void apply(
      ParsedLine line,
      int sources,
      boolean toStandardOutput,
      TransferRequest.Builder request,
      Surroundings surroundings)
      throws UsageException {
    if (arePresent(line)) {
      String option = line.has(OFFSET) ? OFFSET : LENGTH;
      checkOneFile(line, sources, option);
      line.refuse(OF_DESTINATION, notWith(option));
      line.refuse(Options.names(TransferOptions.PRESERVATION), notWith(option));
      request.part(new FilePart(bytes(line, OFFSET).orElse(0), bytes(line, LENGTH)));
    }
    if (toStandardOutput) {
      checkOneFile(line, sources, "- as DEST");
      line.refuse(OF_DESTINATION, notWith("- as DEST"));
      line.refuse(Options.names(TransferOptions.PRESERVATION), notWith("- as DEST"));
      line.refuse(
          List.of(
              TransferOptions.VERIFY.name(),
              TransferOptions.FSYNC.name(),
              OutputOptions.DRY_RUN,
              OutputOptions.JSON),
          notWith("- as DEST"));
      request.output(new StandardOutput(surroundings.output()));
    }
  }

  /** Makes standard input the source of a request. */
  public static void readInput(
      ParsedLine line,
      int sources,
      Location.Remote destination,
      TransferRequest.Builder request,
      Surroundings surroundings)
      throws UsageException {
    String what = "- as SOURCE";
    checkOneFile(line, sources, what);
    line.refuse(Options.names(TransferOptions.EXISTING), notWith(what));
    line.refuse(Options.names(TransferOptions.SELECTION), notWith(what));
    line.refuse(FilterOptions.ALL, notWith(what));
    line.refuse(List.of(OutputOptions.DRY_RUN, SourceList.LIST), notWith(what));
    if (line.has(TransferOptions.READERS, OptionValue.AUTO)) {
      throw new UsageException(
          "-rCount auto cannot be combined with " + what + ": one reader reads a stream");
    }
    if (destination.path().toString().endsWith("/")) {
      throw new UsageException(
          what + " has no name: write one behind '" + destination.path() + "'");
    }
    Optional<String> checksum = line.value(TransferOptions.CHECKSUM.name());
    if (checksum.isPresent() && !List.of("crc32c", "none").contains(checksum.get())) {
      throw new UsageException(
          "%s needs --checksum crc32c or none: %s needs a size that is known before"
              .formatted(what, checksum.get()));
    }
    request.input(surroundings.input());
  }

  private static void checkOneFile(ParsedLine line, int sources, String what)
      throws UsageException {
    if (sources != 1 || line.has(Options.RECURSIVE)) {
      throw new UsageException(what + " needs exactly one source that is a file, without -r");
    }
  }

  private static String notWith(String what) {
    return " cannot be combined with " + what;
  }

  private static OptionalLong bytes(ParsedLine line, String option) throws UsageException {
    Optional<ByteSize> size = OptionValue.size(line, option, 0, Long.MAX_VALUE / 4, "0 and 2EiB");
    return size.isEmpty() ? OptionalLong.empty() : OptionalLong.of(size.get().bytes());
  }
}
