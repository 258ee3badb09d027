package io.fdt.cli.command;

import io.fdt.cli.option.Surroundings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/** Files and an environment that a test has made up; any other file does not exist. */
record GivenSurroundings(Map<String, String> files, Map<String, String> environment)
    implements Surroundings {
  static final GivenSurroundings NONE = new GivenSurroundings(Map.of(), Map.of());

  @Override
  public byte[] read(String name) throws IOException {
    String content = files.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return content.getBytes(StandardCharsets.UTF_8);
  }
}
