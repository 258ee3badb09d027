package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.DigestName;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.Habits.Habit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The spellings of other tools, and what each is here. docs/HABITS.md says it for people. Pure. */
final class HabitTable {
  private static final String ARE_ONE_WAY =
      "files grow under a temporary name and get their own when they are verified; there is no"
          + " option for that";
  private static final String CONTINUES =
      "nothing to write: the same command, typed again, continues an interrupted file";
  private static final String OWNERS =
      "write --owner for owner and group, by number; a server must allow it"
          + " (--allow-privileged)";
  private static final String STREAMS =
      "write -P N for N parallel streams; small files travel in packs, so there is no number of"
          + " files at a time";
  private static final String RETRIES =
      "write --retry-timeout SECONDS: how long to reconnect; damaged data is sent again always";
  private static final String NO_DEVICES = "devices, sockets and FIFOs are never copied, but named";
  private static final String ORDER_OF_DELETION =
      "write --delete: names are removed after everything is copied";
  private static final String RULES = "write --exclude and --include; the first match decides";
  private static final String BACKUPS = "write --backup-dir DIR";

  private HabitTable() {}

  private static Habit same(String... words) {
    return new Habit(false, List.of(words), null);
  }

  private static Habit sameWithValue(String... words) {
    return new Habit(true, List.of(words), null);
  }

  private static Habit refused(String why) {
    return new Habit(false, List.of(), why);
  }

  private static void put(Map<String, Habit> habits, Habit habit, String... spellings) {
    for (String spelling : spellings) {
      habits.put(spelling, habit);
    }
  }

  /** What stands as a word of its own. */
  static Map<String, Habit> spellings() {
    Map<String, Habit> habits = new HashMap<>();
    sameThings(habits);
    valuesOfSameThings(habits);
    refusedLetters(habits);
    refusedWords(habits);
    put(habits, same(), ALWAYS);
    return Map.copyOf(habits);
  }

  /** What is so without an option. */
  private static final String[] ALWAYS = {
    "--progress",
    "--partial",
    "--human-readable",
    "--stats",
    "--times",
    "-t",
    "--perms",
    "--whole-file",
    "-W",
    "--secluded-args",
    "--protect-args",
    "-s",
    "-S",
    "--mkpath",
    "--numeric-ids",
    "--create-empty-src-dirs",
    "--preserve-timestamp",
    "--preserve-mtime",
    "--verify-checksum"
  };

  private static void sameThings(Map<String, Habit> habits) {
    put(habits, same("-r"), "-a", "--archive");
    put(habits, same("--compress=auto"), "-z");
    put(habits, same("-v"), "--verbose");
    put(habits, same("--quiet"), "-q");
    put(habits, same("--links=follow"), "-L", "--copy-links");
    put(habits, same("--links=skip"), "--skip-links", "--no-links");
    put(habits, same("--hard-links"), "-H");
    put(habits, same("--xattrs"), "-X");
    put(habits, same("--acls"), "-A");
    put(habits, same("--one-file-system"), "-x");
    put(habits, same("--sync=size"), "--size-only");
    put(habits, same("--delete"), "--delete-after", "--delete-delay");
    put(habits, same("--encrypt"), "--encrypt-data");
    put(habits, same("--checksum=none"), "--no-verify-checksum");
  }

  private static void valuesOfSameThings(Map<String, Habit> habits) {
    put(habits, sameWithValue(), "--bwlimit", "--exclude-from", "--include-from", "--filter-from");
    put(habits, sameWithValue("--sync=%s"), "--sync-level");
    put(habits, sameWithValue("--compress=%s"), "--compress-choice", "--zc");
    put(habits, sameWithValue("--compress=zstd:%s"), "--compress-level", "--zl");
  }

  private static void refusedLetters(Map<String, Habit> habits) {
    put(habits, refused(OWNERS), "-g", "-o", "--group");
    put(habits, refused(NO_DEVICES), "-D", "--devices", "--specials");
    put(
        habits,
        refused("write --sync checksum to compare contents, or --encrypt for scp's ciphers"),
        "-c");
    put(
        habits,
        refused(
            "write nothing for links, which are kept as links, and --limit RATE for scp's limit"),
        "-l");
    put(
        habits,
        refused("write -z to compress, and --exclude .git for what CVS and git keep"),
        "-C");
    put(
        habits,
        refused(
            "write -v to name each file, --report FILE for the outcomes, and -e 'ssh -i KEY' for a"
                + " key of ssh"),
        "-i",
        "--itemize-changes",
        "--interactive");
    put(habits, refused(BACKUPS), "-b", "--backup", "--suffix");
    put(
        habits,
        refused("write --files-from LIST, which keeps the directories of each path"),
        "-R",
        "--relative");
    put(habits, refused(RULES), "-f", "-F", "--filter");
    put(habits, refused("write --sync checksum; both ends read each file"), "-I", "--ignore-times");
    put(habits, refused(ARE_ONE_WAY), "-T", "--temp-dir");
    put(habits, refused("write --preserve all"), "-M", "--metadata");
    put(habits, refused("write the address in place of the host's name"), "-4", "-6");
  }

