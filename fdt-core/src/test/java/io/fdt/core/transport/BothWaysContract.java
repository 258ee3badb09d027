package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.security.Identity;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.Ping;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The first that every {@link Transport} must do: messages and frames arrive, both ways. Each test
 * ends with all connections closed, each handler told so once, and all buffers released at both
 * ends.
 */
public abstract class BothWaysContract {
  static final Duration DEADLINE = Streams.DEADLINE;
  static final int PAYLOAD = Streams.PAYLOAD;

  final EventLoops loops = new EventLoops("test-client");
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  final Streams atServer = new Streams();
  final Streams atClient = new Streams();
  final Collected serverMessages = new Collected();
  final Collected clientMessages = new Collected();
  final List<Collected> opened = new ArrayList<>();
  final AtomicInteger released = new AtomicInteger();
  Function<ControlConnection, ControlConnection.Handler> acceptor;
  Transport client;
  TestServer server;

  /** Whether frames of streams begin with {@code waits}. */
  boolean waits;

  /** The implementation; dialer and listener are made by the same factory. */
  protected abstract Transport.Factory factory();

  @BeforeEach
  void listen() throws Exception {
    acceptor = connection -> opened(serverMessages);
    client = factory().create(loops, allocator, DEADLINE);
    server =
        new TestServer(
            factory(), DEADLINE, connection -> acceptor.apply(connection), atServer::open);
  }

  Collected opened(Collected messages) {
    synchronized (opened) {
      opened.add(messages);
    }
    return messages;
  }

  @AfterEach
  void everyConnectionHasClosedOnceAndNothingIsLeft() {
    server.close();
    try {
      for (Streams end : List.of(atServer, atClient)) {
        await("streams that close")
            .untilAsserted(() -> assertThat(end.timesClosed).hasValue(end.ends.size()));
        end.assertNothingWrong();
      }
      for (Collected end : opened) {
        await("control connections that close")
            .untilAsserted(() -> assertThat(end.timesClosed()).isEqualTo(1));
      }
    } finally {
      loops.close();
      TestServer.awaitEmpty(allocator);
    }
  }

  @Test
  void messagesArriveBothWaysInOrder() throws Exception {
    ControlConnection control = connect();
    ControlConnection accepted = accepted();
    int messages = 2000;
    for (int i = 1; i <= messages; i++) {
      control.send(ping(i));
      accepted.send(ping(-i));
    }
    for (int i = 1; i <= messages; i++) {
      assertThat(serverMessages.next()).isEqualTo(ping(i));
      assertThat(clientMessages.next()).isEqualTo(ping(-i));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void framesArriveBothWaysOnManyStreams(boolean waitsForAnswer) throws Exception {
    waits = waitsForAnswer;
    int streams = 6;
    int frames = 12;
    for (int number = 0; number < streams; number++) {
      assertThat(join(number).number()).isEqualTo(number);
    }
    atServer.awaitOpen(streams);
    for (int n = 0; n < frames; n++) {
      for (int number = 0; number < streams; number++) {
        int length = n % 3 == 0 ? n : PAYLOAD - n;
        send(atClient.open.get(number), n, length);
        send(atServer.open.get(number), n, length);
      }
    }
    atServer.awaitFrames((long) streams * frames);
    atClient.awaitFrames((long) streams * frames);
    awaitReleased(2 * streams * frames);

    assertThat(server.joined).hasSize(streams).doesNotContainValue(true);
    assertThat(atServer.bytes).hasValue(atClient.bytes.get());
    for (int number = 0; number < streams; number++) {
      DataStream here = atClient.open.get(number);
      DataStream there = atServer.open.get(number);
      long payload = atClient.bytes.get() / streams;
      assertThat(there.number()).isEqualTo(number);
      assertThat(here.payloadBytes()).isEqualTo(there.payloadBytes()).isEqualTo(payload);
      assertThat(here.wireBytes())
          .isEqualTo(there.wireBytes())
          .isEqualTo(2 * (payload + (long) frames * FrameHeader.LENGTH));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void encryptedStreamsCarryFramesBothWays(boolean waitsForAnswer) throws Exception {
    waits = waitsForAnswer;
    DataStream stream = get(begin(prove(3), Optional.of(tlsTo(TestServer.IDENTITY))));
    for (int n = 0; n < 20; n++) {
      send(stream, n, PAYLOAD - n);
    }
    atServer.awaitFrames(20);
    for (int n = 0; n < 20; n++) {
      send(atServer.open.get(3), n, n);
    }
    atClient.awaitFrames(20);

    assertThat(server.joined).containsEntry(3, true);
    assertThat(stream.wireBytes()).isEqualTo(atServer.open.get(3).wireBytes());
  }

  static DataTls tlsTo(Identity identity) {
    return new DataTls(TestServer.CLIENT_TLS, identity.fingerprint());
  }

  ControlConnection connect() throws Exception {
    SecuredControl secured = get(dialControl(server.address(), clientMessages));
    secured.begin().run();
    return secured.control();
  }

  ControlConnection accepted() {
    await("a connection").until(() -> !server.connections.isEmpty());
    return server.connections.element();
  }

  CompletableFuture<SecuredControl> dialControl(InetSocketAddress address, Collected messages) {
    return client.dialControl(
        loops.next(),
        address,
        TestServer.CLIENT_TLS,
        "localhost",
        roundTrip -> {},
        connection -> opened(messages));
  }

  static Join prove(int number) {
    return Join.prove(TestServer.SESSION, number, TestServer.SECRET);
  }

  DataStream join(int number) throws Exception {
    return get(begin(number));
  }

  CompletableFuture<DataStream> begin(int number) {
    return begin(prove(number), Optional.empty());
  }

  CompletableFuture<DataStream> begin(Join join, Optional<DataTls> tls) {
    return client
        .dialData(server.address())
        .thenCompose(c -> c.join(join, TestServer.SETTINGS, tls, waits, atClient::open));
  }

  void send(DataStream stream, long number, int length) {
    UnpooledByteBufAllocator memory =
        atServer.open.containsValue(stream) ? server.allocator : allocator;
    stream.sendAndRelease(Streams.frame(number, length, memory), released::incrementAndGet);
  }

  /** Each frame is given back, and none twice. */
  void awaitReleased(int frames) {
    await("frames given back")
        .untilAsserted(() -> assertThat(released).hasValueGreaterThanOrEqualTo(frames));
    assertThat(released).hasValue(frames);
  }

  static ConditionFactory await(String what) {
    return Awaitility.await(what).atMost(DEADLINE).pollInterval(Duration.ofMillis(5));
  }

  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  static Control ping(long nonce) {
    return Control.newBuilder().setPing(Ping.newBuilder().setNonce(nonce)).build();
  }

  static Control hello(int length) {
    return Control.newBuilder()
        .setHello(Hello.newBuilder().setSoftware("x".repeat(length)))
        .build();
  }
}
