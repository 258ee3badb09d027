package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Mounts;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies with --direct-io: bytes are the same whatever their way, also where they are no pages. */
class DirectIoTest {
  private static final int PAGE = 4096;
  private static final long LARGE = 16 << 20;

  @RegisterExtension final Lab lab = new Lab();

  private Path sources;
  private Path copies;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    sources = lab.directory("sources");
    copies = lab.directory("copies");
    server = lab.serve("--export", "sources", "--export", "copies:rw");
  }

  @Test
  void filesOfAnyLengthGoAroundThePageCache() throws Exception {
    Content.write(sources.resolve("pages"), LARGE, 1);
    Content.write(sources.resolve("odd"), LARGE + PAGE + 1, 2);
    Content.write(sources.resolve("small"), LARGE - 1, 3);
    Shell.run(sources, "cp pages hole; truncate -s 30000001 hole; fallocate -p -o 4M -l 4M hole");
    copy("--direct-io", "on");
    assumeTrue(!Files.getFileStore(copies).type().equals("tmpfs"), "all of tmpfs is a cache");
    for (String file : List.of("pages", "odd")) {
      assertThat(cached(copies.resolve(file))).as(file).isLessThan(LARGE / 8);
    }
    Tree.assertSame(copies, sources);
  }

  @Test
  void blocksThatAreNoPagesAreWrittenWhereTheyBelong() {
    Content.write(sources.resolve("odd"), LARGE + 12_345, 1);
    copy("--direct-io", "on", "--block-size", "1000001");
    Tree.assertSame(copies, sources);
  }

  @Test
  void anInterruptedDirectCopyIsContinued() {
    Content.write(sources.resolve("large"), LARGE + 1, 1);
    RunningCommand slow =
        lab.start(lab.root(), words(copies, "--direct-io", "on", "--limit", "16Mbit/s"));
    Lab.awaitUnfinished(copies, 4);
    slow.stop();
    assertThat(copy("--direct-io", "on").summary()).contains("were there already");
    Tree.assertSame(copies, sources);
  }

  @Test
  void aFileSystemWithoutDirectIoIsUsedThroughItsCache() {
    try (Mounts mounts = new Mounts()) {
      Path memory = mounts.withoutDirectIo(lab.directory("copies/memory"));
      Content.write(sources.resolve("odd"), LARGE + 1, 1);
      lab.run(lab.root(), words(memory, "--direct-io", "on")).expect(0);
      Tree.assertSame(memory, sources);
      assertThat(server.err()).contains("without direct I/O: its page cache is used");
    }
  }

  private Outcome copy(String... options) {
    return lab.run(lab.root(), words(copies, options)).expect(0);
  }

  private String[] words(Path destination, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options));
    String place = "/" + lab.root().relativize(destination) + "/";
    words.addAll(List.of("sources/", "fdt://127.0.0.1:" + server.port() + place));
    return words.toArray(String[]::new);
  }

  /** Bytes of a file in the page cache, by mincore. */
  private static long cached(Path path) throws IOException {
    long cached = 0;
    try (FileChannel channel = FileChannel.open(path)) {
      long size = channel.size();
      MappedByteBuffer pages = channel.map(FileChannel.MapMode.READ_ONLY, 0, size);
      for (int at = 0; at < size; at += PAGE) {
        cached += pages.slice(at, (int) Math.min(PAGE, size - at)).isLoaded() ? PAGE : 0;
      }
    }
    return cached;
  }
}
