package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The option {@code --check} of {@code checksum}. Pure, except that it reads a file. */
public final class CheckOptions {
  private static final String CHECK = "--check";

  private CheckOptions() {}

  /**
   * The digest that a file should have.
   *
   * @param name in the list
   * @param path on the server or on this machine
   * @param digest in lower-case hexadecimal digits
   * @param where the place in the list, for messages
   */
  public record Expected(BytePath name, BytePath path, String digest, String where) {}

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "SUMS",
        "Compare files with SUMS, a list that sha256sum, md5sum, sha1sum or this command has"
            + " written, or a manifest of BagIt (- is standard input). Its paths are relative to"
            + " PATH, a directory (default: this one).",
        CHECK);
  }

  /** Whether files are compared with a list. */
  public static boolean arePresent(ParsedLine line) {
    return line.has(CHECK);
  }

  /** A list, and the kind of its digests. */
  public record CheckList(Checksum checksum, List<Expected> files) {}

  /**
   * The digests of the list.
   *
   * @param base the directory that its paths are relative to
   * @param checksum the digest; empty to derive it from the length of the first one
   */
  public static CheckList of(
      ParsedLine line, BytePath base, Optional<Checksum> checksum, Surroundings surroundings)
      throws UsageException {
    Optional<String> file = line.value(CHECK);
    String what = CHECK + " " + file.orElseThrow();
    SumsFile.Sums sums = SumsFile.read(what, file.get(), checksum, surroundings);
    List<Expected> expected = new ArrayList<>();
    for (SumsFile.Sum sum : sums.list()) {
      expected.add(new Expected(sum.path(), resolved(base, sum), sum.digest(), sum.where()));
    }
    return new CheckList(sums.checksum(), List.copyOf(expected));
  }

  private static BytePath resolved(BytePath base, SumsFile.Sum sum) throws UsageException {
    try {
      return sum.path().isAbsolute() ? sum.path() : base.resolve(sum.path());
    } catch (IllegalArgumentException e) {
      throw new UsageException(sum.where() + ": " + e.getMessage());
    }
  }
}
