package io.fdt.core.spec;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.Delta;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.model.Tuning;
import io.fdt.core.spec.TransferOption.Kind;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.unit.ValueText;
import io.fdt.core.wire.SelectionCoding;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The options of a transfer as users write them, one row each. The command line derives options,
 * help and completion from the rows, the transfer service the fields of its requests and their
 * schema. If two rows set the same field, the later one decides. Pure.
 */
public final class TransferOptions {
  private static final int AUTO = 0;

  private static final List<String> ASPECTS = Stream.of(Aspect.values()).map(Aspect::text).toList();

  public static final TransferOption<Boolean> RECURSIVE =
      flag("recursive")
          .named("-r", "--recursive")
          .does(TransferSpecBuilder::recursive, TransferSpec::recursive)
          .helps("Copy directories with their contents.");

  public static final TransferOption<Integer> STREAMS =
      countOrAuto("streams", TransferSpec.MAX_STREAMS)
          .named("-P", "--streams")
          .does(
              TransferOptions::setStreams,
              spec -> spec.streamsChosen() && !spec.tuning().streams() ? spec.streams() : null)
          .helps(
              "Parallel connections for data, 1 to 128. Default: 4; on long paths the best number"
                  + " up to 12, found during the transfer, and --congestion auto. auto does so on"
                  + " all paths, up to 32 (not in a nettest), and tunes --readers.");

  public static final TransferOption<Boolean> TUNE_STREAMS =
      flag("tune_streams")
          .does((spec, value) -> setStreams(spec, AUTO), spec -> spec.tuning().streams());

  /** The options of data connections, also for a nettest. */
  public static final List<TransferOption<?>> NETWORK =
      List.of(
          STREAMS,
          TUNE_STREAMS,
          of(Kind.NUMBER, "block_size", "SIZE", TransferOptions::blockSize)
              .named("-bs", "--block-size")
              .does(TransferSpecBuilder::blockSize, TransferSpec::blockSize)
              .helps("Unit of reading, sending and writing, 4K to 64M (default 1M)."),
          of(Kind.NUMBER, "socket_buffer", "SIZE", TransferOptions::socketBuffer)
              .named("-ss", "--socket-buffer")
              .does(TransferSpecBuilder::socketBuffer, TransferSpec::socketBuffer)
              .helps(
                  "Fixed socket buffers, at most 1G (default auto: adapted by the operating"
                      + " system)."));

  public static final TransferOption<Integer> READERS =
      countOrAuto("readers", TransferSpec.MAX_THREADS_PER_DISK)
          .named("-rCount", "--readers")
          .does(TransferOptions::setReaders, TransferSpec::readersPerDisk)
          .helps("Reader threads per disk of the source, 1 to 64, or auto (default 2).");

  public static final TransferOption<Integer> WRITERS =
      count("writers", 1, TransferSpec.MAX_THREADS_PER_DISK)
          .named("-wCount", "--writers")
          .does(TransferSpecBuilder::writersPerDisk, TransferSpec::writersPerDisk)
          .helps("Writer threads per disk of the destination, 1 to 64 (default 2).");

  public static final TransferOption<String> CONGESTION =
      of(Kind.TEXT, "congestion", "NAME", name -> name)
          .named("--congestion")
          .does(TransferSpecBuilder::congestion, TransferOptions::congestion)
          .helps(
              "TCP congestion control of the sender, such as cubic or bbr; auto tries bbr under"
                  + " random loss (default: the system's). With --via, one name for each part of"
                  + " the way may be given: bbr,cubic. A sender over UDP takes none.");

  public static final TransferOption<Compression> COMPRESS =
      of(
              Kind.TEXT,
              "compress",
              "METHOD",
              Compression::parse,
              "auto",
              "off",
              "zstd",
              "lz4",
              "deflate")
          .named("--compress")
          .does(TransferSpecBuilder::compression, TransferSpec::compression)
          .helps(
              "Compress data on its way: auto, where that makes the transfer faster; zstd or"
                  + " zstd:LEVEL (1 to 19), lz4, deflate or deflate:LEVEL (1 to 9); off"
                  + " (default).");

  public static final TransferOption<RateSchedule> LIMIT =
      of(Kind.TEXT, "limit_schedule", "RATE", RateSchedule::parse)
          .named("-limit", "--limit")
          .does(TransferSpecBuilder::rateLimit, TransferSpec::rateLimit)
          .helps(
              "Upper bound of the rate: 100M (MiB/s), 500Mbit or off; or a schedule in local"
                  + " time:\n09:00-18:00=100M,else=off\nMon-Fri 09:00-18:00=100M,else=1G.");

