package io.fdt.core.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.transport.EventLoops;
import io.fdt.core.udt.UdtSettings;
import io.fdt.core.udt.WindowMemory;
import io.fdt.core.udt.packet.Cookies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.BufferedReader;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes to and from a program that uses Debian's libudt. */
class LibudtTest {
  private static final int SECONDS = 60;
  private static final int LENGTH = 1_500_000;
  private static final long SEED = 42;
  private static final ByteBufAllocator MEMORY = UnpooledByteBufAllocator.DEFAULT;

  @TempDir static Path directory;
  private static Path program;

  private final EventLoops loops = new EventLoops("test-udt");
  private final List<AutoCloseable> open = new ArrayList<>();
  private final byte[] content = new byte[LENGTH];
  private final CompletableFuture<byte[]> received = new CompletableFuture<>();

  @BeforeAll
  static void compile() throws Exception {
    assumeTrue(
        Files.exists(Path.of("/usr/include/udt/udt.h")) && Files.exists(Path.of("/usr/bin/g++")),
        "not installed: libudt");
    Path source = directory.resolve("libudt_peer.cpp");
    try (InputStream text = LibudtTest.class.getResourceAsStream("libudt_peer.cpp")) {
      Files.copy(text, source);
    }
    program = directory.resolve("libudt_peer");
    Process compiler =
        new ProcessBuilder("g++", "-O1", "-o", program + "", source + "", "-ludt", "-lpthread")
            .redirectErrorStream(true)
            .start();
    String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(compiler.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(compiler.exitValue()).as(output).isZero();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    loops.close();
  }

  @ParameterizedTest
  @CsvSource({"send, 0", "receive, 0", "send, 0.01", "receive, 0.01"})
  void libudtListens(String direction, double loss) throws Exception {
    Process peer = start(direction, "listen", 0);
    BufferedReader reader = peer.inputReader(StandardCharsets.UTF_8);
    String line = CompletableFuture.supplyAsync(() -> firstLine(reader)).get(30, TimeUnit.SECONDS);
    assertThat(line).startsWith("port=");
    int port = through(Integer.parseInt(line.substring("port=".length())), loss);
    UdtDial.dial(
            loops.next(),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            UdtSettings.DEFAULT,
            WindowMemory.UNBOUNDED,
            MEMORY,
            Duration.ofSeconds(30),
            channel -> use(channel, direction.equals("receive")))
        .get(30, TimeUnit.SECONDS);

    assertArrived(peer, direction);
  }

  @ParameterizedTest
  @CsvSource({"send, 0", "receive, 0", "send, 0.01", "receive, 0.01"})
  void libudtDials(String direction, double loss) throws Exception {
    UdpSocket socket = new UdpSocket(loops.next());
    UdtPort port =
        new UdtPort(
            socket,
            new Cookies(new byte[16]),
            UdtSettings.DEFAULT,
            WindowMemory.UNBOUNDED,
            MEMORY,
            (channel, address) -> use(channel, direction.equals("receive")));
    open.add(port::close);
    socket
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false)
        .get(30, TimeUnit.SECONDS);
    Process peer = start(direction, "dial", through(socket.localAddress().getPort(), loss));

    assertArrived(peer, direction);
  }

  private int through(int port, double loss) throws Exception {
    LossyForwarder forwarder = new LossyForwarder(port, loss, SEED);
    open.add(forwarder);
    return forwarder.port();
  }

  private static String firstLine(BufferedReader reader) {
    try {
      return reader.readLine();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Process start(String direction, String way, int port) throws Exception {
    new Random(7).nextBytes(content);
    Path file = directory.resolve(way + direction);
    if (direction.equals("send")) {
      Files.write(file, content);
    } else {
      Files.deleteIfExists(file);
    }
    Process peer =
        new ProcessBuilder(
                program + "", way, port + "", direction, file + "", Integer.toString(LENGTH))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    open.add(peer::destroyForcibly);
    return peer;
  }

  /** Sends everything, or collects everything; then closes. */
  private void use(Channel channel, boolean sends) {
    ((UdtChannel) channel).becomeStream(0);
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              private final ByteBuf all = Unpooled.buffer(LENGTH);

              @Override
              public void channelActive(ChannelHandlerContext context) {
                if (sends) {
                  context.writeAndFlush(Unpooled.wrappedBuffer(content));
                }
              }

              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                all.writeBytes(bytes);
                bytes.release();
                if (all.readableBytes() >= LENGTH) {
                  received.complete(all.array().clone());
                }
              }
            });
  }

  private void assertArrived(Process peer, String direction) throws Exception {
    byte[] arrived;
    if (direction.equals("send")) {
      arrived = received.get(SECONDS, TimeUnit.SECONDS);
      assertThat(peer.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    } else {
      assertThat(peer.waitFor(SECONDS, TimeUnit.SECONDS)).as("it has received all").isTrue();
      List<String> names = List.of("listen" + direction, "dial" + direction);
      Path file =
          names.stream().map(directory::resolve).filter(Files::exists).findFirst().orElseThrow();
      arrived = Files.readAllBytes(file);
      Files.delete(file);
    }
    assertThat(peer.exitValue()).isZero();
    assertThat(arrived).isEqualTo(content);
  }
}
