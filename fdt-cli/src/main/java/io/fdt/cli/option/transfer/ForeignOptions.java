package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.DigestName;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options of rsync, scp, rclone and Globus for {@code copy}. An option that FDT has is replaced by
 * FDT's before the line is parsed; one that FDT always applies is dropped; any other is a usage
 * error that names FDT's option. docs/HABITS.md has the same table. Pure, except that it reads
 * lists of patterns.
 *
 * <p>Some single letters have another meaning here, or in scp, than in rsync. In a group of
 * letters, as in {@code -avzP}, they have rsync's meaning, because only rsync has such groups.
 */
public final class ForeignOptions {
  private static final String ARCHIVE = "-a";
  private static final String COMPRESS = "-z";
  private static final String BANDWIDTH = "--bwlimit";
  private static final String EXCLUDE_FROM = "--exclude-from";
  private static final String INCLUDE_FROM = "--include-from";
  private static final String FILTER_FROM = "--filter-from";

  /**
   * Spellings. After {@code >} follow FDT's words, none for what FDT always does; {@code %s} is the
   * value. After {@code !} follows the reason of a usage error.
   */
  private static final Map<String, Foreign> WORDS =
      table(
          """
          -a --archive > -r
          -z > --compress=auto
          --verbose > -v
          -q > --quiet
          -L --copy-links > --links=follow
          --skip-links --no-links > --links=skip
          -H > --hard-links
          -X > --xattrs
          -A > --acls
          -x > --one-file-system
          --size-only > --sync=size
          --delete-after --delete-delay > --delete
          --encrypt-data > --encrypt
          --no-verify-checksum > --checksum=none
          --bwlimit --exclude-from --include-from --filter-from > %s
          --sync-level > --sync=%s
          --compress-choice --zc > --compress=%s
          --compress-level --zl > --compress=zstd:%s
          --progress --partial --human-readable --stats --times -t --perms >
          --whole-file -W > --delta=off
          --no-whole-file --no-W > --delta=always
          --secluded-args --protect-args -s -S --mkpath --numeric-ids >
          --create-empty-src-dirs --preserve-timestamp --preserve-mtime --verify-checksum >
          -g -o --group ! write --owner for owner and group, by number; a server must allow it (--allow-privileged)
          -D --devices --specials ! devices, sockets and FIFOs are never copied, but named
          -c ! write --sync checksum to compare contents, or --encrypt for scp's ciphers
          -l ! write nothing for links, which are kept as links, and --limit RATE for scp's limit
          -C ! write -z to compress, and --exclude .git for what CVS and git keep
          -i --itemize-changes --interactive ! write -v to name each file, --report FILE for the outcomes, and -e 'ssh -i KEY' for a key of ssh
          -b --backup --suffix ! write --backup-dir DIR
          -R --relative ! write --files-from LIST, which keeps the directories of each path
          -f -F --filter ! write --exclude and --include; the first match decides
          -I --ignore-times ! write --sync checksum; both ends read each file
          -T --temp-dir --inplace ! files grow under a temporary name and get their own when they are verified; there is no option for that
          -M --metadata ! write --preserve all
          -4 -6 ! write the address in place of the host's name
          --partial-dir --append --append-verify ! nothing to write: the same command, typed again, continues an interrupted file
          --delete-before --delete-during --del ! write --delete: names are removed after everything is copied
          --delete-excluded ! --delete keeps what --exclude skips
          --force ! write --delete, with which a file takes the place of a directory
          --existing ! there is no such option; --ignore-existing is the reverse
          --immutable --ignore-size ! write --ignore-existing; a difference is then no error
          --modify-window ! times are compared to the nanosecond; write --sync size to ignore them
          --timeout --contimeout --retries --low-level-retries ! write --retry-timeout SECONDS: how long to reconnect; damaged data is sent again always
          --transfers --checkers --multi-thread-streams ! write -P N for N parallel streams; small files travel in packs, so there is no number of files at a time
          --rsync-path ! set FDT_JAVA on the host, or install fdt there
          --log-file ! write --report FILE, or redirect standard error
          --info --debug --log-level ! write -v, -vv or -vvv
          --out-format --use-json-log ! write --json
          --chmod --chown ! modes are kept, or not: write --preserve LIST
          --copy-dest ! write --delta-from DIR
          --link-dest --compare-dest ! there is no such option; copies of unchanged files are not linked
          --password-file ! write --token-file FILE
          --list-only ! write: fdt ls host:/path
          --remove-source-files ! there is no such option; remove the source after exit status 0
          --prune-empty-dirs ! write --exclude; empty directories are copied
          --ignore-checksum ! write --checksum none
          --track-renames --fuzzy ! a renamed file is sent again
          --batch ! write --files-from LIST
          --skip-source-errors --ignore-errors ! nothing to write: other files go on, and the exit status is then 1
          """);