  public static final TransferOption<String> DIRECT_IO =
      choice("direct_io", "WHEN", "auto", "on", "off")
          .named("--direct-io")
          .does((spec, word) -> spec.directIo(DirectIo.valueOf(word)), TransferSpec::directIo)
          .helps(
              "Files of 16 MiB and more and the page cache, at both ends: auto (default) drops them"
                  + " from it behind a copy larger than half of the memory available; on goes"
                  + " around it (O_DIRECT); off leaves them in it.");

  /** The options of disks, and of speed. */
  public static final List<TransferOption<?>> SPEED =
      List.of(READERS, WRITERS, DIRECT_IO, CONGESTION, COMPRESS, LIMIT);

  public static final TransferOption<String> CHECKSUM =
      choice("checksum", "NAME", "crc32c", "xxh3", "blake3", "sha256", "md5", "sha1", "none")
          .named("--checksum")
          .does(
              (spec, word) -> spec.checksum(Checksum.valueOf(word)),
              spec -> spec.assurance().checksum())
          .helps(
              "Digest of whole files: crc32c (default; sha256 with --via and without --encrypt),"
                  + " blake3, sha256, md5, sha1, xxh128 as other tools print them; xxh3,"
                  + " sha256-tree, md5-tree, sha1-tree of chunks of 1 MiB, which is faster; or"
                  + " none. -v lists each file with its digest.");

  public static final TransferOption<Boolean> VERIFY =
      flag("verify")
          .named("--verify")
          .does(TransferSpecBuilder::verify, spec -> spec.assurance().verify())
          .helps("Read each file back from its device before it gets its name.");

  public static final TransferOption<Boolean> FSYNC =
      flag("fsync")
          .named("--fsync")
          .does(TransferSpecBuilder::fsync, spec -> spec.assurance().fsync())
          .helps("A file is done when it and its name are on the device.");

  /** The options about the verification of a file. */
  public static final List<TransferOption<?>> ASSURANCE = List.of(CHECKSUM, VERIFY, FSYNC);

  public static final TransferOption<?> EXCLUDE =
      pattern()
          .named("--exclude")
          .helps(
              "Skip what matches, in .gitignore syntax; the first matching --include or --exclude"
                  + " decides.");

  public static final TransferOption<?> INCLUDE =
      pattern().named("--include").helps("Take what matches, whatever later patterns say.");

  /** Patterns, each after "+ " to include or "- " to exclude matching names. */
  public static final TransferOption<List<Selection.Rule>> FILTERS =
      of(Kind.LIST, "filters", "", TransferOptions::rules)
          .does(TransferOptions::setFilters, TransferOptions::filters);

  public static final TransferOption<Timestamp> MIN_AGE =
      age("min_age")
          .named("--min-age")
          .does((spec, time) -> select(spec, s -> s.setNotAfter(SelectionCoding.encode(time))))
          .helps("Skip files modified more recently than this, such as 2h or 7d.");

  public static final TransferOption<Timestamp> MAX_AGE =
      age("max_age")
          .named("--max-age")
          .does((spec, time) -> select(spec, s -> s.setNotBefore(SelectionCoding.encode(time))))
          .helps("Skip files modified longer ago than this.");

  public static final TransferOption<Timestamp> MODIFIED_BEFORE =
      of(Kind.TEXT, "modified_before", "", TransferOptions::time)
          .does(MIN_AGE.setter(), spec -> instant(spec.selection().notAfter()));

  public static final TransferOption<Timestamp> MODIFIED_AFTER =
      of(Kind.TEXT, "modified_after", "", TransferOptions::time)
          .does(MAX_AGE.setter(), spec -> instant(spec.selection().notBefore()));

  /** The options that choose among the files beneath the sources. */
  public static final List<TransferOption<?>> SELECTION =
      List.of(
          EXCLUDE,
          INCLUDE,
          FILTERS,
          size("min_size")
              .named("--min-size")
              .does(
                  (spec, size) -> select(spec, s -> s.setLeastBytes(size.bytes())),
                  spec -> spec.selection().leastBytes())
              .helps("Skip smaller files."),
          size("max_size")
              .named("--max-size")
              .does(
                  (spec, size) -> select(spec, s -> s.setMostBytesPlusOne(size.bytes() + 1)),
                  spec -> spec.selection().mostBytes())
              .helps("Skip larger files."),
          MIN_AGE,
          MAX_AGE,
          MODIFIED_BEFORE,
          MODIFIED_AFTER,
          count("max_depth", 1, 1_000_000)
              .named("--max-depth")
              .does(
                  (spec, depth) -> select(spec, s -> s.setMaxDepth(depth)),
                  spec -> spec.selection().maxDepth())
              .helps("How many directories to descend; 1: only the files of the source itself."),
          flag("one_file_system")
              .named("--one-file-system")
              .does(
                  (spec, value) -> select(spec, s -> s.setOneFileSystem(value)),
                  spec -> spec.selection().oneFileSystem())
              .helps("Leave directories of other file systems empty."));

