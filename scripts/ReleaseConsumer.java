import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Serves a directory and reads it back, with what was published. */
final class ReleaseConsumer {
  private ReleaseConsumer() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println(Path.of(URI.create("fdt://127.0.0.1/data")).toUri());
    Path data = Files.createTempDirectory("release-consumer-");
    Files.writeString(data.resolve("file"), "published");
    Path home = data.resolve("home");
    try (FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(home)
            .export(Export.readOnly("data", data))
            .build()) {
      server.start();
      URI uri = URI.create("fdt://127.0.0.1:" + server.address().getPort() + "/data/file");
      try (var fileSystem = FileSystems.newFileSystem(uri, Map.of("fdt.home", home))) {
        if (!Files.readString(Path.of(uri)).equals("published")) {
          throw new IllegalStateException("other bytes came back");
        }
      }
    }
  }
}
