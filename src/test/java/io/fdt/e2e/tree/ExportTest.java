package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients see and change what a server exports, and nothing else. */
class ExportTest {
  private static final String SECRET = "secret of the server";

  @RegisterExtension final Lab lab = new Lab();

  @BeforeEach
  void makeServersFiles() {
    Shell.run(
        lab.root(),
        """
        mkdir -p open readable outside/dir here
        printf '%s' '@' > outside/secret; printf '%s' '@' > outside/dir/secret
        printf public > open/public; printf public > readable/public; printf mine > mine
        ln -s ../outside/secret open/link; ln -s ../outside/dir open/dirlink; ln -s ../outside/dir readable/dirlink
        """
            .replace("@", SECRET));
  }

  @Test
  void readOnlyExportsRefuseAPush() {
    RunningCommand server = serve();

    Outcome outcome = client(server, "-d", "/readable", "mine").expect(4);

    assertThat(outcome.err().lines())
        .singleElement()
        .asString()
        .contains("readable")
        .contains("read-only");
    assertThat(Tree.beneath(lab.root().resolve("readable"))).containsOnlyKeys("public", "dirlink");
  }

  @Test
  void rootOfSeveralExportsTakesNothing() {
    RunningCommand server = serve();

    Outcome outcome = client(server, "-d", "/", "mine");

    assertThat(outcome.status()).isIn(1, 4);
    assertThat(outcome.err().lines()).singleElement().asString().startsWith("fdt: ");
    assertThat(lab.root().resolve("open/mine")).doesNotExist();
  }

  @Test
  void nothingOutsideIsRead() {
    RunningCommand server = serve();
    for (String path :
        List.of(
            "/open/../outside/secret",
            "/../outside/secret",
            "/open/../../outside/secret",
            "/open/dirlink/secret",
            "/open/dirlink/",
            "/open/dirlink/.",
            "/outside/secret",
            "/etc/passwd")) {
      Outcome pull = client(server, "-r", "-pull", "-d", "here", path);
      Outcome list = client(server, "-ls", path);

      assertThat(pull.status()).as("%s: %s", path, pull).isIn(1, 2, 4);
      assertThat(pull.problems()).as("%s: %s", path, pull).isNotEmpty();
      assertThat(Tree.beneath(lab.root().resolve("here"))).as(path).isEmpty();
      assertThat(list.status()).as("%s: %s", path, list).isIn(1, 2, 4);
      assertThat(list.out()).as(path).doesNotContain("secret");
    }
  }

  @Test
  void nothingOutsideIsWritten() {
    RunningCommand server = serve();
    Map<String, String> before = Tree.of(lab.root().resolve("outside"));
    for (String destination :
        List.of(
            "/open/../outside",
            "/../outside",
            "/open/dirlink",
            "/open/dirlink/",
            "/open/dirlink/deeper",
            "/outside",
            "/new")) {
      Outcome push = client(server, "-d", destination, "mine");

      assertThat(push.status()).as("%s: %s", destination, push).isIn(1, 2, 4);
      assertThat(push.problems()).as("%s: %s", destination, push).isNotEmpty();
      assertThat(Tree.of(lab.root().resolve("outside"))).as(destination).isEqualTo(before);
      assertThat(lab.root().resolve("new")).doesNotExist();
    }
  }

  @Test
  void linksThatLeadOutsideArriveAsLinks() {
    RunningCommand server = serve();

    client(server, "-r", "-pull", "-d", "here", "/open").expect(0);

    Tree.assertSame(lab.root().resolve("here/open"), lab.root().resolve("open"));
  }

  @Test
  void aPushedTreeNeverGoesThroughALinkAtTheServer() {
    Shell.run(lab.root(), "mkdir -p tree/dirlink; printf evil > tree/dirlink/secret");
    RunningCommand server = serve();

    Outcome outcome = client(server, "-r", "-d", "/open", "tree/");

    assertThat(outcome.status()).as("%s", outcome).isIn(0, 1);
    assertThat(lab.root().resolve("outside/dir/secret")).hasContent(SECRET);
  }

  @Test
  void clientsSeeExportsByNameAndModeOfAccess() {
    RunningCommand server = lab.serve("--export", "other=open:ro", "--export", "readable:rw");

    assertThat(
            client(server, "-ls", "/")
                .expect(0)
                .out()
                .lines()
                .map(line -> line.replaceAll(".* ", "")))
        .containsExactly("NAME", "other/", "readable/");
  }

  private RunningCommand serve() {
    return lab.serve("--export", "open:rw", "--export", "readable");
  }

  private Outcome client(RunningCommand server, String... words) {
    return lab.run(lab.root(), Lab.clientOf(server, words));
  }
}
