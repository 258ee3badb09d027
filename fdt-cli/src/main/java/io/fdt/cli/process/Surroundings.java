package io.fdt.cli.process;

import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/**
 * What a command line may refer to: files, variables of the environment, standard input and output,
 * the time.
 *
 * <p>The command asks here and nowhere else, so that several commands can run in one JVM, each in
 * surroundings of its own. Relative names are those of {@link #workingDirectory}, which is also
 * that of the operating system for the threads of the command.
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

  /** Where relative names begin; absolute. */
  Path workingDirectory();

  /** The home directory of the user. */
  String userHome();

  /** Standard input, in a form that a thread which waits for it can be woken from. */
  InputStream input();

  /** Standard output, for bytes. */
  OutputStream output();

  /** The time of day. */
  Clock clock();
}
