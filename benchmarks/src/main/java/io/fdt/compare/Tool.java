package io.fdt.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A program that copies a tree from one directory into another, with its default settings.
 *
 * @param name in tables
 * @param program that must be on the PATH; empty when {@code run} needs none
 * @param install how to get it
 * @param run copies once
 */
record Tool(String name, String program, String install, Run run) {
  /** FDT: cold start, warm server, both warm, between two servers, and two striped servers. */
  static final List<String> OURS =
      List.of("fdt", "fdt-server", "fdt-warm", "fdt-3rd", "fdt-stripe");

  /** Transfers before the measured one that warm a server up. */
  private static final int BEFORE = 3;

  /**
   * One transfer of a dataset's directory; {@code destination} exists and is empty. The measured
   * time begins after {@code ready}, which is called when servers are running.
   */
  @FunctionalInterface
  interface Run {
    Cost move(Path source, Path destination, Path work, Ready ready)
        throws IOException, InterruptedException;
  }

  /** The last step before a run; it has no time limit. */
  @FunctionalInterface
  interface Ready {
    void run() throws InterruptedException;
  }

  /** Whether the tool can run here. */
  boolean installed() {
    if (program.isEmpty()) {
      return true;
    }
    if (program.startsWith("/")) {
      return Files.isReadable(Path.of(program));
    }
    for (String directory : System.getenv("PATH").split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  /** All tools of this comparison; {@code jar} is that of FDT. */
  static List<Tool> all(Path jar) {
    List<Tool> tools = new ArrayList<>();
    tools.add(
        new Tool("cp", "cp", "", (s, d, w, r) -> alone(w, r, "cp", "-r", s + "/.", d.toString())));
    tools.add(
        new Tool(
            "fdt",
            jar.toAbsolutePath().toString(),
            "make build",
            (s, d, w, r) -> fdt(jar, s, d, w, r)));
    tools.add(new Tool("fdt-server", "", "", (s, d, w, r) -> warmServer(jar, s, d, w, r)));
    tools.add(new Tool("fdt-warm", "", "", WarmTransfers::move));
    tools.add(
        new Tool(
            "tar",
            "tar",
            "",
            (s, d, w, r) ->
                alone(
                    w,
                    r,
                    "bash",
                    "-c",
                    "tar -C \"$0\" -cf - . | tar -C \"$1\" -xf -",
                    s + "",
                    d + "")));
    tools.add(new Tool("rsync", "rsync", "apt install rsync", Tool::rsync));
    tools.add(globus("globus", Globus::move));
    tools.add(new Tool("fdt-3rd", "", "", (s, d, w, r) -> TwoServers.third(jar, s, d, w, r)));
    tools.add(globus("globus-3rd", Globus::third));
    tools.add(new Tool("fdt-stripe", "", "", (s, d, w, r) -> TwoServers.stripe(jar, s, d, w, r)));
    tools.add(globus("globus-stripe", Globus::stripe));
    tools.add(new Tool("xrdcp", "xrdcp", "apt install xrootd-server xrootd-client", Tool::xrootd));
    tools.add(new Tool("rclone", "rclone", "apt install rclone", Tool::rclone));
    tools.add(wdt("wdt"));
    tools.add(wdt("wdt-crc", "-enable_checksum"));
    // Without a daemon: ssh would start the other end; here a second process does.
    tools.add(
        new Tool(
            "bbcp",
            "bbcp",
            "build https://github.com/eeertekin/bbcp",
            (s, d, w, r) ->
                alone(w, r, "bbcp", "-s", "4", "-T", "bbcp", "-r", s + "/", "127.0.0.1:" + d)));
    String original = System.getenv("FDT_ORIGINAL_JAR");
    tools.add(
        new Tool(
            "fdt-original",
            original == null ? "/FDT_ORIGINAL_JAR" : Path.of(original).toAbsolutePath().toString(),
            "set FDT_ORIGINAL_JAR to the jar of https://github.com/fast-data-transfer/fdt",
            (s, d, w, r) -> original(Path.of(original).toAbsolutePath(), s, d, w, r)));
    return List.copyOf(tools);
  }

  private static Tool globus(String name, Run run) {
    String packages = "globus-gridftp-server-progs globus-gass-copy-progs";
    return new Tool(name, "globus-url-copy", "apt install " + packages, run);
  }

  private static Cost alone(Path work, Ready ready, String... command)
      throws IOException, InterruptedException {
    ready.run();
    try (MeasuredProcess process = MeasuredProcess.start(work, Map.of(), List.of(command))) {
      return process.end();
    }
  }

  private static Cost client(
      MeasuredProcess server,
      Path work,
      Ready ready,
      Map<String, String> environment,
      String... command)
      throws IOException, InterruptedException {
    ready.run();
    try (MeasuredProcess client = MeasuredProcess.start(work, environment, List.of(command))) {
      Cost cost = client.end();
      return cost.with(server.stop());
    }
  }

  private static Cost fdt(Path jar, Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    try (OwnServer server = new OwnServer(jar, work, List.of("x=" + source))) {
      ready.run();
      Cost cost = pull(server, destination);
      return cost.with(server.stop());
    }
  }

  /** A new client of a server that has sent the same data before. */
  private static Cost warmServer(Path jar, Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    try (OwnServer server = new OwnServer(jar, work, List.of("x=" + source))) {
      Path copy = work.resolve("before");
      for (int i = 0; i < BEFORE; i++) {
        pull(server, Files.createDirectory(copy));
        Trees.delete(copy);
      }
      ready.run();
      double before = server.cpuSeconds();
      Cost cost = pull(server, destination);
      double used = server.cpuSeconds() - before;
      return cost.with(new Cost(0, used, server.stop().peakMegabytes()));
    }
  }

  private static Cost pull(OwnServer server, Path destination)
      throws IOException, InterruptedException {
    try (MeasuredProcess client =
        server.client("-r", "-pull", "-d", destination.toString(), "/x/")) {
      return client.end();
    }
  }

  private static Cost rsync(Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    int port = freePort();
    Path config = work.resolve("rsyncd.conf");
    Files.writeString(
        config,
        "use chroot = no\naddress = 127.0.0.1\nuid = root\ngid = root\n[x]\npath = %s\nread only = yes\n"
            .formatted(source));
    try (MeasuredProcess server =
        MeasuredProcess.start(
            work,
            Map.of(),
            List.of("rsync", "--daemon", "--no-detach", "--port=" + port, "--config=" + config))) {
      server.awaitPort(port);
      return client(
          server,
          work,
          ready,
          Map.of(),
          "rsync",
          "-a",
          "-W",
          "rsync://127.0.0.1:" + port + "/x/",
          destination + "/");
    }
  }

  private static Cost xrootd(Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    int port = freePort();
    Path home = Files.createDirectories(work.resolve("xrootd"));
    Path config = home.resolve("xrootd.cfg");
    Files.writeString(
        config,
        "all.export %s\nxrd.port %d\nall.adminpath %s\nall.pidpath %s\n"
            .formatted(source, port, home, home));
    own(home);
    List<String> line = new ArrayList<>(List.of("xrootd", "-c", config.toString()));
    if (System.getProperty("user.name").equals("root")) {
      line.addAll(List.of("-R", "nobody"));
    }
    try (MeasuredProcess server = MeasuredProcess.start(home, Map.of(), line)) {
      server.awaitPort(port);
      return client(
          server,
          work,
          ready,
          Map.of(),
          "xrdcp",
          "-f",
          "-r",
          "--parallel",
          "4",
          "-S",
          "4",
          "--nopbar",
          "root://127.0.0.1:" + port + "/" + source + "/",
          destination + "/");
    }
  }

  /** Makes xrootd's user the owner of the directory: xrootd refuses to run as root. */
  private static void own(Path directory) throws IOException, InterruptedException {
    if (System.getProperty("user.name").equals("root")) {
      new ProcessBuilder("chown", "-R", "nobody", directory.toString())
          .inheritIO()
          .start()
          .waitFor();
    }
  }

  private static Cost rclone(Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    int port = freePort();
    try (MeasuredProcess server =
        MeasuredProcess.start(
            work,
            Map.of(),
            List.of(
                "rclone",
                "serve",
                "webdav",
                "--read-only",
                "--addr",
                "127.0.0.1:" + port,
                source.toString()))) {
      server.awaitPort(port);
      return client(
          server,
          work,
          ready,
          Map.of("RCLONE_WEBDAV_URL", "http://127.0.0.1:" + port),
          "rclone",
          "copy",
          ":webdav:",
          destination.toString());
    }
  }

  private static Tool wdt(String name, String... options) {
    String build = "build https://github.com/facebook/wdt";
    return new Tool(name, "wdt", build, (s, d, w, r) -> wdt(s, d, w, r, List.of(options)));
  }

  private static Cost wdt(
      Path source, Path destination, Path work, Ready ready, List<String> options)
      throws IOException, InterruptedException {
    String port = Integer.toString(freePort());
    List<String> shared = new ArrayList<>(List.of("-start_port", port, "-num_ports", "4"));
    shared.addAll(List.of("-transfer_id", "compare", "-encryption_type", "none"));
    shared.addAll(options);
    List<String> receive = new ArrayList<>(List.of("wdt", "-directory", destination.toString()));
    receive.addAll(List.of("-hostname", "127.0.0.1", "-fsync=false"));
    receive.addAll(List.of("-max_accept_retries", "100000")); // memory is touched meanwhile
    receive.addAll(shared);
    List<String> send = new ArrayList<>(List.of("wdt", "-directory", source.toString()));
    send.addAll(List.of("-destination", "127.0.0.1"));
    send.addAll(shared);
    try (MeasuredProcess receiver = MeasuredProcess.start(work, Map.of(), receive)) {
      receiver.awaitPort(Integer.parseInt(port));
      ready.run();
      try (MeasuredProcess sender = MeasuredProcess.start(work, Map.of(), send)) {
        return sender.end().with(receiver.end());
      }
    }
  }

  private static Cost original(Path jar, Path source, Path destination, Path work, Ready ready)
      throws IOException, InterruptedException {
    int port = freePort();
    String home = "-Duser.home=" + Files.createDirectories(work.resolve("fdt-original"));
    List<String> data = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      data.add(Integer.toString(freePort()));
    }
    try (MeasuredProcess server =
        MeasuredProcess.start(
            work,
            Map.of(),
            List.of(
                "java",
                home,
                "-jar",
                jar.toString(),
                "-p",
                port + "",
                "-FDT_LISTEN",
                "127.0.0.1",
                "-tp",
                String.join(",", data),
                "-noupdates"))) {
      server.awaitPort(port);
      return client(
          server,
          work,
          ready,
          Map.of(),
          "java",
          home,
          "-jar",
          jar.toString(),
          "-c",
          "127.0.0.1",
          "-p",
          port + "",
          "-noupdates",
          "-r",
          "-P",
          "4",
          "-d",
          destination.toString(),
          source.toString());
    }
  }

  /** A port that was free a moment ago. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
