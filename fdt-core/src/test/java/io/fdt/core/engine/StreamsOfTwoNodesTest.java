package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The seam of stripes: a session takes streams that another node has dialled, with its own event
 * loops, memory and transport; only the session's secret is shared. Any block leaves on any of
 * them, and a node that dies costs what was under way.
 */
class StreamsOfTwoNodesTest {
  private static final TransferSpec SPEC = Specs.blocks(64 << 10);
  private static final int FILES = 20;
  private static final long SIZE = 2_000_000;
  private static final int STREAMS = 3;

  private final ByteBufAllocator allocator = BlockAllocator.create(2);
  private final EventLoops otherLoops = new EventLoops("test-other-node");
  private final Transport other =
      new TcpTransport(otherLoops, BlockAllocator.create(1), TestTransfer.DEADLINE);
  private final SyntheticDestination destination = SyntheticDestination.verifying(List.of());
  private final AtomicLong limit = new AtomicLong(10_000); // a second, until all streams are there

  private TestTransfer transfer(boolean push) throws Exception {
    TestTransfer transfer =
        new TestTransfer(
            push,
            SPEC,
            allocator,
            SyntheticSource.tree(FILES, SIZE, List.of()),
            destination,
            limit::get,
            true,
            TestTransfer.DEADLINES);
    transfer.awaitLimit();
    transfer.dial(STREAMS);
    awaitStreams(transfer, STREAMS);
    transfer.dial(STREAMS, other);
    awaitStreams(transfer, 2 * STREAMS);
    return transfer;
  }

  private static void awaitStreams(TestTransfer transfer, int count) {
    Awaitility.await().atMost(TestTransfer.DEADLINE).until(() -> transfer.streams.size() == count);
  }

  private static long carried(TestTransfer transfer, Set<Integer> numbers) {
    return transfer.all.stream()
        .filter(stream -> numbers.contains(stream.number()))
        .mapToLong(DataStream::wireBytes)
        .sum();
  }

  private void checkArrived(TestTransfer transfer) {
    assertThat(transfer.receiver.problems).isEmpty();
    assertThat(transfer.receiver.digests).hasSize(FILES);
    assertThat(destination.bytesWritten()).isEqualTo(FILES * SIZE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothNodesCarryBlocksOfTheSameFiles(boolean push) throws Exception {
    try (otherLoops;
        TestTransfer transfer = transfer(push)) {
      limit.set(40_000_000); // a second: without a limit, one node may have sent all in its turn
      transfer.awaitGoodEnd();

      checkArrived(transfer);
      assertThat(carried(transfer, Set.of(0, 1, 2))).as("the first node").isGreaterThan(SIZE);
      assertThat(carried(transfer, Set.of(3, 4, 5))).as("the other node").isGreaterThan(SIZE);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatDiesCostsWhatWasUnderWay(boolean push) throws Exception {
    try (TestTransfer transfer = transfer(push)) {
      destination.holdAfter(FILES * SIZE / 2); // what was under way then is lost
      limit.set(40_000_000); // a second
      Awaitility.await()
          .atMost(TestTransfer.DEADLINE)
          .until(() -> carried(transfer, Set.of(3, 4, 5)) > SIZE);
      otherLoops.close();
      destination.holdAfter(Long.MAX_VALUE);
      limit.set(0);
      transfer.awaitGoodEnd();

      checkArrived(transfer);
      assertThat(transfer.all.stream().map(DataStream::number).collect(Collectors.toSet()))
          .as("replaced from the node that lives")
          .contains(6, 7, 8);
    }
  }
}
