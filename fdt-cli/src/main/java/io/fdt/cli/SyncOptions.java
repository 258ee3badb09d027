package io.fdt.cli;

import io.fdt.core.manifest.SyncRule;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options that say which files stay as they are at the destination. Pure. */
final class SyncOptions {
  private static final String SYNC = "--sync";
  private static final String UPDATE = "--update";
  private static final String IGNORE_EXISTING = "--ignore-existing";

  /** All of them. */
  static final List<String> ALL = List.of(SYNC, UPDATE, IGNORE_EXISTING);

  private SyncOptions() {}

  static void add(CommandSpec spec) {
    Options.value(
        spec,
        "LEVEL",
        "A file at the destination stays when it has the same: mtime (size and time of"
            + " modification, default), size, exists (the name is enough), or checksum (both ends"
            + " read it).",
        SYNC);
    Options.flag(spec, "Never replace what was modified later than the source.", UPDATE);
    Options.flag(spec, "Never replace anything: --sync exists.", IGNORE_EXISTING);
  }

  static SyncRule of(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(SYNC);
    SyncRule.Level level = text.isEmpty() ? SyncRule.DEFAULT.level() : level(text.get());
    if (line.has(IGNORE_EXISTING)) {
      if (text.isPresent() && level != SyncRule.Level.EXISTS) {
        throw new UsageException(IGNORE_EXISTING + " and --sync " + text.get() + " contradict");
      }
      level = SyncRule.Level.EXISTS;
    }
    return new SyncRule(level, line.has(UPDATE));
  }

  private static SyncRule.Level level(String text) throws UsageException {
    return switch (text) {
      case "exists" -> SyncRule.Level.EXISTS;
      case "size" -> SyncRule.Level.SIZE;
      case "mtime" -> SyncRule.Level.MTIME;
      case "checksum" -> SyncRule.Level.CHECKSUM;
      default ->
          throw new UsageException(
              SYNC + ": '" + text + "' is none of exists, size, mtime, checksum");
    };
  }
}