  public static final TransferOption<String> SYNC =
      choice("sync", "LEVEL", "exists", "size", "mtime", "checksum")
          .named("--sync")
          .does(
              (spec, word) -> setSync(spec, SyncRule.Level.valueOf(word)),
              spec -> spec.sync().level())
          .helps(
              "What makes an existing file count as unchanged: exists, size, mtime (and size,"
                  + " default), or checksum (both ends read it).");

  public static final TransferOption<Boolean> IGNORE_EXISTING =
      flag("")
          .named("--ignore-existing")
          .does((spec, value) -> setSync(spec, SyncRule.Level.EXISTS))
          .helps("Never replace anything; same as --sync exists.");

  public static final TransferOption<String> CHANGING =
      choice("changing", "RULE", "fail", "skip", "copy")
          .named("--changing")
          .does((spec, word) -> spec.changing(Changing.valueOf(word)), TransferSpec::changing)
          .helps(
              "A file that changes while it is read: fail (default), skip (no failure), or copy as"
                  + " many bytes as it had at first.");

  public static final TransferOption<String> DELTA =
      choice("delta", "WHEN", "auto", "off", "always")
          .named("--delta")
          .does((spec, word) -> spec.delta(Delta.valueOf(word)), TransferSpec::delta)
          .helps(
              "Send only what is not in the file to be replaced: auto (default) for files of 8 MiB"
                  + " and more, where the network is slower than the disks and a sample has equal"
                  + " bytes; always, for files of 1 MiB and more; or off.");

  public static final TransferOption<BytePath> DELTA_FROM =
      of(Kind.TEXT, "delta_from", "PATH", TransferOptions::path)
          .named("--delta-from")
          .does(TransferSpecBuilder::deltaFrom, spec -> spec.deltaFrom().orElse(null))
          .helps(
              "Look for the bytes of new files in an older file, or in the same names of an older"
                  + " directory, at the destination: PATH relative to it, or absolute. On a"
                  + " server, an absolute PATH begins with the name of an export.");

  public static final TransferOption<Boolean> DELETE =
      flag("delete")
          .named("--delete")
          .does(TransferSpecBuilder::delete, TransferSpec::delete)
          .helps(
              "After everything is copied, remove what the source lacks from the copied"
                  + " directories. Keeps what --exclude skips. Files and directories of the source"
                  + " replace each other's names. Try it with --dry-run first. Cannot be combined"
                  + " with --links follow.");

  public static final TransferOption<Integer> MAX_DELETE =
      count("max_delete", 0, Integer.MAX_VALUE)
          .named("--max-delete")
          .does((spec, value) -> spec.maxDelete(value), TransferSpec::maxDelete)
          .helps(
              "Remove nothing if more than N names would go. The contents of a directory that a"
                  + " file replaces count; a file that is replaced does not.");

  public static final TransferOption<Boolean> DELETE_FROM_EMPTY =
      flag("delete_from_empty")
          .named("--delete-from-empty")
          .does(TransferSpecBuilder::deleteFromEmpty, TransferSpec::deleteFromEmpty)
          .helps(
              "Remove names even if a directory of the source is empty, as it is when its file"
                  + " system is not mounted. Otherwise that is refused.");

  /** The options about existing files and deletion. */
  public static final List<TransferOption<?>> EXISTING =
      List.of(
          SYNC,
          flag("update")
              .named("--update", "-u")
              .does((spec, value) -> spec.options.setUpdate(value), spec -> spec.sync().update())
              .helps("Never replace a file that is newer than the source."),
          IGNORE_EXISTING,
          CHANGING,
          DELTA,
          DELTA_FROM,
          DELETE,
          MAX_DELETE,
          DELETE_FROM_EMPTY,
          of(Kind.TEXT, "backup_dir", "DIR", TransferOptions::path)
              .named("--backup-dir")
              .does(TransferSpecBuilder::backups, spec -> spec.backups().orElse(null))
              .helps(
                  "Move what would be overwritten or removed to DIR, relative to the destination"
                      + " and on its file system. On a server, an absolute DIR must be in the same"
                      + " export. A later --delete needs the option, too, or removes DIR."));

