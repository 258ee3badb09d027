package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A watch that is told to end, as services are. */
class WatchProcessTest {
  @RegisterExtension private final Lab lab = Lab.ofProcesses();

  @Test
  void sigtermEndsAWatchWithStatusZeroDuringACopyAndBetweenCopies() {
    Content.write(lab.directory("source").resolve("large"), 40 << 20, 7);
    Path in = lab.directory("in");
    RunningCommand server = lab.serve("--export", in + ":rw");
    String to = "fdt://127.0.0.1:" + server.port() + "/in";
    CommandProcess busy =
        lab.startProcess(lab.root(), "watch", "--limit", "40Mbit/s", "source/", to);
    Lab.awaitUnfinished(in, 1);

    busy.signal("TERM");
    Outcome ended = busy.end();

    assertThat(ended.status()).as("%s", ended).isZero();
    assertThat(in.resolve("large")).doesNotExist();
    CommandProcess idle = lab.startProcess(lab.root(), "watch", "source/", to);
    await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(in.resolve("large")));
    idle.signal("TERM");
    assertThat(idle.end().status()).as("%s", idle).isZero();
    Content.assertSame(in.resolve("large"), lab.root().resolve("source/large"));
  }
}
