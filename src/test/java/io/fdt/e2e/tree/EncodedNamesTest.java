package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.FaultyMount;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that Windows refuses, stored as others and copied back. */
class EncodedNamesTest {
  private static final String ODD =
      """
      mkdir -p aux/in:side 'empty.'; cd aux/in:side
      for n in con NUL.txt a:b dot. 'blank ' 'q?' 'b\\s' $'t\\t' $'l\\xe4' '<x>' good ｃon a：b ‛FE
      do printf "$n" > "$n"; done
      ln -s a:b li:nk; ln good har:d
      """;

  @RegisterExtension private final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull", "third party"})
  void anOddTreeIsStoredUnderOtherNamesAndComesBack(String way) {
    Path source = lab.directory("source");
    Shell.run(source, ODD);
    String[] there = copy(way, "source", "stored", "--names=encode");
    assertThat(lab.run(lab.root(), there).expect(0).out()).contains("15 files");
    assertThat(text("cd stored; ls -d *; ls -A */*").lines())
        .containsExactly(
            "empty．", "ａux", "a‛：b", "a：b", "blank␠", "b＼s", "dot．", "good", "har：d", "li：nk",
            "l‛E4", "q？", "t␉", "‛‛FE", "‛ｃon", "＜x＞", "ＮUL.txt", "ｃon");

    String[] back = copy(way, "stored", "back", "--names=decode");
    lab.run(lab.root(), back).expect(0);
    Tree.assertSame(lab.root().resolve("back"), source);

    Shell.run(lab.root(), "touch stored/st：ale back/st:ale; rm source/aux/in:side/con");
    assertThat(lab.run(lab.root(), there).expect(0).out())
        .contains("0 files", "deleted", "ｃon", "st：ale", "2 deleted");
    Outcome again = lab.run(lab.root(), back).expect(0);
    assertThat(again.out()).contains("0 files", "st:ale", "in:side/con", "2 deleted");
    Tree.assertSame(lab.root().resolve("back"), source);
  }

  @Test
  void patternsSeeTheOriginalNames() {
    Shell.run(lab.directory("source"), "touch a:b c:d keep");
    lab.run(lab.root(), copy("push", "source", "stored", "--names=encode", "--exclude=a:*"))
        .expect(0);
    assertThat(text("ls stored; touch stored/a：x")).isEqualTo("c：d\nkeep\n");
    Outcome kept =
        lab.run(lab.root(), copy("push", "source", "stored", "--names=encode", "--exclude=a:*"));
    assertThat(kept.expect(0).out()).doesNotContain("deleted");
    lab.run(lab.root(), copy("pull", "stored", "back", "--names=decode", "--exclude=c:*"))
        .expect(0);
    assertThat(text("ls back")).isEqualTo("a:x\nkeep\n");
  }

  @Test
  void aNameThatIsNotEncodedFailsAndSoDoesOneThatBecomesTooLong() {
    Shell.run(lab.directory("source"), "touch a:b c：d; touch $(printf ':%.0s' {1..90})");
    Outcome decoded = lab.run(lab.root(), copy("push", "source", "back", "--names=decode"));
    assertThat(decoded.expect(1).problems())
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).contains("'a:b' is no encoded name", "--names keep"));
    assertThat(text("ls back")).isEqualTo("c:d\n");

    Outcome encoded = lab.run(lab.root(), copy("push", "source", "stored", "--names=encode"));
    assertThat(encoded.expect(1).problems())
        .singleElement()
        .asString()
        .contains("cannot store the name of", "::::")
        .doesNotContain("--names");
    assertThat(text("ls stored")).isEqualTo("a：b\nc‛：d\n");
  }

  /** Bytes that are no UTF-8 are kept apart by Linux; their digits are not by Windows. */
  @Test
  void namesThatTheDestinationTakesForOneAreFoundAlsoWhenTheyAreEncoded() {
    Shell.run(lab.directory("source"), "echo 1 > $'A\\xe4'; echo 22 > $'a\\xe4'");
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      mount.foldNames();
      String[] copy = {"copy", "-r", "source/", mount.path() + "/"};
      RunningCommand server = lab.serve("copied=" + mount.path() + ":rw");
      copy[3] = "fdt://127.0.0.1:" + server.port() + "/copied/";
      Outcome copied = lab.run(lab.root(), with(copy, "--names=encode")).expect(1);
      assertThat(copied.problems())
          .singleElement()
          .asString()
          .contains("would replace another name of the source");
    }
  }

  private String[] copy(String way, String from, String to, String... options) {
    RunningCommand server =
        lab.serve(
            "--export",
            "source=" + lab.root().resolve(from) + ":ro",
            "--export",
            "copied=" + lab.directory(to) + ":rw",
            "--dial-to",
            "127.0.0.1");
    String address = "fdt://127.0.0.1:" + server.port();
    String[] copy = {
      "copy",
      "-r",
      "--delete",
      "--hard-links",
      way.equals("push") ? from + "/" : address + "/source/",
      way.equals("pull") ? to + "/" : address + "/copied/"
    };
    return with(copy, options);
  }

  private static String[] with(String[] copy, String... options) {
    List<String> words = new ArrayList<>(List.of(copy));
    words.addAll(1, List.of(options));
    return words.toArray(String[]::new);
  }

  private String text(String script) {
    return new String(Shell.run(lab.root(), "export LC_ALL=C; " + script), StandardCharsets.UTF_8);
  }
}
