package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.FaultyMount;
import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file system that refuses names, mounted beneath a destination that stores all. */
class RefusedNamesTest {
  @RegisterExtension private final Lab lab = new Lab();
  private FaultyMount mount;
  private String source;
  private String destination;

  @BeforeEach
  void mount() {
    Shell.run(
        lab.directory("source"),
        """
        mkdir -p mount/di:r; cd mount; printf 1 >good; printf 2 >dot.; printf 3 >con
        printf 4 >di:r/in; ln -s good li?nk; head -c 5000000 /dev/zero >large:5
        """);
    mount = FaultyMount.over(lab.directory("backing"));
    mount.refuseNames();
  }

  @AfterEach
  void unmount() {
    mount.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull"})
  void aNameThatItRefusesFailsBeforeAByteOfTheFileMoves(String way) {
    serve(way);
    FaultyMount.Rule writes = mount.count(Call.WRITE, "*");
    Outcome copied = lab.run(lab.root(), "copy", "-r", source, destination).expect(1);
    assertThat(copied.problems())
        .filteredOn(line -> line.contains("cannot store the name of"))
        .hasSize(4)
        .allSatisfy(line -> assertThat(line).contains("--names encode"));
    assertThat(copied.out()).contains("2 of 5 files, 2 B");
    assertThat(writes.hits()).isEqualTo(2);
    assertThat(text("LC_ALL=C ls -A backing")).isEqualTo("con\ngood\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull"})
  void encodedItStoresThemAndASecondRunMovesNothing(String way) {
    serve(way);
    String[] copy = {"copy", "-r", "--delete", "--names=encode", source, destination};
    assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("5 files");
    assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("0 files", "5 unchanged");
    assertThat(text("LC_ALL=C ls -A backing")).contains("dot\uFF0E", "large\uFF1A5");
  }

  private void serve(String way) {
    String above = mount.path().getParent().toString();
    int port =
        lab.serve(
                "--export",
                "from=" + lab.root().resolve("source"),
                "--export",
                "to=" + above + ":rw")
            .port();
    String address = "fdt://127.0.0.1:" + port;
    source = way.equals("push") ? "source/" : address + "/from/";
    destination = way.equals("push") ? address + "/to/" : above + "/";
  }

  private String text(String script) {
    return new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8);
  }
}
