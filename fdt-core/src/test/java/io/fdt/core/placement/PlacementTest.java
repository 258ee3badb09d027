package io.fdt.core.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Affinity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacementTest {
  private static final String CARD = "devices/pci0000:80/0000:81:00.0";
  private static final String DISK = "devices/pci0000:00/0000:03:00.0";

  /** A machine with two nodes: "path = text of a file", "path -> link". */
  private static final String TWO_NODES =
      """
      devices/system/node/online = 0-1
      devices/system/node/node0/cpulist = 0-3,8-11
      devices/system/node/node1/cpulist = 4-7,12-15
      CARD/numa_node = 1
      CARD/net/LOOPBACK/address = 00
      CARD/net/LOOPBACK/device -> ../..
      class/net/LOOPBACK -> ../../CARD/net/LOOPBACK
      devices/virtual/net/bond0/lower_LOOPBACK -> ../../../../CARD/net/LOOPBACK
      class/net/bond0 -> ../../devices/virtual/net/bond0
      devices/virtual/net/docker0/address = 00
      class/net/docker0 -> ../../devices/virtual/net/docker0
      DISK/numa_node = 0
      DISK/nvme/nvme0/nvme0n1/dev = 259:0
      DISK/nvme/nvme0/nvme0n1/device -> ..
      class/block/nvme0n1 -> ../../DISK/nvme/nvme0/nvme0n1
      devices/virtual/block/dm-0/slaves/nvme0n1 -> ../../../../../DISK/nvme/nvme0/nvme0n1
      class/block/dm-0 -> ../../devices/virtual/block/dm-0
      devices/pci0000:00/0000:04:00.0/numa_node = -1
      devices/pci0000:00/0000:04:00.0/sda/dev = 8:0
      class/block/sda -> ../../devices/pci0000:00/0000:04:00.0/sda
      """;

  @TempDir Path sys;

  private final InetSocketAddress local =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1234);
  private final CallingThread thread = new CallingThread();

  /** The thread that a test places. */
  private static final class CallingThread implements Placement.Processors {
    BitSet allowed = Affinity.list("0-15");
    String bound = "";

    @Override
    public BitSet allowed() {
      return allowed;
    }

    @Override
    public void bind(BitSet processors) {
      bound = Affinity.text(processors);
    }
  }

  @BeforeEach
  void machine() throws IOException {
    String loopback = NetworkInterface.getByInetAddress(local.getAddress()).getName();
    String tree =
        TWO_NODES.replace("LOOPBACK", loopback).replace("CARD", CARD).replace("DISK", DISK);
    for (String line : tree.lines().toList()) {
      String[] words = line.split(" ", 3);
      Path path = sys.resolve(words[0]);
      Files.createDirectories(path.getParent());
      if (words[1].equals("->")) {
        Files.createSymbolicLink(path, Path.of(words[2]));
      } else {
        Files.writeString(path, words[2] + "\n");
      }
    }
  }

  private Placement placement(String affinity) {
    return new Placement(Affinity.parse(affinity), () -> Topology.of(sys), thread);
  }

  @Test
  void streamsRunOnTheNodeOfTheirCard() {
    Placement placement = placement("auto");
    placement.ofStream(local);
    assertThat(thread.bound).isEqualTo("4-7,12-15");
    assertThat(placement.places()).singleElement().asString().endsWith("on processors 4-7,12-15");
  }

  @Test
  void laterStreamsOfAThreadLeaveItInItsPlace() {
    Placement placement = placement("auto");
    placement.ofStream(local);
    thread.bound = "";
    placement.ofStream(local);
    assertThat(thread.bound).isEmpty();
  }

  @Test
  void threadsOfDisksRunOnTheNodeOfTheirDisk() {
    Placement placement = placement("auto");
    placement.ofDisk("nvme0n1");
    assertThat(thread.bound).isEqualTo("0-3,8-11");
    thread.bound = "";
    placement.ofDisk("dm-0");
    assertThat(thread.bound).as("a volume of that disk").isEqualTo("0-3,8-11");
  }

  @Test
  void threadsOfOtherDisksAndOtherThreadsRunAnywhere() {
    Placement placement = placement("auto");
    for (String disk : new String[] {"sda", "0:45", "s3", "../../x"}) {
      thread.bound = "";
      placement.ofDisk(disk);
      assertThat(thread.bound).as(disk).isEqualTo("0-15");
    }
    thread.bound = "";
    placement.ofOther();
    assertThat(thread.bound).isEqualTo("0-15");
    assertThat(placement.places()).isEmpty();
  }

  @Test
  void processorsThatTasksetTookStayUnused() {
    thread.allowed = Affinity.list("0-5");
    placement("auto").ofStream(local);
    assertThat(thread.bound).isEqualTo("4-5");
    thread.allowed = Affinity.list("0-3");
    placement("auto").ofStream(local);
    assertThat(thread.bound).as("none of the node is left").isEqualTo("0-3");
  }

  @Test
  void aListIsForAllThreads() {
    Placement placement = placement("2-4");
    placement.ofStream(local);
    assertThat(thread.bound).isEqualTo("2-4");
    thread.bound = "";
    placement.ofDisk("nvme0n1");
    assertThat(thread.bound).isEqualTo("2-4");
    thread.bound = "";
    placement.ofOther();
    assertThat(thread.bound).isEqualTo("2-4");
  }

  @Test
  void aListOfProcessorsThatTheProcessMayNotUseIsRefused() {
    thread.allowed = Affinity.list("0-3");
    assertThatExceptionOfType(FdtException.class)
        .isThrownBy(() -> Placement.use(Affinity.parse("8-9"), () -> Topology.of(sys), thread))
        .withMessage("processors 8-9: this process may use 0-3 only; choose some of these");
  }

  @Test
  void offAndOneNodeBindNothing() throws IOException {
    placement("off").ofStream(local);
    placement("off").ofDisk("nvme0n1");
    Files.writeString(sys.resolve("devices/system/node/online"), "0\n");
    placement("auto").ofStream(local);
    placement("auto").ofDisk("nvme0n1");
    placement("auto").ofOther();
    assertThat(thread.bound).isEmpty();
  }

  @Test
  void theMachineIsShownInOneLine() throws IOException {
    assertThat(Placement.machine(Topology.of(sys)))
        .startsWith("node 0: processors 0-3,8-11; node 1: processors 4-7,12-15; ")
        .endsWith(" on node 1; nvme0n1 on node 0");
    assertThat(Topology.of(sys).ofCard("bond0")).hasValue(1);
    assertThat(Topology.of(sys).ofCard("docker0")).isEmpty();
    Files.delete(sys.resolve("devices/system/node/online"));
    assertThat(Placement.machine(Topology.of(sys)))
        .isEqualTo("one node of memory: threads run anywhere");
  }
}
