package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.FileName;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticFault;
import io.fdt.core.storage.synthetic.SyntheticFault.Point;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.transport.DataStream;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link SenderPipeline} and {@link ReceiverPipeline} over TCP, with files that exist nowhere but
 * know every byte.
 */
class PipelinesTest {
  private static final TransferSpec SMALL_BLOCKS = Specs.blocks(64 << 10);
  private static final TransferSpec FORCED_AND_READ_BACK =
      Specs.blocks(64 << 10, new Assurance(Checksum.CRC32C, true, true));
  private static final TransferSpec LARGE_BLOCKS = Specs.blocks(1 << 20);

  /** In {@code make soak} beyond two gigabytes. */
  private static final long LARGE = Long.getLong("fdt.pipeline.bytes", 256L << 20);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyOneOfManySmallFilesArrives(boolean push) throws Exception {
    int files = 10_000;
    SyntheticSource source = SyntheticSource.tree(files, 700, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(push, LARGE_BLOCKS, allocator, source, destination)) {
      transfer.dial(4);
      transfer.awaitGoodEnd();
      assertThat(destination.filesPublished()).isEqualTo(files);
      assertThat(destination.publishedPaths()).isEqualTo(paths(files));
      assertThat(destination.bytesWritten()).isEqualTo(700L * files);
      assertThat(transfer.sender.session().progress().figures().files().done()).isEqualTo(files);
      assertThat(transfer.receiver.session().progress().figures().files().done()).isEqualTo(files);
      assertThat(transfer.sender.problems).isEmpty();
      assertThat(transfer.receiver.problems).isEmpty();
    }
    nothingIsLeft(source, destination);
  }

  @Test
  void everyByteOfALargeFileArrivesAtItsPlace() throws Exception {
    long size = LARGE + 12_345;
    FileName name = FileName.of("large");
    SyntheticSource source = SyntheticSource.file(name, size, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, LARGE_BLOCKS, BlockAllocator.create(2), source, destination)) {
      transfer.dial(4);
      transfer.awaitGoodEnd();
    }
    assertThat(destination.publishedPaths()).containsExactly("large");
    assertThat(destination.bytesWritten()).isEqualTo(size);
    assertThat(source.openReaders()).isZero();
    assertThat(destination.openFiles()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {700, 200_000})
  void aFaultOfOneFileFailsThatFileOnly(int size) throws Exception {
    int files = 300;
    List<SyntheticFault> reading = new ArrayList<>();
    List<SyntheticFault> writing = new ArrayList<>();
    Map<String, ErrorCode> expected = new TreeMap<>();
    int number = 5;
    for (Point point : Point.values()) {
      boolean ofSource =
          point == Point.OPEN || point == Point.READ || point == Point.CHECK_UNCHANGED;
      ErrorCode code =
          ofSource
              ? ErrorCode.IO
              : point == Point.ROT ? ErrorCode.VERIFICATION : ErrorCode.STORAGE_FULL;
      FileName name = SyntheticSource.fileName(number);
      (ofSource ? reading : writing).add(new SyntheticFault(name, point, size - 1, code));
      expected.put(TestTransfer.path(number), code);
      number += 20;
    }
    SyntheticSource source = SyntheticSource.tree(files, size, reading);
    SyntheticDestination destination = SyntheticDestination.verifying(writing);
    try (TestTransfer transfer =
        new TestTransfer(true, FORCED_AND_READ_BACK, allocator, source, destination)) {
      transfer.dial(3);
      transfer.awaitGoodEnd();
      assertThat(new TreeMap<>(transfer.sender.problems)).isEqualTo(expected);
      assertThat(new TreeMap<>(transfer.receiver.problems)).isEqualTo(expected);
      Set<String> others = paths(files);
      others.removeAll(expected.keySet());
      assertThat(destination.publishedPaths()).isEqualTo(others);
      assertThat(transfer.receiver.session().progress().figures().files().failed())
          .isEqualTo(expected.size());
    }
    nothingIsLeft(source, destination);
  }

