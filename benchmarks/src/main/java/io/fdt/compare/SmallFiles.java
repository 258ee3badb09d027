package io.fdt.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/**
 * The highest rate of small files over loopback with plain Java ({@code make bench-small}). A round
 * is {@code cp -r}, then each way in a new process, both ends of which are blocking threads; it
 * uses no code of FDT.
 */
final class SmallFiles {
  private static final String ONE_RUN = "run";
  private static final int STREAMS = 2;
  private static final int FILES_IN_EACH = 100;
  private static final int BLOCK = 1 << 20;

  /** Bytes before the content of a file, without its name. */
  private static final int HEAD = 6;

  /** The same for {@link Way#KEPT}, which also sends mode and time. */
  private static final int KEPT_HEAD = 22;

  /** The work for each file beyond its name and its bytes. */
  private enum Way {
    /** No checksums; each file is written under its own name. */
    PLAIN,

    /** CRC32C at both ends. */
    CHECKED,

    /** Checksums; a file has a temporary name until it is complete. */
    RENAMED,

    /**
     * The system calls of FDT: checksums; no name until a file is complete; mode and time of the
     * source, which is checked for changes after reading.
     */
    KEPT
  }

  private SmallFiles() {}

  /**
   * Arguments: a directory, thousands of files, rounds. It starts itself for each run with {@link
   * #ONE_RUN}, a way, the source, the copy.
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 4 && arguments[0].equals(ONE_RUN)) {
      move(Way.valueOf(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3]));
      return;
    }
    if (arguments.length != 3) {
      System.err.println("usage: DIRECTORY THOUSANDS ROUNDS");
      System.exit(2);
    }
    int thousands = Integer.parseInt(arguments[1]);
    int rounds = Integer.parseInt(arguments[2]);
    Path work = Path.of(arguments[0]).toAbsolutePath().resolve("small-files");
    Files.createDirectories(work.getParent());
    Files.createDirectory(work); // of our own, because it is removed
    try {
      compare(work, thousands, rounds);
    } finally {
      Trees.delete(work);
    }
  }

  private static void compare(Path work, int thousands, int rounds) throws Exception {
    int directories = thousands * 1000 / FILES_IN_EACH;
    Path source = Dataset.small("small-" + thousands + "k", directories, FILES_IN_EACH).in(work);
    Path copy = work.resolve("copy");
    Map<String, List<String>> ways = new LinkedHashMap<>();
    ways.put("cp -r", List.of("cp", "-r", source + "/.", copy.toString()));
    for (Way way : Way.values()) {
      ways.put(way.name(), ownProcess(way, source, copy));
    }
    System.out.println("| round | way | wall s | CPU s | wall / cp | CPU / cp |");
    System.out.println("|--:|---|--:|--:|--:|--:|");
    for (int round = 1; round <= rounds; round++) {
      Cost cp = null;
      for (Map.Entry<String, List<String>> way : ways.entrySet()) {
        Files.createDirectory(copy);
        Machine.touchMemory(work, Trees.size(source), Machine.PROCESSES);
        Cost cost;
        try (MeasuredProcess process = MeasuredProcess.start(work, Map.of(), way.getValue())) {
          cost = process.end();
        }
        if (round == 1 && !Trees.differences(source, copy).isEmpty()) {
          throw new IOException("wrong result: " + way.getKey());
        }
        Trees.delete(copy);
        cp = cp == null ? cost : cp;
        System.out.printf(
            "| %d | %s | %.2f | %.2f | %.2f | %.2f |%n",
            round,
            way.getKey(),
            cost.wallSeconds(),
            cost.cpuSeconds(),
            cost.wallSeconds() / cp.wallSeconds(),
            cost.cpuSeconds() / cp.cpuSeconds());
      }
    }
  }

  private static List<String> ownProcess(Way way, Path source, Path copy) {
    return MeasuredProcess.java(
        SmallFiles.class, ONE_RUN, way.name(), source.toString(), copy.toString());
  }

  /** Streams take whole directories from a queue, and send their files in blocks. */
  private static void move(Way way, Path source, Path copy) throws Exception {
    Queue<Path> directories = new ConcurrentLinkedQueue<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(source)) {
      all.forEach(directories::add);
    }
    Loopback.run(
        STREAMS, 0, socket -> send(way, directories, socket), socket -> receive(way, socket, copy));
  }

  /**
   * A block has its length, its CRC32C, the name of a directory with its length, and files. A file
   * has the length of its name, its name, its length, mode and time if they are kept, and its
   * content.
   */
  private static void send(Way way, Queue<Path> directories, SocketChannel socket)
      throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
    FileCalls calls = way == Way.KEPT ? new FileCalls(block) : null;
    for (Path directory = directories.poll(); directory != null; directory = directories.poll()) {
      begin(block, directory);
      int open = calls == null ? -1 : calls.openDirectory(directory);
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          if (calls == null) {
            append(way, directory, file, block, socket);
          } else {
            appendKept(calls, open, directory, name(file), block, socket);
          }
        }
      }
      if (calls != null) {
        FileCalls.end(open);
      }
      end(way, block, socket);
    }
    socket.shutdownOutput();
  }

  private static void append(
      Way way, Path directory, Path file, ByteBuffer block, SocketChannel socket)
      throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = in.size();
      byte[] name = name(file);
      makeRoom(way, directory, name.length + HEAD + size, block, socket);
      block.putShort((short) name.length).put(name).putInt((int) size);
      block.limit(block.position() + (int) size);
      while (block.hasRemaining()) {
        if (in.read(block) < 0) {
          throw new IOException(file + " became shorter");
        }
      }
      block.limit(BLOCK);
    }
  }

  private static void appendKept(
      FileCalls calls,
      int open,
      Path directory,
      byte[] name,
      ByteBuffer block,
      SocketChannel socket)
      throws IOException {
    FileCalls.Seen seen = calls.look(open, name);
    makeRoom(Way.KEPT, directory, name.length + KEPT_HEAD + seen.size(), block, socket);
    block.putShort((short) name.length).put(name).putInt((int) seen.size());
    block.putInt(seen.mode()).putLong(seen.seconds()).putInt(seen.nanos());
    calls.read(open, name, seen);
  }

  private static void makeRoom(
      Way way, Path directory, long bytes, ByteBuffer block, SocketChannel socket)
      throws IOException {
    if (block.remaining() < bytes) {
      end(way, block, socket);
      begin(block, directory);
    }
  }

  private static byte[] name(Path path) {
    return path.getFileName().toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void begin(ByteBuffer block, Path directory) {
    byte[] name = name(directory);
    block.clear().position(8).putShort((short) name.length).put(name);
  }

  private static void end(Way way, ByteBuffer block, SocketChannel socket) throws IOException {
    block.flip();
    block.putInt(0, block.limit() - 8).putInt(4, checksum(way, block));
    while (block.hasRemaining()) {
      socket.write(block);
    }
  }

  private static void receive(Way way, SocketChannel socket, Path copy) throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
    FileCalls calls = way == Way.KEPT ? new FileCalls(block) : null;
    while (read(socket, block.clear().limit(8))) {
      int length = block.getInt(0);
      int checksum = block.getInt(4);
      block.limit(8 + length);
      if (!read(socket, block)) {
        throw new IOException("less than was promised");
      }
      block.position(0);
      if (checksum(way, block) != checksum) {
        throw new IOException("a block arrived damaged");
      }
      block.position(8);
      Path directory = copy.resolve(text(block));
      if (!Files.exists(directory)) {
        Files.createDirectory(directory);
      }
      if (calls == null) {
        store(way, directory, block);
      } else {
        storeKept(calls, directory, block);
      }
    }
  }

  private static void store(Way way, Path directory, ByteBuffer block) throws IOException {
    int limit = block.limit();
    while (block.position() < limit) {
      String name = text(block);
      int size = block.getInt();
      block.limit(block.position() + size);
      Path file = directory.resolve(name);
      Path unfinished = way == Way.RENAMED ? directory.resolve("." + name + ".part") : file;
      try (FileChannel out =
          FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        while (block.hasRemaining()) {
          out.write(block);
        }
      }
      if (way == Way.RENAMED) {
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      }
      block.limit(limit);
    }
  }

  private static void storeKept(FileCalls calls, Path directory, ByteBuffer block)
      throws IOException {
    int open = calls.openDirectory(directory);
    while (block.hasRemaining()) {
      byte[] name = bytes(block);
      int size = block.getInt();
      FileCalls.Seen source =
          new FileCalls.Seen(size, block.getInt(), block.getLong(), block.getInt());
      calls.write(open, name, source);
    }
    FileCalls.end(open);
  }

  /** Fills the buffer; false at the end of the stream. */
  private static boolean read(SocketChannel socket, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (socket.read(into) < 0) {
        return false;
      }
    }
    return true;
  }

  private static String text(ByteBuffer from) {
    return new String(bytes(from), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[from.getShort()];
    from.get(bytes);
    return bytes;
  }

  /** The checksum of a block after its two numbers; 0 if this way has none. */
  private static int checksum(Way way, ByteBuffer block) {
    if (way == Way.PLAIN) {
      return 0;
    }
    CRC32C crc = new CRC32C();
    crc.update(block.slice(8, block.limit() - 8));
    return (int) crc.getValue();
  }
}
