package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A tree that changes in every way, and two mirrors of it: one by {@code rsync -a --delete}, one by
 * {@code fdt sync}. After each round all three are the same. The seed is printed; another one comes
 * with {@code -Dfdt.seed=NUMBER}.
 */
class MutationTest {
  private static final int ROUNDS = 40;
  private static final int MUTATIONS = 7;

  /** The first 4 make something new. */
  private static final int KINDS = 16;

  /** The same letter in both normal forms of Unicode, two cases, what shells and lists mistake. */
  private static final List<String> NAMES =
      List.of(
          "a",
          "A",
          "data.h5",
          "Data.H5",
          "\u00c4rger",
          "A\u0308rger",
          "\u00e9",
          "e\u0301",
          "two words",
          "-rf",
          "new\nline",
          "back\\slash",
          "\u65e5\u672c",
          "*",
          "x'y");

  @RegisterExtension private final Lab lab = new Lab();
  private final long seed = Long.getLong("fdt.seed", 20_261_124L);
  private final Random random = new Random(seed);

  @Test
  void syncLeavesTheSameTreeAsRsyncAfterEachOfFortyRounds() {
    Programs.require("rsync");
    System.out.println("MutationTest seed=" + seed);
    Path source = lab.directory("source");
    Path in = lab.directory("in");
    lab.directory("rsynced");
    RunningCommand server = lab.serve("--export", in + ":rw", "--export", source.toString());
    String host = "fdt://127.0.0.1:" + server.port();
    Map<String, String> tree = Tree.beneath(source);

    for (int round = 0; round < ROUNDS; round++) {
      List<String> script = new ArrayList<>();
      for (int i = 0; i < (round == 0 ? 6 * MUTATIONS : MUTATIONS); i++) {
        script.add(mutation(tree, round == 0 ? 4 : KINDS));
      }
      Shell.run(source, "set +e\n" + String.join("\n", script) + "\ntrue");
      Shell.run(lab.root(), "rsync -a --delete source/ rsynced/");
      boolean isPush = random.nextBoolean();
      String[] line =
          isPush
              ? new String[] {"sync", "source/", host + "/in/"}
              : new String[] {"sync", host + "/source/", "in/"};
      Outcome outcome = lab.run(lab.root(), line);

      String what =
          "seed %d, round %d, %s after:%n%s"
              .formatted(seed, round, String.join(" ", line), String.join("\n", script));
      assertThat(outcome.status()).as("%s%n%s", what, outcome).isZero();
      tree = Tree.of(source);
      assertThat(difference(Tree.of(in), tree)).as("fdt: %s%n%s", what, outcome).isEmpty();
      assertThat(difference(seconds(Tree.of(lab.root().resolve("rsynced"))), seconds(tree)))
          .as("rsync: %s", what)
          .isEmpty();
      tree.remove("");
    }
  }

  /** rsync leaves a directory whose time differs by less than a second. */
  private static Map<String, String> seconds(Map<String, String> tree) {
    Map<String, String> same = new TreeMap<>(tree);
    same.replaceAll((name, entry) -> entry.replaceFirst("^(d \\d+ -?\\d+)\\.\\d+", "$1"));
    return same;
  }

  private static Set<Map.Entry<String, String>> difference(
      Map<String, String> one, Map<String, String> other) {
    Set<Map.Entry<String, String>> all = new HashSet<>(one.entrySet());
    all.addAll(other.entrySet());
    all.removeIf(
        e ->
            e.getValue().equals(one.get(e.getKey()))
                && one.get(e.getKey()).equals(other.get(e.getKey())));
    return all;
  }

  /** One change, as a line of a script; one that has nothing to change any more does nothing. */
  private String mutation(Map<String, String> tree, int kinds) {
    String old = any(tree, ".");
    String made = quoted(directory(tree) + NAMES.get(random.nextInt(NAMES.size())));
    String file = any(tree, "f");
    String link = any(tree, "l");
    int size = random.nextInt(20) == 0 ? 5_000_000 : random.nextInt(70_000);
    String letters = "yes %08x | head -c %d".formatted(random.nextInt(), size);
    return switch (random.nextInt(kinds)) {
      case 0, 1 -> "[ -e %s ] || [ -L %1$s ] || %s > %1$s".formatted(made, letters);
      case 2 -> "mkdir %s 2>/dev/null".formatted(made);
      case 3 -> "ln -s %s %s 2>/dev/null".formatted(old, made);
      case 4 -> "rm -rf %s".formatted(old);
      case 5 -> "mv -nT %s %s 2>/dev/null".formatted(old, made);
      case 6 -> "[ -f %s ] && %s >> %1$s".formatted(file, letters);
      case 7 -> "[ -f %s ] && truncate -s $(($(stat -c %%s %1$s) / 2)) %1$s".formatted(file);
      case 8 -> // in another second: that is all that rsync looks at
          "[ -f %s ] && { head -c $(stat -c %%s %1$s) /dev/zero > .z; cat .z > %1$s; rm .z; touch -d @%d %1$s; }"
              .formatted(file, 1_000_000_000 + random.nextInt(100_000_000));
      case 9 -> "[ -e %s ] && chmod u+rwx,g=%s,o=%s %1$s".formatted(old, mode(), mode());
      case 10 -> "rm -rf %s; mkdir -p %1$s; %s > %1$s/in".formatted(old, letters);
      case 11 -> "rm -rf %s; %s > %1$s 2>/dev/null".formatted(old, letters);
      case 12 -> "rm -rf %s; ln -s %s %1$s".formatted(old, made);
      case 13 -> "[ -L %s ] && ln -sfn %s %1$s".formatted(link, old);
      case 14 -> "mv -nT %s".formatted(sibling(tree));
      default -> {
        int second = random.nextInt();
        int nanos = random.nextInt(1_000_000_000);
        // Java sets no fractions before 1970.
        yield "[ -e %s ] && touch -d @%d.%09d %1$s".formatted(old, second, second < 0 ? 0 : nanos);
      }
    };
  }

  /** A name and its other spelling: the first eight are pairs. */
  private String sibling(Map<String, String> tree) {
    List<String> all = names(tree, ".");
    List<String> words = new ArrayList<>();
    for (String name : all) {
      int slash = name.lastIndexOf('/') + 1;
      int place = NAMES.subList(0, 8).indexOf(name.substring(slash));
      if (place >= 0) {
        String other = name.substring(0, slash) + NAMES.get(place ^ 1);
        words.add(quoted("./" + name) + " " + quoted("./" + other));
      }
    }
    return words.isEmpty() ? "none none" : words.get(random.nextInt(words.size()));
  }

  private String mode() {
    return List.of("", "r", "rx", "rwx").get(random.nextInt(4));
  }

  /** A directory that there is, with a slash, or the one of the tree. */
  private String directory(Map<String, String> tree) {
    List<String> all = names(tree, "d");
    return all.isEmpty() || random.nextInt(3) == 0 ? "./" : pick(all) + "/";
  }

  private String any(Map<String, String> tree, String kind) {
    List<String> all = names(tree, kind);
    return quoted(all.isEmpty() ? "./none" : pick(all));
  }

  private String pick(List<String> all) {
    return "./" + all.get(random.nextInt(all.size()));
  }

  /** Names as text; a tree has the character of each byte. */
  private static List<String> names(Map<String, String> tree, String kind) {
    return tree.entrySet().stream()
        .filter(entry -> entry.getValue().matches("(?s)" + kind + " .*"))
        .map(entry -> entry.getKey().getBytes(StandardCharsets.ISO_8859_1))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .toList();
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
