package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Nobody;
import io.fdt.e2e.Pages;
import io.fdt.e2e.Programs;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the packages. */
class PackageTest {
  private static final Path PROJECT = Pages.PROJECT;

  /** Beside fdt.jar, by the modules that build them. */
  private static final List<String> JARS =
      List.of("fdt-service", "fdt-http", "fdt-webdav", "fdt-s3");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s:#]+)[)#]");

  @TempDir private static Path directory;
  private static Path installed;
  private static Path documents;

  @BeforeAll
  static void build() throws IOException {
    Programs.require("dpkg-deb");
    installed = directory.resolve("installed");
    documents = installed.resolve("usr/share/doc/fdt");
    Files.createSymbolicLink(
        directory.resolve("fdt.jar"), Path.of(System.getProperty("fdt.jar")).toAbsolutePath());
    for (String name : JARS) {
      Files.createSymbolicLink(
          directory.resolve(name + ".jar"),
          PROJECT.resolve("%s/target/%s.jar".formatted(name, name)));
    }
    Shell.run(
        PROJECT,
        "JAVA_HOME='%s' TARGET='%s' scripts/package.sh; dpkg-deb -x '%s'/fdt_*_all.deb '%s'"
            .formatted(System.getProperty("java.home"), directory, directory, installed));
  }

  @Test
  void itHasAllPages() throws IOException {
    assertThat(names(documents)).containsAll(names(PROJECT.resolve("docs")));
    assertThat(names(documents)).contains("README.md", "SECURITY.md", "CHANGELOG.md", "copyright");
  }

  @Test
  void linksBetweenPagesLeadSomewhere() throws IOException {
    for (String name : names(documents)) {
      Matcher link = LINK.matcher(name.endsWith(".md") ? text(name) : "");
      while (link.find()) {
        assertThat(documents.resolve(name).getParent().resolve(link.group(1)).normalize())
            .as(name)
            .exists();
      }
    }
    assertThat(text("SERVER.md")).contains("](../../../../etc/fdt/fdt.conf)", "](Dockerfile)");
    assertThat(text("README.md")).contains("](copyright)");
    assertThat(text("TESTING.md")).contains("a record in promises/ ");
  }

  private static String text(String name) throws IOException {
    return Files.readString(documents.resolve(name)).replaceAll("`[^`\n]*`", "");
  }

  @Test
  void itHasAManPageForEachSubcommandAndCompletionForThreeShells() throws IOException {
    Path share = installed.resolve("usr/share");
    Set<String> pages = names(share.resolve("man/man1"));
    String overview =
        new String(Shell.run(share, "gzip -dc man/man1/fdt.1.gz"), StandardCharsets.UTF_8);
    List<String> subcommands =
        Pattern.compile("(?m)^\\.BR fdt\\\\-(\\w+) ")
            .matcher(overview)
            .results()
            .map(found -> found.group(1))
            .toList();

    assertThat(subcommands).contains("copy", "login", "serve", "service", "sync");
    assertThat(pages)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Stream.of("fdt.1.gz"), subcommands.stream().map("fdt-%s.1.gz"::formatted))
                .toList());
    assertThat(names(share))
        .contains(
            "bash-completion/completions/fdt",
            "zsh/vendor-completions/_fdt",
            "fish/vendor_completions.d/fdt.fish");
  }

  @Test
  void itHasAUnitForTheServerAndOneForTheTransferService() throws IOException {
    Path units = installed.resolve("usr/lib/systemd/system");
    assertThat(names(units)).containsExactlyInAnyOrder("fdt.service", "fdt-service.service");
    for (String name : names(units)) {
      String unit = Files.readString(units.resolve(name));
      Matcher page = Pattern.compile("(?m)^Documentation=file://(.*)$").matcher(unit);
      assertThat(page.find()).isTrue();
      assertThat(Path.of(installed + page.group(1))).exists();
      assertThat(unit).contains("ExecStart=/usr/bin/fdt serv");
    }
    for (String name : JARS) {
      assertThat(installed.resolve("usr/share/fdt/" + name + ".jar")).exists();
    }
  }

  @Test
  void theRpmInstallsTheFilesOfTheDebianPackage() {
    Programs.require("rpmbuild");
    assumeTrue(Nobody.isRoot(), "only root may install");
    Path root = directory.resolve("root");
    Shell.run(
        directory,
        """
        rpm --root '%1$s' --dbpath /db -i --nodeps --noscripts --notriggers --force-debian fdt-*.rpm
        mv '%1$s/usr/share/zsh/site-functions' '%1$s/usr/share/zsh/vendor-completions'
        rm -r '%1$s/db'
        """
            .formatted(root));

    String list =
        "find . ! -type d -printf '%m %p %l\\n' | sort; find . -type f -exec cksum {} + | sort";
    assertThat(text(Shell.run(root, list))).isEqualTo(text(Shell.run(installed, list)));
  }

  @Test
  void theRpmKeepsChangedSettingsAndOwnsItsDirectories() {
    Programs.require("rpmbuild");
    String rpm = "rpm -qp fdt-*.rpm ";

    assertThat(text(Shell.run(directory, rpm + "-c"))).isEqualTo("/etc/fdt/fdt.conf\n");
    assertThat(text(Shell.run(directory, rpm + "-l")).lines())
        .contains("/etc/fdt", "/usr/share/fdt", "/usr/share/doc/fdt/howto")
        .doesNotContain("/usr", "/etc", "/usr/bin", "/usr/share/man");
    assertThat(text(Shell.run(directory, rpm + "--requires"))).contains("java-headless >= 1:17\n");
  }

  private static String text(byte[] output) {
    return new String(output, StandardCharsets.UTF_8);
  }

  private static Set<String> names(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .collect(Collectors.toSet());
    }
  }
}
