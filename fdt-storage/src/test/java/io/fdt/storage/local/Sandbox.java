package io.fdt.storage.local;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A temporary directory of one test, in which names are bytes. Confined to the test. */
public final class Sandbox implements AutoCloseable {
  private static final int UNPRIVILEGED = 65534;

  private final Path path = Files.createTempDirectory("fdt-storage");

  static {
    Native.register(Sandbox.class, NativeLibrary.getProcess());
  }

  public Sandbox() throws IOException {}

  /** Changes the user of this thread's file operations; returns the previous one. */
  private static native int setfsuid(int user);

  private static native int mkfifo(String path, int mode);

  /** Work as an unprivileged user. */
  public interface Work {
    void run() throws Exception;
  }

  /** Runs work as an unprivileged user, so that permissions count. */
  public static void asOrdinaryUser(Work work) throws Exception {
    int before = setfsuid(UNPRIVILEGED);
    try {
      work.run();
    } finally {
      setfsuid(before);
    }
  }

  public Path path() {
    return path;
  }

  public Path path(String relative) {
    return path.resolve(relative);
  }

  public BytePath bytePath(String relative) {
    return BytePath.of(path).resolve(BytePath.of(relative));
  }

  /** A path beneath it with one name that need not be text. */
  public BytePath bytePath(byte[] name) {
    return BytePath.of(path).resolve(BytePath.of(name));
  }

  public Path write(String relative, String text) throws IOException {
    Path file = path.resolve(relative);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  public Path directory(String relative) throws IOException {
    return Files.createDirectories(path.resolve(relative));
  }

  public Path link(String relative, String target) throws IOException {
    return Files.createSymbolicLink(path.resolve(relative), Path.of(target));
  }

  public void fifo(String relative) {
    if (mkfifo(path.resolve(relative).toString(), 0644) != 0) {
      throw new IllegalStateException("mkfifo " + relative);
    }
  }

  /** Writes a file whose name is any bytes. */
  public void write(FileName name, byte[] content) throws FdtException {
    int directory = openDirectory();
    try {
      int descriptor =
          Syscalls.open(directory, name, Flags.O_WRONLY | Flags.O_CREAT | Flags.O_EXCL, 0644);
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "create", name.toString());
      }
      ByteBuf data = Unpooled.wrappedBuffer(content);
      try (FileDescriptor file = new FileDescriptor(descriptor, name::toString)) {
        file.write(data, 0);
      }
    } finally {
      Syscalls.close(directory);
    }
  }

  /** Writes a file with the content that belongs to its name. */
  public void writeSynthetic(FileName name, long size) throws FdtException {
    ByteBuf data = Unpooled.buffer();
    SyntheticContent.of(name).appendTo(data, Math.toIntExact(size), 0);
    byte[] content = new byte[data.readableBytes()];
    data.readBytes(content);
    write(name, content);
  }

  private int openDirectory() {
    return Syscalls.open(
        Flags.AT_FDCWD,
        path.toString().getBytes(StandardCharsets.UTF_8),
        Flags.O_PATH | Flags.O_DIRECTORY,
        0);
  }

  /** Removes everything; java.nio cannot, when paths are longer than the system allows. */
  @Override
  public void close() throws IOException {
    Process remove = new ProcessBuilder("rm", "-rf", path.toString()).inheritIO().start();
    try {
      if (!remove.waitFor(60, TimeUnit.SECONDS) || remove.exitValue() != 0) {
        throw new IOException("cannot remove " + path);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
