package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.Changing;
import io.fdt.core.model.SyncRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options about existing files and deletion. Pure. */
public final class SyncOptions {
  private static final String SYNC = "--sync";
  private static final String UPDATE = "--update";
  private static final String IGNORE_EXISTING = "--ignore-existing";
  private static final String CHANGING = "--changing";
  private static final String DELETE = "--delete";
  private static final String MAX_DELETE = "--max-delete";
  private static final String DELETE_FROM_EMPTY = "--delete-from-empty";
  private static final String BACKUP_DIR = "--backup-dir";

  /** Options about existing files of the destination. */
  public static final List<String> OF_DESTINATION =
      List.of(SYNC, UPDATE, IGNORE_EXISTING, DELETE, MAX_DELETE, DELETE_FROM_EMPTY, BACKUP_DIR);

  /** All of them. */
  public static final List<String> ALL =
      List.of(
          SYNC,
          UPDATE,
          IGNORE_EXISTING,
          CHANGING,
          DELETE,
          MAX_DELETE,
          DELETE_FROM_EMPTY,
          BACKUP_DIR);

  private static final Map<String, SyncRule.Level> LEVELS =
      OptionValue.words(
          SyncRule.Level.EXISTS,
          SyncRule.Level.SIZE,
          SyncRule.Level.MTIME,
          SyncRule.Level.CHECKSUM);
  private static final Map<String, Changing> CHANGES =
      OptionValue.words(Changing.FAIL, Changing.SKIP, Changing.COPY);

  private SyncOptions() {}

  public static void add(CommandSpec spec) {
    Options.choice(
        spec,
        List.of("exists", "size", "mtime", "checksum"),
        "LEVEL",
        "What makes an existing file count as unchanged: exists, size, mtime (and size,"
            + " default), or checksum (both ends read it).",
        SYNC);
    Options.flag(spec, "Never replace a file that is newer than the source.", UPDATE, "-u");
    Options.flag(spec, "Never replace anything; same as --sync exists.", IGNORE_EXISTING);
    Options.choice(
        spec,
        List.of("fail", "skip", "copy"),
        "RULE",
        "A file that changes while it is read: fail (default), skip (no failure), or copy as many"
            + " bytes as it had at first.",
        CHANGING);
    Options.flag(
        spec,
        "After everything is copied, remove what the source lacks from the copied directories."
            + " Keeps what --exclude skips. Files and directories of the source replace each"
            + " other's names. Try it with --dry-run first. Cannot be combined with --links"
            + " follow.",
        DELETE);
    Options.value(
        spec,
        "N",
        "Remove nothing if more than N names would go. The contents of a directory that a"
            + " file replaces count; a file that is replaced does not.",
        MAX_DELETE);
    Options.flag(
        spec,
        "Remove names even if a directory of the source is empty, as it is when its file system is"
            + " not mounted. Otherwise that is refused.",
        DELETE_FROM_EMPTY);
    Options.value(
        spec,
        "DIR",
        "Move what would be overwritten or removed to DIR, relative to the destination and"
            + " on its file system. On a server, an absolute DIR must be in the same export.",
        BACKUP_DIR);
  }

  static SyncRule of(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(SYNC);
    SyncRule.Level level =
        text.isEmpty() ? SyncRule.DEFAULT.level() : OptionValue.word(SYNC, text.get(), LEVELS);
    if (line.has(IGNORE_EXISTING)) {
      if (text.isPresent() && level != SyncRule.Level.EXISTS) {
        throw new UsageException(IGNORE_EXISTING + " and --sync " + text.get() + " contradict");
      }
      level = SyncRule.Level.EXISTS;
    }
    return new SyncRule(level, line.has(UPDATE));
  }

  static Changing changing(ParsedLine line) throws UsageException {
    return OptionValue.word(CHANGING, line.value(CHANGING).orElse("fail"), CHANGES);
  }

  /** Applies deletion and backups to a request. */
  static void applyDeletion(ParsedLine line, TransferRequest.Builder request)
      throws UsageException {
    for (String option : List.of(MAX_DELETE, DELETE_FROM_EMPTY)) {
      if (line.has(option) && !line.has(DELETE)) {
        throw new UsageException(option + " goes with " + DELETE + " only");
      }
    }
    if (line.has(MAX_DELETE)) {
      request.maxDelete(OptionValue.count(line, MAX_DELETE, 0, Integer.MAX_VALUE, 0));
    }
    request.deleteFromEmpty(line.has(DELETE_FROM_EMPTY));
    if (line.has(DELETE) && PreserveOptions.followsLinks(line)) {
      throw new UsageException(DELETE + " cannot be combined with --links follow");
    }
    request.delete(line.has(DELETE));
    Optional<String> backups = line.value(BACKUP_DIR);
    if (backups.isPresent()) {
      request.backups(OptionValue.path(BACKUP_DIR, backups.get()));
    }
  }
}
