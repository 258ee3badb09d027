package io.fdt.e2e.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Pages;
import io.fdt.e2e.Sshd;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of all pages, run as they stand there: README.md, the tutorial, the how-to and the
 * reference pages, the examples. A comment before a block says where: {@code run on laptop}, {@code
 * run on storage1}; {@code parse: REASON} is for commands that cannot run on one machine, which
 * another test parses; {@code text} is none.
 */
class PageRunsTest {
  /** Pages whose commands start all servers that they use. */
  private static final List<String> STARTS_SERVERS = List.of("docs/TUTORIAL.md", "docs/STRIPES.md");

  /** Pages whose commands make the files that they send. */
  private static final List<String> MAKES_ITS_FILES =
      List.of(
          "docs/TUTORIAL.md",
          "docs/howto/from-fdt.md",
          "docs/howto/from-rsync.md",
          "docs/howto/slurm.md");

  @RegisterExtension private static final Sshd SSHD = new Sshd();
  @RegisterExtension private final Lab lab = new Lab();

  @BeforeAll
  static void addHosts() throws IOException {
    String path = SSHD.install();
    SSHD.host("storage1", path);
    SSHD.host("storage2", path);
  }

  static List<String> pages() {
    return Pages.all().stream()
        .filter(page -> Pages.blocks(page).stream().anyMatch(Pages.Block::isRun))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCommandsOfAPageRun(String page) throws IOException {
    lab.environment("FDT_SSH", SSHD.command().toString());
    try (PageShell shell = new PageShell(lab, Pages.PROJECT, SSHD.command())) {
      if (!STARTS_SERVERS.contains(page)) {
        startServers(shell);
      }
      if (page.equals("docs/STRIPES.md")) {
        shell.run(page, "front1", "mkdir -p lustre/data; ln -s front1 ../node2");
      }
      if (!MAKES_ITS_FILES.contains(page)) {
        makeLocalFiles(shell);
      }
      if (page.equals("docs/FILTERS.md")) {
        makeFilters(shell);
      }
      for (Pages.Block block : Pages.blocks(page)) {
        if (block.isRun()) {
          shell.run(page, block.host(), block.text());
        }
      }
    }
  }

  /** Two servers, and what pages copy. */
  private static void startServers(PageShell shell) throws IOException {
    shell.run(
        "preparation",
        "storage1",
        """
        mkdir -p data/run42/b incoming photos
        touch data/run42/{a,b/c}.h5 data/run42/run.log data/a.h5
        tar -cf data/run42.tar -C data run42
        truncate -s 1088M data/run42.h5
        fdt serve data:rw incoming:rw photos:rw
        """);
    shell.run(
        "preparation",
        "storage2",
        """
        mkdir data incoming scratch run42
        touch data/f
        fdt serve data incoming:rw in=incoming:rw scratch:rw
        """);
  }

  /** What pages send from here, or take from elsewhere. */
  private static void makeLocalFiles(PageShell shell) throws IOException {
    shell.run(
        "preparation",
        "laptop",
        """
        mkdir -p docs photos results plots run43 scratch srv/data srv/in empty home/me/in shared
        mkdir -p in tmp var/spool etc/fdt
        touch docs/a photos/1.jpg results/a.csv plots/a.png run43/x source srv/data/f big.log
        seq 1000 > results.h5
        ln -s "$PROJECT/fdt-cli" "$PROJECT/examples" .
        sed "s|/srv|$PWD/srv|" "$PROJECT/dist/fdt.conf" > etc/fdt/fdt.conf
        for token in a b s1 s2; do fdt token create $token > $token.token; done
        echo secret > smtp.password
        chmod 600 *.token smtp.password
        """);
  }

  /** The classes that the page of filters names. */
  private static void makeFilters(PageShell shell) throws IOException {
    shell.run(
        "preparation",
        "laptop",
        """
        filters=io.fdt.core.filter
        transfer=$filters.FilteredTransfer
        before="$filters.PreFilter { public $transfer before($transfer t) { return t; } }"
        after="$filters.PostFilter { public void after($transfer t, $filters.TransferOutcome o) {} }"
        mkdir sources etc/fdt/filters
        for name in Stage A B; do echo "public class $name implements $before" > sources/$name.java; done
        for name in Register C; do echo "public class $name implements $after" > sources/$name.java; done
        echo "package org.example; public class Quota implements $before" > sources/Quota.java
        mkdir filters.jar # a directory, of which Java keeps no file open
        javac -cp fdt-cli/target/fdt.jar -d filters.jar sources/*.java
        mv filters.jar/org etc/fdt/filters/
        """);
  }

  /** The others are parsed by PageCommandsTest. As few as possible, each for a reason. */
  @Test
  void allButTheseRun() {
    Map<String, String> reasons = new TreeMap<>();
    for (String page : Pages.all()) {
      for (Pages.Block block : Pages.blocks(page)) {
        if (block.isOnlyParsed()) {
          reasons.merge(page, block.reason(), (first, second) -> first + "; " + second);
        }
      }
    }
    assertThat(reasons)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "docs/HTTP.md",
                "needs a web server",
                "docs/S3.md",
                "needs a store",
                "docs/SERVICE.md",
                "needs a service; needs an identity provider",
                "docs/TUTORIAL.md",
                "asks for the token at a terminal",
                "docs/howto/slurm.md",
                "needs sbatch around it; Slurm sets the index and the number of tasks",
                "docs/WEBDAV.md",
                "needs a port of its own",
                "examples/storage/README.md",
                "needs a jar beside the one that runs"));
  }
}
