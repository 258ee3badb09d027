package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FanCell;
import io.fdt.core.wire.FanMember;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fans whose connections are not as they should be, at a listener and at a dialer. */
public abstract class FansContract {
  protected static final Duration PATIENT = Duration.ofSeconds(20);
  private static final Duration IMPATIENT = Duration.ofMillis(400);
  private static final SessionId FAN = new SessionId(7, 8);

  protected final EventLoops loops = new EventLoops("test-client");
  protected final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<RawLine> lines = new ArrayList<>();
  protected final CompletableFuture<DataStream> joined = new CompletableFuture<>();
  private TestServer server;

  /** A transport that dials streams of these connections. */
  protected abstract Transport transport(
      EventLoops own, ByteBufAllocator memory, Duration deadline, Fan fan);

  /** A connection to a listener of such a transport. */
  protected abstract RawLine line(InetSocketAddress address) throws Exception;

  @AfterEach
  void nothingIsLeft() throws Exception {
    for (RawLine line : lines) {
      line.close();
    }
    if (server != null) {
      server.close();
    }
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  protected final void serve(Duration deadline) throws Exception {
    server =
        new TestServer(
            (own, memory, timeout) -> transport(own, memory, timeout, Fan.NONE),
            deadline,
            connection -> new Collected(),
            this::stream);
  }

  private DataStream.Handler stream(DataStream stream) {
    joined.complete(stream);
    return new Quiet();
  }

  private static final class Quiet implements DataStream.Handler {
    @Override
    public void frame(ReceivedFrame frame) {
      frame.release();
    }

    @Override
    public void writable() {}

    @Override
    public void closed(FdtException cause) {}
  }

  protected final InetSocketAddress address() {
    return server.address();
  }

  private RawLine dial() throws Exception {
    return dial(server.address());
  }

  private RawLine dial(InetSocketAddress address) throws Exception {
    RawLine line = line(address);
    lines.add(line);
    return line;
  }

  private static byte[] bytes(Consumer<ByteBuf> writing) {
    ByteBuf buffer = Unpooled.buffer();
    writing.accept(buffer);
    return ByteBufUtil.getBytes(buffer);
  }

  private RawLine member(int count, int index) throws Exception {
    return member(server.address(), count, index);
  }

  /** One that goes to the listener through another address. */
  protected final RawLine member(InetSocketAddress address, int count, int index) throws Exception {
    RawLine line = dial(address);
    line.write(
        bytes(
            out -> {
              Preface.of(Preface.Kind.FAN).write(out);
              FAN.write(out);
              out.writeByte(count).writeByte(index);
            }));
    return line;
  }

  private static void assertAnswered(RawLine line) throws IOException {
    assertThat(line.read(Preface.LENGTH)).isEqualTo(bytes(Preface.of(Preface.Kind.ANSWER)::write));
  }

  protected static void assertClosed(RawLine line) throws IOException {
    assertThat(line.readAll().length).isLessThanOrEqualTo(Preface.LENGTH + 100);
  }

  protected static byte[] cell(long number, byte[] content) {
    return bytes(
        out -> {
          out.writeLong(number).writeInt(content.length);
          out.writeBytes(content);
        });
  }

  /** Preface and join of stream 0. */
  protected static byte[] join() {
    return bytes(
        out -> {
          Preface.of(Preface.Kind.DATA).write(out);
          Join.prove(TestServer.SESSION, 0, TestServer.SECRET).write(out);
        });
  }

  private void assertServes() throws Exception {
    open(4).close();
  }

  /** A stream of so many connections. */
  protected final DataStream open(int connections) throws Exception {
    return transport(loops, allocator, PATIENT, new Fan(connections, 1))
        .dialData(server.address())
        .thenCompose(connection -> joined(connection, s -> new Quiet()))
        .get(20, TimeUnit.SECONDS);
  }

  private int nextStream = 1000;

  private CompletableFuture<DataStream> joined(
      DataConnection connection, Function<DataStream, DataStream.Handler> handlers) {
    return connection.join(
        Join.prove(TestServer.SESSION, nextStream++, TestServer.SECRET),
        TestServer.SETTINGS,
        Optional.empty(),
        true,
        handlers);
  }

  @Test
  void aJoinInPiecesOnTwoConnectionsIsOneJoin() throws Exception {
    serve(PATIENT);
    RawLine second = member(2, 1);
    RawLine first = member(2, 0);
    byte[] join = join();
    byte[] start = Arrays.copyOf(join, 20);
    byte[] rest = Arrays.copyOfRange(join, 20, join.length);
    second.write(cell(1, rest));
    assertAnswered(second);
    assertAnswered(first);
    assertThat(server.joinsRead).hasValue(0);

    first.write(cell(0, start));
    joined.get(20, TimeUnit.SECONDS);
    assertThat(joined.join().path()).contains("127.0.0.1");
    // Both connections are free, so the answers are on both, in turn.
    byte[] header = first.read(FanCell.LENGTH);
    assertThat(header).isEqualTo(bytes(new FanCell(0, Preface.LENGTH)::write));
    assertThat(first.read(Preface.LENGTH)).isEqualTo(bytes(Preface.of(Preface.Kind.ANSWER)::write));
    assertThat(second.read(FanCell.LENGTH + JoinAnswer.LENGTH))
        .isEqualTo(cell(1, bytes(JoinAnswer.ACCEPTED::write)));
  }

  @Test
  void aFanThatIsNotCompleteInTimeIsClosed() throws Exception {
    serve(IMPATIENT);
    RawLine one = member(3, 2);
    one.write(cell(0, join()));
    RawLine other = member(3, 0);

    assertClosed(one);
    assertClosed(other);
    assertClosed(member(3, 1)); // too late: it waits for others in vain
    assertServes();
  }

  @Test
  void aConnectionThatGoesTakesTheOthersOfItsFanWithIt() throws Exception {
    serve(PATIENT);
    RawLine one = member(3, 0);
    assertAnswered(one);
    RawLine gone = member(3, 1);
    assertAnswered(gone);
    gone.close();
    assertClosed(one);
  }

  /** They are refused, and the fan that they do not fit to goes on. */
  @Test
  void anotherCountAndATakenIndexAreRefused() throws Exception {
    serve(PATIENT);
    RawLine first = member(2, 0);
    assertAnswered(first);
    assertClosed(member(3, 1));
    assertClosed(member(2, 0));

    RawLine second = member(2, 1);
    second.write(cell(0, join()));
    joined.get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 0", "1 0", "65 0", "255 254", "2 2", "4 200"})
  void aCountOrIndexThatCannotBeIsRefused(String text) throws Exception {
    serve(PATIENT);
    String[] numbers = text.split(" ");
    assertClosed(member(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
    assertServes();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void aFanCarriesNeitherControlNorAnotherFan(int kind) throws Exception {
    serve(PATIENT);
    RawLine first = member(2, 0);
    RawLine second = member(2, 1);
    byte[] preface = bytes(Preface.of(Preface.Kind.DATA)::write);
    preface[10] = (byte) kind;
    first.write(cell(0, preface));

    assertClosed(first);
    assertClosed(second);
    assertThat(server.connections).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "000000000000000000010001", // too long
        "ffffffffffffffff00000001", // no number
        "0000000004000001", // too far ahead, in part
        "000000001000000000000001", // too far ahead
      })
  void cellsThatCannotBeCloseTheFan(String header) throws Exception {
    serve(IMPATIENT);
    RawLine first = member(2, 0);
    RawLine second = member(2, 1);
    first.write(ByteBufUtil.decodeHexDump(header));

    assertClosed(first);
    assertClosed(second);
    assertServes();
  }

  @Test
  void aCellThatNobodyBringsClosesTheFan() throws Exception {
    serve(PATIENT);
    RawLine first = member(2, 0);
    RawLine second = member(2, 1);
    first.write(cell(2, join()));
    second.write(cell(1, join()));

    assertClosed(first);
    assertClosed(second);
  }

  /** Whoever sends ahead without end is not read without end. */
  @Test
  void whatWaitsForACellThatDoesNotComeIsBounded() throws Exception {
    serve(PATIENT);
    RawLine first = member(2, 0);
    RawLine second = member(2, 1);
    byte[] join = join();
    second.write(cell(0, join));
    joined.get(20, TimeUnit.SECONDS);
    Thread flood =
        new Thread(
            () -> {
              try {
                for (long number = 2; ; number++) {
                  first.write(cell(number, new byte[FanCell.MAX_BYTES]));
                }
              } catch (IOException e) {
                return; // closed at the end
              }
            });
    flood.start();
    long most = 0;
    for (int i = 0; i < 50; i++) {
      Thread.sleep(10);
      most = Math.max(most, server.allocator.metric().usedDirectMemory());
    }
    assertThat(most).isLessThan(4 << 20);
    second.close();
    assertClosed(first);
    flood.join();
  }

  /** Half of what a server has for strangers is what one address can have. */
  @Test
  void fansThatAreNotCompleteKeepNobodyOut() throws Exception {
    serve(PATIENT);
    for (int i = 0; i < 300; i++) {
      RawLine line = dial();
      SessionId id = new SessionId(i, 0);
      line.write(
          bytes(
              out -> {
                Preface.of(Preface.Kind.FAN).write(out);
                new FanMember(id, 64, 0).write(out);
              }));
    }
    assertServes();
  }

  @Test
  void oneConnectionThatBreaksEndsTheStream() throws Exception {
    serve(PATIENT);
    RawLine first = member(2, 0);
    RawLine second = member(2, 1);
    first.write(cell(0, join()));
    joined.get(20, TimeUnit.SECONDS);
    second.breakOff();

    assertClosed(first);
    Awaitility.await().atMost(PATIENT).until(() -> !joined.join().isWritable());
  }

  @Test
  void aListenerThatIsFullIsHeard() throws Exception {
    serve(PATIENT);
    server.notTaken = Optional.of(ErrorCode.BUSY);
    Transport client = transport(loops, allocator, PATIENT, new Fan(2, 1));
    Throwable failure =
        client
            .dialData(server.address())
            .thenCompose(connection -> joined(connection, s -> new Quiet()))
            .handle((stream, e) -> e)
            .get(20, TimeUnit.SECONDS);
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    assertThat(((FdtException) cause).code()).isEqualTo(ErrorCode.BUSY);
  }
}
