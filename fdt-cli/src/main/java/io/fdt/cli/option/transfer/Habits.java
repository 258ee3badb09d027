package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Spellings of rsync, scp, rclone and Globus for the options of {@code copy}. A spelling with the
 * same meaning is replaced by our own words before the line is parsed; what is always so is left
 * out; anything else is a usage error with the right name. Pure but for the lists of patterns that
 * a line names.
 *
 * <p>Some single letters have another meaning here, or in scp, than in rsync. Within a group of
 * letters, as in {@code -avzP}, they mean what they mean in rsync, because no other tool has such
 * groups.
 */
public final class Habits {
  private static final String ARCHIVE = "-a";
  private static final String COMPRESS = "-z";
  private static final String BANDWIDTH = "--bwlimit";
  private static final String EXCLUDE_FROM = "--exclude-from";
  private static final String INCLUDE_FROM = "--include-from";
  private static final String FILTER_FROM = "--filter-from";
  private static final String VERBOSE = "-v";

  private static final Map<String, Habit> SPELLINGS = HabitTable.spellings();
  private static final Map<Character, Habit> LETTERS = HabitTable.letters();

  private final CommandSpec spec;
  private final Surroundings surroundings;
  private final List<Word> words = new ArrayList<>();

  private Habits(CommandSpec spec, Surroundings surroundings) {
    this.spec = spec;
    this.surroundings = surroundings;
  }

  /**
   * What a spelling stands for.
   *
   * @param takesValue whether a value follows
   * @param words in our own spelling, %s for the value; none for what is always so
   * @param refusal why it is no option here, and what to write; null for one that is
   */
  record Habit(boolean takesValue, List<String> words, String refusal) {}

  /**
   * A word of the line.
   *
   * @param ofHabit whether it stands for another spelling
   */
  private record Word(String text, boolean ofHabit) {}

  /** Adds those that the help shows; {@link #translate} replaces them. */
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
    Habits habits = new Habits(spec, surroundings);
    habits.read(arguments);
    return habits.withoutRepetition();
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
      i += word.startsWith("-") && word.length() > 1 ? option(word, next) : operand(word);
    }
  }

  private int operand(String word) {
    keep(word);
    return 1;
  }

  /** The result is how many words it takes. */
  private int option(String word, String next) throws UsageException {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    String inline = equals < 0 ? null : word.substring(equals + 1);
    Habit habit = SPELLINGS.get(name);
    if (habit != null) {
      return habit(name, habit, inline, next);
    }
    OptionSpec known = spec.optionsMap().get(name);
    if (known != null) {
      keep(word);
      if (known.arity().max() == 0 || inline != null) {
        return 1;
      }
      HabitTable.checkValue(known.names()[0], name, next);
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

  private int habit(String name, Habit habit, String inline, String next) throws UsageException {
    if (habit.refusal() != null) {
      throw new UsageException(name + ": " + habit.refusal());
    }
    if (!habit.takesValue()) {
      if (inline != null) {
        throw new UsageException(name + " takes no value");
      }
      habit.words().forEach(this::replace);
      return 1;
    }
    String value = inline != null ? inline : next;
    if (value == null || value.isEmpty()) {
      throw new UsageException(name + " needs a value");
    }
    switch (name) {
      case BANDWIDTH -> replace(Options.LIMIT + "=" + rate(value));
      case EXCLUDE_FROM ->
          PatternFile.read(name, value, PatternFile.Bare.EXCLUDES, surroundings)
              .forEach(this::keep);
      case INCLUDE_FROM ->
          PatternFile.read(name, value, PatternFile.Bare.INCLUDES, surroundings)
              .forEach(this::keep);
      case FILTER_FROM ->
          PatternFile.read(name, value, PatternFile.Bare.IS_WRONG, surroundings)
              .forEach(this::keep);
      default -> habit.words().forEach(text -> replace(text.replace("%s", value)));
    }
    return inline != null ? 1 : 2;
  }

  /** rsync and rclone count in KiB/s where we want a unit. */
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
        BANDWIDTH
            + ": '"
            + text
            + "' is not a rate such as 10M; a timetable is --limit 09:00-18:00=10M,else=off");
  }

  /** What rsync's letters mean that stand in one word; empty for anything else. */
  private Optional<List<String>> group(String word) throws UsageException {
    if (!word.matches("-[A-Za-z]{2,}")) {
      return Optional.empty();
    }
    List<String> result = new ArrayList<>();
    Set<Character> seen = new HashSet<>();
    int verbosity = 0;
    for (char letter : word.substring(1).toCharArray()) {
      if (letter == VERBOSE.charAt(1)) {
        verbosity++;
      } else if (!seen.add(letter) || !LETTERS.containsKey(letter)) {
        return Optional.empty();
      } else {
        result.addAll(LETTERS.get(letter).words());
      }
    }
    for (char letter : word.substring(1).toCharArray()) {
      Habit habit = LETTERS.get(letter);
      if (habit != null && habit.refusal() != null) {
        throw new UsageException("-" + letter + " of " + word + ": " + habit.refusal());
      }
    }
    if (verbosity > 0) {
      result.add("-" + "v".repeat(Math.min(3, verbosity)));
    }
    return Optional.of(result);
  }

  private void keep(String text) {
    words.add(new Word(text, false));
  }

  private void replace(String text) {
    words.add(new Word(text, true));
  }

  /** -a and -r on one line are no contradiction: what stands there anyway is not added. */
  private List<String> withoutRepetition() {
    Map<String, Integer> given = new HashMap<>();
    for (Word word : words) {
      if (!word.ofHabit()) {
        given.merge(canonical(word.text()), 1, Integer::sum);
      }
    }
    List<String> result = new ArrayList<>();
    for (Word word : words) {
      boolean isRepeated =
          word.ofHabit()
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
