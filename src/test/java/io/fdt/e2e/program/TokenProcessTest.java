package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens that the server of another user or with other exports takes. */
class TokenProcessTest {
  @RegisterExtension private final Lab lab = Lab.ofProcesses();

  @Test
  void rootMakesATokenOfARunningServerOfAnotherUser() throws IOException {
    assumeTrue(Nobody.isRoot(), "root runs a command in the home of another user");
    Content.write(lab.root().resolve("data/file"), 10, 1);
    Shell.run(lab.root(), "chmod -R a+rX data; mkdir -m 700 own; chown 65534:65534 own");
    Path home = lab.root().resolve("own");
    RunningCommand server =
        lab.startAsPod(
            lab.root(),
            Map.of("FDT_HOME", home.toString(), "HOME", "/nonexistent"),
            "serve --bind 127.0.0.1 --port 0 data".split(" "));
    String address = "127.0.0.1:" + server.port();
    Files.writeString(lab.root().resolve("earlier"), token(home, "earlier"));

    Files.writeString(lab.root().resolve("later"), token(home, "later"));

    assertThat(Shell.run(home, "stat -c %u token tokens tokens.lock"))
        .asString()
        .isEqualTo("65534\n65534\n65534\n");
    for (String name : new String[] {"earlier", "later"}) {
      Path file = lab.root().resolve(name);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      lab.run(lab.root(), "ls", "--accept-new", "--token-file", name, address + ":/").expect(0);
    }
  }

  private String token(Path home, String name) {
    return lab.runAt(home, lab.root(), "token", "create", name).expect(0).out();
  }

  @Test
  void anotherUserIsToldWhoseHomeItIs() {
    assumeTrue(Nobody.isRoot(), "a home has to be of another user");
    Path home = lab.directory("roots");

    Outcome outcome =
        lab.startAsPod(lab.root(), Map.of("FDT_HOME", home.toString()), "token", "create", "alice")
            .end()
            .expect(1);

    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .contains("denied; run this as root, who owns the directory, or set FDT_HOME");
  }

  @Test
  void aTokenForAnExportThatTheServerHasNotIsNoted() {
    lab.serveProcess("--export", "data=" + lab.directory("d"));

    Outcome unknown = lab.run(lab.root(), "token", "create", "--export", "nosuch", "bob").expect(0);
    Outcome known = lab.run(lab.root(), "token", "create", "--export", "data", "alice").expect(0);

    assertThat(unknown.out()).startsWith("fdt_");
    assertThat(unknown.err())
        .contains("the server that started last has no export 'nosuch': until one has it, the");
    assertThat(known.err()).doesNotContain("no export");
  }
}
