package io.fdt.cli.ssh;

import io.fdt.cli.process.Daemon;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Copies between a socket and a channel, both ways; two threads. */
final class MuxJoint {
  private final Socket socket;
  private final MuxChannel channel;
  private final AtomicInteger openDirections = new AtomicInteger(2);

  private MuxJoint(Socket socket, MuxChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  /** Moves bytes both ways until both have ended, or one fails; then both are closed. */
  static void start(Socket socket, MuxChannel channel) {
    MuxJoint joint = new MuxJoint(socket, channel);
    Daemon.start("fdt-tunnel-out", joint::fromSocket);
    Daemon.start("fdt-tunnel-in", joint::toSocket);
  }

  private void fromSocket() {
    byte[] frame = new byte[MuxFrame.HEADER_BYTES + MuxFrame.MAX_PAYLOAD_BYTES];
    try {
      InputStream in = socket.getInputStream();
      while (true) {
        int room = channel.reserve(MuxFrame.MAX_PAYLOAD_BYTES);
        int length = in.read(frame, MuxFrame.HEADER_BYTES, room);
        if (length < 0) {
          break;
        }
        channel.unreserve(room - length);
        channel.send(frame, length);
      }
      channel.end();
      directionEnded();
    } catch (IOException e) {
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private void toSocket() {
    try {
      OutputStream out = socket.getOutputStream();
      for (byte[] bytes = channel.take(); bytes != null; bytes = channel.take()) {
        out.write(bytes);
      }
      socket.shutdownOutput();
      directionEnded();
    } catch (IOException e) {
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private void directionEnded() {
    if (openDirections.decrementAndGet() == 0) {
      close();
    }
  }

  private void close() {
    channel.reset();
    try {
      socket.close();
    } catch (IOException e) {
      return; // closed all the same
    }
  }
}
