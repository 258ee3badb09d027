package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
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
    server =
        lab.serve(
            "--export",
            "in:rw",
            "--export",
            "bucket=memory://:rw",
            "--export",
            "web=http://127.0.0.1:1/dir/",
            "--dial-to",
            "127.0.0.0/8",
            "--relay",
            "--relay-to",
            "127.0.0.0/8");
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

    assertThat(fdt("ls", at("/")).expect(0).out().lines()).contains("bucket/", "in/", "web/");
    for (String copy : new String[] {"back", "in"}) {
      Path tree = lab.root().resolve(copy).resolve("tree");
      assertThat(tree.resolve("a/large"))
          .hasSameBinaryContentAs(lab.root().resolve("tree/a/large"));
      assertThat(tree.resolve("small")).hasSameBinaryContentAs(lab.root().resolve("tree/small"));
    }
  }

  @Test
  void aBucketIsAnEndOfCopiesBetweenServersAndThroughARelay() throws IOException {
    RunningCommand other = lab.serve("--export", "dir=" + lab.directory("dir") + ":rw");
    String there = "fdt://127.0.0.1:" + other.port() + "/dir/";
    fdt("copy", "-r", "tree", there).expect(0);

    fdt("copy", "-r", there + "tree", at("/bucket/third/")).expect(0);
    fdt("copy", "-r", at("/bucket/third/tree"), there + "back/").expect(0);
    fdt("copy", "-r", "--via", "127.0.0.1:" + server.port(), "memory://third/tree", there + "via/")
        .expect(0);

    for (String copy : List.of("back", "via")) {
      assertThat(lab.root().resolve("dir").resolve(copy).resolve("tree/a/large"))
          .hasSameBinaryContentAs(lab.root().resolve("tree/a/large"));
    }
  }

  /** Before anything is asked of the web server, of which there is none. */
  @Test
  void namesThatAWebServerCouldTakeForAWayOutAreRefused() {
    for (String name : List.of("..%5Cx", "..%252fx", "..%255Cx")) {
      assertThat(fdt("ls", at("/web/" + name)).expect(4).err())
          .as(name)
          .contains("could lead out of the export");
    }
  }

  /** Objects have no inodes, by which digests of files are remembered. */
  @Test
  void filesOfOneSizeAndTimeHaveTheirOwnDigests() throws IOException {
    for (String name : List.of("one", "two")) {
      Path file = lab.root().resolve("pair").resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name);
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
    }
    fdt("copy", "-r", "pair", at("/bucket/")).expect(0);

    String here = fdt("checksum", "pair/one", "pair/two").expect(0).out();
    String[] there = {
      fdt("checksum", at("/bucket/pair/one"), at("/bucket/pair/two")).expect(0).out(),
      fdt("checksum", "memory://pair/one", "memory://pair/two").expect(0).out()
    };
    for (String out : there) {
      assertThat(out.lines().map(line -> line.split(" ")[0]))
          .containsExactlyElementsOf(here.lines().map(line -> line.split(" ")[0]).toList());
    }
  }

  @Test
  void theCommandListsAStorageWithoutAServer() {
    fdt("copy", "-r", "tree", at("/bucket/")).expect(0);

    assertThat(fdt("ls", "-R", "memory://tree").expect(0).out().lines())
        .contains("a/", "a/large", "small");
    assertThat(fdt("du", "memory://tree").expect(0).out())
        .contains("20001001      2")
        .contains(" memory://tree\n");
    assertThat(fdt("stat", "memory://tree/small").expect(0).out())
        .contains("path:     memory://tree/small\n");
    assertThat(fdt("stat", "memory://tr*/sm*").expect(0).out())
        .contains("path:     memory://tree/small\n");
    assertThat(fdt("stat", "memory://tree/none").expect(1).err())
        .contains("'memory://tree/none' does not exist");
    assertThat(fdt("ls", "memory://tree", at("/in")).expect(2).err()).contains("one path");
    assertThat(fdt("stat", "memory://tree", at("/in")).expect(2).err()).contains("kind of storage");
  }

  @Test
  void onlyADirectoryCanBeChangedOtherwise() {
    assertThat(fdt("copy", "--backup-dir", "old", "tree/small", at("/bucket/")).expect(2).err())
        .contains("keeps no backups");
    assertThat(fdt("copy", "-r", at("/bucket/tree"), at("/in/x"), "out").expect(2).err())
        .contains("different kinds of storage");
    assertThat(fdt("copy", "-r", at("/"), "out").expect(2).err())
        .contains("copy each of /in, /bucket, /web");
    assertThat(fdt("mkdir", at("/bucket/new")).expect(2).err())
        .contains("(memory) whose names only copies make and change");
    assertThat(fdt("ls", at("/none")).expect(1).err()).contains("choose one of /in, /bucket, /web");
  }
}