  private static void refusedWords(Map<String, Habit> habits) {
    put(habits, refused(CONTINUES), "--partial-dir", "--append", "--append-verify");
    put(habits, refused(ARE_ONE_WAY), "--inplace");
    put(habits, refused(ORDER_OF_DELETION), "--delete-before", "--delete-during", "--del");
    put(habits, refused("--delete keeps what --exclude skips"), "--delete-excluded");
    put(
        habits,
        refused("write --delete, with which a file takes the place of a directory"),
        "--force");
    put(habits, refused("there is no such option; --ignore-existing is the reverse"), "--existing");
    put(
        habits,
        refused("write --ignore-existing; a difference is then no error"),
        "--immutable",
        "--ignore-size");
    put(
        habits,
        refused("times are compared to the nanosecond; write --sync size to ignore them"),
        "--modify-window");
    put(habits, refused(RETRIES), "--timeout", "--contimeout", "--retries", "--low-level-retries");
    put(habits, refused(STREAMS), "--transfers", "--checkers", "--multi-thread-streams");
    put(habits, refused("set FDT_JAVA on the host, or install fdt there"), "--rsync-path");
    put(habits, refused("write --report FILE, or redirect standard error"), "--log-file");
    put(habits, refused("write -v, -vv or -vvv"), "--info", "--debug", "--log-level");
    put(habits, refused("write --json"), "--out-format", "--use-json-log");
    put(habits, refused("modes are kept, or not: write --preserve LIST"), "--chmod", "--chown");
    put(
        habits,
        refused("there is no such option; copies of unchanged files are not linked"),
        "--link-dest",
        "--copy-dest",
        "--compare-dest");
    put(habits, refused("write --token-file FILE"), "--password-file");
    put(habits, refused("write: fdt ls host:/path"), "--list-only");
    put(
        habits,
        refused("there is no such option; remove the source after exit status 0"),
        "--remove-source-files");
    put(habits, refused("write --exclude; empty directories are copied"), "--prune-empty-dirs");
    put(habits, refused("write --checksum none"), "--ignore-checksum");
    put(habits, refused("a renamed file is sent again"), "--track-renames", "--fuzzy");
    put(habits, refused("write --files-from LIST"), "--batch");
    put(
        habits,
        refused("nothing to write: other files go on, and the exit status is then 1"),
        "--skip-source-errors",
        "--ignore-errors");
  }

  /** What stands in a group of letters, all of which are rsync's. */
  static Map<Character, Habit> letters() {
    Map<Character, Habit> letters = new HashMap<>();
    letters.put('a', same("-r"));
    letters.put('r', same("-r"));
    letters.put('n', same("--dry-run"));
    letters.put('z', same("--compress=auto"));
    letters.put('u', same("--update"));
    letters.put('c', same("--sync=checksum"));
    letters.put('q', same("--quiet"));
    letters.put('x', same("--one-file-system"));
    letters.put('H', same("--hard-links"));
    letters.put('A', same("--acls"));
    letters.put('X', same("--xattrs"));
    letters.put('L', same("--links=follow"));
    for (char always : "hltpPsSW".toCharArray()) {
      letters.put(always, same());
    }
    for (char owners : "go".toCharArray()) {
      letters.put(owners, refused(OWNERS));
    }
    letters.put('D', refused(NO_DEVICES));
    letters.put('b', refused(BACKUPS));
    letters.put('i', refused("write -v to name each file"));
    letters.put('R', refused("write --files-from LIST"));
    return Map.copyOf(letters);
  }

  /**
   * Says what is meant where an option of another tool takes no value, or another one.
   *
   * @param option by its first name
   * @param typed the name that was typed
   * @param next the word behind it; null at the end
   */
  static void checkValue(String option, String typed, String next) throws UsageException {
    String value = next == null ? "" : next;
    boolean isNumber = value.matches("[0-9]{1,9}");
    boolean isCount = isNumber || value.equals(OptionValue.AUTO);
    if (typed.equals(Options.STREAMS) && !isCount) {
      throw new UsageException(
          "-P is the number of streams, as in -P 8; for rsync's -P write nothing: progress is shown"
              + " and partial files are kept always");
    }
    if (typed.equals(Options.STREAMS) && isNumber && Integer.parseInt(value) > 128) {
      throw new UsageException("-P is the number of streams, 1 to 128; the port is -p " + value);
    }
    if (typed.equals(Options.PORT) && !isNumber) {
      throw new UsageException(
          "-p is the port, as in -p 54321; for rsync's and scp's -p write nothing: modes and times"
              + " are kept");
    }
    if (option.equals(Options.CHECKSUM) && isLocation(value)) {
      throw new UsageException(
          "--checksum chooses the digest: "
              + String.join(", ", DigestName.ALL)
              + "; to compare contents, as rsync's and rclone's --checksum does, write --sync"
              + " checksum");
    }
    if (option.equals(Options.COMPRESS) && isLocation(value)) {
      throw new UsageException(
          "--compress needs a method: auto, zstd, lz4, deflate or off; rsync's -z is --compress"
              + " auto");
    }
  }

  /** Whether a value looks like what is to be copied: the option before it takes none elsewhere. */
  private static boolean isLocation(String value) {
    return value.matches("(?s).*[/.].*|(?!zstd:|deflate:)[^:]+:.*");
  }
}