  /** The letters of rsync, in a group. */
  private static final Map<String, Foreign> LETTERS =
      table(
          """
          a r > -r
          n > --dry-run
          z > --compress=auto
          u > --update
          c > --sync=checksum
          q > --quiet
          x > --one-file-system
          H > --hard-links
          A > --acls
          X > --xattrs
          L > --links=follow
          h l t p P s S W >
          g o ! write --owner for owner and group, by number; a server must allow it (--allow-privileged)
          D ! devices, sockets and FIFOs are never copied, but named
          b ! write --backup-dir DIR
          i ! write -v to name each file
          R ! write --files-from LIST
          """);

  private final CommandSpec spec;
  private final Surroundings surroundings;
  private final List<Word> words = new ArrayList<>();

  private ForeignOptions(CommandSpec spec, Surroundings surroundings) {
    this.spec = spec;
    this.surroundings = surroundings;
  }

  /**
   * The meaning of a spelling.
   *
   * @param words FDT's own, empty for what FDT always does; %s is the value
   * @param refusal why FDT refuses it, and what to write; null if it does not
   */
  private record Foreign(String words, String refusal) {}

  /** A word of the line, and whether it replaces another spelling. */
  private record Word(String text, boolean isReplacement) {}

  private static Map<String, Foreign> table(String lines) {
    Map<String, Foreign> table = new HashMap<>();
    for (String line : lines.split("\n", -1)) {
      int refused = line.indexOf(" ! ");
      int end = refused < 0 ? line.indexOf(" >") : refused;
      if (end > 0) {
        String meaning = line.substring(Math.min(end + 3, line.length()));
        Foreign foreign = refused < 0 ? new Foreign(meaning, null) : new Foreign("", meaning);
        for (String spelling : line.substring(0, end).split(" ", -1)) {
          table.put(spelling, foreign);
        }
      }
    }
    return table;
  }

  /** Adds the options that the help shows; {@link #translate} replaces them. */
  public static void add(CommandSpec spec) {
    Options.flag(
        spec,
        "Same as -r: links, modes and times are always kept. For owners and groups, which rsync's"
            + " -a keeps too, add --owner.",
        ARCHIVE,
        "--archive");
    Options.flag(spec, "Same as --compress auto.", COMPRESS);
    Options.value(
        spec, "RATE", "Same as --limit, but a number without a unit is KiB/s.", BANDWIDTH);
    Options.values(
        spec,
        "FILE",
        "Read --exclude patterns from FILE, one per line; '+ PATTERN' includes, # and ; start"
            + " comments.",
        EXCLUDE_FROM);
    Options.values(
        spec, "FILE", "Read --include patterns from FILE; '- PATTERN' excludes.", INCLUDE_FROM);
  }

  /**
   * The same line in our own spelling.
   *
   * @param spec the options that the line can have
   */
  public static List<String> translate(
      List<String> arguments, CommandSpec spec, Surroundings surroundings) throws UsageException {
    ForeignOptions options = new ForeignOptions(spec, surroundings);
    options.read(arguments);
    return options.withoutRepetition();
  }

  private void read(List<String> arguments) throws UsageException {
    int i = 0;
    while (i < arguments.size()) {
      String word = arguments.get(i);
      if (word.equals("--")) {
        arguments.subList(i, arguments.size()).forEach(this::keep);
        return;
      }
      String next = i + 1 < arguments.size() ? arguments.get(i + 1) : null;
      if (word.startsWith("-") && word.length() > 1) {
        i += option(word, next);
      } else {
        keep(word);
        i++;
      }
    }
  }

  /** Translates an option; returns the number of words that it takes. */
  private int option(String word, String next) throws UsageException {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    String inline = equals < 0 ? null : word.substring(equals + 1);
    Foreign foreign = WORDS.get(name);
    if (foreign != null) {
      return foreign(name, foreign, inline, next);
    }
    OptionSpec known = spec.optionsMap().get(name);
    if (known != null) {
      keep(word);
      if (known.arity().max() == 0 || inline != null) {
        return 1;
      }
      checkValue(known.names()[0], name, next);
      if (next == null) {
        return 1;
      }
      keep(next);
      return 2;
    }
    Optional<List<String>> group = group(word);
    if (group.isPresent()) {
      group.get().forEach(this::replace);
    } else {
      keep(word);
    }
    return 1;
  }

  private int foreign(String name, Foreign foreign, String inline, String next)
      throws UsageException {
    if (foreign.refusal() != null) {
      throw new UsageException(name + ": " + foreign.refusal());
    }
    if (!foreign.words().contains("%s")) {
      if (inline != null) {
        throw new UsageException(name + " takes no value");
      }
      if (!foreign.words().isEmpty()) {
        replace(foreign.words());
      }
      return 1;
    }
    String value = inline != null ? inline : next;
    if (value == null || value.isEmpty()) {
      throw new UsageException(name + " needs a value");
    }
    switch (name) {
      case BANDWIDTH -> replace(TransferOptions.LIMIT.name() + "=" + rate(value));
      case EXCLUDE_FROM -> keepPatterns(name, value, PatternFile.Bare.EXCLUDES);
      case INCLUDE_FROM -> keepPatterns(name, value, PatternFile.Bare.INCLUDES);
      case FILTER_FROM -> keepPatterns(name, value, PatternFile.Bare.IS_WRONG);
      default -> replace(foreign.words().replace("%s", value));
    }
    return inline != null ? 1 : 2;
  }

