package io.fdt.client;

import io.fdt.client.directed.DirectedEnd;
import io.fdt.client.directed.DirectedSession;
import io.fdt.client.transfer.RunningTransfers;
import io.fdt.core.model.Checksum;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.Node;
import io.fdt.core.security.DialRule;
import io.fdt.core.simulation.SimulatedProcess;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.memory.MemoryNetwork;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.control.Hello;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A client in virtual time that directs a copy between two servers, as production does. */
public final class SimulatedDirector {
  private static final String HOST = "127.0.0.1";
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final SimulatedProcess process;
  private final Transfer transfer;

  /**
   * What is asked for.
   *
   * @param sourceDials whether the source may connect to the destination
   * @param destinationDials the same the other way
   * @param blockSize in bytes
   */
  public record Copy(
      int sourcePort,
      int destinationPort,
      boolean sourceDials,
      boolean destinationDials,
      int streams,
      int blockSize,
      Checksum checksum,
      String token,
      SessionDeadlines deadlines) {}

  /** Starts a copy. */
  public SimulatedDirector(SimulatedProcess process, MemoryNetwork network, Copy copy) {
    this.process = process;
    EventLoops loops = new EventLoops(process.loops());
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    Node node =
        new Node(loops, process, allocator, network.create(loops, allocator, CONNECT_TIMEOUT));
    DirectedEnd source = end(node, copy, copy.sourcePort(), copy.sourceDials());
    DirectedEnd destination = end(node, copy, copy.destinationPort(), copy.destinationDials());
    TransferRequest request =
        TransferRequest.between()
            .source("/data")
            .destination("/copies")
            .destinationIsDirectory(true)
            .recursive(true)
            .streams(copy.streams())
            .blockSize(ByteSize.ofBytes(copy.blockSize()))
            .checksum(copy.checksum())
            .build();
    transfer =
        new RunningTransfers(node, copy.deadlines().retryTimeout())
            .start(
                (told, agreed) -> new DirectedSession(source, destination, request, told, agreed),
                false,
                false,
                TransferListener.NONE);
  }

  private static DirectedEnd end(Node node, Copy copy, int port, boolean dials) {
    Dialer dialer =
        new Dialer(
            node,
            HOST,
            port,
            CompletableFuture.completedFuture(null),
            (host, dialled, certificates) -> {},
            key -> Hello.newBuilder().setToken(copy.token()),
            DialRule.ANYWHERE,
            false,
            CONNECT_TIMEOUT,
            copy.deadlines());
    return new DirectedEnd(dialer, HOST, port, dials);
  }

  /** The process that it runs in. */
  public SimulatedProcess process() {
    return process;
  }

  /** What it was told of the end; not done as long as there is none. */
  public CompletableFuture<TransferReport> completion() {
    return transfer.completion();
  }

  /** Ends the copy, as a person does. */
  public void cancel() {
    transfer.cancel();
  }
}
