package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.storage.FaultyMount;
import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A destination whose calls fail: the old files stay, or the new ones are there. */
class FaultyDestinationTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path backing;
  private FaultyMount mount;
  private RunningCommand server;

  @BeforeEach
  void mount() {
    source = lab.directory("source");
    backing = lab.directory("backing");
    mount = FaultyMount.over(backing);
    server = lab.serve("--export", source + ":ro", "--export", "mount=" + mount.path() + ":rw");
  }

  @AfterEach
  void unmount() {
    mount.close();
  }

  private Outcome copy(boolean push, String... options) {
    String address = "fdt://127.0.0.1:" + server.port();
    return lab.run(
        lab.root(),
        Stream.concat(
                Stream.of("copy", "-r"),
                Stream.concat(
                    Stream.of(options),
                    push
                        ? Stream.of(source + "/", address + "/mount/")
                        : Stream.of(address + "/source/", mount.path().toString())))
            .toArray(String[]::new));
  }

  /** So NFS, CIFS and AFS report a used up quota. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anErrorAtCloseLeavesTheOldFiles(boolean push) throws IOException {
    Content.write(source.resolve("small"), 100, 1);
    Content.write(source.resolve("large"), 5 << 20, 2);
    Content.write(source.resolve("new/small"), 100, 3);
    Files.writeString(backing.resolve("small"), "old");
    Files.writeString(backing.resolve("large"), "old");
    FaultyMount.Rule full = mount.fail(Call.FLUSH, "EDQUOT", "*.part");

    Outcome failed = copy(push).expect(6);

    assertThat(failed.problems()).anyMatch(line -> line.contains("quota"));
    assertThat(backing.resolve("small")).hasContent("old");
    assertThat(backing.resolve("large")).hasContent("old");
    try (Stream<Path> all = Files.walk(backing)) {
      assertThat(all.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("backing", "small", "large", "new");
    }
    full.remove();
    copy(push).expect(0);
    Tree.assertSame(backing, source);
  }

  @Test
  void namesBeyondThoseThatAFileCanHaveAreThoseOfASecondOne() throws IOException {
    Content.write(source.resolve("first"), 300_000, 1);
    Files.createDirectory(source.resolve("sub")); // what is in it comes later
    List<String> others = List.of("sub/a", "sub/b", "sub/c", "sub/d");
    for (String name : others) {
      Files.createLink(source.resolve(name), source.resolve("first"));
    }
    mount.fail(Call.LINK, "EMLINK", "first", 1, -1); // it can have two

    copy(false, "--hard-links").expect(0);

    Set<Object> inodes = new HashSet<>();
    for (String name : others) {
      Content.assertSame(backing.resolve(name), source.resolve(name));
      assertThat(Files.getLastModifiedTime(backing.resolve(name)).toMillis())
          .isEqualTo(Files.getLastModifiedTime(source.resolve(name)).toMillis());
      inodes.add(Files.getAttribute(backing.resolve(name), "unix:ino"));
    }
    inodes.add(Files.getAttribute(backing.resolve("first"), "unix:ino"));
    assertThat(inodes).hasSize(2);
  }

  /** A program with the rights of the wrong user would be worse than one without. */
  @Test
  void aFileWhoseOwnerCannotBeSetGetsNoSpecialBits() throws IOException {
    assumeTrue(Nobody.isRoot(), "only root may ask for owners");
    Content.write(source.resolve("program"), 100, 1);
    Shell.run(source, "chmod 4755 program");
    mount.fail(Call.CHOWN, "EPERM", "*");

    Outcome warned = copy(false, "--preserve", "mode,times,owner,special-bits").expect(1);

    assertThat(warned.problems()).singleElement().asString().contains("change the owner of");
    assertThat(Files.getAttribute(backing.resolve("program"), "unix:mode")).isEqualTo(0100755);
  }
}