  @Test
  void streamsThatDieAreReplacedAndNothingIsLost() throws Exception {
    long size = 256 << 20;
    SyntheticSource source = SyntheticSource.file(FileName.of("large"), size, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, SMALL_BLOCKS, allocator, source, destination)) {
      destination.holdAfter(size / 8);
      transfer.dial(3);
      for (long written = size / 4; written <= size / 2; written += size / 8) {
        awaitHold(destination);
        // More is sent than the receiver can hold, so that some of it is on its way.
        long most = destination.bytesWritten() + SMALL_BLOCKS.bufferBytes();
        Awaitility.await()
            .atMost(TestTransfer.DEADLINE)
            .until(() -> transfer.all.stream().mapToLong(DataStream::wireBytes).sum() > most);
        List<DataStream> dying = List.copyOf(transfer.streams.values());
        dying.forEach(DataStream::close);
        Awaitility.await()
            .atMost(TestTransfer.DEADLINE)
            .until(() -> Collections.disjoint(transfer.streams.values(), dying));
        destination.holdAfter(written == size / 2 ? Long.MAX_VALUE : written);
      }
      transfer.awaitGoodEnd();
      assertThat(transfer.sender.session().progress().figures().blocksRepeated()).isPositive();
    }
    assertThat(destination.publishedPaths()).containsExactly("large");
    assertThat(destination.bytesWritten()).as("no byte is written twice").isEqualTo(size);
    nothingIsLeft(source, destination);
  }

  /** Streams that only help at the beginning carry no more than that. */
  @Test
  void streamsThatAreNotInUseCarryOnlyWhatIsSentFirst() throws Exception {
    long size = 256 << 20;
    long first = 2 << 20;
    int block = SMALL_BLOCKS.blockSize();
    SyntheticSource source = SyntheticSource.file(FileName.of("large"), size, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    AtomicLong limit = new AtomicLong(10_000); // a second, until all streams are there
    try (TestTransfer transfer =
        new TestTransfer(
            true,
            SMALL_BLOCKS,
            allocator,
            source,
            destination,
            limit::get,
            true,
            TestTransfer.DEADLINES)) {
      transfer.awaitLimit();
      SenderPipeline path = (SenderPipeline) transfer.sender.path();
      transfer.sender.onLoop(() -> path.use(2, SMALL_BLOCKS.readersPerDisk()));
      transfer.dial(6);
      Awaitility.await().atMost(TestTransfer.DEADLINE).until(() -> transfer.all.size() == 6);
      limit.set(0);
      transfer.awaitGoodEnd();
      List<Long> carried =
          transfer.all.stream()
              .map(DataStream::wireBytes)
              .sorted(Comparator.reverseOrder())
              .toList();
      assertThat(carried.get(0) + carried.get(1)).isGreaterThan(size - first - 8L * block);
      assertThat(carried.get(5)).as("the least").isGreaterThan(block);
    }
    assertThat(destination.bytesWritten()).isEqualTo(size);
    nothingIsLeft(source, destination);
  }

  /** What a search does, in quick succession: whatever is under way, all arrives, and once. */
  @Test
  void streamsAndReadersThatBecomeMoreAndFewerLoseNothing() throws Exception {
    long size = 256 << 20;
    int files = 20;
    SyntheticSource source = SyntheticSource.tree(files, size / files, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    int[][] steps = {{1, 1}, {8, 4}, {2, 2}, {5, 16}, {1, 1}, {8, 3}, {2, 1}};
    try (TestTransfer transfer =
        new TestTransfer(true, SMALL_BLOCKS, allocator, source, destination)) {
      SenderPipeline path = (SenderPipeline) transfer.sender.path();
      destination.holdAfter(size / 10);
      transfer.dial(8);
      Awaitility.await().atMost(TestTransfer.DEADLINE).until(() -> transfer.streams.size() == 8);
      for (int i = 0; i < steps.length; i++) {
        awaitHold(destination);
        int[] step = steps[i];
        transfer.sender.onLoop(
            () -> {
              path.use(step[0], step[1]);
              assertThat(path.progress().streams()).isEqualTo(Math.min(step[0], 8));
            });
        destination.holdAfter(i + 1 < steps.length ? (i + 2) * size / 10 : Long.MAX_VALUE);
      }
      transfer.awaitGoodEnd();
      assertThat(transfer.sender.session().progress().figures().blocksRepeated()).isZero();
    }
    assertThat(destination.publishedPaths()).isEqualTo(paths(files));
    assertThat(destination.bytesWritten())
        .as("no byte is written twice")
        .isEqualTo(size / files * files);
    nothingIsLeft(source, destination);
  }

  /** A part of a block is a sign of life, too: at this rate one takes three seconds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBlockMayTakeLongerThanTheStallTimeout(boolean push) throws Exception {
    int size = 1 << 20;
    SyntheticSource source = SyntheticSource.file(FileName.of("slow"), size, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(
            push,
            LARGE_BLOCKS,
            allocator,
            source,
            destination,
            () -> size / 3,
            true,
            TestTransfer.DEADLINES.withStallTimeout(Duration.ofSeconds(2)))) {
      transfer.awaitLimit();
      transfer.dial(2);
      transfer.awaitGoodEnd();
    }
    assertThat(destination.bytesWritten()).isEqualTo(size);
    nothingIsLeft(source, destination);
  }

  @Test
  void aSenderThatSaysWhatNobodyAskedForIsNotBelieved() throws Exception {
    SyntheticSource source = SyntheticSource.endless(FileName.of("endless"));
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, LARGE_BLOCKS, allocator, source, destination)) {
      transfer.sender.onLoop(((SenderPipeline) transfer.sender.path())::tellReceiver);
      transfer.dial(1);
      assertThat(transfer.receiver.end().code()).isEqualTo(ErrorCode.PROTOCOL);
      assertThat(transfer.sender.end().code()).isEqualTo(ErrorCode.PROTOCOL);
      transfer.checkReleased();
    }
    nothingIsLeft(source, destination);
  }

  @Test
  void aFileThatIsAllThereIsASuccessAlthoughTheReceiverDiesBeforeItSaysSo() throws Exception {
    SyntheticSource source = SyntheticSource.file(FileName.of("one"), 3 << 20, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, SMALL_BLOCKS, allocator, source, destination)) {
      transfer.receiver.dieBeforeFinished();
      transfer.dial(2);
      transfer.awaitGoodEnd();
      assertThat(transfer.sender.session().progress().figures().files().done()).isEqualTo(1);
    }
    assertThat(destination.publishedPaths()).containsExactly("one");
    nothingIsLeft(source, destination);
  }

  /** Only its last message says that directories have their mode and time. */
  @Test
  void aTreeWhoseReceiverDiesBeforeItsLastMessageIsNoSuccess() throws Exception {
    SyntheticSource source = SyntheticSource.tree(10, 700, List.of());
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, SMALL_BLOCKS, allocator, source, destination)) {
      transfer.receiver.dieBeforeFinished();
      transfer.dial(2);
      assertThat(transfer.sender.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
      transfer.receiver.end();
      transfer.checkReleased();
    }
    nothingIsLeft(source, destination);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoeverGivesUpTheOtherEndIsToldAndNothingIsHeld(boolean senderGivesUp) throws Exception {
    SyntheticSource source = SyntheticSource.endless(FileName.of("endless"));
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, SMALL_BLOCKS, allocator, source, destination)) {
      transfer.dial(2);
      Awaitility.await()
          .atMost(TestTransfer.DEADLINE)
          .until(() -> destination.bytesWritten() > 1 << 20);
      FdtException cause = new FdtException(ErrorCode.CANCELLED, "enough");
      (senderGivesUp ? transfer.sender : transfer.receiver).session().abort(cause);
      assertThat(transfer.sender.end().code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(transfer.receiver.end().code()).isEqualTo(ErrorCode.CANCELLED);
      transfer.checkReleased();
    }
    assertThat(destination.publishedPaths()).isEmpty();
    nothingIsLeft(source, destination);
  }

  @Test
  void aSenderWithoutStreamsHoldsNoMoreThanItsBudget() throws Exception {
    SyntheticSource source = SyntheticSource.endless(FileName.of("endless"));
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer =
        new TestTransfer(true, LARGE_BLOCKS, allocator, source, destination)) {
      long limit = LARGE_BLOCKS.bufferBytes();
      Awaitility.await()
          .atMost(TestTransfer.DEADLINE)
          .until(
              () -> transfer.bytesWaitingAtSender() > limit - 2 * (long) LARGE_BLOCKS.blockSize());
      assertThat(transfer.bytesWaitingAtSender()).isLessThanOrEqualTo(limit);
      transfer.sender.session().abort(new FdtException(ErrorCode.CANCELLED, "enough"));
      assertThat(transfer.sender.end().code()).isEqualTo(ErrorCode.CANCELLED);
      transfer.checkReleased();
    }
    nothingIsLeft(source, destination);
  }

  /** Until a write waits, so that blocks are under way. */
  private static void awaitHold(SyntheticDestination destination) {
    Awaitility.await()
        .atMost(TestTransfer.DEADLINE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(destination::holds);
  }

  private void nothingIsLeft(SyntheticSource source, SyntheticDestination destination) {
    Awaitility.await("everything closed and released")
        .atMost(TestTransfer.DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(source.openReaders()).isZero();
              assertThat(destination.openFiles()).isZero();
              assertThat(allocator.metric().usedDirectMemory()).isZero();
            });
  }

  private static Set<String> paths(int files) {
    Set<String> paths = new HashSet<>();
    for (int number = 1; number <= files; number++) {
      paths.add(TestTransfer.path(number));
    }
    return paths;
  }
}
