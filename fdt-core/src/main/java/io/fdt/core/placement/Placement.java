package io.fdt.core.placement;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Affinity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.BitSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the threads of the transfers of this process run: those of streams on the node of their
 * card, those of disks on the node of their disk. So the thread that fills a buffer touches its
 * memory first, and gets it from its own node.
 *
 * <p>On a machine with one node, and unless the program asks for it ({@link #use}), it does
 * nothing. Any thread.
 */
public final class Placement {
  private static final Logger LOG = LoggerFactory.getLogger(Placement.class);

  private static final Placement ANYWHERE =
      new Placement(Affinity.OFF, () -> Topology.of(Topology.SYS), null);

  private static volatile Placement ofProcess = ANYWHERE;

  private final Affinity affinity;
  private final Supplier<Topology> reading;
  private final Processors processors;

  /** Whether the calling thread has its place. */
  private final ThreadLocal<Boolean> isPlaced = new ThreadLocal<>();

  private final Set<String> places = new ConcurrentSkipListSet<>();

  /** Null until the first stream or disk. */
  private volatile Nodes nodes;

  /** The machine, and the processors of it that this process may use. */
  private record Nodes(Topology topology, BitSet allowed, boolean matter) {}

  /** The calls of the system. */
  public interface Processors {
    /** Processors that the calling thread may use; empty if the system does not say. */
    BitSet allowed();

    /** Binds the calling thread to some of them. */
    void bind(BitSet processors);
  }

  /**
   * @param reading of the topology, once it is needed
   */
  Placement(Affinity affinity, Supplier<Topology> reading, Processors processors) {
    this.affinity = affinity;
    this.reading = reading;
    this.processors = processors;
  }

  /** That of this process. */
  public static Placement ofProcess() {
    return ofProcess;
  }

  /**
   * Sets that of this process.
   *
   * @throws FdtException USAGE for a list of which the process may use none
   */
  public static void use(Affinity affinity, Supplier<Topology> reading, Processors processors)
      throws FdtException {
    Placement placement = new Placement(affinity, reading, processors);
    if (affinity.rule() == Affinity.Rule.LIST) {
      placement.checkList();
    }
    ofProcess = placement;
  }

  private void checkList() throws FdtException {
    BitSet allowed = processors.allowed();
    if (allowed.isEmpty()) {
      throw new FdtException(
          ErrorCode.USAGE, "threads can be bound to processors on Linux only; choose auto or off");
    }
    if (!allowed.intersects(affinity.processors())) {
      throw new FdtException(
          ErrorCode.USAGE,
          "processors %s: this process may use %s only; choose some of these"
              .formatted(Affinity.text(affinity.processors()), Affinity.text(allowed)));
    }
  }

  /** Places the calling thread, that of an event loop, near the card of its first stream. */
  public void ofStream(SocketAddress local) {
    if (affinity.rule() != Affinity.Rule.OFF && isPlaced.get() == null) {
      isPlaced.set(true);
      if (nodes().matter() && local instanceof InetSocketAddress address) {
        String card = card(address.getAddress());
        place(card.isEmpty() ? OptionalInt.empty() : nodes().topology().ofCard(card), card);
      }
    }
  }

  /** Places the calling thread, a new one, near its disk. */
  public void ofDisk(String name) {
    if (affinity.rule() != Affinity.Rule.OFF && nodes().matter()) {
      place(nodes().topology().ofDisk(name), "disk " + name);
    }
  }

  /** Lets the calling thread, a new one, run anywhere: it begins where its creator runs. */
  public void ofOther() {
    if (affinity.rule() != Affinity.Rule.OFF && nodes().matter()) {
      place(OptionalInt.empty(), "");
    }
  }

  private void place(OptionalInt node, String device) {
    BitSet wanted = nodes().allowed();
    BitSet near =
        affinity.rule() == Affinity.Rule.LIST
            ? affinity.processors()
            : node.isPresent() ? nodes().topology().nodes().get(node.getAsInt()) : wanted;
    BitSet chosen = (BitSet) wanted.clone();
    chosen.and(near);
    if (chosen.isEmpty()) {
      chosen = wanted; // taskset has left none of that node
    } else if (!device.isEmpty() && (node.isPresent() || affinity.rule() == Affinity.Rule.LIST)) {
      String processorsOfDevice = Affinity.text(chosen);
      if (places.add(device + " on processors " + processorsOfDevice)) {
        LOG.info("threads placed device='{}' processors={}", device, processorsOfDevice);
      }
    }
    processors.bind(chosen);
  }

  private Nodes nodes() {
    Nodes known = nodes;
    return known != null ? known : readNodes();
  }

  private synchronized Nodes readNodes() {
    if (nodes == null) {
      Topology topology = reading.get();
      boolean matter =
          affinity.rule() == Affinity.Rule.LIST
              || (affinity.rule() == Affinity.Rule.AUTO && topology.nodes().size() > 1);
      nodes = new Nodes(topology, matter ? processors.allowed() : new BitSet(), matter);
    }
    return nodes;
  }

  private static String card(InetAddress address) {
    try {
      NetworkInterface card = NetworkInterface.getByInetAddress(address);
      return card == null ? "" : card.getName();
    } catch (SocketException e) {
      return "";
    }
  }

  /** The machine, in one line. */
  public static String machine(Topology topology) {
    if (topology.nodes().size() < 2) {
      return "one node of memory: threads run anywhere";
    }
    StringBuilder text = new StringBuilder();
    topology
        .nodes()
        .forEach(
            (number, all) ->
                text.append(text.length() == 0 ? "" : "; ")
                    .append("node ")
                    .append(number)
                    .append(": processors ")
                    .append(Affinity.text(all)));
    topology.devices("net").forEach(card -> text.append("; ").append(card));
    topology.devices("block").forEach(disk -> text.append("; ").append(disk));
    return text.toString();
  }

  /** Where threads were placed: "eth0 on processors 16-31". */
  public Set<String> places() {
    return places;
  }
}
