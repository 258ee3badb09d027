package io.fdt.cli.option;

import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.util.Map;

/** What a command line may refer to: files, and variables of the environment. */
public interface Surroundings {
  /**
   * All bytes of a file; "-" is standard input.
   *
   * @param name as {@link ByteText}
   */
  byte[] read(String name) throws IOException;

  /** The variables of the environment, by name. */
  Map<String, String> environment();
}
