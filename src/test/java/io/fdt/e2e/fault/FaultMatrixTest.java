package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.FaultyMount;
import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.e2e.Xattrs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Each call of a file system fails with each error, at the source and at the destination, in each
 * direction. Whatever happens, each name has what it had or what it shall have; a failure names a
 * file and has the status of docs/RELIABILITY.md; the same command again, without the fault,
 * completes the copy and leaves nothing behind; and once more moves nothing.
 *
 * <p>{@code make soak} runs all of it, also with calls that fail once only; {@code -Dfdt.faults=}
 * and a pattern runs the cells whose text matches.
 */
class FaultMatrixTest {
  private static final String CHOSEN = System.getProperty("fdt.faults", "");
  private static final int THREADS = 3;

  private enum Way {
    PULL,
    PUSH,
    BETWEEN,
    WORKER
  }

  private enum Side {
    SOURCE,
    DESTINATION
  }

  /**
   * One fault of one copy.
   *
   * @param times how many calls fail; -1: all
   */
  private record Cell(int number, Side side, Way way, Call call, String error, int times) {
    String directory() {
      return "c" + number;
    }
  }

  /** What happened: exit status, and how many names have what they shall have, or what they had. */
  private record Result(int hits, int status, long fresh, long old, List<String> problems) {}

  private static final List<String> ERRORS =
      List.of(
          "EIO", "ENOSPC", "EDQUOT", "EPERM", "EACCES", "EOPNOTSUPP", "EINTR", "EMLINK", "ESTALE");

  private static final Set<Call> OF_SOURCES =
      EnumSet.of(
          Call.OPEN,
          Call.READ,
          Call.FLUSH,
          Call.LSEEK,
          Call.READLINK,
          Call.OPENDIR,
          Call.READDIR,
          Call.GETATTR,
          Call.GETXATTR,
          Call.LISTXATTR);

  private static final Set<Call> OF_DESTINATIONS =
      EnumSet.of(
          Call.CREATE,
          Call.WRITE,
          Call.READ,
          Call.FLUSH,
          Call.FSYNC,
          Call.FSYNCDIR,
          Call.FALLOCATE,
          Call.TRUNCATE,
          Call.RENAME,
          Call.LINK,
          Call.SYMLINK,
          Call.READLINK,
          Call.MKDIR,
          Call.UNLINK,
          Call.RMDIR,
          Call.CHMOD,
          Call.CHOWN,
          Call.UTIMES,
          Call.SETXATTR,
          Call.OPENDIR,
          Call.READDIR,
          Call.GETATTR,
          Call.STATFS);

  private static final Pattern MOVED =
      Pattern.compile("(?s)\"summary\":.*\"bytes\":(\\d+),.*\"files_done\":(\\d+),");

  private static final List<List<String>> ROWS = rows();

  @RegisterExtension final Lab lab = new Lab();

  private Path plain;
  private Path backing;
  private FaultyMount mount;
  private RunningCommand one;
  private RunningCommand other;
  private Map<String, String> fresh;
  private Map<String, String> old;

  @Test
  @Timeout(14_400)
  void whateverFailsNothingIsWrongAndTheSameCommandCompletesTheCopy() throws Exception {
    plain = lab.directory("plain");
    backing = lab.directory("backing");
    makeTrees();
    List<String> flaws = new ArrayList<>();
    try (FaultyMount mounted = FaultyMount.over(backing)) {
      mount = mounted;
      one = serve();
      other = serve();
      run(chosen(), flaws);
      one.stop();
      other.stop();
    }
    assertThat(flaws).isEmpty();
  }

