package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.DigestName;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Checksum;
import io.fdt.core.spec.TransferOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The options of a copy about lists of plain digests. Pure, except that it reads a list. */
public final class CopySumsOptions {
  private static final String MANIFEST = "--manifest";
  private static final String EXPECT = "--expect";

  private CopySumsOptions() {}

  /** The options about lists, and others, of a command that runs until the copy ends. */
  public static List<String> withWhole(List<String> others) {
    return Stream.concat(others.stream(), Stream.of(MANIFEST, EXPECT)).toList();
  }

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "FILE",
        "Write the digest of each copied or unchanged file to FILE, as sha256sum does. --checksum"
            + " chooses the digest (default sha256).",
        MANIFEST);
    Options.value(
        spec,
        "SUMS",
        "Refuse files that differ from SUMS, a list that sha256sum, md5sum or sha1sum has written"
            + " (- is standard input): they do not get their names, what was there before stays,"
            + " and the exit status is 5.",
        EXPECT);
  }

  /**
   * The lists of a line.
   *
   * @param direction whether this machine sends or receives the files, or neither
   */
  public static CopySums of(
      ParsedLine line, TransferRequest.Direction direction, Surroundings surroundings)
      throws UsageException {
    if (!line.has(MANIFEST) && !line.has(EXPECT)) {
      return ofDigest(line, direction);
    }
    String option = line.has(MANIFEST) ? MANIFEST : EXPECT;
    check(line, option, direction);
    Optional<Path> manifest = OutputOptions.written(line, MANIFEST);
    boolean made = isMade(line, direction);
    Optional<Checksum> chosen = chosen(line, option);
    if (!line.has(EXPECT)) {
      return new CopySums(manifest, Map.of(), chosen.orElse(Checksum.SHA256), made);
    }
    String file = line.value(EXPECT).orElseThrow();
    String what = EXPECT + " " + file;
    SumsFile.Sums sums = SumsFile.read(what, file, chosen, surroundings);
    Map<String, SumsFile.Sum> expected = new HashMap<>();
    for (SumsFile.Sum sum : sums.list()) {
      String path = CopySums.normal(ByteText.decode(sum.path().bytes()));
      SumsFile.Sum other = expected.put(path, sum);
      if (other != null && !other.digest().equals(sum.digest())) {
        throw new UsageException(
            sum.where() + ": another digest of the file than in " + other.where());
      }
    }
    return new CopySums(manifest, expected, sums.checksum(), made);
  }

  private static void check(ParsedLine line, String option, TransferRequest.Direction direction)
      throws UsageException {
    if (line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException(option + " cannot be combined with - as SOURCE or DEST");
    }
    if (line.has(OutputOptions.DRY_RUN)) {
      throw new UsageException(option + " cannot be combined with --dry-run, which copies nothing");
    }
    if (line.has(ReverseOptions.REVERSE)) {
      throw new UsageException(option + " cannot be combined with " + ReverseOptions.REVERSE);
    }
    if (line.has(TransferOptions.LINKS, "follow") && direction != TransferRequest.Direction.PULL) {
      throw new UsageException(option + " can be combined with --links follow in pulls only");
    }
    if (line.has(TransferOptions.CHANGING, "copy") && direction == TransferRequest.Direction.PUSH) {
      throw new UsageException(
          option + " cannot be combined with --changing copy: a file that changes has no digest");
    }
  }

  /** The value for a line without lists; its digest may be a plain one. */
  public static CopySums ofDigest(ParsedLine line, TransferRequest.Direction direction)
      throws UsageException {
    Optional<String> text = line.value(TransferOptions.CHECKSUM.name());
    if (text.isEmpty()) {
      return CopySums.NONE;
    }
    DigestName name = DigestName.of(TransferOptions.CHECKSUM.name(), text.get());
    return name.plain()
        ? new CopySums(Optional.empty(), Map.of(), name.checksum(), isMade(line, direction))
        : CopySums.NONE;
  }

  private static boolean isMade(ParsedLine line, TransferRequest.Direction direction)
      throws UsageException {
    boolean isSteady =
        direction == TransferRequest.Direction.PULL || !line.has(TransferOptions.CHANGING, "copy");
    return direction != TransferRequest.Direction.BETWEEN
        && isSteady
        && !line.has(OutputOptions.DRY_RUN)
        && !line.has(ReverseOptions.REVERSE)
        && !line.operands().contains(PartOptions.STANDARD);
  }

  private static Optional<Checksum> chosen(ParsedLine line, String option) throws UsageException {
    Optional<String> text = line.value(TransferOptions.CHECKSUM.name());
    if (text.isEmpty()) {
      return Optional.empty();
    }
    DigestName name = DigestName.of(TransferOptions.CHECKSUM.name(), text.get());
    if (name.checksum() == Checksum.NONE) {
      throw new UsageException(option + " needs a digest, and --checksum none leaves none");
    }
    return Optional.of(name.checksum());
  }
}
