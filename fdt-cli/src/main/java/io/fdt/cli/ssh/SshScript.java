package io.fdt.cli.ssh;

import io.fdt.cli.option.route.SshSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The command for any login shell, and the script that it reads from standard input. Neither has a
 * secret: others on that host can see the command.
 */
final class SshScript {
  /** The size of the script, padded with newlines, which a shell drops. */
  private static final int BYTES = 8192;

  /** The command for ssh: it reads exactly the script from standard input. */
  static final String COMMAND = "exec sh -c 'eval \"$(head -c " + BYTES + ")\"'";

  private static final int MARK_BYTES = 12;

  private SshScript() {}

  /** The random prefix of each line for this program, which marks it among other output. */
  static String newMark() {
    byte[] random = new byte[MARK_BYTES];
    new SecureRandom().nextBytes(random);
    return "fdt-" + HexFormat.of().formatHex(random);
  }

  /** A line of the script, by which an echo is recognized. */
  static String fits() {
    return "fits=" + SshVersion.own();
  }

  /** The script for one connection. */
  static byte[] text(String mark, Optional<OwnJar> jar, SshSettings settings) {
    String arguments =
        mark
            + (settings.port().isPresent() ? " --port " + settings.port().getAsInt() : "")
            + (settings.alwaysTunnels() ? " --loopback" : "");
    StringBuilder text = new StringBuilder();
    // In two pieces: an echo of the script does not have the mark.
    text.append("mark=").append(mark, 0, 8).append("''").append(mark.substring(8)).append('\n');
    text.append(fits()).append('\n');
    text.append("hash=").append(jar.map(OwnJar::sha256).orElse("")).append('\n');
    text.append("size=").append(jar.map(OwnJar::size).orElse(0L)).append('\n');
    text.append("arguments='").append(arguments).append("'\n");
    // As in JvmOptions: C1 starts quicker, C2 is for digests.
    String compiler = settings.computes() ? "" : "-XX:TieredStopAtLevel=1";
    text.append("compiler=").append(compiler).append('\n');
    text.append(resource());
    byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
    if (bytes.length > BYTES) {
      throw new IllegalStateException("the script has " + bytes.length + " bytes");
    }
    byte[] whole = Arrays.copyOf(bytes, BYTES);
    Arrays.fill(whole, bytes.length, BYTES, (byte) '\n');
    return whole;
  }

  private static String resource() {
    try (InputStream in = SshScript.class.getResourceAsStream("server.sh")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
