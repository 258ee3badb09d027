package io.fdt.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fdt.client.ClientHome;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/** The main class of {@code fdt service}. */
public final class ServiceMain {
  private ServiceMain() {}

  /** Runs the service until the process is terminated. */
  public static void main(String[] arguments) {
    log();
    System.exit(run(List.of(arguments)));
  }

  /** Logs to standard error, in the format of a server's log; of libraries only warnings. */
  private static void log() {
    if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      root.detachAndStopAllAppenders();
      LogLines lines = new LogLines();
      lines.setContext(root.getLoggerContext());
      lines.start();
      root.addAppender(lines);
      root.setLevel(Level.WARN);
      ((Logger) LoggerFactory.getLogger("io.fdt.service")).setLevel(Level.INFO);
    }
  }

  private static int run(List<String> arguments) {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      System.out.println("usage: " + ServiceOptions.USAGE);
      System.out.println("       fdt service link|audit|users");
      System.out.println("the options in words: fdt service --help, docs/SERVICE.md");
      return 0;
    }
    try {
      Path userHome = Path.of(ClientHome.ofUser(System.getenv(), System.getProperty("user.home")));
      ServiceOptions options =
          ServiceOptions.parse(arguments, System.getenv(), fdtHome(System.getenv(), userHome));
      CountDownLatch end = new CountDownLatch(1);
      TransferService service =
          TransferService.start(options, System.getProperty("user.name"), userHome);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    service.close();
                    end.countDown();
                    // A signal is the normal end: exits with 0, not with the JVM's status 143.
                    Runtime.getRuntime().halt(0);
                  },
                  "fdt-service-end"));
      System.out.println("sign in once, within 15 minutes: " + service.signInLink());
      System.out.println("another link: fdt service link");
      System.out.println("READY url=" + service.url());
      System.out.flush();
      end.await();
      return 0;
    } catch (FdtException e) {
      System.err.println("fdt: service: " + e.getMessage());
      return e.code().exitStatus();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /** FDT_HOME, or fdt in the user's configuration directory, as for the command. */
  static Path fdtHome(Map<String, String> environment, Path userHome) {
    String home = environment.getOrDefault("FDT_HOME", "");
    if (!home.isEmpty()) {
      return Path.of(home).toAbsolutePath();
    }
    String configuration = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path base =
        configuration.startsWith("/") ? Path.of(configuration) : userHome.resolve(".config");
    return base.resolve("fdt");
  }
}
