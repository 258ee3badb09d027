package io.fdt.core.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.HeldFrame;
import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.receive.ThisThread;
import io.fdt.core.storage.SharedFile.Shared;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.FileClosed;
import io.fdt.core.wire.stripe.FrameHeld;
import io.fdt.core.wire.stripe.FromNode;
import io.fdt.core.wire.stripe.HeldWritten;
import io.fdt.core.wire.stripe.OpenOnNode;
import io.fdt.core.wire.stripe.StreamUp;
import io.fdt.core.wire.stripe.ToNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a front end makes of its data nodes, in virtual time. */
class ReceivingStripeTest {
  private static final long FILE = 9;
  private static final int MAX_PAYLOAD = 1 << 16;

  private final ThisThread loop = new ThisThread();
  private final ReceivingStripe nodes =
      new ReceivingStripe(
          loop,
          SessionId.random(new Random(1)),
          OpenOnNode.getDefaultInstance(),
          MAX_PAYLOAD,
          UnpooledByteBufAllocator.DEFAULT);
  private final Way one = new Way(1);
  private final Way other = new Way(2);
  private final List<HeldFrame> frames = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final List<String> outcomes = new ArrayList<>();

  /** The messages that went to a node. */
  private static final class Way implements NodeLink {
    private final int stream;
    private final List<ToNode> sent = new ArrayList<>();

    Way(int stream) {
      this.stream = stream;
    }

    @Override
    public String name() {
      return "node" + stream;
    }

    @Override
    public void send(ToNode message) {
      sent.add(message);
    }
  }

  @BeforeEach
  void twoNodesJoin() {
    nodes.start(
        new ReceivingNodes.Listener() {
          @Override
          public void frame(int stream, ReceivedFrame frame) {
            frames.add((HeldFrame) frame);
          }

          @Override
          public void notice(String message) {
            notices.add(message);
          }
        });
    for (Way way : List.of(one, other)) {
      nodes.joined(way);
      nodes.heard(
          way,
          FromNode.newBuilder().setStreamUp(StreamUp.newBuilder().setStream(way.stream)).build());
    }
  }

  @Test
  void aNodeThatJoinsTakesPartAtOnceInASessionThatRuns() {
    assertThat(other.sent).first().matches(ToNode::hasOpen);
    assertThat(notices).contains("data node node2 has joined");
  }

  @Test
  void aNodeThatDoesNotDoWhatItWasToldCountsAsGone() {
    holdAndWrite(one, 0);
    tick(60);
    assertThat(outcomes).isEmpty();

    tick(61);

    assertThat(outcomes).containsExactly("lost");
    assertThat(notices).contains("data node node1 has left: no answer for 60 s");
    assertThat(one.sent.get(one.sent.size() - 1).hasClose()).isTrue();
    assertThat(other.sent).noneMatch(ToNode::hasClose);
  }

  @Test
  void aNodeThatOwesNothingMayBeSilent() {
    holdAndWrite(one, 0);
    written(one, 0);
    tick(3600);

    assertThat(outcomes).containsExactly("written");
    assertThat(nodes.streams()).isEqualTo(2);
  }

  @Test
  void aFileIsClosedOnceAllOfItsNodesHaveForcedIt() {
    writtenByBoth();

    nodes.closeFile(FILE, true, closed -> outcomes.add("closed " + closed), this::failed);

    for (Way way : List.of(one, other)) {
      assertThat(way.sent.get(way.sent.size() - 1).getCloseFile().getFsync()).isTrue();
    }
    closed(one);
    assertThat(outcomes).doesNotContain("closed WHOLE");
    closed(other);
    assertThat(outcomes).endsWith("closed WHOLE");
  }

  /** Nobody knows what it has written. */
  @Test
  void aFileIsInDoubtIfOneOfItsNodesHasGoneMeanwhile() {
    writtenByBoth();
    nodes.left(one, new FdtException(ErrorCode.UNREACHABLE, "gone"));
    assertThat(nodes.hasOpen(FILE)).isTrue();

    nodes.closeFile(FILE, false, closed -> outcomes.add("closed " + closed), this::failed);
    closed(other);

    assertThat(outcomes).endsWith("closed UNKNOWN");
  }

  @Test
  void aFileIsInDoubtIfOneOfItsNodesGoesWhileItIsClosed() {
    writtenByBoth();
    nodes.closeFile(FILE, false, closed -> outcomes.add("closed " + closed), this::failed);
    closed(other);

    nodes.left(one, new FdtException(ErrorCode.UNREACHABLE, "gone"));

    assertThat(outcomes).endsWith("closed UNKNOWN");
  }

  /** Its blocks are sent again through the others. */
  @Test
  void whatANodeHadUnderWayIsLostWithIt() {
    holdAndWrite(one, 0);
    nodes.left(one, new FdtException(ErrorCode.UNREACHABLE, "gone"));

    assertThat(outcomes).containsExactly("lost");
    assertThat(nodes.streams()).isEqualTo(1);
  }

  private void writtenByBoth() {
    holdAndWrite(one, 0);
    holdAndWrite(other, 1);
    written(one, 0);
    written(other, 1);
  }

  private void tick(long seconds) {
    loop.nanos = TimeUnit.SECONDS.toNanos(seconds);
    nodes.tick(loop.nanos);
  }

  private void failed(FdtException cause) {
    outcomes.add("failed " + cause.getMessage());
  }

  /** A frame comes to a node, which is told to write it. */
  private void holdAndWrite(Way way, long number) {
    ByteBuf header = Unpooled.buffer();
    FrameHeader.block(number, FILE, 100 * number, 100, 0).write(header);
    nodes.heard(
        way,
        FromNode.newBuilder()
            .setHeld(
                FrameHeld.newBuilder()
                    .setStream(way.stream)
                    .setHeader(ByteString.copyFrom(header.nioBuffer()))
                    .setIntact(true))
            .build());
    frames
        .get(frames.size() - 1)
        .write(
            FILE,
            200,
            new Shared(BytePath.of("/data/part"), 5),
            new HeldFrame.Result() {
              @Override
              public void written(byte[] hashes, FdtException failure) {
                outcomes.add(failure == null ? "written" : failure.getMessage());
              }

              @Override
              public void lost() {
                outcomes.add("lost");
              }
            });
    assertThat(way.sent.get(way.sent.size() - 1).hasWrite()).isTrue();
  }

  private void written(Way way, long number) {
    ToNode order =
        way.sent.stream()
            .filter(ToNode::hasWrite)
            .filter(sent -> sent.getWrite().getFrame().getNumber() == number)
            .findFirst()
            .orElseThrow();
    nodes.heard(
        way,
        FromNode.newBuilder()
            .setWritten(HeldWritten.newBuilder().setFrame(order.getWrite().getFrame()))
            .build());
  }

  private void closed(Way way) {
    nodes.heard(
        way, FromNode.newBuilder().setFileClosed(FileClosed.newBuilder().setId(FILE)).build());
  }
}
