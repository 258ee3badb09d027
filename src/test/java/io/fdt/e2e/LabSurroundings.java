package io.fdt.e2e;

import io.fdt.cli.process.Surroundings;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/** What a command of a test may refer to. Any thread. */
public record LabSurroundings(
    Path workingDirectory, Map<String, String> environment, InputStream input, OutputStream output)
    implements Surroundings {
  @Override
  public byte[] read(String name) throws IOException {
    String path = new String(ByteText.encode(name), StandardCharsets.UTF_8);
    return name.equals("-")
        ? input.readAllBytes()
        : Files.readAllBytes(workingDirectory.resolve(path));
  }

  @Override
  public String userHome() {
    return "/nowhere";
  }

  @Override
  public Clock clock() {
    return Clock.systemUTC();
  }
}
