package io.fdt.cli.process;

import com.sun.jna.Function;
import com.sun.jna.Native;
import io.fdt.client.ClientHome;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.PathStyle;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Map;

/** The environment, streams and files of this process, in any locale. Any thread. */
public final class ProcessSurroundings implements Surroundings {
  private static final int O_RDONLY = 0;
  private static final int ENOENT = 2;
  private static final int EACCES = 13;

  @Override
  public byte[] read(String name) throws IOException {
    return name.equals("-") ? System.in.readAllBytes() : readFile(name);
  }

  @Override
  public Map<String, String> environment() {
    return System.getenv();
  }

  @Override
  public Path workingDirectory() {
    return Path.of("").toAbsolutePath();
  }

  @Override
  public String userHome() {
    return ClientHome.ofUser(System.getenv(), System.getProperty("user.home"));
  }

  @Override
  public InputStream input() {
    return Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel());
  }

  @Override
  public OutputStream output() {
    return new FileOutputStream(FileDescriptor.out);
  }

  @Override
  public Clock clock() {
    return Clock.systemUTC();
  }

  /** All bytes of a file; a relative name is in the working directory of this thread. */
  private static byte[] readFile(String name) throws IOException {
    boolean ascii = BytePath.STYLE == PathStyle.WINDOWS || name.chars().allMatch(c -> c < 0x80);
    return ascii ? Files.readAllBytes(Path.of(name)) : readByBytes(ByteText.encode(name), name);
  }

  /** Opens a name that java.nio.file cannot represent in the POSIX locale. */
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
