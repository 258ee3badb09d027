package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** Extended attributes of files, by the C library's own functions; links are not followed. */
public final class Xattrs {
  private static final int ROOM = 64 << 10;

  private Xattrs() {}

  public static void set(Path file, String name, byte[] value) {
    long result = call("lsetxattr", bytes(file), name, value, (long) value.length, 0);
    assertThat(result).as("setting %s of %s", name, file).isZero();
  }

  /** Names and values in hexadecimal digits; those that the system sets by itself are left out. */
  public static Map<String, String> of(Path file) {
    return of(bytes(file));
  }

  /** The same of a path that need not be text, with a NUL at its end. */
  public static Map<String, String> of(byte[] path) {
    Map<String, String> all = new TreeMap<>();
    try (Memory memory = new Memory(ROOM)) {
      long length = call("llistxattr", path, memory, (long) ROOM);
      assertThat(length)
          .as("listing the attributes of %s", new String(path, StandardCharsets.ISO_8859_1))
          .isNotNegative();
      byte[] list = memory.getByteArray(0, (int) length);
      String names = new String(list, StandardCharsets.ISO_8859_1);
      for (String name : names.isEmpty() ? new String[0] : names.split("\0")) {
        if (!name.startsWith("security.")) {
          long bytes = call("lgetxattr", path, name, memory, (long) ROOM);
          assertThat(bytes).as(name).isNotNegative();
          all.put(name, HexFormat.of().formatHex(memory.getByteArray(0, (int) bytes)));
        }
      }
    }
    return all;
  }

  private static byte[] bytes(Path file) {
    byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(path, path.length + 1);
  }

  private static long call(String function, Object... arguments) {
    return NativeLibrary.getProcess().getFunction(function).invokeLong(arguments);
  }
}
