package io.fdt.cli.option;

import io.fdt.core.model.ByteText;
import io.fdt.core.model.Checksum;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The options of a copy about lists of plain digests. Pure but for the list that they name. */
public final class CopySumsOptions {
  private static final String MANIFEST = "--manifest";
  private static final String EXPECT = "--expect";

  private CopySumsOptions() {}

  /** These options too, of a command that stays to the end. */
  public static List<String> withWhole(List<String> others) {
    return Stream.concat(others.stream(), Stream.of(MANIFEST, EXPECT)).toList();
  }

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "FILE",
        "After the copy, write the digest of each copied or unchanged file to FILE, as sha256sum"
            + " does; the destination reads them. --checksum chooses the digest (default sha256).",
        MANIFEST);
    Options.value(
        spec,
        "SUMS",
        "After the copy, compare the files at the destination with SUMS, a list that sha256sum,"
            + " md5sum or sha1sum has written (- is standard input). A file that differs is named"
            + " and stays; exit status 5.",
        EXPECT);
  }

  /**
   * What the line says.
   *
   * @param isPull whether files arrive on this machine
   */
  public static CopySums of(ParsedLine line, boolean isPull, Surroundings surroundings)
      throws UsageException {
    if (!line.has(MANIFEST) && !line.has(EXPECT)) {
      return CopySums.NONE;
    }
    String option = line.has(MANIFEST) ? MANIFEST : EXPECT;
    List<String> standard = List.of(PartOptions.STANDARD);
    if (line.operands().stream().anyMatch(standard::contains)) {
      throw new UsageException(option + " does not go with - as SOURCE or DEST");
    }
    if (line.has(OutputOptions.DRY_RUN)) {
      throw new UsageException(option + " does not go with --dry-run, which copies nothing");
    }
    if (line.has(ReverseOptions.REVERSE)) {
      throw new UsageException(option + " does not go with " + ReverseOptions.REVERSE);
    }
    if (PreserveOptions.followsLinks(line) && !isPull) {
      throw new UsageException(option + " goes with --links follow in pulls only");
    }
    Optional<Path> manifest = Optional.empty();
    if (line.has(MANIFEST)) {
      manifest = Optional.of(OptionValue.file(MANIFEST, line.value(MANIFEST).orElseThrow()));
    }
    Optional<Checksum> chosen = chosen(line, option);
    if (!line.has(EXPECT)) {
      return new CopySums(manifest, Map.of(), chosen.orElse(Checksum.SHA256));
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
    return new CopySums(manifest, expected, sums.checksum());
  }

  private static Optional<Checksum> chosen(ParsedLine line, String option) throws UsageException {
    Optional<String> text = line.value(Options.CHECKSUM);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Checksum checksum = OptionValue.checksum(Options.CHECKSUM, text.get());
    if (checksum == Checksum.NONE) {
      throw new UsageException(option + " needs a digest, and --checksum none leaves none");
    }
    return Optional.of(checksum);
  }
}
