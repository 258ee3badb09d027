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
 * What a far side runs: a command that any login shell understands, and the script that this
 * command takes from standard input. Nothing in either is secret: others on that host can see the
 * command.
 */
final class SshScript {
  /** The script with the newlines behind it; a shell drops those. */
  private static final int BYTES = 8192;

  /** What ssh is told to run: it takes exactly the script from standard input. */
  static final String COMMAND = "exec sh -c 'eval \"$(head -c " + BYTES + ")\"'";

  private static final int MARK_BYTES = 12;

  private SshScript() {}

  /** What begins each line that is for this program: what else a host prints has none of it. */
  static String newMark() {
    byte[] random = new byte[MARK_BYTES];
    new SecureRandom().nextBytes(random);
    return "fdt-" + HexFormat.of().formatHex(random);
  }

  /** A line of the script, by which it is known. */
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
    // In two pieces: whoever sends the script back has not run it.
    text.append("mark=").append(mark, 0, 8).append("''").append(mark.substring(8)).append('\n');
    text.append(fits()).append('\n');
    text.append("hash=").append(jar.map(OwnJar::sha256).orElse("")).append('\n');
    text.append("size=").append(jar.map(OwnJar::size).orElse(0L)).append('\n');
    text.append("arguments='").append(arguments).append("'\n");
    // As JvmOptions has it: the first compiler starts quicker, the second one is for digests.
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