  private void keepPatterns(String option, String file, PatternFile.Bare bare)
      throws UsageException {
    PatternFile.read(option, file, bare, surroundings).forEach(this::keep);
  }

  /** Converts a rate: in rsync and rclone, a number without a unit is in KiB/s. */
  private static String rate(String text) throws UsageException {
    if (text.matches("0+|off")) {
      return "off";
    }
    if (text.matches("[0-9]+(\\.[0-9]+)?")) {
      return text + "K";
    }
    if (text.matches("[0-9]+(\\.[0-9]+)?[KMGTPkmgtp]([iI]?[bB])?")) {
      return text;
    }
    throw new UsageException(
        ("%s: '%s' is not a rate such as 10M; a timetable is --limit " + "09:00-18:00=10M,else=off")
            .formatted(BANDWIDTH, text));
  }

  /** The meaning of a group of rsync's letters; empty for anything else. */
  private static Optional<List<String>> group(String word) throws UsageException {
    if (!word.matches("-[A-Za-z]{2,}")) {
      return Optional.empty();
    }
    List<String> letters =
        List.of(word.substring(1).split("", -1)).stream().filter(l -> !l.isEmpty()).toList();
    Set<String> seen = new LinkedHashSet<>();
    List<String> result = new ArrayList<>();
    int verbosity = 0;
    for (String letter : letters) {
      if (letter.equals("v")) {
        verbosity++;
      } else if (!seen.add(letter) || !LETTERS.containsKey(letter)) {
        return Optional.empty();
      } else if (!LETTERS.get(letter).words().isEmpty()) {
        result.add(LETTERS.get(letter).words());
      }
    }
    for (String letter : seen) {
      if (LETTERS.get(letter).refusal() != null) {
        throw new UsageException(
            "-" + letter + " of " + word + ": " + LETTERS.get(letter).refusal());
      }
    }
    if (verbosity > 0) {
      result.add("-" + "v".repeat(Math.min(3, verbosity)));
    }
    return Optional.of(result);
  }

  /**
   * Refuses a value that the option of the other tool does not take.
   *
   * @param option by its first name
   * @param typed the name that was typed
   * @param next the word after it; null at the end
   */
  private static void checkValue(String option, String typed, String next) throws UsageException {
    String value = next == null ? "" : next;
    boolean isNumber = value.matches("[0-9]{1,9}");
    boolean isCount = isNumber || value.equals(OptionValue.AUTO);
    if (typed.equals(TransferOptions.STREAMS.name()) && !isCount) {
      throw new UsageException(
          "-P is the number of streams, as in -P 8; for rsync's -P write nothing: progress is shown"
              + " and partial files are kept always");
    }
    if (typed.equals(TransferOptions.STREAMS.name()) && isNumber && Integer.parseInt(value) > 128) {
      throw new UsageException("-P is the number of streams, 1 to 128; the port is -p " + value);
    }
    if (typed.equals(Options.PORT) && !isNumber) {
      throw new UsageException(
          "-p is the port, as in -p 54321; for rsync's and scp's -p write nothing: modes and times"
              + " are kept");
    }
    if (option.equals(TransferOptions.CHECKSUM.name()) && isLocation(value)) {
      throw new UsageException(
          "--checksum chooses the digest: "
              + String.join(", ", DigestName.ALL)
              + "; to compare contents, as rsync's and rclone's --checksum does, write --sync"
              + " checksum");
    }
    if (option.equals(TransferOptions.COMPRESS.name()) && isLocation(value)) {
      throw new UsageException(
          "--compress needs a method: auto, zstd, lz4, deflate or off; rsync's -z is --compress"
              + " auto");
    }
  }

  /**
   * Whether a value looks like a source: then the option before it has no value in the other tool.
   */
  private static boolean isLocation(String value) {
    return value.matches("(?s).*[/.].*|(?!zstd:|deflate:)[^:]+:.*");
  }

  private void keep(String text) {
    words.add(new Word(text, false));
  }

  private void replace(String text) {
    words.add(new Word(text, true));
  }

  /** Drops repeated flags, so that -a and -r on one line do not conflict. */
  private List<String> withoutRepetition() {
    Map<String, Integer> given = new HashMap<>();
    for (Word word : words) {
      if (!word.isReplacement()) {
        given.merge(canonical(word.text()), 1, Integer::sum);
      }
    }
    List<String> result = new ArrayList<>();
    for (Word word : words) {
      boolean isRepeated =
          word.isReplacement()
              && !word.text().contains("=")
              && given.merge(canonical(word.text()), 1, Integer::sum) > 1;
      if (!isRepeated) {
        result.add(word.text());
      }
    }
    return result;
  }

  private String canonical(String word) {
    OptionSpec option = spec.optionsMap().get(word);
    return option == null ? word : option.names()[0];
  }
}
