package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An OpenSSH server on a port of its own, with keys and a configuration of its own, which lets in
 * the user who runs the tests; and an {@code ssh} in front of the PATH that knows it. One for a
 * class of tests: what differs between tests belongs to the key by which they log in.
 */
public final class Sshd implements BeforeAllCallback, AfterAllCallback {
  private static final Path SSHD = Path.of("/usr/sbin/sshd");
  private static final Path RUN = Path.of("/run/sshd");

  private Path directory;
  private Process process;
  private int port;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    assumeTrue(Files.isExecutable(SSHD), "not installed: sshd");
    directory = Files.createTempDirectory("fdt-sshd-");
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    if (Nobody.isRoot()) {
      Files.createDirectories(RUN);
    }
    Shell.run(directory, "ssh-keygen -q -t ed25519 -N '' -f host; : > authorized; mkdir bin");
    write(
        "sshd_config",
        """
        Port %d
        ListenAddress 127.0.0.1
        HostKey %s/host
        AuthorizedKeysFile %<s/authorized
        PidFile none
        StrictModes no
        UsePAM no
        PermitRootLogin yes
        PasswordAuthentication no
        KbdInteractiveAuthentication no
        PermitUserEnvironment yes
        LogLevel ERROR
        """
            .formatted(port, directory));
    write(
        "ssh_config",
        """
        Host *
          UserKnownHostsFile %s/known
          GlobalKnownHostsFile none
          IdentitiesOnly yes
          IdentityAgent none
          BatchMode yes
          LogLevel ERROR
        """
            .formatted(directory));
    write(
        "known",
        "[127.0.0.1]:" + port + " " + Files.readString(directory.resolve("host.pub")) + "\n");
    write(
        "bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F '%s/ssh_config' \"$@\"\n".formatted(directory));
    Shell.run(directory, "chmod 755 bin/ssh");
    process =
        new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", directory + "/sshd_config")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    awaitPort();
  }

  private void awaitPort() throws IOException {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        pause();
      }
    }
    throw new IOException("sshd does not start: " + Files.readString(directory.resolve("log")));
  }

  private static void pause() {
    try {
      Thread.sleep(25);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * A host to log in to, for ssh.
   *
   * @param name of the host, and of the key by which one logs in
   * @param options of the key, as in authorized_keys; may be empty
   * @param client more lines of ssh's configuration for the host
   */
  public void host(String name, String options, String... client) {
    Shell.run(directory, "ssh-keygen -q -t ed25519 -N '' -C '' -f '%s'".formatted(name));
    try {
      String key = Files.readString(directory.resolve(name + ".pub"));
      append("authorized", (options.isEmpty() ? "" : options + " ") + key);
      append(
          "ssh_config",
          """
          Host %s
            HostName 127.0.0.1
            Port %d
            IdentityFile %s/%1$s
          """
                  .formatted(name, port, directory)
              + Stream.of(client).map(line -> "  " + line + "\n").reduce("", String::concat));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a command {@code fdt} for hosts; the result is their option that puts it in the PATH. */
  public String install() throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin-of-hosts"));
    Path jar = Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
    write(
        "bin-of-hosts/fdt",
        """
        #!/bin/sh
        # Knows ssh-end.
        exec java @%s/fdt.jvm -XX:TieredStopAtLevel=1 -jar %s "$@"
        """
            .formatted(jar.getParent(), jar));
    Shell.run(bin, "chmod 755 fdt");
    return "environment=\"PATH=" + bin + ":" + System.getenv("PATH") + "\"";
  }

  /** Where it listens. */
  public int port() {
    return port;
  }

  /** The command that stands for ssh. */
  public Path command() {
    return directory.resolve("bin/ssh");
  }

  /** A PATH by which its hosts are known. */
  public String path() {
    return directory.resolve("bin") + ":" + System.getenv("PATH");
  }

  /** The command by which ssh comes here without a key. */
  public String refusedCommand() {
    return "/usr/bin/ssh -F /dev/null -o BatchMode=yes -o UserKnownHostsFile=%s/known -p %d"
        .formatted(directory, port);
  }

  /** The file of a key. */
  public Path key(String name) {
    return directory.resolve(name);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text, StandardCharsets.UTF_8);
  }

  private void append(String name, String text) throws IOException {
    Files.writeString(
        directory.resolve(name), text, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (process == null) {
      return;
    }
    process.destroy();
    try {
      assertThat(process.waitFor()).as("sshd ended").isNotNegative();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Shell.run(Path.of("/"), "rm -rf '" + directory + "'");
  }
}
