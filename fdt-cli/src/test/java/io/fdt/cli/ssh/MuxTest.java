package io.fdt.cli.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MuxTest {
  private final BlockingQueue<MuxChannel> accepted = new LinkedBlockingQueue<>();
  private final List<CompletableFuture<Void>> running = new ArrayList<>();
  private Pipe there;
  private Pipe back;
  private Mux near;
  private Mux far;

  @BeforeEach
  void connect() throws IOException {
    there = Pipe.open();
    back = Pipe.open();
    near =
        new Mux(
            Channels.newInputStream(back.source()),
            Channels.newOutputStream(there.sink()),
            MuxChannel::reset);
    far =
        new Mux(
            Channels.newInputStream(there.source()),
            Channels.newOutputStream(back.sink()),
            accepted::add);
    running.add(run(near));
    running.add(run(far));
  }

  private static CompletableFuture<Void> run(Mux mux) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                mux.run();
                end.complete(null);
              } catch (IOException e) {
                end.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return end;
  }

  @AfterEach
  void disconnect() throws IOException {
    there.sink().close();
    back.sink().close();
  }

  private static void send(MuxChannel channel, byte[] bytes) throws Exception {
    byte[] frame = new byte[MuxFrame.HEADER_BYTES + MuxFrame.MAX_PAYLOAD_BYTES];
    for (int at = 0; at < bytes.length; ) {
      int length = channel.reserve(Math.min(MuxFrame.MAX_PAYLOAD_BYTES, bytes.length - at));
      System.arraycopy(bytes, at, frame, MuxFrame.HEADER_BYTES, length);
      channel.send(frame, length);
      at += length;
    }
    channel.end();
  }

  private static byte[] receive(MuxChannel channel) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] bytes = channel.take(); bytes != null; bytes = channel.take()) {
      all.writeBytes(bytes);
    }
    return all.toByteArray();
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private CompletableFuture<Void> sending(MuxChannel channel, byte[] bytes) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            send(channel, bytes);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void bytesArriveBothWaysInOrder() throws Exception {
    MuxChannel here = near.open();
    byte[] bytes = random(5_000_001);
    CompletableFuture<Void> sent = sending(here, bytes);
    MuxChannel other = accepted.take();
    assertThat(receive(other)).isEqualTo(bytes);
    sent.get();

    CompletableFuture<Void> answered = sending(other, Arrays.copyOf(bytes, 3_000_000));
    assertThat(receive(here)).isEqualTo(Arrays.copyOf(bytes, 3_000_000));
    answered.get();
  }

  @Test
  void aChannelThatNobodyReadsStopsNoOther() throws Exception {
    MuxChannel stuck = near.open();
    byte[] bytes = random(3 * MuxChannel.WINDOW_BYTES);
    CompletableFuture<Void> waits = sending(stuck, bytes);
    MuxChannel unread = accepted.take();
    MuxChannel free = near.open();
    CompletableFuture<Void> sent = sending(free, bytes);

    assertThat(receive(accepted.take())).isEqualTo(bytes);
    sent.get();

    assertThat(waits).isNotDone();
    assertThat(receive(unread)).isEqualTo(bytes);
    waits.get();
  }

  @Test
  void theEndOfTheConnectionEndsWhoeverWaits() throws Exception {
    MuxChannel here = near.open();
    CompletableFuture<byte[]> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return receive(here);
              } catch (Exception e) {
                throw new IllegalStateException(e.getMessage(), e);
              }
            });

    back.sink().close();

    assertThatThrownBy(waiting::get)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("has ended");
    running.get(0).get();
    assertThatThrownBy(near::open).isInstanceOf(IOException.class);
  }

  @Test
  void aPeerThatSendsMoreThanItMayIsCutOff() throws Exception {
    near.open();
    accepted.take();
    byte[] frame = MuxFrame.header(MuxFrame.Kind.DATA, 1, MuxFrame.MAX_PAYLOAD_BYTES);
    byte[] whole = Arrays.copyOf(frame, frame.length + MuxFrame.MAX_PAYLOAD_BYTES);
    OutputStream raw = Channels.newOutputStream(there.sink());
    for (int sent = 0; sent <= MuxChannel.WINDOW_BYTES; sent += MuxFrame.MAX_PAYLOAD_BYTES) {
      raw.write(whole);
    }

    assertThatThrownBy(() -> running.get(1).get(30, TimeUnit.SECONDS))
        .hasRootCauseMessage("unexpected DATA on channel 1: 65536 exceeds the window");
  }

  @Test
  void socketsAreJoinedThroughTheTunnel() throws Exception {
    try (Tunnel tunnel = Tunnel.open(near);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(tunnel.host(), tunnel.port())) {
      MuxChannel channel = accepted.take();
      Socket other = new Socket(server.getInetAddress(), server.getLocalPort());
      MuxJoint.start(other, channel);
      try (Socket served = server.accept()) {
        byte[] bytes = random(1_000_000);
        CompletableFuture<Void> sent =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    client.getOutputStream().write(bytes);
                    client.shutdownOutput();
                  } catch (IOException e) {
                    throw new IllegalStateException(e);
                  }
                });
        assertThat(served.getInputStream().readAllBytes()).isEqualTo(bytes);
        sent.get();
        served.getOutputStream().write(7);
        served.shutdownOutput();
        assertThat(client.getInputStream().readAllBytes()).containsExactly(7);
      }
    }
  }

  @Test
  void framesHaveTheirLayoutAndNothingElseIsAFrame() throws IOException {
    assertThat(MuxFrame.header(MuxFrame.Kind.CREDIT, 0x01020304, 0x05060708))
        .containsExactly(3, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(read(2, 0, 0, 0, 9, 0, 0, 0, 2, 65, 66).payload()).containsExactly(65, 66);
    assertThat(read()).isNull();
    int[][] wrong = {
      {7, 0, 0, 0, 1, 0, 0, 0, 0}, // no such kind
      {1, 0, 0, 0, 1, 0, 0, 0, 1}, // OPEN has no payload
      {2, 0, 0, 0, 1, 0, 1, 0, 1}, // too long
      {2, 0, 0, 0, 1, 255, 0, 0, 0}, // negative
      {2, 0, 0, 0, 1, 0, 0, 0, 2, 65}, // cut in the payload
      {2, 0, 0, 0, 1} // cut in the header
    };
    for (int[] bytes : wrong) {
      assertThatThrownBy(() -> read(bytes)).isInstanceOf(IOException.class);
    }
  }

  private static MuxFrame read(int... bytes) throws IOException {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return MuxFrame.read(new DataInputStream(new ByteArrayInputStream(all)));
  }
}
