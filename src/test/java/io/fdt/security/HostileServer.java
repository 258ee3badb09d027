package io.fdt.security;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.DeletionRoots;
import io.fdt.core.wire.control.Entry;
import io.fdt.core.wire.control.EntryKind;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.Root;
import io.fdt.core.wire.control.Roots;
import io.fdt.core.wire.control.SessionOpened;
import io.fdt.core.wire.control.Timestamp;
import io.fdt.core.wire.control.Welcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A server made of FDT's own wire classes that sends whatever manifest a test wants to whoever
 * pulls, and the bytes of every file that the client then asks for. Any thread.
 */
final class HostileServer implements Acceptor, AutoCloseable {
  static final byte[] EVIL = "evil".getBytes(StandardCharsets.US_ASCII);

  private final Identity identity = Identity.generate();
  private final ServerTls tls = new ServerTls(identity, List.of());
  private final EventLoops loops = new EventLoops("hostile");
  private final Transport.Listener server;
  private final Root root;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Long> endedDirectories = new ArrayList<>();
  private final List<Long> wanted = new ArrayList<>();
  private final List<Control> answers = new ArrayList<>();
  private DeletionRoots deletionRoots;
  private DataStream stream;
  private ControlConnection control;
  private boolean hangsUp;
  private long messages;
  private long frames;

  /**
   * @param rootName of the one root; empty for the contents of a directory
   */
  HostileServer(String rootName) throws FdtException {
    this.root =
        Root.newBuilder()
            .setKind(EntryKind.DIRECTORY)
            .setName(ByteString.copyFromUtf8(rootName))
            .setMode(07777)
            .build();
    this.server =
        new TcpTransport(loops, ByteBufAllocator.DEFAULT, Duration.ofSeconds(10))
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ListenSettings(
                    CompletableFuture.completedFuture(tls), 64, Duration.ofSeconds(10)),
                this);
  }

  HostileServer file(long parent, String name, int mode) {
    return entry(parent, name, EntryKind.FILE, mode, EVIL.length, "");
  }

  HostileServer directory(long parent, String name, int mode) {
    entry(parent, name, EntryKind.DIRECTORY, mode, 0, "");
    endedDirectories.add((long) entries.size());
    return this;
  }

  HostileServer link(long parent, String name, String target) {
    return entry(parent, name, EntryKind.SYMLINK, 0777, 0, target);
  }

  private HostileServer entry(
      long parent, String name, EntryKind kind, int mode, long size, String target) {
    entries.add(
        Entry.newBuilder()
            .setParentId(parent)
            .setName(ByteString.copyFrom(name.getBytes(StandardCharsets.ISO_8859_1)))
            .setKind(kind)
            .setMode(mode)
            .setSize(size)
            .setModified(Timestamp.newBuilder().setSeconds(1_000_000_000))
            .setLinkTarget(ByteString.copyFromUtf8(target))
            .build());
    return this;
  }

  /** It does not agree to a session, and hangs up once it has heard the whole manifest. */
  HostileServer thatHangsUp() {
    hangsUp = true;
    return this;
  }

  /** It deletes beneath this path of the destination, too. */
  HostileServer deletesIn(String path) {
    deletionRoots = DeletionRoots.newBuilder().addPaths(ByteString.copyFromUtf8(path)).build();
    return this;
  }

  /** What it says to any request. */
  HostileServer answer(Control.Builder... messages) {
    for (Control.Builder message : messages) {
      answers.add(message.build());
    }
    return this;
  }

  int port() {
    return server.address().getPort();
  }

  String fingerprint() {
    return identity.fingerprint().toString();
  }

  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return Optional.empty();
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    control = connection;
    connection.peerIsKnown();
    return new ControlConnection.Handler() {
      @Override
      public void message(Control message) {
        answer(message);
      }

      @Override
      public void closed(FdtException cause) {}
    };
  }

  private synchronized void answer(Control message) {
    switch (message.getBodyCase()) {
      case HELLO ->
          control.send(Control.newBuilder().setWelcome(Welcome.getDefaultInstance()).build());
      case MANIFEST_END -> control.close();
      case OPEN_SESSION -> {
        if (hangsUp) {
          return;
        }
        control.send(
            Control.newBuilder().setSessionOpened(SessionOpened.getDefaultInstance()).build());
        say(Control.newBuilder().setRoots(Roots.newBuilder().addRoots(root)));
        say(
            Control.newBuilder()
                .setManifestBatch(
                    ManifestBatch.newBuilder()
                        .setFirstId(1)
                        .addAllEntries(entries)
                        .addAllEndedDirectories(endedDirectories)));
        say(
            Control.newBuilder()
                .setManifestEnd(ManifestEnd.newBuilder().setEntries(entries.size())));
        if (deletionRoots != null) {
          say(Control.newBuilder().setDeletionRoots(deletionRoots));
        }
      }
      case DECISIONS -> {
        for (DecisionRun run : message.getDecisions().getRunsList()) {
          for (long id = run.getFirstId(); id < run.getFirstId() + run.getCount(); id++) {
            boolean isFile = entries.get((int) id - 1).getKind() == EntryKind.FILE;
            if (isFile && run.getDecision() == Decision.WANTED) {
              wanted.add(id);
            }
          }
        }
        sendWanted();
      }
      case REQUEST -> answers.forEach(control::send);
      default -> {}
    }
  }

  private void say(Control.Builder message) {
    control.send(message.setNumber(++messages).build());
  }

  private void sendWanted() {
    if (stream == null) {
      return;
    }
    for (long id : wanted) {
      Crc32c crc = new Crc32c();
      ByteBuf bytes = Unpooled.wrappedBuffer(EVIL);
      crc.update(bytes, 0, EVIL.length);
      ByteBuf frame = Unpooled.directBuffer();
      FrameHeader.block(frames++, id, 0, EVIL.length, crc.value()).write(frame);
      frame.writeBytes(EVIL);
      stream.sendAndRelease(frame, () -> {});
      say(
          Control.newBuilder()
              .setFileEnds(
                  FileEnds.newBuilder()
                      .addFiles(FileEnd.newBuilder().setId(id).setCrc32C(crc.value()))));
    }
    wanted.clear();
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) {
    return new StreamSlot(new StreamSettings(1 << 20, 0), this::joined, () -> {});
  }

  private synchronized DataStream.Handler joined(DataStream joined) {
    DataStream.Handler handler =
        new DataStream.Handler() {
          @Override
          public void frame(ReceivedFrame frame) {
            frame.release();
          }

          @Override
          public void writable() {}

          @Override
          public void closed(FdtException cause) {}
        };
    if (stream == null) {
      stream = joined;
      loops.next().execute(this::sendLater);
    }
    return handler;
  }

  private synchronized void sendLater() {
    sendWanted();
  }

  @Override
  public void close() {
    server.close();
    tls.close();
    loops.close();
  }
}
