package io.fdt.e2e;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Node;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** TCP that remembers which data streams came to one server, or were dialled by it. */
public final class StreamWatch {
  private final Queue<DataStream> streams = new ConcurrentLinkedQueue<>();

  /** How the server's connections come about. */
  public Transport.Factory factory() {
    return (loops, allocator, timeout) -> {
      Transport tcp = Node.TCP.create(loops, allocator, timeout);
      return new ForwardingTransport(tcp) {
        @Override
        public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
          return tcp.dialData(peer).thenApply(StreamWatch.this::watched);
        }

        @Override
        public Listener listen(
            InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
            throws FdtException {
          return tcp.listen(address, settings, watched(acceptor));
        }
      };
    };
  }

  private DataConnection watched(DataConnection connection) {
    return new DataConnection() {
      @Override
      public CompletableFuture<DataStream> join(
          Join join,
          StreamSettings settings,
          Optional<DataTls> tls,
          boolean waits,
          Function<DataStream, DataStream.Handler> handlers) {
        return connection.join(join, settings, tls, waits, stream -> seen(stream, handlers));
      }

      @Override
      public void close() {
        connection.close();
      }
    };
  }

  private Acceptor watched(Acceptor acceptor) {
    return new Acceptor() {
      @Override
      public Optional<ErrorCode> refusal(InetAddress address) {
        return acceptor.refusal(address);
      }

      @Override
      public void refused(ErrorCode why) {
        acceptor.refused(why);
      }

      @Override
      public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
        return acceptor.control(connection, loop);
      }

      @Override
      public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
        return acceptor.awaitSession(session, address);
      }

      @Override
      public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
        StreamSlot slot = acceptor.join(join, peer, encrypted);
        return new StreamSlot(
            slot.settings(), stream -> seen(stream, slot.handlers()), slot.giveBack());
      }
    };
  }

  private DataStream.Handler seen(
      DataStream stream, Function<DataStream, DataStream.Handler> handlers) {
    streams.add(stream);
    return handlers.apply(stream);
  }

  /** How many there were. */
  public int streams() {
    return streams.size();
  }

  /** What those have carried whose path has this word. */
  public long bytes(String address) {
    return streams.stream()
        .filter(stream -> List.of(stream.path().split(" ")).contains(address))
        .mapToLong(DataStream::wireBytes)
        .sum();
  }

  /** What they have carried, with headers. */
  public long bytes() {
    return streams.stream().mapToLong(DataStream::wireBytes).sum();
  }
}
