package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import io.fdt.service.store.Endpoint;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * This machine as an endpoint: a server in the process of the service, on a loopback port, that
 * exposes the file system. Only the service has its token. Any thread.
 */
public final class LocalServer implements AutoCloseable {
  private static final int MOST_TASKS = 8;

  private final FdtServer server;
  private final String id;
  private final String owner;
  private final Path defaultPath;

  private LocalServer(FdtServer server, String id, String owner, Path defaultPath) {
    this.server = server;
    this.id = id;
    this.owner = owner;
    this.defaultPath = defaultPath;
  }

  /**
   * Starts the server.
   *
   * @param home for its key and its token
   * @param id of the endpoint
   * @param owner the only user of the service who may use it
   * @param defaultPath the base of relative paths
   * @param dialTo the allowed addresses; empty for the default
   */
  public static LocalServer start(
      Path home, String id, String owner, Path defaultPath, List<String> dialTo)
      throws FdtException {
    FdtServerBuilder builder =
        FdtServer.builder()
            .allowSharedExports(true)
            .bind("127.0.0.1")
            .port(0)
            .trustOwnProcess(false)
            .home(home);
    for (Path root : FileSystems.getDefault().getRootDirectories()) {
      if (Files.isDirectory(root)) {
        builder.export(new Export(nameOf(root), BytePath.of(root), Export.Access.READ_WRITE));
      }
    }
    if (!dialTo.isEmpty()) {
      builder.dialTo(dialTo);
    }
    FdtServer server = builder.build();
    boolean isGood = false;
    try {
      server.start();
      isGood = true;
      return new LocalServer(server, id, owner, defaultPath);
    } finally {
      if (!isGood) {
        server.close();
      }
    }
  }

  /** Null for the only root; on Windows a drive is a name beneath the root: /C:/data. */
  private static FileName nameOf(Path root) {
    String drive = BytePath.of(root).toString().replace("/", "");
    return drive.isEmpty() ? null : FileName.of(drive);
  }

  /** The endpoint; its port changes with each start of the service. */
  public Endpoint endpoint() {
    return new Endpoint(
        id,
        owner,
        Endpoint.LOCAL,
        server.address().getAddress().getHostAddress(),
        server.address().getPort(),
        server.fingerprint(),
        "",
        BytePath.of(defaultPath).toString(),
        MOST_TASKS,
        0,
        1,
        Endpoint.Health.UNKNOWN);
  }

  /** The server's token for the service; a secret. */
  String token() {
    return server.localToken();
  }

  @Override
  public void close() {
    server.close();
  }
}
