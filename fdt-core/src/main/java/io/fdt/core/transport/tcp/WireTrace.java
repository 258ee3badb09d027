package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line in the log for each control message and each frame, with {@code -Dfdt.trace=wire} and
 * {@code -v}. Shows kinds, numbers and lengths, and no contents: messages carry secrets. Any
 * thread.
 *
 * <pre>
 *   wire &gt;&gt; host:54321 OPEN_SESSION number=1 received=0 bytes=345
 *   wire &lt;&lt; host stream 2 BLOCK number=17 file=4 offset=1048576 length=1048576 sent=524288
 * </pre>
 */
final class WireTrace {
  /** A constant, so that a JVM without it compiles the calls away. */
  static final boolean IS_ON = "wire".equals(System.getProperty("fdt.trace"));

  private static final Logger LOG = LoggerFactory.getLogger(WireTrace.class);
  private static final int MOST_PAYLOAD = Integer.MAX_VALUE;

  private WireTrace() {}

  static void sent(Object peer, Control message) {
    message(">>", peer, message);
  }

  static void received(Object peer, Control message) {
    message("<<", peer, message);
  }

  private static void message(String way, Object peer, Control message) {
    LOG.info(
        "wire {} {} {} number={} received={} bytes={}",
        way,
        peer,
        message.getBodyCase(),
        message.getNumber(),
        message.getReceived(),
        message.getSerializedSize());
  }

  static void sent(Object peer, int stream, ByteBuf frame) {
    try {
      frame(">>", peer, stream, FrameHeader.read(frame.duplicate(), MOST_PAYLOAD));
    } catch (FdtException e) {
      LOG.info("wire >> {} stream {} is not a frame: {}", peer, stream, e.getMessage());
    }
  }

  static void received(Object peer, int stream, ReceivedFrame frame) {
    frame(frame.isIntact() ? "<<" : "<< damaged", peer, stream, frame.header());
  }

  private static void frame(String way, Object peer, int stream, FrameHeader header) {
    LOG.info(
        "wire {} {} stream {} {} number={} file={} offset={} length={} sent={}",
        way,
        peer,
        stream,
        header.type(),
        header.number(),
        header.fileId(),
        header.offset(),
        header.length(),
        header.wireLength());
  }
}
