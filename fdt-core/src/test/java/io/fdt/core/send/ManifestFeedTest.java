package io.fdt.core.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.session.sender.ManifestPart;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.storage.forward.ForwardingSource;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.wire.ControlFrames;
import io.netty.channel.DefaultEventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManifestFeedTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final DefaultEventLoop eventLoop = new DefaultEventLoop();
  private final List<FdtException> defects = Collections.synchronizedList(new ArrayList<>());
  private final SessionLoop loop = new NettySessionLoop(eventLoop, defects::add);
  private final Target target = new Target();

  @AfterEach
  void close() {
    assertThat(defects).isEmpty();
    eventLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** What the session gets. */
  private static class Target implements ManifestFeed.Target {
    final CompletableFuture<FdtException> ended = new CompletableFuture<>();
    final List<Long> endedDirectories = Collections.synchronizedList(new ArrayList<>());
    volatile List<Root> roots;
    volatile long lastId;
    volatile int largestBatch;
    volatile int firstBatch;

    @Override
    public void roots(List<Root> found) {
      roots = found;
    }

    @Override
    public void part(ManifestPart<SourceFile> batch) {
      assertThat(roots).as("roots come first").isNotNull();
      for (Entry entry : batch.entries()) {
        assertThat(entry.id()).isEqualTo(lastId + 1);
        lastId = entry.id();
      }
      firstBatch = firstBatch == 0 ? batch.size() : firstBatch;
      largestBatch = Math.max(largestBatch, batch.size());
      endedDirectories.addAll(batch.endedDirectories());
    }

    @Override
    public void ended(FdtException failure) {
      ended.complete(failure);
    }
  }

  @Test
  void aWholeTreeComesInOrder() throws Exception {
    SyntheticSource source = SyntheticSource.tree(2500, 10, List.of());
    new ManifestFeed(new SessionRuntime("test-order", loop), source, target).start();
    assertThat(target.ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isNull();
    assertThat(target.lastId).isEqualTo(2503);
    assertThat(target.endedDirectories).containsExactly(1L, 1002L, 2003L);
    assertThat(target.firstBatch).as("entries before data can flow").isLessThanOrEqualTo(16);
    assertThat(target.largestBatch).isBetween(100, 512);
  }

  @Test
  void theWalkIsNeverFurtherAheadThanTheWindow() {
    SyntheticSource source = SyntheticSource.tree(100_000, 10, List.of());
    ManifestFeed feed = new ManifestFeed(new SessionRuntime("test-window", loop), source, target);
    feed.start();
    awaitStopAt(ManifestFeed.WINDOW);
    feed.release(1);
    awaitStopAt(ManifestFeed.WINDOW + 1);
    feed.release(5000);
    awaitStopAt(ManifestFeed.WINDOW + 5001);
    assertThat(target.ended).isNotDone();
    feed.stop();
    Awaitility.await().atMost(DEADLINE).until(() -> walkState() == null);
    assertThat(target.ended).as("nobody listens any more").isNotDone();
  }

  /** Links with the longest names and targets, and failures with long paths. */
  private static final class LongWords extends ForwardingSource {
    private static final int COUNT = 2000;

    LongWords() {
      super(SyntheticSource.tree(0, 0, List.of()));
    }

    @Override
    public void walk(Visitor visitor) throws InterruptedException {
      BytePath longTarget = BytePath.of("t".repeat(4095).getBytes(StandardCharsets.US_ASCII));
      for (int id = 1; id <= COUNT; id++) {
        FileName name = FileName.of("n".repeat(249) + String.format("%06d", id));
        visitor.entry(
            new Entry(
                id, 0, name, EntryKind.SYMLINK, 0, 0777, SyntheticSource.MODIFIED, longTarget),
            null);
        visitor.failed("p".repeat(4095), new FdtException(ErrorCode.IO, "m".repeat(8190)));
      }
    }
  }

  @Test
  void everyBatchFitsIntoAControlMessage() throws Exception {
    List<Integer> lengths = new ArrayList<>();
    Target measuring =
        new Target() {
          @Override
          public void part(ManifestPart<SourceFile> batch) {
            super.part(batch);
            lengths.add(batch.message(1).getSerializedSize());
          }
        };
    new ManifestFeed(new SessionRuntime("test-long", loop), new LongWords(), measuring).start();
    assertThat(measuring.ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isNull();
    assertThat(measuring.lastId).isEqualTo(LongWords.COUNT);
    assertThat(lengths).allMatch(length -> length < ControlFrames.MAX_LENGTH / 2);
  }

  private void awaitStopAt(long entries) {
    Awaitility.await()
        .atMost(DEADLINE)
        .until(() -> target.lastId == entries && walkState() == Thread.State.WAITING);
  }

  private static Thread.State walkState() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("test-window-walk"))
        .map(Thread::getState)
        .findAny()
        .orElse(null);
  }
}
