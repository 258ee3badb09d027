package io.fdt.udt.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.EventLoops;
import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Cookies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dials over paths on which long packets pass, and over others. */
class UdtDialTest {
  private static final int LENGTH = 200_000;
  private static final int SECONDS = 20;

  /** First two bytes of the answer to a challenge. */
  private static final int PATH_ANSWER = 0x800C;

  private static final ByteBufAllocator MEMORY = UnpooledByteBufAllocator.DEFAULT;
  private static final UdtSettings JUMBO =
      UdtSettings.DEFAULT.withSegment(UdtSettings.JUMBO_SEGMENT);

  private final EventLoops loops = new EventLoops("test-dial");
  private final CompletableFuture<byte[]> received = new CompletableFuture<>();
  private final byte[] content = new byte[LENGTH];
  private final CompletableFuture<Boolean> half = new CompletableFuture<>();
  private List<PathKey> keys = List.of();
  private int toSend = LENGTH;
  private boolean seals;
  private volatile Channel serverSide;
  private SocketAddress firstPeer;
  private LossyForwarder forwarder;
  private UdtPort port;

  @BeforeEach
  void listen() throws Exception {
    new Random(7).nextBytes(content);
    UdpSocket socket = new UdpSocket(loops.next());
    port =
        new UdtPort(
            socket,
            new Cookies(new byte[16]),
            JUMBO,
            WindowMemory.UNBOUNDED,
            MEMORY,
            (channel, address) -> use(channel, false));
    InetAddress here = InetAddress.getLoopbackAddress();
    socket.bind(new InetSocketAddress(here, 0), false).get(SECONDS, TimeUnit.SECONDS);
    forwarder = new LossyForwarder(socket.localAddress().getPort(), 0, 1);
  }

  @AfterEach
  void close() {
    forwarder.close();
    port.close();
    loops.close();
  }

  /** Lengths are those of UDP's payload, 28 bytes less than those of the segments. */
  @ParameterizedTest
  @CsvSource({
    "65536, 65536, 8972",
    "8000, 65536, 1472",
    "65536, 1472, 1472",
    "1471, 65536, 1252",
    "65536, 1300, 1252",
  })
  void packetsAreAsLongAsPassInBothDirections(int toServer, int toClient, int longest)
      throws Exception {
    forwarder.dropLonger(toServer, toClient);
    dial();
    assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(content);
    assertThat(forwarder.longest()).isEqualTo(longest);
  }

  /** The content is cut in two; between the halves a router forgets the client. */
  @Test
  void aPeerWhoseAddressChangesGoesOnWhenItProvesWhoItIs() throws Exception {
    keys = List.of(new PathKey(new byte[32]), new PathKey(new byte[32]));
    Channel client = dialHalf();
    forwarder.rebind();
    client.writeAndFlush(Unpooled.wrappedBuffer(content, LENGTH / 2, LENGTH / 2));
    assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(content);
    assertThat(serverSide.remoteAddress()).isNotEqualTo(firstPeer);
  }

  /** Who does not know the key has the socket id only, and may ask as often as it likes. */
  @Test
  void anybodyElseAtAnotherAddressIsNobody() throws Exception {
    keys = List.of(new PathKey(new byte[32]), new PathKey("another".getBytes(US_ASCII)));
    Channel client = dialHalf();
    forwarder.rebind();
    client.writeAndFlush(Unpooled.wrappedBuffer(content, LENGTH / 2, LENGTH / 2));
    Awaitility.await()
        .atMost(Duration.ofSeconds(SECONDS))
        .until(() -> forwarder.count(PATH_ANSWER) >= 2);
    assertThat(serverSide.remoteAddress()).isEqualTo(firstPeer);
    assertThat(received).isNotDone();
  }