  public static final TransferOption<Boolean> SPARSE =
      aspect(Aspect.SPARSE, true)
          .named("--sparse")
          .helps("Send no holes, and recreate them at the destination (default).");

  public static final TransferOption<Boolean> NO_SPARSE =
      aspect(Aspect.SPARSE, false)
          .named("--no-sparse")
          .helps("Send holes as zeros, and reserve space for whole files.");

  public static final TransferOption<String> LINKS =
      choice("links", "RULE", "copy", "follow", "skip")
          .named("--links")
          .does(
              (spec, word) -> keep(spec, k -> k.withLinks(Preservation.Links.valueOf(word))),
              spec -> spec.preservation().links())
          .helps(
              "Symbolic links: copy (as links, default), follow (beneath the source only) or"
                  + " skip.");

  public static final TransferOption<String> NAMES =
      choice("names", "RULE", "keep", "encode", "decode")
          .named("--names")
          .does((spec, word) -> spec.names(NameRule.valueOf(word)), TransferSpec::names)
          .helps(
              "Names that Windows, FAT or SMB refuse: keep (default), encode at the destination,"
                  + " or decode those that were encoded at the source.");

  /** The options about names and attributes. */
  public static final List<TransferOption<?>> PRESERVATION =
      List.of(
          of(Kind.LIST, "preserve", "LIST", TransferOptions::aspects, words())
              .named("--preserve")
              .does(
                  (spec, aspects) -> keep(spec, k -> new Preservation(aspects, k.links())),
                  TransferOptions::aspects)
              .helps(
                  "Preserve exactly these, separated by commas: "
                      + String.join(", ", ASPECTS)
                      + "; or all, or none (default mode,times,sparse)."),
          aspect(Aspect.HARD_LINKS, true).named("--hard-links").helps("Preserve hard links."),
          aspect(Aspect.XATTRS, true)
              .named("--xattrs")
              .helps("Preserve user extended attributes (user.*)."),
          aspect(Aspect.ACLS, true)
              .named("--acls")
              .helps("Preserve POSIX access lists; users and groups are numeric."),
          aspect(Aspect.OWNER, true)
              .named("--owner")
              .helps("Preserve owner and group, numerically; the destination must run as root."),
          SPARSE,
          NO_SPARSE,
          LINKS,
          NAMES);

  /** All options. */
  public static final List<TransferOption<?>> ALL =
      Stream.of(List.of(RECURSIVE), NETWORK, SPEED, ASSURANCE, SELECTION, EXISTING, PRESERVATION)
          .<TransferOption<?>>flatMap(List::stream)
          .toList();

  private TransferOptions() {}

  private static <T> TransferOption<T> of(
      Kind type, String field, String label, Function<String, T> parser, String... words) {
    return new TransferOption<>(
        field, type, label, List.of(words), (text, now) -> parser.apply(text));
  }

  private static TransferOption<Boolean> flag(String field) {
    return of(Kind.FLAG, field, "", text -> true);
  }

  private static TransferOption<Integer> count(String field, int least, int most) {
    return of(Kind.NUMBER, field, "N", text -> ValueText.count(text, least, most));
  }

  /** A count from 1, or {@link #AUTO}. */
  private static TransferOption<Integer> countOrAuto(String field, int most) {
    return of(
        Kind.NUMBER,
        field,
        "N",
        text -> text.equals(Tuning.AUTO) ? AUTO : ValueText.count(text, 1, most));
  }

  private static TransferOption<ByteSize> size(String field) {
    return of(
        Kind.NUMBER, field, "SIZE", text -> ValueText.size(text, 0, Long.MAX_VALUE, "0 and 8EiB"));
  }

  /** A choice of words, the names of constants in lower case. */
  private static TransferOption<String> choice(String field, String label, String... words) {
    return of(
        Kind.TEXT,
        field,
        label,
        word -> ValueText.word(word, List.of(words)).toUpperCase(Locale.ROOT),
        words);
  }

  private static TransferOption<String> pattern() {
    return of(Kind.PATTERN, "", "PATTERN", text -> text);
  }

  private static TransferOption<Timestamp> age(String field) {
    return new TransferOption<>(
        field,
        Kind.TEXT,
        "AGE",
        List.of(),
        (text, now) -> timestamp(now.minus(ValueText.duration(text))));
  }

