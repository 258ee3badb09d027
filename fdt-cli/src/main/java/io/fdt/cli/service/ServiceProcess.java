package io.fdt.cli.service;

import io.fdt.cli.process.ProcessImage;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Turns this process into the transfer service, which has its own jar: process number and terminal
 * stay the same, and no second JVM waits.
 *
 * @param words the options of the service
 */
record ServiceProcess(List<String> words) implements Command {
  private static final String NAME = "fdt-service.jar";
  private static final String VARIABLE = "FDT_SERVICE_JAR";

  /**
   * The heap limit, which also bounds the buffers of eight concurrent transfers on this machine.
   */
  private static final String MEMORY = "-Xmx1g";

  @Override
  public int run(CommandContext context) throws FdtException {
    Path jar = find(context);
    List<String> options =
        Stream.concat(Stream.of("-XX:+UseSerialGC", MEMORY, "-jar", jar.toString()), words.stream())
            .toList();
    boolean unused = context.screen().flush();
    try {
      if (!ProcessImage.canReplace()) {
        return child(options);
      }
      ProcessImage.replace(
          Stream.concat(Stream.of("java"), options.stream()).map(ByteText::encode).toList());
    } catch (IOException | LinkageError e) {
      throw new FdtException(ErrorCode.INTERNAL, "the service cannot be started: " + e, e);
    }
    throw new FdtException(
        ErrorCode.INTERNAL, "the service cannot be started; run: java -jar " + jar);
  }

  private static int child(List<String> options) throws IOException {
    List<String> command = Stream.concat(Stream.of(ProcessImage.java()), options.stream()).toList();
    Process child = new ProcessBuilder(command).inheritIO().start();
    Runtime.getRuntime().addShutdownHook(new Thread(child::destroy, "fdt-service-end"));
    return child.onExit().join().exitValue();
  }

  private static Path find(CommandContext context) throws FdtException {
    String given = context.environment().getOrDefault(VARIABLE, "");
    Path jar = given.isEmpty() ? beside() : Path.of(given).toAbsolutePath();
    if (jar == null || !Files.isRegularFile(jar)) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "the transfer service is not installed: put %s beside fdt.jar, or name it with %s%s"
              .formatted(NAME, VARIABLE, jar == null ? "" : " (not there: " + jar + ")"));
    }
    return jar;
  }

  private static Path beside() {
    try {
      Path own = ProcessImage.jar();
      return own == null ? null : own.resolveSibling(NAME);
    } catch (IOException | URISyntaxException e) {
      return null;
    }
  }
}
