package io.fdt.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The programs that tests start beside the command; {@code make test-dependencies} installs them.
 */
public final class Programs {
  private static final String PATH = System.getenv("PATH") + ":/usr/sbin:/sbin";

  private Programs() {}

  /** Skips the test if a program is not installed; {@code .ci/count-tests} knows the message. */
  public static void require(String... programs) {
    for (String program : programs) {
      assumeTrue(isInstalled(program), "not installed: " + program);
    }
  }

  /** Skips the test where system calls cannot be traced. */
  public static void requireTracing() throws IOException, InterruptedException {
    require("strace");
    Process process =
        new ProcessBuilder("strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "true")
            .redirectErrorStream(true)
            .start();
    assumeTrue(process.waitFor() == 0, "no right to trace processes");
  }

  private static boolean isInstalled(String program) {
    return Arrays.stream(PATH.split(File.pathSeparator, -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