  private static TransferOption<Boolean> aspect(Aspect aspect, boolean kept) {
    return flag("").does((spec, value) -> keep(spec, before -> before.with(aspect, kept)));
  }

  private static void setStreams(TransferSpecBuilder<?> spec, int value) {
    if (value == AUTO) {
      spec.tuneStreams().tuneReaders().congestion(Tuning.AUTO);
    } else {
      spec.streams(value);
    }
  }

  private static void setReaders(TransferSpecBuilder<?> spec, int value) {
    if (value == AUTO) {
      spec.tuneReaders();
    } else {
      spec.keepReaders().readersPerDisk(value);
    }
  }

  private static ByteSize blockSize(String text) {
    return ValueText.size(text, TransferSpec.MIN_BLOCK, TransferSpec.MAX_BLOCK, "4KiB and 64MiB");
  }

  private static ByteSize socketBuffer(String text) {
    return text.equals(Tuning.AUTO)
        ? ByteSize.ofBytes(0)
        : ValueText.size(text, 0, TransferSpec.SOCKET_BUFFER.most(), "0 and 1GiB");
  }

  private static String congestion(TransferSpec spec) {
    Tuning tuning = spec.tuning();
    return tuning.streams() && tuning.triesCongestion() ? "" : tuning.congestion();
  }

  private static void select(
      TransferSpecBuilder<?> spec,
      UnaryOperator<io.fdt.core.wire.control.Selection.Builder> change) {
    var selection = change.apply(spec.options.getSelection().toBuilder()).build();
    spec.selection(SelectionCoding.decode(selection));
  }

  private static List<Selection.Rule> rules(String text) {
    List<Selection.Rule> rules = new ArrayList<>();
    for (String filter : text.split(TransferOption.SEPARATOR)) {
      if (!filter.startsWith("+ ") && !filter.startsWith("- ")) {
        throw new IllegalArgumentException(
            "'%s' must begin with '+ ' (take) or '- ' (leave out)".formatted(filter));
      }
      NamePattern pattern = new NamePattern(path(filter.substring(2)));
      rules.add(new Selection.Rule(pattern, filter.startsWith("+")));
    }
    return rules;
  }

  private static void setFilters(TransferSpecBuilder<?> spec, List<Selection.Rule> rules) {
    select(spec, selection -> selection.clearRules().addAllRules(SelectionCoding.encode(rules)));
  }

  private static List<String> filters(TransferSpec spec) {
    return spec.selection().rules().stream()
        .map(rule -> (rule.take() ? "+ " : "- ") + rule.pattern().text())
        .toList();
  }

  private static Timestamp timestamp(Instant time) {
    return new Timestamp(time.getEpochSecond(), time.getNano());
  }

  private static Timestamp time(String text) {
    try {
      return timestamp(Instant.parse(text));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + text + "' must be a time such as 2027-01-31T12:00:00Z", e);
    }
  }

  private static Instant instant(Timestamp time) {
    return time == null ? null : Instant.ofEpochSecond(time.seconds(), time.nanos());
  }

  private static BytePath path(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("an empty path");
    }
    return ByteText.path(BytePath.STYLE.slashed(text));
  }

  private static void setSync(TransferSpecBuilder<?> spec, SyncRule.Level level) {
    spec.sync(new SyncRule(level, spec.options.getUpdate()));
  }

  private static void keep(TransferSpecBuilder<?> spec, UnaryOperator<Preservation> change) {
    spec.preservation(change.apply(TransferSpecCoding.preservation(spec.options)));
  }

  private static String[] words() {
    return Stream.concat(Stream.of("all", "none"), ASPECTS.stream()).toArray(String[]::new);
  }

  private static Set<Aspect> aspects(String text) {
    if (text.equals("all")) {
      return EnumSet.allOf(Aspect.class);
    }
    Set<Aspect> aspects = EnumSet.noneOf(Aspect.class);
    for (String word : text.equals("none") ? new String[0] : text.split("[,\0]", -1)) {
      if (!ASPECTS.contains(word)) {
        throw new IllegalArgumentException(
            "'%s' is none of %s; or write all, or none"
                .formatted(word, String.join(", ", ASPECTS)));
      }
      Stream.of(Aspect.values()).filter(a -> a.text().equals(word)).forEach(aspects::add);
    }
    return aspects;
  }

  private static List<String> aspects(TransferSpec spec) {
    Set<Aspect> aspects = spec.preservation().aspects();
    return aspects.isEmpty() ? List.of("none") : aspects.stream().map(Aspect::text).toList();
  }
}
