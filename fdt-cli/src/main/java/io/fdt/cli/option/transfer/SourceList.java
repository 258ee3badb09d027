package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.ReferredFile;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.client.RequiredStorage;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** A list of sources that an option names. Pure, except that it reads a list. */
public final class SourceList {
  public static final String LIST = "--files-from";
  public static final String NUL = "-0";

  private SourceList() {}

  public static void addNul(CommandSpec spec) {
    Options.flag(
        spec,
        "Entries of LIST end with NUL, as find -print0 writes them; LIST has no comments.",
        NUL,
        "--null");
  }

  /** The list that an option names; empty without the option. */
  public static Optional<List<Operand>> named(
      ParsedLine line, String option, Surroundings surroundings) throws UsageException {
    Optional<List<ListFile.Listed>> listed = read(line, option, surroundings);
    return listed.map(list -> list.stream().map(ListFile.Listed::operand).toList());
  }

  /**
   * The list with paths relative to one source, which keep their directories at the destination.
   */
  public static Optional<List<Operand>> beneath(
      BytePath source, ParsedLine line, String option, Surroundings surroundings)
      throws UsageException {
    Optional<List<ListFile.Listed>> listed = read(line, option, surroundings);
    if (listed.isEmpty()) {
      return Optional.empty();
    }
    List<Operand> operands = new ArrayList<>();
    for (ListFile.Listed one : listed.get()) {
      operands.add(beneath(source, one));
    }
    return Optional.of(operands);
  }

  private static Operand beneath(BytePath source, ListFile.Listed listed) throws UsageException {
    BytePath path = beneath(source, listed.operand().path());
    if (path.isAbsolute() || RequiredStorage.isByScheme(path)) {
      throw new UsageException(
          listed.where() + ": '" + path + "' is not relative to the source '" + source + "'");
    }
    try {
      boolean isAll = path.names().isEmpty();
      BytePath whole = isAll ? source.resolve(BytePath.of("./")) : source.resolve(path);
      Optional<BytePath> target =
          listed.operand().target().or(() -> isAll ? Optional.empty() : Optional.of(path));
      return new Operand(whole, target);
    } catch (IllegalArgumentException e) {
      throw new UsageException(listed.where() + ": '" + path + "': " + e.getMessage());
    }
  }

  /** A URL beneath the source as a path relative to it; other paths as they are. */
  private static BytePath beneath(BytePath source, BytePath listed) {
    String url = ByteText.decode(listed.bytes());
    String base = ByteText.decode(source.bytes());
    boolean isBeneath = RequiredStorage.isByScheme(listed) && url.startsWith(base);
    return isBeneath && base.endsWith("/") ? ByteText.path(url.substring(base.length())) : listed;
  }

  private static Optional<List<ListFile.Listed>> read(
      ParsedLine line, String option, Surroundings surroundings) throws UsageException {
    Optional<String> list = line.value(option);
    if (line.has(NUL) && list.isEmpty()) {
      throw new UsageException(NUL + " needs " + option);
    }
    if (list.isEmpty()) {
      return Optional.empty();
    }
    String name = option + " " + list.get();
    List<ListFile.Listed> listed =
        ListFile.parse(name, ReferredFile.read(name, list.get(), surroundings), line.has(NUL));
    if (listed.isEmpty()) {
      throw new UsageException(name + ": the list names no files");
    }
    return Optional.of(listed);
  }
}
