package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** GridFTP's server and {@code globus-url-copy}, between anonymous users of this machine. */
final class Globus {
  private static final String USER = "nobody";
  private static final int DATA_NODES = 2;

  private Globus() {}

  /** A server and a client. */
  static Cost move(Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    int port = Tool.freePort();
    try (MeasuredProcess server = server(work, port)) {
      server.awaitPort(port);
      String from = "ftp://127.0.0.1:" + port + source + "/";
      return copy(work, ready, options(source), from, "file://" + destination + "/", server);
    }
  }

  /** Two servers and a client that directs them. */
  static Cost third(Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    int from = Tool.freePort();
    int to = Tool.freePort();
    allow(destination);
    try (MeasuredProcess sender = server(work, from);
        MeasuredProcess receiver = server(work, to)) {
      sender.awaitPort(from);
      receiver.awaitPort(to);
      String[] urls = urls(from, source, to, destination);
      return copy(work, ready, options(source), urls[0], urls[1], sender, receiver);
    }
  }

  /** Two servers with two data nodes each, and a client that directs them. */
  static Cost stripe(Path source, Path destination, Path work, Tool.Ready ready)
      throws IOException, InterruptedException {
    allow(destination);
    List<MeasuredProcess> started = new ArrayList<>();
    try {
      int from = striped(work, started);
      int to = striped(work, started);
      String[] urls = urls(from, source, to, destination);
      List<String> options = List.of("-stripe", "-p", "2", "-r", "-cd");
      return copy(work, ready, options, urls[0], urls[1], started.toArray(MeasuredProcess[]::new));
    } finally {
      started.forEach(MeasuredProcess::close);
    }
  }

  /** Starts a front end and its data nodes, adds them, and returns the port of the front end. */
  private static int striped(Path work, List<MeasuredProcess> started)
      throws IOException, InterruptedException {
    List<String> nodes = new ArrayList<>();
    for (int i = 0; i < DATA_NODES; i++) {
      int port = Tool.freePort();
      MeasuredProcess node = server(work, port, "-dn");
      started.add(node);
      node.awaitPort(port);
      nodes.add("127.0.0.1:" + port);
    }
    int port = Tool.freePort();
    MeasuredProcess front = server(work, port, "-r", String.join(",", nodes));
    started.add(front);
    front.awaitPort(port);
    return port;
  }

  private static MeasuredProcess server(Path work, int port, String... more) throws IOException {
    List<String> line = new ArrayList<>(List.of("globus-gridftp-server", "-c", "/dev/null"));
    line.addAll(List.of("-aa", "-anonymous-user", USER, "-hostname", "127.0.0.1"));
    line.addAll(List.of("-p", Integer.toString(port)));
    line.addAll(List.of(more));
    return MeasuredProcess.start(work, Map.of(), line);
  }

  /** Lets anonymous users write. */
  private static void allow(Path destination) throws IOException {
    Files.setOwner(
        destination,
        destination.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
  }

  private static String[] urls(int from, Path source, int to, Path destination) {
    return new String[] {
      "ftp://127.0.0.1:" + from + source + "/", "ftp://127.0.0.1:" + to + destination + "/"
    };
  }

  private static List<String> options(Path source) throws IOException {
    boolean one = Trees.size(source).files() == 1;
    return one
        ? List.of("-p", "4", "-bs", "1048576", "-r")
        : List.of("-cc", "4", "-fast", "-r", "-cd");
  }

  private static Cost copy(
      Path work,
      Tool.Ready ready,
      List<String> options,
      String from,
      String to,
      MeasuredProcess... servers)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("globus-url-copy"));
    line.addAll(options);
    line.addAll(List.of(from, to));
    ready.run();
    try (MeasuredProcess client = MeasuredProcess.start(work, Map.of(), line)) {
      Cost cost = client.end();
      for (MeasuredProcess server : servers) {
        cost = cost.with(server.stop());
      }
      return cost;
    }
  }
}
