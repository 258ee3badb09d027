package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.PortableExceptions;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.e2e.Xattrs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A tree made to break copiers goes to a server and comes back, with all that can be kept of it:
 * content, names as bytes, modes, times, owners, links, names of one file, what files take of their
 * device, extended attributes. Then both again, which must move nothing.
 *
 * <p>The comparison shares no code with what is tested.
 */
class CorpusTest {
  private static final String TREE =
      """
      long=$(printf 'n%.0s' $(seq 255))
      mkdir names; cd names; printf 1 > "$long"; mkdir "d${long:1}"; printf 2 > "d${long:1}/$long"
      for name in $'new\\nline' ' ' -rf '*' '\\' "'" '"' '...' '%41' $'\\xff\\xfe' $'\\xed\\xa0\\x80' $'\\xc0\\xaf' \\
          $'\\x01\\x1b[31m' $'\\x7f' $'\\r' $'e\\xcc\\x81' $'\\xc3\\xa9' .fdt-0123.part; do
        printf '%s' "$name" > "./f$name"; mkdir "./$name"; ln "./f$name" "./$name/$name"; ln -s -- "./f$name" "./l$name"
      done; cd ..
      mkdir -p empty deep; : > zero; ln zero zero2; (cd deep; for i in $(seq 100); do mkdir d; cd d; printf $i > f; done)
      mkdir links; cd links; ln -s nowhere dangling; ln -s . self; ln -s loop loop; ln -s /etc/passwd absolute; ln -s .. up
      ln -s ../../.. out; ln -s "$(printf 'x/%.0s' $(seq 2000))x" long; ln -s a b; ln -s b a; cd ..
      mkdir times; cd times
      for t in '2001-02-03 04:05:06.123456789' '1970-01-01 00:00:00.000000001' '1969-12-31 23:59:58' \\
          '1901-12-14 00:00:00' '2106-02-07 06:28:17.999999999'; do
        printf t > "t $t"; mkdir "d $t"; printf x > "d $t/f"; touch -d "$t UTC" "t $t" "d $t/f" "d $t"; done; cd ..
      mkdir modes; cd modes; for m in $(seq 0 7); do for n in 0 4 6 7; do
        f=$m$n$m; printf $f > f$f; mkdir d$f; printf $f > d$f/inner; done; done; cd ..
      mkdir names2; cd names2; printf small > s; ln s s2; head -c 5000000 /dev/urandom > l; ln l ../l2; ln l l3; cd ..
      mkdir holes; cd holes
      truncate -s 9000000 all; truncate -s 40000 small
      truncate -s 5000000 end; printf start | dd of=end conv=notrunc status=none
      truncate -s 6000000 start; head -c 70000 /dev/urandom >> start
      truncate -s 20M middle; for at in 0 9 19; do
        head -c 100000 /dev/urandom | dd of=middle bs=1M seek=$at conv=notrunc status=none; done
      head -c 3000000 /dev/urandom > none; cd ..
      """;

  /** Modes that let nobody in, not even whoever reads the tree, are for root alone. */
  private static final String MODES =
      """
      cd modes; for m in $(seq 0 7); do for n in 0 4 6 7; do f=$m$n$m; @ chmod 0$f f$f d$f; done; done
      """;

  private static final String AS_ROOT =
      """
      mkdir owners; cd owners; for i in 1 2 3; do printf $i > f$i; mkdir d$i; ln -s f$i l$i
        chown -h $((1000 + i)):$((2000 + i)) f$i d$i l$i; done
      printf s > setuid; chown 1001:1002 setuid; chmod 6755 setuid; chmod 3777 d1; cd ..
      """;

  @RegisterExtension final Lab lab = new Lab();