  /** Of somebody who reads the path; a clear stream ends by it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void forgedPacketsDoNothingToAnEncryptedStream(boolean encrypted) throws Exception {
    keys = List.of(new PathKey(new byte[32]), new PathKey(new byte[32]));
    seals = encrypted;
    Channel client = dialHalf();
    forwarder.forge();
    client.writeAndFlush(Unpooled.wrappedBuffer(content, LENGTH / 2, LENGTH / 2));
    if (encrypted) {
      assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(content);
      assertThat(client.isOpen() && serverSide.isOpen()).isTrue();
    } else {
      Awaitility.await().atMost(Duration.ofSeconds(SECONDS)).until(() -> !serverSide.isOpen());
      assertThat(received).isNotDone();
    }
  }

  @Test
  void aPeerOfAnEncryptedStreamMayMove() throws Exception {
    keys = List.of(new PathKey(new byte[32]), new PathKey(new byte[32]));
    seals = true;
    Channel client = dialHalf();
    forwarder.rebind();
    client.writeAndFlush(Unpooled.wrappedBuffer(content, LENGTH / 2, LENGTH / 2));
    assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(content);
    assertThat(serverSide.remoteAddress()).isNotEqualTo(firstPeer);
  }

  /** The client has sent the first half, and the server has it. */
  private Channel dialHalf() throws Exception {
    toSend = LENGTH / 2;
    Channel client = dial();
    assertThat(half.get(SECONDS, TimeUnit.SECONDS)).isNotNull();
    firstPeer = serverSide.remoteAddress();
    return client;
  }

  @Test
  void sizesToTryFitTheInterface() {
    assertThat(Segments.toTry(9000, 65_536, false)).isEqualTo(List.of(9000, 1500, 1280));
    assertThat(Segments.toTry(9000, 1500, false)).isEqualTo(List.of(1500, 1280));
    assertThat(Segments.toTry(9000, 1500, true)).isEqualTo(List.of(1480, 1260));
    assertThat(Segments.toTry(9000, 1420, false)).isEqualTo(List.of(1420, 1280));
    assertThat(Segments.toTry(1500, 9000, false)).isEqualTo(List.of(1500, 1280));
    assertThat(Segments.toTry(1000, 9000, false)).isEqualTo(List.of(1000));
  }

  private Channel dial() throws Exception {
    return UdtDial.dial(
            loops.next(),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), forwarder.port()),
            JUMBO,
            WindowMemory.UNBOUNDED,
            MEMORY,
            Duration.ofSeconds(SECONDS),
            channel -> use(channel, true))
        .get(SECONDS, TimeUnit.SECONDS);
  }

  /** Sends everything, or collects everything. */
  private void use(Channel channel, boolean sends) {
    ((UdtChannel) channel).becomeStream(0);
    if (!keys.isEmpty()) {
      ((UdtChannel) channel).setPathKey(keys.get(sends ? 1 : 0));
    }
    if (!sends) {
      serverSide = channel;
    }
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              private final ByteBuf all = Unpooled.buffer(LENGTH);
              private boolean sealed;

              @Override
              public void channelActive(ChannelHandlerContext context) {
                if (sends) {
                  context.writeAndFlush(Unpooled.wrappedBuffer(content, 0, seals ? 1 : toSend));
                }
              }

              /** The first byte is in the clear, as its answer; then the stream begins. */
              private void seal(ChannelHandlerContext context) {
                sealed = true;
                if (!sends) {
                  context.writeAndFlush(Unpooled.wrappedBuffer(content, 0, 1));
                }
                ((UdtChannel) channel).seal(keys.get(sends ? 1 : 0));
                if (sends) {
                  context.writeAndFlush(Unpooled.wrappedBuffer(content, 0, toSend));
                }
              }

              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                if (seals && !sealed) {
                  bytes.release();
                  seal(context);
                  return;
                }
                all.writeBytes(bytes);
                bytes.release();
                if (all.readableBytes() == LENGTH / 2) {
                  half.complete(true);
                }
                if (all.readableBytes() == LENGTH) {
                  received.complete(all.array().clone());
                }
              }
            });
  }
}
