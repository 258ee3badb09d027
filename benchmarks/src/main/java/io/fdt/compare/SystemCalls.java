package io.fdt.compare;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** System calls without a Java API, and the file descriptors that they need. Linux only. */
final class SystemCalls {
  private static final int POSIX_FADV_SEQUENTIAL = 2;
  private static final int SYNC_FILE_RANGE_WRITE = 2;

  /** SPLICE_F_MOVE and SPLICE_F_MORE. */
  private static final int SPLICE_FLAGS = 1 | 4;

  private static final int F_SETPIPE_SZ = 1031;
  private static final int EAGAIN = 11;

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path SOCKETS = Path.of("/proc/self/net/tcp");
  private static final Path SOCKETS_6 = Path.of("/proc/self/net/tcp6");

  private static final Function FADVISE = NativeLibrary.getProcess().getFunction("posix_fadvise");
  private static final Function FALLOCATE =
      NativeLibrary.getProcess().getFunction("posix_fallocate");
  private static final Function SYNC_FILE_RANGE = function("sync_file_range");
  private static final Function SPLICE = function("splice");
  private static final Function PIPE = function("pipe");
  private static final Function FCNTL = function("fcntl");
  private static final Function CLOSE = function("close");
  private static final Function OPEN = function("open");
  private static final Function SETNS = function("setns");
  private static final Function SETSOCKOPT = function("setsockopt");
  private static final Function SEND = function("send");
  private static final Function RECVMSG = function("recvmsg");
  private static final Function POLL = function("poll");

  private SystemCalls() {}

  private static Function function(String name) {
    return NativeLibrary.getProcess().getFunction(name, Function.THROW_LAST_ERROR);
  }

  /** Tells the kernel that a file is read from its start to its end. */
  static void adviseSequential(int descriptor) throws IOException {
    check(FADVISE.invokeInt(new Object[] {descriptor, 0L, 0L, POSIX_FADV_SEQUENTIAL}));
  }

  /** Reserves the blocks of a file. */
  static void allocate(int descriptor, long bytes) throws IOException {
    check(FALLOCATE.invokeInt(new Object[] {descriptor, 0L, bytes}));
  }

  /** Has the kernel begin to write a part of a file to its disk. */
  static void beginWriteBack(int descriptor, long offset, long length) throws IOException {
    call(SYNC_FILE_RANGE, descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
  }

  /** Creates a pipe with this capacity; returns the descriptors for reading and for writing. */
  static int[] pipe(int bytes) throws IOException {
    int[] ends = new int[2];
    call(PIPE, (Object) ends);
    try {
      call(FCNTL, ends[1], F_SETPIPE_SZ, bytes);
    } catch (IOException e) {
      close(ends[0]);
      close(ends[1]);
      throw e;
    }
    return ends;
  }

  /**
   * Moves bytes from or to a pipe.
   *
   * @param offset in the regular file; null for a pipe and a socket
   * @return how many; 0 at the end
   */
  static int splice(int from, int to, LongByReference offset, int length) throws IOException {
    return call(SPLICE, from, null, to, offset, (long) length, SPLICE_FLAGS);
  }

  /** Moves the calling thread into a network namespace. */
  static void enter(Path networkNamespace) throws IOException {
    int descriptor = call(OPEN, networkNamespace.toString(), 0);
    try {
      call(SETNS, descriptor, 0);
    } finally {
      close(descriptor);
    }
  }

  static void setSocketOption(int socket, int level, int name, int value) throws IOException {
    call(SETSOCKOPT, socket, level, name, new IntByReference(value), Integer.BYTES);
  }

  /** Sends bytes; returns how many. */
  static int send(int socket, Pointer bytes, long length, int flags) throws IOException {
    return call(SEND, socket, bytes, length, flags);
  }

  /** Receives what a {@code struct msghdr} asks for; false if there is nothing. */
  static boolean receiveMessage(int socket, Pointer message, int flags) throws IOException {
    try {
      return RECVMSG.invokeInt(new Object[] {socket, message, flags}) >= 0;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == EAGAIN) {
        return false;
      }
      throw new IOException("recvmsg: " + e.getMessage(), e);
    }
  }

  /** Waits until a socket has something in its queue of errors. */
  static void awaitErrors(int socket) throws IOException {
    Memory polled = new Memory(8); // descriptor, no events asked for, events
    polled.setInt(0, socket);
    polled.setInt(4, 0);
    call(POLL, polled, 1L, -1);
  }

  static void close(int descriptor) throws IOException {
    call(CLOSE, descriptor);
  }

  private static int call(Function function, Object... arguments) throws IOException {
    try {
      return function.invokeInt(arguments);
    } catch (LastErrorException e) {
      throw new IOException(function.getName() + ": " + e.getMessage(), e);
    }
  }

  /** Throws if a function has returned an error number. */
  private static void check(int error) throws IOException {
    if (error != 0) {
      throw new IOException("error " + error);
    }
  }

  /** The descriptor of an open file. */
  static int descriptor(Path file) throws IOException {
    return descriptorOf(file.toRealPath().toString());
  }

  /** The descriptor of a connection, found by its two ports. */
  static int descriptor(SocketChannel socket) throws IOException {
    String ports =
        "^ *\\d+: [0-9A-F]+:%04X [0-9A-F]+:%04X .*"
            .formatted(
                ((InetSocketAddress) socket.getLocalAddress()).getPort(),
                ((InetSocketAddress) socket.getRemoteAddress()).getPort());
    for (Path table : List.of(SOCKETS, SOCKETS_6)) {
      for (String line : Files.readAllLines(table)) {
        if (line.matches(ports)) {
          return descriptorOf("socket:[" + line.trim().split(" +")[9] + "]");
        }
      }
    }
    throw new IOException(socket + " is not in " + SOCKETS);
  }

  /** The descriptor whose link in /proc has this target. */
  private static int descriptorOf(String target) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path one : all) {
        if (target.equals(targetOf(one))) {
          return Integer.parseInt(one.getFileName().toString());
        }
      }
    }
    throw new IOException(target + " is not open");
  }

  /** The target of a descriptor; null if it has been closed. */
  private static String targetOf(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException e) {
      return null;
    }
  }
}
