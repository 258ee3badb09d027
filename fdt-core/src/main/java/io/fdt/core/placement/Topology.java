package io.fdt.core.placement;

import io.fdt.core.model.Affinity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The nodes of memory of a machine (NUMA), with the processors, cards and disks of each, from
 * Linux' /sys. Without it, a machine has no nodes. Immutable; each device is looked up in /sys.
 */
public final class Topology {
  /** That of this machine. */
  public static final Path SYS = Path.of("/sys");

  private static final Path NODES = Path.of("devices/system/node");

  private final Path sys;
  private final SortedMap<Integer, BitSet> nodes = new TreeMap<>();

  private Topology(Path sys) {
    this.sys = sys;
  }

  /**
   * Reads the nodes.
   *
   * @param sys /sys, or a tree of files like it
   */
  public static Topology of(Path sys) {
    Topology topology = new Topology(sys);
    try {
      BitSet online = Affinity.list(text(sys.resolve(NODES).resolve("online")));
      for (int node = online.nextSetBit(0); node >= 0; node = online.nextSetBit(node + 1)) {
        String processors = text(sys.resolve(NODES).resolve("node" + node).resolve("cpulist"));
        // A node may be memory alone.
        topology.nodes.put(node, processors.isEmpty() ? new BitSet() : Affinity.list(processors));
      }
    } catch (IOException | RuntimeException e) {
      topology.nodes.clear();
    }
    return topology;
  }

  /** The processors of each node, by its number. */
  public SortedMap<Integer, BitSet> nodes() {
    return nodes;
  }

  /** The node of a network card, by the name of its interface; of a bond, that of all its cards. */
  public OptionalInt ofCard(String name) {
    return nodeOf(sys.resolve("class/net").resolve(name));
  }

  /** The node of a block device, by its name: {@code nvme0n1}. */
  public OptionalInt ofDisk(String name) {
    return nodeOf(sys.resolve("class/block").resolve(name));
  }

  /** The cards, or the disks, that hang on a node: "eth0 on node 1". */
  public List<String> devices(String kind) {
    List<String> found = new ArrayList<>();
    for (Path link : links(sys.resolve("class").resolve(kind), "*")) {
      OptionalInt node = Files.exists(link.resolve("device")) ? nodeOf(link) : OptionalInt.empty();
      node.ifPresent(number -> found.add(link.getFileName() + " on node " + number));
    }
    found.sort(null);
    return found;
  }

  /** The node in the nearest numa_node above a device; of a device of others, that of them all. */
  private OptionalInt nodeOf(Path link) {
    try {
      Path device = link.toRealPath();
      Path root = sys.toRealPath();
      for (Path at = device; at.startsWith(root); at = at.getParent()) {
        if (Files.exists(at.resolve("numa_node"))) {
          int node = Integer.parseInt(text(at.resolve("numa_node")));
          return nodes.containsKey(node) ? OptionalInt.of(node) : OptionalInt.empty();
        }
      }
      List<Path> parts = links(device, "lower_*");
      parts.addAll(links(device.resolve("slaves"), "*"));
      List<OptionalInt> found = parts.stream().map(this::nodeOf).distinct().toList();
      return found.size() == 1 ? found.get(0) : OptionalInt.empty();
    } catch (IOException | RuntimeException e) {
      return OptionalInt.empty();
    }
  }

  private static List<Path> links(Path directory, String pattern) {
    List<Path> links = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, pattern)) {
      entries.forEach(links::add);
    } catch (IOException | DirectoryIteratorException e) {
      // none
    }
    return links;
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
  }
}
