package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server in front of a storage that writes in order, has no links and is no directory. */
class ExportedBucketTest {
  private static final int LARGE = 20_000_001;

  @RegisterExtension final Lab lab = new Lab();

  private RunningCommand server;

  @BeforeEach
  void serve() throws IOException {
    Content.write(lab.root().resolve("tree/a/large"), LARGE, 1);
    Content.write(lab.root().resolve("tree/small"), 1000, 2);
    lab.directory("in");
    server = lab.serve("--export", "in:rw", "--export", "bucket=memory://:rw");
  }

  private String at(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private Outcome fdt(String... words) {
    return lab.run(lab.root(), words);
  }

  @Test
  void filesGoInAndComeBackAndASecondRunMovesNothing() throws IOException {
    assertThat(fdt("copy", "-r", "tree", at("/bucket/")).expect(0).summary())
        .contains("2 files, 19.1 MiB");
    assertThat(fdt("copy", "-r", "tree", at("/bucket/")).expect(0).summary()).contains("0 files");
    assertThat(fdt("ls", at("/bucket/tree")).expect(0).out()).contains("small");

    fdt("copy", "-r", at("/bucket/tree"), "back/").expect(0);
    fdt("copy", "-r", at("/bucket/tree"), at("/in/")).expect(0);

    for (String copy : new String[] {"back", "in"}) {
      Path tree = lab.root().resolve(copy).resolve("tree");
      assertThat(tree.resolve("a/large"))
          .hasSameBinaryContentAs(lab.root().resolve("tree/a/large"));
      assertThat(tree.resolve("small")).hasSameBinaryContentAs(lab.root().resolve("tree/small"));
    }
  }

  @Test
  void onlyADirectoryCanBeChangedOtherwise() {
    assertThat(fdt("copy", "--backup-dir", "old", "tree/small", at("/bucket/")).expect(2).err())
        .contains("keeps no backups");
    assertThat(fdt("copy", "-r", at("/bucket/tree"), at("/in/x"), "out").expect(2).err())
        .contains("different kinds of storage");
    assertThat(fdt("copy", "-r", at("/"), "out").expect(2).err())
        .contains("copy each of [in, bucket]");
    assertThat(fdt("mkdir", at("/bucket/new")).expect(2).err())
        .contains("a memory storage, where only copies change names");
    assertThat(fdt("ls", at("/none")).expect(1).err()).contains("choose one of [in, bucket]");
  }
}
