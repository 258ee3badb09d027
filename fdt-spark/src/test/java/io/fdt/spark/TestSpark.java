package io.fdt.spark;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/** The one session of this JVM, servers, and what a driver has around it. */
final class TestSpark {
  private static SparkSession session;

  private TestSpark() {}

  /** Two executors' threads, four attempts at a task, a page. */
  static synchronized SparkSession session() {
    if (session == null) {
      session =
          SparkSession.builder()
              .master("local[2,4]")
              .appName("test")
              .config("spark.ui.port", "0")
              .config("spark.ui.showConsoleProgress", "false")
              .config("spark.driver.host", "127.0.0.1")
              .config("spark.driver.bindAddress", "127.0.0.1")
              .config("spark.sql.warehouse.dir", "target/warehouse")
              .getOrCreate();
    }
    return session;
  }

  static FdtServerBuilder server(Path home) {
    return FdtServer.builder().port(0).bind("127.0.0.1").home(home);
  }

  /** A server of this process, which clients of this process trust. */
  static FdtServer serve(Path home, Export... exports) throws Exception {
    FdtServerBuilder builder = server(home).dialTo(List.of("127.0.0.0/8"));
    for (Export export : exports) {
      builder.export(export);
    }
    FdtServer server = builder.build();
    server.start();
    return server;
  }

  static String url(FdtServer server, String path) {
    return "fdt://127.0.0.1:" + server.address().getPort() + path;
  }

  /** A driver with this home and working directory; what it says is in the streams. */
  static CommandContext driver(
      Path directory, ByteArrayOutputStream out, ByteArrayOutputStream err) {
    return new CommandContext(
        new Driver(directory), new Screen(out, err, false), ExitHooks.OF_PROCESS);
  }

  static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  private record Driver(Path workingDirectory) implements Surroundings {
    @Override
    public byte[] read(String name) throws IOException {
      return Files.readAllBytes(workingDirectory.resolve(name));
    }

    @Override
    public Map<String, String> environment() {
      return Map.of("FDT_HOME", workingDirectory.resolve("home").toString());
    }

    @Override
    public String userHome() {
      return workingDirectory.toString();
    }

    @Override
    public InputStream input() {
      return InputStream.nullInputStream();
    }

    @Override
    public OutputStream output() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public Clock clock() {
      return Clock.systemUTC();
    }
  }
}
