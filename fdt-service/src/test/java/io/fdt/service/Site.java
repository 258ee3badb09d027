package io.fdt.service;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.json.Json;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedTokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Two servers, each with an export, and a home for a service, in one directory of a test. */
final class Site {
  static final int MIB = 1 << 20;

  final Path root;
  final Path data;
  final Path incoming;
  private final List<AutoCloseable> open = new ArrayList<>();
  private FdtServer from;
  private FdtServer to;

  Site(Path root) throws Exception {
    this.root = root;
    data = Files.createDirectories(root.resolve("data"));
    incoming = Files.createDirectories(root.resolve("incoming"));
    from = serve("a", Export.readOnly("data", data), 0);
    to = serve("b", Export.readWrite("inc", incoming), 0);
  }

  private FdtServer serve(String home, Export export, int port) throws FdtException {
    FdtServer server =
        FdtServer.builder()
            .export(export)
            .bind("127.0.0.1")
            .port(port)
            .trustOwnProcess(false)
            .home(root.resolve(home))
            .build();
    open.add(server);
    server.start();
    return server;
  }

  /** Ends the destination's server; the result is its port. */
  int stopDestination() {
    int port = to.address().getPort();
    to.close();
    return port;
  }

  void startDestination(int port) throws FdtException {
    to = serve("b", Export.readWrite("inc", incoming), port);
  }

  FdtServer source() {
    return from;
  }

  FdtServer destination() {
    return to;
  }

  /** A token for the server of a home of this site: for all exports, or for some. */
  String token(String home, String name, FileName... exports) throws FdtException {
    return NamedTokens.ofHome(root.resolve(home))
        .create(
            new Grant(
                name,
                Instant.now(),
                Optional.empty(),
                false,
                Set.of(exports),
                List.of(),
                true,
                false,
                RelayGrant.UNLIMITED));
  }

  /** What adds an endpoint for a server. */
  static Map<String, Object> endpoint(String name, FdtServer server) {
    return new LinkedHashMap<>(
        Map.of(
            "name",
            name,
            "address",
            "127.0.0.1:" + server.address().getPort(),
            "fingerprint",
            server.fingerprint(),
            "token",
            server.localToken()));
  }

  /** Requests say by X-Forwarded-For from where they come. */
  ServiceOptions options() throws FdtException {
    return ServiceOptions.parse(
        List.of("--port", "0", "--proxy", "127.0.0.1"), Map.of(), root.resolve("fdt"));
  }

  TransferService service() throws FdtException {
    return service(Clock.systemUTC());
  }

  /** A service on a machine with this clock. */
  TransferService service(Clock clock) throws FdtException {
    TransferService service = TransferService.start(options(), "tester", root, clock);
    open.add(0, service);
    return service;
  }

  /** A client with the token of the command. */
  Rest rest(String url) throws Exception {
    return new Rest(url, commandToken());
  }

  String commandToken() throws Exception {
    return commandToken(root.resolve("fdt"));
  }

  /** The token of the command of a home. */
  static String commandToken(Path fdtHome) throws Exception {
    String contact = Files.readString(fdtHome.resolve("service/service.json"));
    return (String) Json.parseObject(contact).get("token");
  }

  /** Changes the database behind the back of its service. */
  int sql(String statement) throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + root.resolve("fdt/service/service.db"));
        Statement one = connection.createStatement()) {
      return one.executeUpdate(statement);
    }
  }

  /** A number in the database. */
  long number(String query) throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + root.resolve("fdt/service/service.db"));
        Statement one = connection.createStatement();
        ResultSet row = one.executeQuery(query)) {
      return row.getLong(1);
    }
  }

  /** Adds both servers as the endpoints a and b. */
  void addEndpoints(Rest rest) throws Exception {
    rest.post("/api/v1/endpoints", endpoint("a", from)).expect(201);
    rest.post("/api/v1/endpoints", endpoint("b", to)).expect(201);
  }

  /** Writes a file of random bytes beneath the source. */
  void write(String name, int bytes, long seed) {
    try {
      byte[] content = new byte[bytes];
      new Random(seed).nextBytes(content);
      Path file = data.resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A transfer of everything beneath /data/run to b. */
  static Map<String, Object> transfer() {
    Map<String, Object> task = new LinkedHashMap<>();
    task.put("source_endpoint", "a");
    task.put("source_paths", List.of("/data/run"));
    task.put("destination_endpoint", "b");
    task.put("destination_path", "/inc");
    task.put("options", Map.of("recursive", true));
    return task;
  }

  /** The same, in two to eight seconds for 16 MiB. */
  static Map<String, Object> slow() {
    return slow(4L * MIB);
  }

  /** The same of a test that does something in the middle, and must not come too late. */
  static Map<String, Object> slow(long bytesPerSecond) {
    Map<String, Object> task = transfer();
    task.put("limit", bytesPerSecond);
    return task;
  }

  /** Ends services and servers. */
  void close() throws Exception {
    for (AutoCloseable part : open) {
      part.close();
    }
  }
}
