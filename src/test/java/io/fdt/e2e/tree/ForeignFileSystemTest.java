package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Mounts;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Xattrs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations whose file system keeps less of a file than the source's. */
class ForeignFileSystemTest {
  @RegisterExtension private final Lab lab = new Lab();
  private final Mounts mounts = new Mounts();

  @AfterEach
  void unmount() {
    mounts.close();
  }

  /** ext4 with inodes of 128 bytes keeps whole seconds, from 1901 to 2038. */
  @ParameterizedTest
  @ValueSource(strings = {"push", "pull", "third party"})
  void aSecondRunMovesNothingWhereTheFileSystemKeepsWholeSeconds(String way) {
    Shell.run(
        lab.directory("source"),
        """
        mkdir sub; for f in a b sub/c late later; do printf data > $f; done; ln -s a link
        touch -d '2020-01-01 00:00:00.987654321' a b sub/c; touch -h -d '2020-01-01 00:00:00.5' link
        touch -d '2050-01-01' late; touch -d '2060-01-01' later
        """);
    Path copied = mounts.ext4OfWholeSeconds(lab.directory("copied"));
    String[] copy = copy(way, copied);

    Shell.run(copied, "touch stale");

    Outcome first = lab.run(lab.root(), with(copy, "--delete")).expect(1);
    assertThat(first.out()).contains("5 files", "1 deleted");
    assertThat(first.problems()).singleElement().asString().contains("which its file system does");

    Outcome second = lab.run(lab.root(), with(copy, "--delete")).expect(0);
    assertThat(second.out()).contains("0 files, 0 B").contains("5 unchanged");
    assertThat(lab.run(lab.root(), with(copy, "--update")).expect(0).out()).contains("5 unchanged");
    String checked = lab.run(lab.root(), with(copy, "--sync", "checksum")).expect(0).out();
    assertThat(checked).contains("5 unchanged").doesNotContain("changed mode");

    Shell.run(lab.root(), "printf DATA > source/a; touch -d '2020-01-01 00:00:01.5' source/a");
    assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("1 file,", "4 unchanged");
    assertThat(text(copied, "cat a; ls -A")).startsWith("DATA").doesNotContain(".fdt-");
  }

  /** A file whose time another program cut to seconds is not that of the source. */
  @Test
  void aTimeThatIsCutWhereTheFileSystemKeepsMoreIsAnotherTime() {
    Shell.run(
        lab.directory("source"), "printf data > a; touch -d '2020-01-01 00:00:00.987654321' a");
    Shell.run(lab.directory("copied"), "printf DATA > a; touch -d '2020-01-01' a");
    String[] copy = copy("pull", lab.root().resolve("copied"));
    assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("1 file,");
    assertThat(text(lab.root().resolve("copied"), "cat a; ls -A")).isEqualTo("dataa\n");
  }

  /** As NFSv4, CIFS and mounts of other users do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fchmod:error=EPERM                    |          | cannot set the mode of",
        "fchmod,fchmodat,chmod:error=EOPNOTSUPP|          | cannot set the mode of",
        "utimensat:error=EPERM                 |          | cannot set the time of",
        "fchown,fchownat:error=EPERM           | --owner  | cannot change the owner of",
      })
  void whatTheFileSystemRefusesToSetIsOneWarningAndTheFilesStay(
      String injection, String option, String warning) throws Exception {
    warnsOnce(injection, option, warning);
  }

  @Test
  void extendedAttributesThatTheFileSystemRefusesAreOneWarningAndTheFilesStay() throws Exception {
    warnsOnce("fsetxattr:error=EPERM", "--xattrs", "cannot set the extended attribute");
  }

  private void warnsOnce(String injection, String option, String warning) throws Exception {
    Programs.requireTracing();
    Shell.run(
        lab.directory("source"),
        """
        mkdir sub; for f in a b sub/c sub/d; do printf data > $f; done
        ln -s a link; truncate -s 5M large; chmod 750 a b sub/c large
        """);
    for (String file : List.of("a", "b", "sub/c")) {
      Xattrs.set(lab.root().resolve("source").resolve(file), "user.x", new byte[] {1});
    }
    String[] copy = copy("pull", lab.directory("copied"));
    String[] words = option == null ? copy : with(copy, option);
    Outcome refused = lab.runInjected(lab.root(), injection, words).expect(1);
    assertThat(refused.problems()).singleElement().asString().contains(warning);
    assertThat(refused.out()).contains("5 files");
    assertThat(text(lab.root(), "diff -r --no-dereference source copied; ls -A copied"))
        .doesNotContain(".fdt-");
    lab.run(lab.root(), words).expect(0);
    assertThat(lab.run(lab.root(), words).expect(0).out()).contains("0 files, 0 B");
  }

  /** As of files that the shell makes there. */
  @Test
  void newFilesGetWhatTheDefaultAccessListOfTheirDirectoryGivesWhereModesAreNotKept() {
    Programs.require("setfacl");
    Shell.run(
        lab.directory("source"),
        "mkdir sub old; echo x > a; echo x > old/c; echo x > sub/b; truncate -s 5M sub/large");
    Shell.run(
        lab.directory("copied"),
        """
        mkdir old; chmod 700 old
        chmod 2750 .; setfacl -d -m u:1234:rwx,g::rwx,o::r .; mkdir shell; touch shell/file
        """);
    String[] copy = copy("pull", lab.root().resolve("copied"));
    lab.run(lab.root(), with(copy, "--preserve", "none")).expect(0);
    for (String file : List.of("a", "sub/b", "sub/large")) {
      assertThat(text(lab.root(), "cd copied; getfacl -cn " + file))
          .as(file)
          .isEqualTo(text(lab.root(), "cd copied; getfacl -cn shell/file"));
    }
    assertThat(text(lab.root(), "cd copied; getfacl -cn sub; stat -c %a . old"))
        .isEqualTo(text(lab.root(), "cd copied; getfacl -cn shell; echo 2750; echo 700"));

    Shell.run(lab.root(), "rm -r copied/a copied/sub/large");
    lab.run(lab.root(), with(copy, "--acls")).expect(0);
    assertThat(text(lab.root(), "cd copied; getfacl -cn a sub/large"))
        .as("the source has no list")
        .doesNotContain("1234");
  }

  private String[] copy(String way, Path copied) {
    RunningCommand server =
        lab.serve(
            "--export",
            "source=" + lab.root().resolve("source") + ":ro",
            "--export",
            "copied=" + copied + ":rw",
            "--dial-to",
            "127.0.0.1");
    String address = "fdt://127.0.0.1:" + server.port();
    boolean pulls = way.equals("pull");
    return new String[] {
      "copy",
      "-r",
      way.equals("push") ? "source/" : address + "/source/",
      pulls ? copied + "/" : address + "/copied/"
    };
  }

  private static String[] with(String[] copy, String... options) {
    List<String> words = new ArrayList<>(List.of(copy));
    words.addAll(1, List.of(options));
    return words.toArray(String[]::new);
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
