package io.fdt.cli;

import com.sun.jna.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Files of this machine, whatever the bytes of their names and the locale. Any thread. */
final class SystemFiles implements FileContent {
  private static final int O_RDONLY = 0;

  @Override
  public byte[] read(String name) throws IOException {
    if (name.equals("-")) {
      return System.in.readAllBytes();
    }
    boolean ascii = name.chars().allMatch(c -> c < 0x80);
    return ascii ? Files.readAllBytes(Path.of(name)) : readByBytes(ByteText.encode(name), name);
  }

  /** In the POSIX locale java.nio.file has no path for such a name; the operating system has. */
  private static byte[] readByBytes(byte[] name, String shown) throws IOException {
    byte[] terminated = Arrays.copyOf(name, name.length + 1);
    int descriptor =
        Function.getFunction("c", "open").invokeInt(new Object[] {terminated, O_RDONLY});
    if (descriptor < 0) {
      throw new NoSuchFileException(shown);
    }
    try {
      return Files.readAllBytes(Path.of("/proc/self/fd/" + descriptor));
    } finally {
      Function.getFunction("c", "close").invokeInt(new Object[] {descriptor});
    }
  }
}
