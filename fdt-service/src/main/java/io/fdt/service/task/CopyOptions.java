package io.fdt.service.task;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Compression;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Selection;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.model.Tuning;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The options of {@code fdt copy} as fields of a request, named as in the command. Pure. */
final class CopyOptions {
  private static final List<String> SYNC_LEVELS = List.of("exists", "size", "mtime", "checksum");
  private static final List<String> CHECKSUMS =
      List.of("crc32c", "xxh3", "blake3", "sha256", "none");

  /** Options that count back from the time of the request. */
  private static final List<String> AGES = List.of("min_age", "max_age");

  private static final int MOST_PATTERNS = 1000;
  private static final int MOST_TEXT = 4096;

  private CopyOptions() {}

  /** Whether the request depends on the time. */
  static boolean haveAges(Fields fields) {
    return AGES.stream().anyMatch(fields::has);
  }

  /**
   * Reads all options of a request.
   *
   * @param now ages are counted back from this time
   */
  static TransferSpec spec(Fields fields, Instant now) throws ServiceException {
    TransferSpec.Builder spec = TransferSpec.builder();
    spec.recursive(fields.flag("recursive")).delete(fields.flag("delete"));
    spec.verify(fields.flag("verify")).fsync(fields.flag("fsync"));
    spec.checksum(Checksum.ofText(fields.word("checksum", CHECKSUMS, "crc32c")).orElseThrow());
    if (fields.has("max_delete")) {
      spec.maxDelete(fields.number("max_delete", 0, Integer.MAX_VALUE, 0));
    }
    String level = fields.word("sync", SYNC_LEVELS, "mtime").toUpperCase(Locale.ROOT);
    spec.sync(new SyncRule(SyncRule.Level.valueOf(level), fields.flag("update")));
    try {
      what(fields, now, spec);
      speed(fields, spec);
      return spec.build();
    } catch (IllegalArgumentException e) {
      throw Fault.INVALID.of("'options': " + e.getMessage());
    }
  }

  private static void what(Fields fields, Instant now, TransferSpec.Builder spec)
      throws ServiceException {
    spec.selection(selection(fields, now));
    spec.changing(
        Changing.valueOf(
            fields
                .word("changing", List.of("fail", "skip", "copy"), "fail")
                .toUpperCase(Locale.ROOT)));
    spec.deleteFromEmpty(fields.flag("delete_from_empty"));
    Optional<String> backups = fields.optionalText("backup_dir", MOST_TEXT);
    if (backups.isPresent()) {
      spec.backups(path("backup_dir", backups.get()));
    }
    Preservation kept = Preservation.DEFAULT;
    if (fields.has("preserve")) {
      kept = Preservation.of(aspects(fields.texts("preserve", 20, 20)));
    }
    String links = fields.word("links", List.of("copy", "follow", "skip"), "copy");
    spec.preservation(
        new Preservation(
            kept.aspects(), Preservation.Links.valueOf(links.toUpperCase(Locale.ROOT))));
  }

  private static Selection selection(Fields fields, Instant now) throws ServiceException {
    List<Selection.Rule> rules = new ArrayList<>();
    if (fields.has("filters")) {
      for (String filter : fields.texts("filters", MOST_PATTERNS, MOST_TEXT)) {
        if (!filter.matches("[+-] .+")) {
          throw Fault.INVALID.of(
              "'filters': '%s' must begin with '+ ' (take) or '- ' (leave out)".formatted(filter));
        }
        rules.add(
            new Selection.Rule(
                new NamePattern(path("filters", filter.substring(2))), filter.charAt(0) == '+'));
      }
    }
    return new Selection(
        rules,
        fields.number("min_size", 0, Long.MAX_VALUE, 0),
        fields.number("max_size", 0, Long.MAX_VALUE, Long.MAX_VALUE),
        bound(fields, "max_age", "modified_after", now),
        bound(fields, "min_age", "modified_before", now),
        (int) fields.number("max_depth", 1, 1_000_000, Integer.MAX_VALUE),
        fields.flag("one_file_system"));
  }

  /** A bound of times of modification: an age, or a time; null for none. */
  private static Timestamp bound(Fields fields, String age, String time, Instant now)
      throws ServiceException {
    if (fields.has(age) && fields.has(time)) {
      throw Fault.INVALID.of(
          "'%s' and '%s' say the same: leave one of them out".formatted(age, time));
    }
    if (fields.has(age)) {
      Instant then = now.minus(duration(age, fields.text(age, 10)));
      return new Timestamp(then.getEpochSecond(), then.getNano());
    }
    if (!fields.has(time)) {
      return null;
    }
    try {
      Instant then = Instant.parse(fields.text(time, 40));
      return new Timestamp(then.getEpochSecond(), then.getNano());
    } catch (DateTimeException e) {
      throw Fault.INVALID.of("'%s' must be a time such as 2027-01-31T12:00:00Z".formatted(time));
    }
  }

