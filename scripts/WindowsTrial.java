import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.AclFileAttributeView;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Parts of test-windows.sh that only a program in the Java of Windows can do. */
final class WindowsTrial {
  private static final int MILLIS_HELD = 200;

  public static void main(String... words) throws Exception {
    Path path = Path.of(words[1]);
    switch (words[0]) {
      case "hold" -> hold(path);
      case "scan" -> scan(path, Long.parseLong(words[2]));
      case "rights" -> rights(path);
      case "provider" -> provider(path, URI.create(words[2]), URI.create(words[3]));
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  /** Has a file open, so that it cannot be replaced, until the input ends. */
  private static void hold(Path file) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      System.out.println("READY " + open.length());
      while (System.in.read() >= 0) {}
    }
  }

  /** Has a file open, as a scanner does, from the arrival of its successor's last byte on, for a moment. */
  private static void scan(Path file, long bytesOfNext) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      System.out.println("READY " + open.length());
      while (largestPart(file.getParent()) < bytesOfNext) {
        Thread.sleep(5);
      }
      Thread.sleep(MILLIS_HELD);
    }
    System.out.println("closed");
  }

  private static long largestPart(Path directory) throws Exception {
    long largest = 0;
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(directory, ".fdt-*.part")) {
      for (Path part : parts) {
        largest = Math.max(largest, Files.size(part));
      }
    }
    return largest;
  }

  /** Prints each file of a directory, and itself, and which users but the system have rights to it. */
  private static void rights(Path directory) throws Exception {
    String owner = Files.getOwner(directory).getName();
    try (var files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        String others =
            Files.getFileAttributeView(file, AclFileAttributeView.class).getAcl().stream()
                .map(entry -> entry.principal().getName())
                .filter(name -> !name.equals(owner) && !name.endsWith("\\SYSTEM"))
                .collect(Collectors.joining(","));
        System.out.println((others.isEmpty() ? "owner " : "other " + others + " ") + file);
      }
    }
  }

  /** Copies a file of a server to another name there, by way of a local one. */
  private static void provider(Path local, URI from, URI to) throws Exception {
    Path there = Path.of(from);
    Files.copy(there, local);
    Files.copy(local, Path.of(to));
    try (var names = Files.list(there.getParent())) {
      System.out.println("names " + names.count());
    }
    if (!Arrays.equals(Files.readAllBytes(Path.of(to)), Files.readAllBytes(local))) {
      throw new AssertionError(to + " differs");
    }
  }
}
