package io.fdt.compare;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The cost of TLS for data streams. A round has three runs: unencrypted, with BoringSSL
 * (netty-tcnative), and with the JDK's engine; each runs in its own process, and each round has
 * another order. A round gives two ratios to its unencrypted run.
 */
public final class TlsComparison {
  private static final List<String> VARIANTS = List.of("clear", "tcnative", "jdk");
  private static final int WARM_UP_SECONDS = 3;

  private TlsComparison() {}

  /** Arguments: rounds (default 5), seconds per run (default 5). */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 3) {
      runOnce(arguments[1].equals("clear"), Integer.parseInt(arguments[2]));
      return;
    }
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
    double[][] ratios = new double[VARIANTS.size()][rounds];
    for (int round = 0; round < rounds; round++) {
      double[] rates = new double[VARIANTS.size()];
      for (int i = 0; i < rates.length; i++) {
        int variant = (i + round) % rates.length;
        rates[variant] = inProcess(VARIANTS.get(variant), seconds);
      }
      StringBuilder line = new StringBuilder("round " + (round + 1) + ":");
      for (int variant = 0; variant < rates.length; variant++) {
        ratios[variant][round] = rates[variant] / rates[0];
        line.append(
            String.format(
                Locale.ROOT,
                " %s %.0f MB/s (%.2f)",
                VARIANTS.get(variant),
                rates[variant] / 1e6,
                ratios[variant][round]));
      }
      System.out.println(line);
    }
    for (int variant = 1; variant < ratios.length; variant++) {
      Arrays.sort(ratios[variant]);
      System.out.println(
          String.format(
              Locale.ROOT,
              "%s: median %.2f of clear (%.2f to %.2f)",
              VARIANTS.get(variant),
              ratios[variant][rounds / 2],
              ratios[variant][0],
              ratios[variant][rounds - 1]));
    }
  }

  private static double inProcess(String variant, int seconds)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (variant.equals("jdk")) {
      command.add("-Dio.netty.handler.ssl.noOpenSsl=true");
    }
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            TlsComparison.class.getName(),
            "run",
            variant,
            Integer.toString(seconds)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the run '" + variant + "' failed: " + out);
    }
    String last = out.strip().substring(out.strip().lastIndexOf('\n') + 1); // after what is logged
    return Double.parseDouble(last);
  }

  private static void runOnce(boolean clear, int seconds) throws Exception {
    PrintStream out = System.out;
    Path empty = Files.createTempDirectory("fdt-tls");
    try (FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readOnly("empty", empty))
            .build()) {
      server.start();
      TransferRate.measure(server, !clear, Duration.ofSeconds(WARM_UP_SECONDS));
      out.println(TransferRate.measure(server, !clear, Duration.ofSeconds(seconds)));
    } finally {
      Files.delete(empty);
    }
  }
}
