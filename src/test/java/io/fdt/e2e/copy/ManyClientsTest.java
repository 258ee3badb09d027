package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One server under several clients, many runs in a row, and connections that mean it ill. */
class ManyClientsTest {
  private static final int MIB = 1 << 20;
  private static final int RUNS = Integer.getInteger("fdt.runs", 20);
  private static final int STRANGERS = 200;

  @RegisterExtension final Lab lab = new Lab();

  @Test
  void threeClientsAtOnceEachGetTheirTree() {
    Path data = lab.directory("data");
    FdtCommandTest.makeFilesAroundBlockSizes(data);
    RunningCommand server = lab.serve("--export", "data", "--export", lab.directory("in") + ":rw");

    RunningCommand first =
        lab.start(lab.directory("a"), Lab.clientOf(server, "-P", "7", "-r", "/data"));
    RunningCommand second =
        lab.start(lab.directory("b"), Lab.clientOf(server, "-P", "2", "-r", "/data"));
    RunningCommand third = lab.start(lab.root(), Lab.clientOf(server, "-r", "-d", "/in", "data"));

    for (RunningCommand client : List.of(first, second, third)) {
      client.end().expect(0);
    }
    for (String copy : List.of("a/data", "b/data", "in/data")) {
      Tree.assertSame(lab.root().resolve(copy), data);
    }
  }

  @Test
  @Timeout(600)
  void runsInARowAllEnd() {
    Path data = lab.directory("data");
    Content.write(data.resolve("three bytes"), 3, 1);
    Content.write(data.resolve("sub/block"), MIB + 1, 2);
    RunningCommand server = lab.serve("--export", "data", "--export", lab.directory("in") + ":rw");

    for (int run = 0; run < RUNS; run++) {
      String place = "copy" + run;
      String[] words =
          run % 2 == 0
              ? Lab.clientOf(server, "-P", "1", "-r", "-pull", "-d", place, "/data")
              : Lab.clientOf(server, "-P", "7", "-r", "-d", "/in/" + place, "data");
      lab.start(lab.root(), words).end(Duration.ofSeconds(30)).expect(0);
      Path copy = lab.root().resolve((run % 2 == 0 ? "" : "in/") + place + "/data");
      Content.assertSame(copy.resolve("sub/block"), data.resolve("sub/block"));
      Content.assertSame(copy.resolve("three bytes"), data.resolve("three bytes"));
    }
  }

  /** Half of them say nothing, the others garbage, some of it after a preface that is right. */
  @Test
  void strangersDoNotDisturbATransfer() throws IOException {
    Path data = lab.directory("data");
    Content.write(data.resolve("large"), 24 * MIB, 1);
    CommandProcess server = lab.serveProcess("--export", "data");
    RunningCommand client =
        lab.start(lab.directory("here"), Lab.clientOf(server, "-limit", "64Mbit/s", "-r", "/data"));
    Lab.awaitUnfinished(lab.root().resolve("here"), 1);
    List<Socket> strangers = new ArrayList<>();
    try {
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < STRANGERS; i++) {
        Socket stranger = new Socket(InetAddress.getLoopbackAddress(), server.port());
        strangers.add(stranger);
        if (i % 2 == 1) {
          insult(stranger, random, i % 4 == 1);
        }
      }

      client.end().expect(0);

      Tree.assertSame(lab.root().resolve("here/data"), data);
      lab.run(lab.directory("there"), Lab.clientOf(server, "-r", "/data")).expect(0);
      Tree.assertSame(lab.root().resolve("there/data"), data);
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
    server.signal("TERM");
    server.end(Duration.ofSeconds(20)).expect(0);
  }

  private static void insult(Socket stranger, SplittableRandom random, boolean withPreface) {
    byte[] garbage = new byte[random.nextInt(1, 300)];
    for (int i = 0; i < garbage.length; i++) {
      garbage[i] = (byte) random.nextInt();
    }
    try {
      if (withPreface) {
        byte kind = (byte) random.nextInt(1, 3);
        stranger
            .getOutputStream()
            .write(
                new byte[] {
                  (byte) 0x89, 'F', 'D', 'T', '\r', '\n', 0x1a, '\n', 0, 1, kind, 0, 0, 0, 0, 0
                });
      }
      stranger.getOutputStream().write(garbage);
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*"); // the server was faster
    }
  }
}
