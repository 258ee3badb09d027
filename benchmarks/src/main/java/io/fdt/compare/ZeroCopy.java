package io.fdt.compare;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Sends with MSG_ZEROCOPY: the kernel numbers the calls, and reports in the queue of errors of the
 * socket from which of them it no longer needs the bytes. Confined to one thread; x86-64 only.
 */
final class ZeroCopy {
  /** Blocks of one stream whose bytes the kernel may still need. */
  private static final int BUFFERS = 8;

  private static final int SOL_SOCKET = 1;
  private static final int SO_ZEROCOPY = 60;
  private static final int MSG_ZEROCOPY = 0x4000000;
  private static final int MSG_ERRQUEUE = 0x2000;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int SO_EE_ORIGIN_ZEROCOPY = 5;
  private static final int SO_EE_CODE_ZEROCOPY_COPIED = 1;

  /** Room for control messages. */
  private static final int CONTROL_BYTES = 128;

  // struct msghdr, and the struct sock_extended_err of the first control message.
  private static final int MESSAGE_BYTES = 56;
  private static final int MESSAGE_CONTROL = 32;
  private static final int MESSAGE_CONTROL_LENGTH = 40;
  private static final int ORIGIN = 20;
  private static final int CODE = 22;
  private static final int FIRST_CALL = 24;
  private static final int LAST_CALL = 28;

  private final int socket;
  private final ByteBuffer[] buffers = new ByteBuffer[BUFFERS];

  /** The number of calls when the bytes of this buffer had been sent. */
  private final long[] callsUntil = new long[BUFFERS];

  private final Memory message = new Memory(MESSAGE_BYTES);
  private final Memory control = new Memory(CONTROL_BYTES);
  private int turn;
  private long calls;
  private long done;
  private long copied;

  ZeroCopy(SocketChannel channel, Way way) throws IOException {
    socket = SystemCalls.descriptor(channel);
    SystemCalls.setSocketOption(socket, SOL_SOCKET, SO_ZEROCOPY, 1);
    for (int i = 0; i < BUFFERS; i++) {
      buffers[i] = way.buffer();
    }
  }

  /** The buffer for the next block, once the kernel no longer needs its bytes. */
  ByteBuffer buffer() throws IOException {
    turn = (turn + 1) % BUFFERS;
    await(callsUntil[turn]);
    return buffers[turn];
  }

  /** Sends the bytes of the last buffer, and leaves none of them. */
  void send(ByteBuffer bytes) throws IOException {
    Pointer start = Native.getDirectBufferPointer(bytes);
    while (bytes.hasRemaining()) {
      int sent =
          SystemCalls.send(socket, start.share(bytes.position()), bytes.remaining(), MSG_ZEROCOPY);
      bytes.position(bytes.position() + sent);
      calls++;
    }
    callsUntil[turn] = calls;
  }

  /** Waits until the kernel needs no byte, and says on standard error how much it has copied. */
  void end() throws IOException {
    await(calls);
    System.err.println("MSG_ZEROCOPY: the kernel copied in " + copied + " of " + calls + " calls");
  }

  private void await(long wanted) throws IOException {
    while (done < wanted) {
      message.clear();
      message.setPointer(MESSAGE_CONTROL, control);
      message.setLong(MESSAGE_CONTROL_LENGTH, CONTROL_BYTES);
      if (!SystemCalls.receiveMessage(socket, message, MSG_ERRQUEUE | MSG_DONTWAIT)) {
        SystemCalls.awaitErrors(socket);
      } else if (control.getByte(ORIGIN) == SO_EE_ORIGIN_ZEROCOPY) {
        long range = 1L + control.getInt(LAST_CALL) - control.getInt(FIRST_CALL);
        done += range;
        copied += control.getByte(CODE) == SO_EE_CODE_ZEROCOPY_COPIED ? range : 0;
      }
    }
  }
}
