package io.fdt.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** A tree as text: kinds, modes, times, sizes and checksums, by name. */
final class TreeText {
  private TreeText() {}

  static Map<String, String> of(Path root) throws IOException {
    Map<String, String> text = new TreeMap<>();
    List<Path> all;
    try (Stream<Path> found = Files.walk(root)) {
      all = found.toList();
    }
    for (Path path : all) {
      Map<String, Object> attributes =
          Files.readAttributes(path, "unix:mode,lastModifiedTime,size", LinkOption.NOFOLLOW_LINKS);
      String what = attributes.get("mode") + " " + attributes.get("lastModifiedTime");
      if (Files.isSymbolicLink(path)) {
        what += " " + Files.readSymbolicLink(path);
      } else if (Files.isRegularFile(path)) {
        CRC32C checksum = new CRC32C();
        checksum.update(Files.readAllBytes(path));
        what += " " + attributes.get("size") + " " + checksum.getValue();
      }
      text.put(root.relativize(path).toString(), what);
    }
    return text;
  }
}
