package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All else that every {@link Transport} must do. */
public abstract class TransportContract extends BothWaysContract {
  /** More than any implementation holds of one direction of a connection that nobody reads. */
  private static final int MOST_UNREAD = 64 << 20;

  /** Whether an end that does not read still notices that the other end has gone. */
  protected boolean noticesCloseWithoutReading() {
    return true;
  }

  // Listening and dialing

  @Test
  void controlAndDataDialedWhereNobodyListensAreUnreachable() throws Exception {
    InetSocketAddress address = server.address();
    server.listener().stopListening();

    assertThat(failureOf(dialControl(address, clientMessages))).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(failureOf(client.dialData(address))).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aPortHasOneListener() throws Exception {
    ListenSettings settings =
        new ListenSettings(CompletableFuture.completedFuture(TestServer.TLS), 512, DEADLINE);
    assertThatThrownBy(() -> server.transport().listen(server.address(), settings, server))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.USAGE));

    server.listener().stopListening();
    server.transport().listen(server.address(), settings, server).close();
  }

  @Test
  void stopListeningKeepsOpenConnections() throws Exception {
    ControlConnection control = connect();
    DataStream stream = join(0);
    server.listener().stopListening();
    server.listener().stopListening();

    assertThat(failureOf(client.dialData(server.address()))).isEqualTo(ErrorCode.UNREACHABLE);
    control.send(ping(1));
    assertThat(serverMessages.next()).isEqualTo(ping(1));
    send(stream, 0, PAYLOAD);
    atServer.awaitFrames(1);
  }

  @Test
  void closingTheListenerClosesItsConnections() throws Exception {
    connect();
    join(0);
    DataConnection unused = get(client.dialData(server.address()));
    server.listener().close();
    server.listener().close();

    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(failureOf(joined(unused, prove(1)))).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void anAddressThatIsRefusedHearsWhy() throws Exception {
    server.notTaken = Optional.of(ErrorCode.FORBIDDEN);

    assertThat(failureOf(dialControl(server.address(), clientMessages)))
        .isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(failureOf(begin(0))).isEqualTo(ErrorCode.FORBIDDEN);
    // Who hears it before it has said anything does not count: the data connection may be so quick.
    await("the control connection is counted")
        .untilAsserted(() -> assertThat(server.refused).isNotEmpty());
    assertThat(server.refused).containsOnly(ErrorCode.FORBIDDEN).hasSizeLessThanOrEqualTo(2);
    assertThat(server.connections).isEmpty();
    assertThat(server.joined).isEmpty();
  }

  // Control connections

  @Test
  void longMessagesArriveBothWays() throws Exception {
    ControlConnection control = connect();
    control.send(hello(1_000_000));
    accepted().send(hello(1_000_001));
    control.send(ping(1));

    assertThat(serverMessages.next()).isEqualTo(hello(1_000_000));
    assertThat(serverMessages.next()).isEqualTo(ping(1));
    assertThat(clientMessages.next()).isEqualTo(hello(1_000_001));
  }

  @Test
  void aDialerThatIsNotKnownSendsShortMessagesOnly() throws Exception {
    server.knowsPeers = false;
    ControlConnection control = connect();
    control.send(ping(1));
    assertThat(serverMessages.next()).isEqualTo(ping(1));
    control.send(hello(100_000));

    assertThat(serverMessages.end().code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(clientMessages.next().getAbort().getCode()).isEqualTo(ErrorCode.PROTOCOL.wireCode());
  }

  @Test
  void theDialerSeesTheCertificatesOfTheListener() throws Exception {
    SecuredControl secured = get(dialControl(server.address(), clientMessages));

    assertThat(secured.certificates()).isEqualTo(TestServer.IDENTITY.chain());
    secured.control().close();
    secured.begin().run();
    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aDialerThatComesBeforeTheCertificatesWaitsForThem() throws Exception {
    CompletableFuture<ServerTls> later = new CompletableFuture<>();
    try (TestServer slow =
        new TestServer(
            factory(), DEADLINE, later, connection -> acceptor.apply(connection), null)) {
      CompletableFuture<SecuredControl> dialed = dialControl(slow.address(), clientMessages);
      assertThat(slow.connections).isEmpty();
      assertThat(dialed).isNotDone();

      later.complete(TestServer.TLS);
      SecuredControl secured = get(dialed);
      secured.begin().run();
      secured.control().send(ping(1));
      assertThat(serverMessages.next()).isEqualTo(ping(1));
    }
  }

  @Test
  void aPeerThatSpeaksBeforeItIsSpokenToBreaksTheRules() throws Exception {
    acceptor =
        connection -> {
          connection.send(ping(1));
          return opened(serverMessages);
        };
    SecuredControl secured = get(dialControl(server.address(), clientMessages));

    assertThat(serverMessages.next().getAbort().getCode()).isEqualTo(ErrorCode.PROTOCOL.wireCode());
    secured.begin().run();
    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(clientMessages.isEmpty()).isTrue();
  }

  @Test
  void handlersRunOnTheEventLoopOfTheirConnection() throws Exception {
    var loop = loops.next();
    CompletableFuture<Boolean> made = new CompletableFuture<>();
    CompletableFuture<Boolean> message = new CompletableFuture<>();
    CompletableFuture<Boolean> reached = new CompletableFuture<>();
    SecuredControl secured =
        get(
            client.dialControl(
                loop,
                server.address(),
                TestServer.CLIENT_TLS,
                "localhost",
                roundTrip -> reached.complete(!roundTrip.isNegative()),
                connection -> {
                  made.complete(loop.inEventLoop());
                  opened(clientMessages);
                  return handler(m -> message.complete(loop.inEventLoop()), clientMessages);
                }));
    assertThat(reached).isCompletedWithValue(true);
    secured.begin().run();
    accepted().send(ping(1));

    assertThat(get(made)).isTrue();
    assertThat(get(message)).isTrue();
  }

  @Test
  void bothEndsKnowTheAddressOfTheOther() throws Exception {
    ControlConnection control = connect();

    assertThat(control.peerAddress()).isEqualTo(server.address().getAddress());
    assertThat(control.peer()).endsWith(":" + server.address().getPort());
    assertThat(accepted().peerAddress().isLoopbackAddress()).isTrue();
    assertThat(control.roundTrip()).isBetween(Duration.ZERO, DEADLINE);
  }

  /** Much more than a system takes at once: it waits in memory when the connection is closed. */
  @Test
  void whatWasSentBeforeClosingStillArrives() throws Exception {
    int messages = 30;
    ControlConnection control = connect();
    ControlConnection accepted = accepted();
    for (int i = 1; i <= messages; i++) {
      accepted.send(hello(1_000_000));
      accepted.send(ping(i));
    }
    accepted.close();
    for (int i = 1; i <= messages; i++) {
      assertThat(clientMessages.next()).isEqualTo(hello(1_000_000));
      assertThat(clientMessages.next()).isEqualTo(ping(i));
    }
    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(serverMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    control.send(ping(1));
  }

  @Test
  void closeFromManyThreadsIsToldOnce() throws Exception {
    ControlConnection control = connect();
    ControlConnection accepted = accepted();
    onManyThreads(control::close, accepted::close);

    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(serverMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    control.close();
    control.send(ping(1));
    assertThat(serverMessages.isEmpty()).isTrue();
  }

  @Test
  void aHandlerThatThrowsClosesForThisReasonAndThePeerIsTold() throws Exception {
    FdtException reason = new FdtException(ErrorCode.BUSY, "not now");
    acceptor =
        connection ->
            handler(
                message -> {
                  throw reason;
                },
                opened(serverMessages));
    connect().send(ping(1));

    Control last = clientMessages.next();
    assertThat(last.getAbort().getCode()).isEqualTo(ErrorCode.BUSY.wireCode());
    assertThat(last.getAbort().getMessage()).isEqualTo("not now");
    assertThat(clientMessages.end().code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(serverMessages.end()).isSameAs(reason);
  }

  @Test
  void messagesWaitForAPeerThatDoesNotRead() throws Exception {
    ControlConnection control = connect();
    ControlConnection accepted = accepted();
    control.setReading(false);
    int messages = 40;
    for (int i = 0; i < messages; i++) {
      accepted.send(hello(1_000_000));
    }
    long pending = accepted.pendingBytes();
    assertThat(pending).isBetween(1_000_000L, 41_000_000L);
    assertThatThrownBy(() -> accepted.awaitPending(1_000_000, Duration.ofMillis(300)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));

    control.setReading(true);
    accepted.awaitPending(0, DEADLINE);
    assertThat(accepted.pendingBytes()).isZero();
    for (int i = 0; i < messages; i++) {
      assertThat(clientMessages.next()).isEqualTo(hello(1_000_000));
    }
    control.close();
    serverMessages.end();
    assertThatThrownBy(() -> accepted.awaitPending(0, DEADLINE))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }

  @Test
  void aPeerThatNeverReadsIsGivenUpBeforeMemoryIsFull() throws Exception {
    ControlConnection control = connect();
    ControlConnection accepted = accepted();
    control.setReading(false);
    for (int i = 0; i < 100; i++) {
      accepted.send(hello(1_000_000));
    }
    assertThat(serverMessages.end().code()).isEqualTo(ErrorCode.TIMEOUT);
    control.close();
  }

  // Joins

  /** Another thread knows the stream before its handler does. */
  @Test
  void whatTheListenerSendsAtOnceComesBehindItsAnswer() throws Exception {
    atServer.greeting = Streams.frame(0, 1000, server.allocator);
    DataStream stream = join(0);
    send(stream, 0, 1000);

    atClient.awaitFrames(1);
    atServer.awaitFrames(1);
  }

  @Test
  void framesThatLeaveBehindTheJoinWaitUntilItIsDecided() throws Exception {
    server.beforeJoins = new CompletableFuture<>();
    CompletableFuture<DataStream> accepted = begin(0);
    atClient.awaitOpen(1);
    DataStream early = atClient.open.get(0);
    int frames = 40;
    for (int n = 0; n < frames; n++) {
      send(early, n, PAYLOAD);
    }
    assertThat(server.allocator.metric().usedDirectMemory()).isLessThan(PAYLOAD);
    assertThat(server.joined).isEmpty();
    assertThat(accepted).isNotDone();

    server.beforeJoins.complete(null);
    atServer.awaitFrames(frames);
    assertThat(get(accepted)).isSameAs(early);
    awaitReleased(frames);
  }

  @Test
  void aJoinThatIsDecidedLaterHasNoStreamBeforeWhenItWaits() throws Exception {
    waits = true;
    server.beforeJoins = new CompletableFuture<>();
    CompletableFuture<DataStream> accepted = begin(0);
    assertThat(accepted).isNotDone();
    assertThat(atClient.open).isEmpty();

    server.beforeJoins.complete(null);
    send(get(accepted), 0, PAYLOAD);
    atServer.awaitFrames(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedJoinHearsTheReason(boolean waitsForAnswer) throws Exception {
    waits = waitsForAnswer;
    server.refusal = new FdtException(ErrorCode.BUSY, "no place");

    assertThat(failureOf(begin(0))).isEqualTo(ErrorCode.BUSY);
    assertThat(atServer.open).isEmpty();
    if (waits) {
      assertThat(atClient.open).as("nobody had a stream").isEmpty();
    } else {
      assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.BUSY);
      send(atClient.open.get(0), 0, 100);
      awaitReleased(1);
    }
  }

  @Test
  void aJoinWithTheWrongProofOrSessionIsRefused() throws Exception {
    Join wrongProof = Join.prove(TestServer.SESSION, 0, new byte[] {1});
    Join wrongSession = Join.prove(new SessionId(3, 4), 1, TestServer.SECRET);

    assertThat(failureOf(begin(wrongProof, Optional.empty()))).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(failureOf(begin(wrongSession, Optional.empty()))).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(atServer.open).isEmpty();
  }

  @Test
  void aNumberThatIsInUseIsRefusedAndTheFirstStreamGoesOn() throws Exception {
    waits = true;
    DataStream first = join(7);
    assertThat(failureOf(begin(7))).isEqualTo(ErrorCode.FORBIDDEN);

    send(first, 0, 10);
    atServer.awaitFrames(1);
  }

  @Test
  void aConnectionThatGoesWhileItsJoinWaitsTakesNoPlace() throws Exception {
    Assumptions.assumeTrue(
        noticesCloseWithoutReading(), "this transport notices a close only when it reads");
    CompletableFuture<Void> never = new CompletableFuture<>();
    server.beforeJoins = never;
    CompletableFuture<DataStream> gone = begin(0);
    atClient.awaitOpen(1);
    await("the join read").until(() -> server.joinsRead.get() == 1);
    atClient.open.get(0).close();

    await("cancelled").until(never::isCancelled);
    assertThat(failureOf(gone)).isEqualTo(ErrorCode.UNREACHABLE);
    server.beforeJoins = CompletableFuture.completedFuture(null);
    join(1);
    assertThat(server.joined).containsOnlyKeys(1);
  }

  @Test
  void aJoinThatIsNotAnsweredInTimeFails() throws Exception {
    server.beforeJoins = new CompletableFuture<>();
    client = factory().create(loops, allocator, Duration.ofMillis(300));
    DataConnection connection =
        await("a connection within this time, which a busy machine may exceed")
            .ignoreExceptions()
            .until(() -> get(client.dialData(server.address())), dialed -> true);

    assertThat(failureOf(joined(connection, prove(0)))).isEqualTo(ErrorCode.TIMEOUT);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.TIMEOUT);
  }

  @Test
  void aJoinOnAClosedConnectionFailsAndHasNoStream() throws Exception {
    DataConnection connection = get(client.dialData(server.address()));
    connection.close();
    connection.close();

    assertThat(failureOf(joined(connection, prove(0)))).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atClient.open).isEmpty();
    assertThat(server.joined).isEmpty();
  }

  @Test
  void aPlaceThatNoStreamTakesIsGivenBack() throws Exception {
    try (TestServer failing =
        new TestServer(
            factory(),
            DEADLINE,
            connection -> acceptor.apply(connection),
            stream -> {
              throw new IllegalStateException("no handler, as the test wants it");
            })) {
      waits = true;
      CompletableFuture<DataStream> joined =
          client.dialData(failing.address()).thenCompose(c -> joined(c, prove(0)));

      assertThat(failureOf(joined)).isEqualTo(ErrorCode.INTERNAL);
      await("given back").untilAsserted(() -> assertThat(failing.givenBack).hasValue(1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDialerWithoutHandlerHasNoStream(boolean waitsForAnswer) throws Exception {
    CompletableFuture<DataStream> joined =
        client
            .dialData(server.address())
            .thenCompose(
                connection ->
                    connection.join(
                        prove(0),
                        TestServer.SETTINGS,
                        Optional.empty(),
                        waitsForAnswer,
                        stream -> {
                          throw new IllegalStateException("no handler, as the test wants it");
                        }));

    assertThat(failureOf(joined)).isEqualTo(ErrorCode.INTERNAL);
  }

  // Streams

  @Test
  void aHandlerThatThrowsClosesTheStreamForThisReason() throws Exception {
    atServer.refusal = new FdtException(ErrorCode.STORAGE_FULL, "no frames here");
    DataStream stream = join(0);
    send(stream, 0, 100);
    send(stream, 1, 100);

    assertThat(atServer.end(0)).isSameAs(atServer.refusal);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atServer.frames).hasValue(1);
    awaitReleased(2);
  }

  @Test
  void aDamagedPayloadArrivesAsSuchAndIsCounted() throws Exception {
    DataStream stream = join(0);
    ByteBuf frame = Streams.frame(0, PAYLOAD, allocator);
    frame.setByte(FrameHeader.LENGTH + 77_777, frame.getByte(FrameHeader.LENGTH + 77_777) ^ 1);
    stream.sendAndRelease(frame, released::incrementAndGet);
    send(stream, 1, 1000);

    atServer.awaitFrames(2);
    assertThat(atServer.damaged).hasValue(1);
    assertThat(atServer.open.get(0).payloadBytes()).isEqualTo(PAYLOAD + 1000);
  }

  @Test
  void aPayloadThatIsLongerThanAgreedClosesTheStream() throws Exception {
    DataStream stream = join(0);
    send(stream, 0, PAYLOAD);
    atServer.awaitFrames(1);
    send(stream, 1, PAYLOAD + 1);

    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.PROTOCOL);
    atServer.awaitFrames(1);
  }

  @Test
  void aDamagedHeaderClosesTheStream() throws Exception {
    DataStream stream = join(0);
    ByteBuf frame = Streams.frame(0, 100, allocator);
    frame.setByte(9, 1);
    stream.sendAndRelease(frame, released::incrementAndGet);

    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atServer.frames).hasValue(0);
  }

  @Test
  void aFrameOutOfOrderClosesTheStream() throws Exception {
    send(join(0), 1, 100);

    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.PROTOCOL);
  }

  @Test
  void aPayloadThatHasComeInPartIsCounted() throws Exception {
    DataStream stream = join(0);
    ByteBuf part = Streams.frame(0, 1000, allocator);
    part.writerIndex(FrameHeader.LENGTH + 400);
    stream.sendAndRelease(part, released::incrementAndGet);

    atServer.awaitOpen(1);
    await("a part")
        .untilAsserted(() -> assertThat(atServer.open.get(0).payloadBytes()).isEqualTo(400));
    assertThat(atServer.frames).hasValue(0);
    stream.close();
    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aReaderThatStopsStopsTheWriterUntilItReadsAgain() throws Exception {
    atServer.paused = true;
    DataStream stream = join(0);
    atServer.awaitOpen(1);
    atServer.paused = false;
    DataStream other = join(1);
    int sent = fill(stream, 0);
    assertThat(atServer.frames).hasValue(0);
    assertThat(server.allocator.metric().usedDirectMemory()).isLessThan(2L * PAYLOAD);
    int others = 50;
    for (int n = 0; n < others; n++) {
      send(other, n, PAYLOAD / 4);
    }
    atServer.awaitFrames(others); // it is not held up
    sent = fill(stream, sent); // a busy machine may have taken a little more
    assertThat(stream.isWritable()).isFalse();
    int writable = atClient.timesWritable.get();

    atServer.open.get(0).setReading(true);
    atServer.awaitFrames(others + sent);
    await("writable").untilAsserted(() -> assertThat(stream.isWritable()).isTrue());
    await("told")
        .untilAsserted(() -> assertThat(atClient.timesWritable).hasValueGreaterThan(writable));
    awaitReleased(others + sent);
  }

  /** Sends until the stream stays full for half a second. Returns the frames with those before. */
  private int fill(DataStream stream, int before) {
    int sent = before;
    long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
    while (System.nanoTime() < untilNanos) {
      if (stream.isWritable()) {
        send(stream, sent++, PAYLOAD);
        untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
        assertThat((long) sent * PAYLOAD).as("bytes that nobody reads").isLessThan(MOST_UNREAD);
      } else {
        Thread.onSpinWait();
      }
    }
    return sent;
  }

  @Test
  void aFrameOnAClosedStreamIsReleased() throws Exception {
    DataStream stream = join(0);
    onManyThreads(stream::close, stream::close);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    ByteBuf frame = Streams.frame(0, 1000, allocator);
    stream.sendAndRelease(frame, released::incrementAndGet);

    awaitReleased(1);
    assertThat(frame.refCnt()).isZero();
    assertThat(stream.isWritable()).isFalse();
    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void closingReleasesWhatWaits() throws Exception {
    atServer.paused = true;
    DataStream stream = join(0);
    int frames = 30;
    for (int n = 0; n < frames; n++) {
      send(stream, n, PAYLOAD);
    }
    stream.close();
    awaitReleased(frames);
  }

  @Test
  void whoStopsReadingGetsNoMoreFrames() throws Exception {
    DataStream stream = join(0);
    send(stream, 0, 100);
    atServer.awaitFrames(1);
    atServer.open.get(0).setReading(false);
    for (int n = 1; n <= 20; n++) {
      send(stream, n, PAYLOAD);
    }
    Awaitility.await().pollDelay(Duration.ofMillis(100)).until(() -> true);
    assertThat(atServer.frames).hasValueLessThan(20);
    atServer.open.get(0).setReading(true);
    atServer.awaitFrames(21);
  }

  // Encrypted streams

  @Test
  void anEncryptedStreamToAnotherKeyIsNotTrustedAndProvesNothing() throws Exception {
    CompletableFuture<DataStream> joined = begin(prove(0), Optional.of(tlsTo(Identity.generate())));

    assertThat(failureOf(joined)).isEqualTo(ErrorCode.UNTRUSTED);
    assertThat(server.joined).isEmpty();
    assertThat(atClient.open).isEmpty();
  }

  @Test
  void anEncryptedJoinIsRefusedLikeAClearOne() throws Exception {
    server.refusal = new FdtException(ErrorCode.BUSY, "no place");

    assertThat(failureOf(begin(prove(0), Optional.of(tlsTo(TestServer.IDENTITY)))))
        .isEqualTo(ErrorCode.BUSY);
  }

  private CompletableFuture<DataStream> joined(DataConnection connection, Join join) {
    return connection.join(join, TestServer.SETTINGS, Optional.empty(), waits, atClient::open);
  }

  private static void onManyThreads(Runnable first, Runnable second) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(new Thread(i % 2 == 0 ? first : second));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static ErrorCode failureOf(CompletableFuture<?> future) throws Exception {
    Throwable failure = get(future.handle((value, e) -> e));
    if (failure instanceof CompletionException) {
      failure = failure.getCause();
    }
    assertThat(failure).isInstanceOf(FdtException.class);
    return ((FdtException) failure).code();
  }

  private interface OnMessage {
    void message(Control message) throws FdtException;
  }

  private static ControlConnection.Handler handler(OnMessage onMessage, Collected end) {
    return new ControlConnection.Handler() {
      @Override
      public void message(Control message) throws FdtException {
        onMessage.message(message);
      }

      @Override
      public void closed(FdtException cause) {
        end.closed(cause);
      }
    };
  }
}
