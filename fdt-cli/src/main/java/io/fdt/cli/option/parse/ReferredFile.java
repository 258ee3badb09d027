package io.fdt.cli.option.parse;

import io.fdt.cli.process.Surroundings;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Reads a file that a command line refers to. */
public final class ReferredFile {
  private ReferredFile() {}

  /**
   * The bytes of a file that an option names.
   *
   * @param what the option with its value, for messages
   */
  public static byte[] read(String what, String name, Surroundings surroundings)
      throws UsageException {
    try {
      return surroundings.read(name);
    } catch (NoSuchFileException e) {
      throw new UsageException(what + ": no such file");
    } catch (AccessDeniedException e) {
      throw new UsageException(what + ": permission denied");
    } catch (IOException e) {
      throw new UsageException(what + ": cannot be read: " + IoReason.of(e));
    }
  }
}
