package io.fdt.cli;

import com.sun.jna.Function;
import com.sun.jna.Native;
import io.fdt.cli.option.Surroundings;
import io.fdt.core.model.ByteText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * The environment of this process and the files of this machine, whatever the bytes of their names
 * and the locale. Any thread.
 */
final class ProcessSurroundings implements Surroundings {
  private static final int O_RDONLY = 0;
  private static final int ENOENT = 2;
  private static final int EACCES = 13;

  @Override
  public byte[] read(String name) throws IOException {
    if (name.equals("-")) {
      return System.in.readAllBytes();
    }
    boolean ascii = name.chars().allMatch(c -> c < 0x80);
    return ascii ? Files.readAllBytes(Path.of(name)) : readByBytes(ByteText.encode(name), name);
  }

  @Override
  public Map<String, String> environment() {
    return System.getenv();
  }

  /** In the POSIX locale java.nio.file has no path for such a name; the operating system has. */
  private static byte[] readByBytes(byte[] name, String shown) throws IOException {
    byte[] terminated = Arrays.copyOf(name, name.length + 1);
    int descriptor =
        Function.getFunction("c", "open").invokeInt(new Object[] {terminated, O_RDONLY});
    if (descriptor < 0) {
      throw failure(Native.getLastError(), shown);
    }
    try {
      return Files.readAllBytes(Path.of("/proc/self/fd/" + descriptor));
    } finally {
      Function.getFunction("c", "close").invokeInt(new Object[] {descriptor});
    }
  }

  private static IOException failure(int errorNumber, String shown) {
    return switch (errorNumber) {
      case ENOENT -> new NoSuchFileException(shown);
      case EACCES -> new AccessDeniedException(shown);
      default -> new IOException("error " + errorNumber + " of the operating system");
    };
  }
}