  @Test
  void allOfItArrivesInBothDirectionsAndMovesOnce() {
    Path source = lab.directory("source");
    boolean root = Nobody.isRoot();
    makeTree(source, root);
    Path there = lab.directory("there");
    Path back = lab.directory("back");
    List<String> options = new ArrayList<>(List.of("-r", "--preserve"));
    options.add(root ? "all" : "mode,times,hard-links,sparse,xattrs,acls");
    List<String> words = new ArrayList<>(List.of("--export", there + ":rw"));
    if (root) {
      words.add("--allow-privileged");
    }
    RunningCommand server = lab.serve(words.toArray(String[]::new));
    String remote = "fdt://127.0.0.1:" + server.port() + "/there/";

    for (int run = 1; run <= 2; run++) {
      Outcome push = copy(options, "source/", remote);
      Outcome pull = copy(options, remote, "back/");

      for (Path copy : List.of(there, back)) {
        Tree.assertSame(copy, source);
        Map<String, String> expected = facts(source);
        assertThat(facts(copy)).as("%s, run %d", copy, run).isEqualTo(expected);
      }
      String said = push.err() + pull.err();
      assertThat(said.lines().filter(line -> !isOfPortable(line))).isEmpty();
      if (run == 2) {
        assertThat(push.summary()).startsWith("done: 0 files, 0 B");
        assertThat(pull.summary()).startsWith("done: 0 files, 0 B");
      }
    }
  }

  private static boolean isOfPortable(String line) {
    return PortableExceptions.IS_PORTABLE && line.matches("the (source|destination) does not .*");
  }

  private static void makeTree(Path source, boolean root) {
    Shell.run(source, TREE);
    for (String name : List.of("zero", "names2/s", "names2/l", "holes/middle", "holes", "empty")) {
      Path file = source.resolve(name);
      Xattrs.set(file, "user.text", "é".getBytes(StandardCharsets.UTF_8));
      Xattrs.set(file, "user.bytes", new byte[] {0, -1, 10});
      Xattrs.set(file, "user.empty", new byte[0]);
    }
    Xattrs.set(source.resolve("names/f\\"), "user.large", new byte[1000]);
    Shell.run(source, MODES.replace("@", root ? "" : "[ $m -ge 5 ] || continue;"));
    if (root) {
      Shell.run(source, AS_ROOT);
    }
  }

  private Outcome copy(List<String> options, String from, String to) {
    List<String> words = new ArrayList<>(List.of("copy"));
    words.addAll(options);
    words.addAll(List.of(from, to));
    return lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
  }

  /**
   * Facts that {@link Tree} leaves out: the number of names of a file, and which; its owner; and
   * unless java.nio.file is alone, its space on the device, and extended attributes.
   */
  private static Map<String, String> facts(Path directory) {
    byte[] found =
        Shell.run(directory, "find . -mindepth 1 -printf '%P\\0%y\\0%n\\0%b\\0%i\\0%U:%G\\0'");
    String text = new String(found, StandardCharsets.ISO_8859_1);
    String[] fields = text.split("\0", -1);
    Map<String, String> facts = new TreeMap<>();
    Map<String, String> inodes = new TreeMap<>();
    for (int i = 0; i + 6 <= fields.length; i += 6) {
      boolean isFile = fields[i + 1].equals("f");
      String names = isFile ? " names=" + fields[i + 2] : "";
      facts.put(fields[i], "owner=" + fields[i + 5] + names);
      if (!PortableExceptions.IS_PORTABLE) {
        String blocks = isFile ? " blocks=" + fields[i + 3] : "";
        String path = directory + "/" + fields[i] + "\0";
        Map<String, String> attributes = Xattrs.of(path.getBytes(StandardCharsets.ISO_8859_1));
        facts.merge(fields[i], blocks + " " + attributes, String::concat);
      }
      if (isFile) {
        inodes.put(fields[i], fields[i + 4]);
      }
    }
    Map<String, String> firstNames = new HashMap<>();
    inodes.forEach(
        (name, inode) -> {
          String first = firstNames.computeIfAbsent(inode, i -> name);
          facts.merge(name, " first=" + first, String::concat);
        });
    return facts;
  }
}
