package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of the command: in this JVM ({@link CommandInJvm}), or as a process of the built jar
 * ({@link CommandProcess}). Any thread.
 */
public interface RunningCommand {
  /** No command of these tests has a reason to run for longer, also on a busy machine. */
  Duration DEADLINE = Duration.ofSeconds(90);

  /** The line by which a server says that clients can connect. */
  Pattern READY = Pattern.compile("(?m)^READY port=(\\d+)$");

  /** The port of a server, as soon as clients can connect. */
  default int port() {
    await("READY port=")
        .atMost(DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> !isAlive() || READY.matcher(out()).find());
    Matcher ready = READY.matcher(out());
    assertThat(ready.find()).as("the server is ready; %s", this).isTrue();
    return Integer.parseInt(ready.group(1));
  }

  /** Waits for its end. */
  default Outcome end() {
    return end(DEADLINE);
  }

  /** Waits for its end, which must come within {@code deadline} from now. */
  Outcome end(Duration deadline);

  boolean isAlive();

  /** Sends a signal to its process, for example INT. */
  void signal(String name);

  /** Kills its process if it still runs, and waits for that. */
  void kill();

  /** Ends it if it still runs, waits for that, and checks that it has left nothing behind. */
  void stop();

  /** What it has printed on standard output so far. */
  String out();

  /** What it has printed on standard error so far. */
  String err();
}
