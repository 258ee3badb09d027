package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that is compressed on its way: the command says how, both ends have the same files. */
class CompressTest {
  private static final long NOISE = 3_000_000;

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path target;
  private String address;

  @BeforeEach
  void serve() throws Exception {
    source = lab.directory("source");
    for (int i = 0; i < 200; i++) {
      Path small = Files.createDirectories(source.resolve("d" + i % 7)).resolve("small" + i);
      Files.writeString(small, ("line " + i + "\n").repeat(i * 10), StandardCharsets.UTF_8);
    }
    Files.writeString(source.resolve("text"), "the same words again\n".repeat(600_000));
    Content.write(source.resolve("noise"), NOISE, 1);
    target = lab.directory("target");
    RunningCommand server =
        lab.serve("--export", source.toString(), "--export", target + ":rw", "--anonymous", "rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  private static long wireBytes(Outcome outcome) {
    return JsonLines.of(JsonLines.events(outcome), "summary").get(0).get("wire_bytes").asLong();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "zstd:9", "lz4", "deflate:1"})
  void aTreeIsPushedAndPulledWithFewerBytes(String how) {
    Outcome pushed =
        lab.run(
            lab.root(), "copy", "--json", "-r", "--compress", how, "source/", address + "/target/");
    Outcome pulled =
        lab.run(
            lab.root(), "copy", "--json", "-r", "--compress", how, address + "/source/", "pulled");

    Tree.assertSame(target, source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    for (Outcome outcome : new Outcome[] {pushed.expect(0), pulled.expect(0)}) {
      // noise stays as it is, and the rest nearly vanishes
      assertThat(wireBytes(outcome)).isBetween(NOISE, NOISE + 2_000_000);
    }
  }

  /** Between two servers, of which neither was told by its own user. */
  @Test
  void twoServersCompressForTheClientThatDirectsThem() {
    Path other = lab.directory("other");
    RunningCommand second = lab.serve("--export", other + ":rw", "--anonymous", "rw");
    Outcome outcome =
        lab.run(
                lab.root(),
                "copy",
                "--json",
                "-r",
                "--compress",
                "zstd",
                address + "/source/",
                "fdt://127.0.0.1:" + second.port() + "/other/")
            .expect(0);
    Tree.assertSame(other, source);
    assertThat(wireBytes(outcome)).isLessThan(NOISE + 2_000_000);
  }

  /** A limit is a slow path: what shrinks is compressed. */
  @Test
  void autoCompressesWhereTheLimitIsSlowerThanTheProcessor() {
    Outcome outcome =
        lab.run(
                lab.root(),
                "copy",
                "--json",
                "--compress",
                "auto",
                "--limit",
                "16Mbit/s",
                address + "/source/text",
                "text")
            .expect(0);
    Content.assertSame(lab.root().resolve("text"), source.resolve("text"));
    assertThat(wireBytes(outcome)).isLessThan(6_000_000);
  }

  @Test
  void aMethodThatIsNoneIsRefusedWithThoseThatAre() {
    Outcome outcome =
        lab.run(lab.root(), "copy", "--compress", "gzip", address + "/source/text", "text")
            .expect(2);
    assertThat(outcome.err())
        .contains("'gzip' is not a compression: write auto, off, zstd, zstd:LEVEL, lz4 or deflate");
  }
}
