package io.fdt.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;

/**
 * Surroundings for a command line that is read twice: files have the same content both times, and
 * so has standard input. Not thread-safe.
 */
public final class RepeatedSurroundings implements Surroundings {
  private final Surroundings once;
  private final Map<String, byte[]> contents = new HashMap<>();

  public RepeatedSurroundings(Surroundings once) {
    this.once = once;
  }

  @Override
  public byte[] read(String name) throws IOException {
    byte[] content = contents.get(name);
    if (content == null) {
      content = once.read(name);
      contents.put(name, content);
    }
    return content.clone();
  }

  @Override
  public Map<String, String> environment() {
    return once.environment();
  }

  @Override
  public Path workingDirectory() {
    return once.workingDirectory();
  }

  @Override
  public String userHome() {
    return once.userHome();
  }

  @Override
  public InputStream input() {
    return once.input();
  }

  @Override
  public OutputStream output() {
    return once.output();
  }

  @Override
  public Clock clock() {
    return once.clock();
  }
}
