package io.fdt.nio;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a server in this JVM. */
class FdtFileSystemTest extends FileSystemContract {
  @TempDir Path home;

  private FdtServer server;
  private FileSystem fileSystem;

  @BeforeEach
  void serve() throws Exception {
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(home.resolve("server"))
            .export(Export.readWrite("data", disk))
            .build();
    server.start();
    URI uri = URI.create("fdt://127.0.0.1:" + server.address().getPort() + "/");
    fileSystem = FileSystems.newFileSystem(uri, Map.of("fdt.home", home.resolve("client")));
  }

  @AfterEach
  void stop() throws Exception {
    fileSystem.close();
    server.close();
  }

  @Override
  Path root() {
    return Path.of(URI.create(fileSystem + "data"));
  }
}
