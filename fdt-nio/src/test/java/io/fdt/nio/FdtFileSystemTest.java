package io.fdt.nio;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a server in this JVM: one for all, as each has a pool of memory of its own. */
class FdtFileSystemTest extends FileSystemContract {
  @TempDir static Path base;
  @TempDir static Path home;

  private static FdtServer server;
  private static FileSystem fileSystem;

  @BeforeAll
  static void serve() throws Exception {
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(home.resolve("server"))
            .export(Export.readWrite("data", base))
            .build();
    server.start();
    URI uri = URI.create("fdt://127.0.0.1:" + server.address().getPort() + "/");
    fileSystem = FileSystems.newFileSystem(uri, Map.of("fdt.home", home.resolve("client")));
  }

  @AfterAll
  static void stop() throws Exception {
    fileSystem.close();
    server.close();
  }

  @Override
  Path base() {
    return base;
  }

  @Override
  Path root() {
    return Path.of(URI.create(fileSystem + "data/" + disk.getFileName()));
  }
}
