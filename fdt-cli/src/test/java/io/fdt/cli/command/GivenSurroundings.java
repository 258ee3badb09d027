package io.fdt.cli.command;

import io.fdt.cli.process.Surroundings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/**
 * Files and an environment that a test has made up; any other file does not exist. Standard input
 * is empty, and what is written to standard output is lost.
 */
public record GivenSurroundings(Map<String, String> files, Map<String, String> environment)
    implements Surroundings {
  public static final GivenSurroundings NONE = new GivenSurroundings(Map.of(), Map.of());

  @Override
  public byte[] read(String name) throws IOException {
    String content = files.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return content.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Path workingDirectory() {
    return Path.of("").toAbsolutePath();
  }

  @Override
  public String userHome() {
    return "/nowhere";
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
