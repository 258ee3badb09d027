package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Scripts for bash, which can make and name what Java cannot: names of any bytes, FIFOs, devices.
 */
public final class Shell {
  private Shell() {}

  /**
   * Runs a script in a directory, in the POSIX locale, and fails unless it succeeds; the result is
   * what it printed.
   */
  public static byte[] run(Path directory, String script) {
    ProcessBuilder builder = new ProcessBuilder("bash", "-euc", script);
    builder.directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      byte[] output = process.getInputStream().readAllBytes();
      int status = process.waitFor();
      assertThat(status)
          .as("%s: %s", script, new String(output, StandardCharsets.ISO_8859_1))
          .isZero();
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
