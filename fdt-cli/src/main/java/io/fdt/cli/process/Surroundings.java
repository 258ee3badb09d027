package io.fdt.cli.process;

import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/**
 * The environment of a command: files, variables, standard input and output, the time.
 *
 * <p>The command uses nothing else, so several commands can run in one JVM. Relative names are
 * those of {@link #workingDirectory}, which is also that of the operating system for the threads of
 * the command.
 */
public interface Surroundings {
  /**
   * All bytes of a file; "-" is standard input.
   *
   * @param name as {@link ByteText}
   */
  byte[] read(String name) throws IOException;

  /** The variables of the environment, by name. */
  Map<String, String> environment();

  /** The base of relative names; absolute. */
  Path workingDirectory();

  /** The home directory of the user. */
  String userHome();

  /** Standard input, whose reads can be interrupted. */
  InputStream input();

  /** Standard output, for bytes. */
  OutputStream output();

  /** The time of day. */
  Clock clock();
}
