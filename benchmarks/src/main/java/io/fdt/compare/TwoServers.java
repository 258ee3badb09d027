package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** An FDT copy between two servers. */
final class TwoServers {
  private static final Duration JOIN = Duration.ofMinutes(1);
  private static final Pattern TOKEN = Pattern.compile("fdt_[A-Za-z0-9_-]+");

  private TwoServers() {}

  /** One machine on each side. */
  static Cost third(Path jar, Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    try (OwnServer from = server(jar, work, "from", "x=" + source);
        OwnServer to = server(jar, work, "to", "x=" + destination + ":rw")) {
      return copy(from, to, ready).with(from.stop()).with(to.stop());
    }
  }

  /** A front end and a data node on each side. */
  static Cost stripe(Path jar, Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    try (OwnServer from = server(jar, work, "from", "x=" + source);
        OwnServer fromNode = join(jar, work, "from-node", "x=" + source, from);
        OwnServer to = server(jar, work, "to", "x=" + destination + ":rw");
        OwnServer toNode = join(jar, work, "to-node", "x=" + destination + ":rw", to)) {
      return copy(from, to, ready)
          .with(from.stop())
          .with(fromNode.stop())
          .with(to.stop())
          .with(toNode.stop());
    }
  }

  private static Cost copy(OwnServer from, OwnServer to, Tool.Ready ready)
      throws IOException, InterruptedException {
    ready.run();
    try (MeasuredProcess client =
        to.command(
            "copy",
            "-r",
            "--accept-new",
            "--source-token-file",
            from.token().toString(),
            "--token-file",
            to.token().toString(),
            from.url() + "/x/",
            to.url() + "/x/")) {
      return client.end();
    }
  }

  private static OwnServer server(Path jar, Path work, String name, String export, String... more)
      throws IOException, InterruptedException {
    Path home = Files.createDirectories(work.resolve(name));
    return new OwnServer(jar, home, OwnServer.Place.LOOPBACK, List.of(export), more);
  }

  private static OwnServer join(Path jar, Path work, String name, String export, OwnServer front)
      throws IOException, InterruptedException {
    Path token = work.resolve(name + ".token");
    try (MeasuredProcess create = front.command("token", "create", name, "--data-node")) {
      create.end();
      Files.writeString(token, OwnServer.first(TOKEN, create.output()));
    }
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    String address = front.url() + "?fingerprint=" + front.fingerprint();
    OwnServer node =
        server(jar, work, name, export, "--join", address, "--join-token-file", token.toString());
    front.awaitOutput("data node joined", JOIN);
    return node;
  }
}
