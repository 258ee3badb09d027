package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that was killed leaves a session at the server, which waits for it. */
class KilledClientTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension final Lab lab = new Lab();

  /** The session that waits would hold the file for the five minutes of --retry-timeout. */
  @Test
  void anotherCommandTakesTheFileOver() throws Exception {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 20 * MIB, 1);
    Path target = lab.directory("target");
    RunningCommand server = lab.serve("--export", target + ":rw");
    String there = "fdt://127.0.0.1:" + server.port() + "/target/";
    CommandProcess copy =
        lab.startProcess(lab.root(), "copy", "--limit", "40Mbit/s", "source/large", there);
    await().atMost(RunningCommand.DEADLINE).until(() -> Arrived.in(target).kept() > MIB);

    copy.kill();
    long startNanos = System.nanoTime();
    lab.run(lab.root(), "copy", "-r", "-P", "2", "--fsync", "source/", there).expect(0);

    assertThat(System.nanoTime() - startNanos).isLessThan(TimeUnit.SECONDS.toNanos(60));
    Tree.assertSame(target, source);
  }
}
