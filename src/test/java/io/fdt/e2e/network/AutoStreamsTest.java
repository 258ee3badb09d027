package io.fdt.e2e.network;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code -P auto}: the sender finds the number of streams, whichever end it is. */
class AutoStreamsTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void treesArriveInBothDirections() throws Exception {
    Path source = lab.directory("source");
    Files.createDirectories(source.resolve("a/b/c"));
    Content.write(source.resolve("a/b/c/large"), 24 * MIB, 1);
    Content.write(source.resolve("a/b/small"), 100, 2);
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    String address = "fdt://127.0.0.1:" + server.port();
    // Slow enough that it is looked at several times.
    String[] options = {"copy", "-r", "-P", "auto", "--limit", "64Mbit/s"};

    lab.run(lab.root(), with(options, source + "/", address + "/pushed/")).expect(0);
    lab.run(lab.root(), with(options, address + "/source/", pulled + "/")).expect(0);

    Tree.assertSame(pushed, source);
    Tree.assertSame(pulled, source);
  }

  private static String[] with(String[] options, String from, String to) {
    String[] all = Arrays.copyOf(options, options.length + 2);
    all[options.length] = from;
    all[options.length + 1] = to;
    return all;
  }
}