  private void run(List<Cell> cells, List<String> flaws) throws InterruptedException, IOException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Result>> results = new ArrayList<>();
    List<String> table = new ArrayList<>();
    try {
      cells.forEach(cell -> results.add(threads.submit(() -> examine(cell))));
      for (int i = 0; i < cells.size(); i++) {
        try {
          table.add(cells.get(i) + " " + results.get(i).get());
        } catch (ExecutionException e) {
          flaws.add(cells.get(i) + ": " + e.getCause());
        }
      }
    } finally {
      threads.shutdownNow();
      Files.write(Path.of("target", "fault-matrix.txt"), table);
      Files.write(Path.of("target", "fault-flaws.txt"), flaws);
    }
  }

  private RunningCommand serve() {
    return lab.serve(
        "--export",
        "plain=" + plain + ":rw",
        "--export",
        "mount=" + mount.path() + ":rw",
        "--allow-privileged",
        "--dial-to",
        "127.0.0.0/8");
  }

  /** All that were asked for; or each call in two directions, each with another error. */
  private static List<Cell> chosen() {
    List<Cell> all = new ArrayList<>();
    List<Cell> few = new ArrayList<>();
    for (int times : new int[] {-1, 1}) {
      int row = 0;
      for (Side side : Side.values()) {
        for (Call call : side == Side.SOURCE ? OF_SOURCES : OF_DESTINATIONS) {
          int turn = ++row;
          for (Way way : Way.values()) {
            turn += 3;
            for (String error : ERRORS) {
              // A call that is interrupted is repeated: for ever, if it always is.
              int most = error.equals("EINTR") ? 2 : times;
              Cell cell = new Cell(all.size(), side, way, call, error, most);
              all.add(cell);
              if (times < 0
                  && turn % 2 == row / 2 % 2
                  && error.equals(ERRORS.get(turn % ERRORS.size()))) {
                few.add(cell);
              }
            }
          }
        }
      }
    }
    Pattern pattern = Pattern.compile(CHOSEN);
    return CHOSEN.isEmpty()
        ? few
        : all.stream().filter(cell -> pattern.matcher(cell.toString()).find()).toList();
  }

  /** New and changed files, small and large; links; things that other kinds of things replace. */
  private void makeTrees() {
    Path source = plain.resolve("fresh");
    Path before = plain.resolve("old");
    Content.write(source.resolve("large"), 5 << 20, 1);
    Content.write(source.resolve("d/medium"), 400_000, 2);
    Content.write(source.resolve("d/small"), 100, 3);
    Content.write(source.resolve("d/sub/tiny"), 10, 4);
    Content.write(before.resolve("large"), 4_500_000, 5);
    Content.write(before.resolve("d/small"), 100, 6);
    Shell.run(
        plain,
        """
        cd fresh; truncate -s 3M sparse; printf x >>sparse; ln d/small hard; ln -s d/small link
        printf f >was-dir; mkdir was-file; printf x >was-file/in
        chmod 640 large; chmod 751 d/sub; [ $UID -ne 0 ] || chown 1234:2345 d/small
        """);
    Xattrs.set(source.resolve("d/medium"), "user.a", new byte[] {1});
    Shell.run(
        plain,
        """
        find fresh -exec touch -h -d @1600000000.123456789 {} +
        cd old; printf o >hard; ln -s nowhere link; mkdir was-dir extra
        printf x >was-dir/in; printf x >extra/in; printf x >was-file; printf x >gone
        find . -exec touch -h -d @1500000000 {} +
        """);
    fresh = contents(source);
    old = contents(before);
  }

  /** Kinds and bytes of all names, but those of partial files. */
  private static Map<String, String> contents(Path directory) {
    Map<String, String> all = new TreeMap<>(Tree.beneath(directory));
    all.keySet().removeIf(name -> name.contains(".fdt-"));
    all.replaceAll(
        (name, entry) -> entry.startsWith("d ") ? "d" : entry.replaceFirst("^f \\S+ \\S+ ", "f "));
    return all;
  }

  private Result examine(Cell cell) {
    String name = cell.directory();
    boolean isAtSource = cell.side == Side.SOURCE;
    Path source = (isAtSource ? backing.resolve(name) : plain).resolve("fresh");
    Path destination = (isAtSource ? plain : backing).resolve(name).resolve("to");
    // Units of a plan replace no directory.
    boolean replaces = cell.way != Way.WORKER;
    Shell.run(
        lab.root(),
        "mkdir -p plain/%s backing/%s; cp -a plain/old '%s';".formatted(name, name, destination)
            + (isAtSource ? "cp -a plain/fresh backing/" + name + ";" : "")
            + (replaces ? "" : "rm -r '%s'/was*".formatted(destination)));
    Map<String, String> before = new TreeMap<>(old);
    if (!replaces) {
      before.keySet().removeIf(path -> path.startsWith("was"));
    }
    String pattern = name + (isAtSource ? "/fresh/*" : "/to/*");
    FaultyMount.Rule rule = mount.fail(cell.call, cell.error, pattern, 0, cell.times);
    Outcome first;
    try {
      first = copy(cell, 1);
    } finally {
      rule.remove();
    }
    Result result = result(rule.hits(), first, before, contents(destination));
    checkMessage(cell, result);
    // A call that fails once may be repeated; the trees are then compared below.
    boolean isMended = cell.times > 0 && result.status == 0 && result.problems.isEmpty();
    assertThat(result.hits == 0 || isMended || documented(cell).contains("" + result.status))
        .as("%s as docs/RELIABILITY.md has it: %s", result, documented(cell))
        .isTrue();
    if (result.status == 0 && result.problems.isEmpty()) {
      if (cell.call == Call.UNLINK) { // the journal of a file that has its name
        assertThat(contents(destination)).isEqualTo(contents(source));
      } else {
        Tree.assertSame(destination, source);
      }
    }
    copy(cell, 2).expect(0);
    if (cell.call == Call.UNLINK) {
      lab.run(lab.root(), "cleanup", destination.toString()).expect(0);
      Shell.run(destination, "touch -d @1600000000.123456789 .");
    }
    Tree.assertSame(destination, source);
    assertThat(Lab.names(destination, ".fdt-*")).as("left after the second run").isEmpty();
    String third = copy(cell, 3).expect(0).summary();
    assertThat(third).as("the third run").contains("0 files, 0 B");
    Shell.run(lab.root(), "rm -rf plain/%s backing/%s %s-?".formatted(name, name, name));
    return result;
  }

  /** The exit statuses of the first row of the page that speaks of a fault. */
  private static String documented(Cell cell) {
    String call =
        switch (cell.call) {
          case FLUSH -> "close";
          case GETATTR -> "stat";
          default -> cell.call.name().toLowerCase(Locale.ROOT);
        };
    String side = cell.side.name().toLowerCase(Locale.ROOT);
    return ROWS.stream()
        .filter(row -> row.get(0).equals(side))
        .filter(row -> names(row.get(1), call) && names(row.get(2), cell.error))
        .findFirst()
        .orElseThrow()
        .get(4);
  }

  private static boolean names(String field, String word) {
    return field.equals("any") || List.of(field.split(", ", -1)).contains(word);
  }

  /** The rows of a page's table, by their fields. */
  private static List<List<String>> rows() {
    Path page =
        Path.of(System.getProperty("fdt.jar"))
            .toAbsolutePath()
            .resolveSibling("../../docs/RELIABILITY.md");
    try (Stream<String> lines = Files.lines(page)) {
      return lines
          .filter(line -> line.matches("\\| (source|destination) \\| .*"))
          .map(line -> List.of(line.substring(2, line.length() - 2).split(" \\| ", -1)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each name has what it had before, or what it shall have. */
  private Result result(
      int hits, Outcome outcome, Map<String, String> before, Map<String, String> now) {
    Set<String> names = new TreeSet<>(fresh.keySet());
    names.addAll(before.keySet());
    names.addAll(now.keySet());
    long isFresh = 0;
    long isOld = 0;
    for (String name : names) {
      String is = now.get(name);
      String was = before.get(name);
      String wanted = fresh.get(name);
      assertThat(Objects.equals(is, wanted) || Objects.equals(is, was))
          .as("%s is %s, was %s, shall be %s; %s", name, is, was, wanted, outcome)
          .isTrue();
      if (!Objects.equals(was, wanted)) {
        isFresh += Objects.equals(is, wanted) ? 1 : 0;
        isOld += Objects.equals(is, wanted) ? 0 : 1;
      }
    }
    if (Objects.equals(now.get("was-dir"), "d")) {
      assertThat(now).as("what a directory held that stays").containsKey("was-dir/in");
    }
    List<String> problems = outcome.err().lines().filter(line -> line.startsWith("fdt: ")).toList();
    return new Result(hits, outcome.status(), isFresh, isOld, problems);
  }

  /** A failure names a file, and nothing fails without a fault, or stays without a word. */
  private static void checkMessage(Cell cell, Result result) {
    if (result.hits == 0 || (result.status == 0 && result.old == 0)) {
      assertThat(result.status).as("%s", result).isZero();
      return;
    }
    assertThat(result.status).as("%s", result).isNotZero();
    assertThat(result.problems)
        .as("%s", result)
        .anyMatch(line -> line.matches(".*'[^']*/" + cell.directory() + "/[^']*'.*"));
  }

  private Outcome copy(Cell cell, int round) {
    boolean isAtSource = cell.side == Side.SOURCE;
    String name = cell.directory();
    String from = isAtSource ? "/mount/" + name + "/fresh/" : "/plain/fresh/";
    String to = isAtSource ? "/plain/" + name + "/to" : "/mount/" + name + "/to";
    boolean isPlan = cell.way == Way.WORKER;
    List<String> words = new ArrayList<>();
    words.addAll(isPlan ? List.of("plan", "--dir", name + "-" + round) : List.of("copy"));
    words.addAll(List.of("-r", "--delete", "--accept-new", "--xattrs"));
    if (Nobody.isRoot()) {
      words.add("--owner");
    }
    if (!isPlan) {
      words.add("--hard-links");
    }
    switch (cell.call) {
      case FSYNC, FSYNCDIR -> words.add("--fsync");
      case READ -> words.add("--verify");
      case FALLOCATE -> words.add("--no-sparse");
      default -> {}
    }
    words.add(cell.way == Way.PUSH ? local(from) : at(one, from));
    words.add(cell.way == Way.PUSH || cell.way == Way.BETWEEN ? at(other, to) : local(to));
    Outcome copied = lab.run(lab.root(), words.toArray(String[]::new));
    return isPlan ? work(name + "-" + round, copied) : copied;
  }

  /** Works a plan off, if it is one; its summary is that of a copy. */
  private Outcome work(String plan, Outcome planned) {
    if (!planned.out().contains("planned: ")) {
      return planned;
    }
    Outcome worked =
        lab.run(lab.root(), "worker", "--plan", plan, "--attempts", "1", "--index=0", "--of=1");
    String report = lab.run(lab.root(), "plan", "report", plan).out();
    Matcher moved = MOVED.matcher(report);
    String summary =
        moved.find() ? "%s files, %s B".formatted(moved.group(2), moved.group(1)) : report;
    int status = worked.status() == 0 ? planned.status() : worked.status();
    return new Outcome(status, summary, planned.err() + worked.err(), worked.elapsed());
  }

  private static String at(RunningCommand server, String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private String local(String path) {
    int slash = path.indexOf('/', 1);
    return (path.startsWith("/mount/") ? mount.path() : plain) + path.substring(slash);
  }
}
