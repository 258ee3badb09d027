package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The options about attributes that are kept. Pure. */
public final class PreserveOptions {
  private static final String PRESERVE = "--preserve";
  private static final String HARD_LINKS = "--hard-links";
  private static final String XATTRS = "--xattrs";
  private static final String ACLS = "--acls";
  private static final String OWNER = "--owner";
  private static final String SPARSE = "--sparse";
  private static final String NO_SPARSE = "--no-sparse";
  private static final String LINKS = "--links";

  /** All of them. */
  public static final List<String> ALL =
      List.of(PRESERVE, HARD_LINKS, XATTRS, ACLS, OWNER, SPARSE, NO_SPARSE, LINKS);

  private static final String WORDS =
      Stream.of(Aspect.values()).map(Aspect::text).collect(Collectors.joining(", "));

  private static final Map<String, Preservation.Links> RULES =
      OptionValue.words(
          Preservation.Links.COPY, Preservation.Links.FOLLOW, Preservation.Links.SKIP);

  private PreserveOptions() {}

  public static void add(CommandSpec spec) {
    List<String> words = new ArrayList<>(List.of("all", "none"));
    words.addAll(List.of(WORDS.split(", ")));
    Options.choice(
        spec,
        words,
        "LIST",
        "Preserve exactly these, separated by commas: "
            + WORDS
            + "; or all, or none (default mode,times,sparse).",
        PRESERVE);
    Options.flag(spec, "Preserve hard links.", HARD_LINKS);
    Options.flag(spec, "Preserve user extended attributes (user.*).", XATTRS);
    Options.flag(spec, "Preserve POSIX access lists; users and groups are numeric.", ACLS);
    Options.flag(
        spec, "Preserve owner and group, numerically; the destination must run as root.", OWNER);
    Options.flag(spec, "Send no holes, and recreate them at the destination (default).", SPARSE);
    Options.flag(spec, "Send holes as zeros, and reserve space for whole files.", NO_SPARSE);
    Options.choice(
        spec,
        List.of("copy", "follow", "skip"),
        "RULE",
        "Symbolic links: copy (as links, default), follow (beneath the source only) or skip.",
        LINKS);
  }

  static Preservation of(ParsedLine line) throws UsageException {
    Optional<String> list = line.value(PRESERVE);
    Preservation kept = list.isEmpty() ? Preservation.DEFAULT : listed(list.get());
    if (line.has(SPARSE) && line.has(NO_SPARSE)) {
      throw new UsageException(SPARSE + " and " + NO_SPARSE + " contradict");
    }
    kept = line.has(HARD_LINKS) ? kept.with(Aspect.HARD_LINKS, true) : kept;
    kept = line.has(XATTRS) ? kept.with(Aspect.XATTRS, true) : kept;
    kept = line.has(ACLS) ? kept.with(Aspect.ACLS, true) : kept;
    kept = line.has(OWNER) ? kept.with(Aspect.OWNER, true) : kept;
    kept = line.has(SPARSE) ? kept.with(Aspect.SPARSE, true) : kept;
    kept = line.has(NO_SPARSE) ? kept.with(Aspect.SPARSE, false) : kept;
    Optional<String> links = line.value(LINKS);
    return links.isEmpty() ? kept : kept.withLinks(OptionValue.word(LINKS, links.get(), RULES));
  }

  private static Preservation listed(String text) throws UsageException {
    if (text.equals("all")) {
      return Preservation.of(EnumSet.allOf(Aspect.class));
    }
    Set<Aspect> aspects = EnumSet.noneOf(Aspect.class);
    if (!text.equals("none")) {
      for (String word : text.split(",", -1)) {
        aspects.add(aspect(word));
      }
    }
    return Preservation.of(aspects);
  }

  private static Aspect aspect(String word) throws UsageException {
    return Stream.of(Aspect.values())
        .filter(aspect -> aspect.text().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    PRESERVE + ": '" + word + "' is none of " + WORDS + "; or write all, or none"));
  }

  static boolean followsLinks(ParsedLine line) {
    return line.value(LINKS).filter("follow"::equals).isPresent();
  }
}