  private static Duration duration(String name, String text) throws ServiceException {
    if (!text.matches("[0-9]{1,6}[smhdw]")) {
      throw Fault.INVALID.of("'%s' must be an age such as 90s, 5m, 12h, 7d or 2w".formatted(name));
    }
    long count = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 's' -> Duration.ofSeconds(count);
      case 'm' -> Duration.ofMinutes(count);
      case 'h' -> Duration.ofHours(count);
      case 'd' -> Duration.ofDays(count);
      default -> Duration.ofDays(7 * count);
    };
  }

  private static Set<Preservation.Aspect> aspects(List<String> words) throws ServiceException {
    Set<Preservation.Aspect> aspects = EnumSet.noneOf(Preservation.Aspect.class);
    if (words.equals(List.of("none"))) {
      return aspects;
    }
    List<String> known = new ArrayList<>();
    for (Preservation.Aspect aspect : Preservation.Aspect.values()) {
      known.add(aspect.text());
      if (words.contains(aspect.text())) {
        aspects.add(aspect);
      }
    }
    for (String word : words) {
      if (!known.contains(word)) {
        throw Fault.INVALID.of(
            "'preserve': '%s' is none of %s; or write none alone"
                .formatted(word, String.join(", ", known)));
      }
    }
    return aspects;
  }

  private static void speed(Fields fields, TransferSpec.Builder spec) throws ServiceException {
    boolean isTuned = fields.flag("tune_streams");
    if (isTuned && fields.has("streams")) {
      throw Fault.INVALID.of("'streams' and 'tune_streams' contradict: leave one of them out");
    }
    if (isTuned) {
      spec.tuneStreams().tuneReaders().congestion(Tuning.AUTO);
    } else if (fields.has("streams")) {
      spec.streams((int) fields.number("streams", 1, 128, 0));
    }
    if (fields.has("readers")) {
      spec.keepReaders().readersPerDisk((int) fields.number("readers", 1, 64, 2));
    }
    if (fields.has("writers")) {
      spec.writersPerDisk((int) fields.number("writers", 1, 64, 2));
    }
    if (fields.has("block_size")) {
      spec.blockSize(
          ByteSize.ofBytes(
              fields.number("block_size", TransferSpec.MIN_BLOCK, TransferSpec.MAX_BLOCK, 0)));
    }
    if (fields.has("socket_buffer")) {
      spec.socketBuffer(ByteSize.ofBytes(fields.number("socket_buffer", 0, 1 << 30, 0)));
    }
    Optional<String> congestion = fields.optionalText("congestion", 20);
    if (congestion.isPresent()) {
      spec.congestion(congestion.get());
    }
    Optional<String> compression = fields.optionalText("compress", 20);
    if (compression.isPresent()) {
      spec.compression(Compression.parse(compression.get()));
    }
    Optional<String> schedule = fields.optionalText("limit_schedule", 1000);
    if (schedule.isPresent()) {
      spec.rateLimit(RateSchedule.parse(schedule.get()));
    }
  }

  private static BytePath path(String name, String text) throws ServiceException {
    if (text.isEmpty()) {
      throw Fault.INVALID.of("'" + name + "' is empty");
    }
    return ByteText.path(text);
  }

  /** The most used options, and others that differ from their default, as fields. */
  static Map<String, Object> shown(TransferSpec spec) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("recursive", spec.recursive());
    json.put("sync", lower(spec.sync().level()));
    json.put("delete", spec.delete());
    put(json, "max_delete", spec.maxDelete(), Long.MAX_VALUE);
    json.put("verify", spec.assurance().verify());
    json.put("fsync", spec.assurance().fsync());
    json.put("checksum", spec.assurance().checksum().text());
    if (spec.streamsChosen() && !spec.tuning().streams()) {
      json.put("streams", (long) spec.streams());
    }
    put(json, "update", spec.sync().update(), false);
    put(json, "changing", lower(spec.changing()), "fail");
    put(json, "delete_from_empty", spec.deleteFromEmpty(), false);
    spec.backups().ifPresent(path -> json.put("backup_dir", path.toString()));
    Selection selection = spec.selection();
    put(
        json,
        "filters",
        selection.rules().stream()
            .map(rule -> (rule.take() ? "+ " : "- ") + rule.pattern().text())
            .toList(),
        List.of());
    put(json, "min_size", selection.leastBytes(), 0L);
    put(json, "max_size", selection.mostBytes(), Long.MAX_VALUE);
    put(json, "modified_after", time(selection.notBefore()), "");
    put(json, "modified_before", time(selection.notAfter()), "");
    put(json, "max_depth", (long) selection.maxDepth(), (long) Integer.MAX_VALUE);
    put(json, "one_file_system", selection.oneFileSystem(), false);
    put(json, "preserve", words(spec), words(TransferSpec.builder().build()));
    put(json, "links", lower(spec.preservation().links()), "copy");
    put(json, "compress", spec.compression().toString(), Compression.OFF.toString());
    put(json, "tune_streams", spec.tuning().streams(), false);
    TransferSpec usual = TransferSpec.builder().build();
    put(json, "readers", (long) spec.readersPerDisk(), (long) usual.readersPerDisk());
    put(json, "writers", (long) spec.writersPerDisk(), (long) usual.writersPerDisk());
    put(json, "block_size", (long) spec.blockSize(), (long) usual.blockSize());
    put(json, "socket_buffer", (long) spec.socketBuffer(), 0L);
    boolean isTuned = spec.tuning().streams() && spec.tuning().triesCongestion();
    put(json, "congestion", isTuned ? "" : spec.tuning().congestion(), "");
    put(json, "limit_schedule", spec.rateLimit().toString(), RateSchedule.NONE.toString());
    return json;
  }

  private static void put(Map<String, Object> json, String name, Object value, Object usual) {
    if (!value.equals(usual)) {
      json.put(name, value);
    }
  }

  private static List<String> words(TransferSpec spec) {
    List<String> words =
        spec.preservation().aspects().stream().map(Preservation.Aspect::text).toList();
    return words.isEmpty() ? List.of("none") : words;
  }

  private static String time(Timestamp time) {
    return time == null ? "" : Instant.ofEpochSecond(time.seconds(), time.nanos()).toString();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
