package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.session.receiver.FedReceiver;
import io.fdt.core.session.sender.FedSender;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** All bytes that two sessions which keep the rules sent each other in one transfer, in order. */
final class Recording {
  /** On which connection some bytes came. */
  enum Lane {
    CONTROL_TO_RECEIVER,
    STREAM,
    CONTROL_TO_SENDER
  }

  /** What came at once. */
  record Piece(Lane lane, byte[] bytes) {}

  final RandomDataset dataset;
  final List<Piece> pieces = new ArrayList<>();
  final int entries;

  private Recording(RandomDataset dataset) {
    this.dataset = dataset;
    this.entries = dataset.items().size();
  }

  /** Runs a transfer without faults to its end. */
  static Recording of(long seed, int least) throws FdtException {
    Random random = new Random(seed);
    RandomDataset dataset = new RandomDataset(random);
    while (dataset.items().size() < least) {
      dataset = new RandomDataset(random);
    }
    Recording recording = new Recording(dataset);
    recording.run();
    return recording;
  }

  private void run() throws FdtException {
    ArrayDeque<Piece> wire = new ArrayDeque<>();
    try (FedReceiver receiver =
            new FedReceiver(
                MAX_PAYLOAD, message -> wire.add(piece(Lane.CONTROL_TO_SENDER, message)));
        FedSender sender =
            new FedSender(
                dataset,
                message -> wire.add(piece(Lane.CONTROL_TO_RECEIVER, message)),
                bytes -> wire.add(new Piece(Lane.STREAM, bytes)))) {
      sender.start();
      for (Piece next = wire.poll(); next != null; next = wire.poll()) {
        pieces.add(next);
        switch (next.lane()) {
          case CONTROL_TO_RECEIVER -> receiver.control(next.bytes());
          case STREAM -> receiver.data(next.bytes());
          case CONTROL_TO_SENDER -> sender.control(next.bytes());
        }
      }
      if (sender.session().machine().finished() == null) {
        throw new AssertionError("the recorded transfer did not end");
      }
    }
  }

  static final int MAX_PAYLOAD = 4096;

  private static Piece piece(Lane lane, Control.Builder message) {
    ByteBuf bytes = ControlFrames.encode(message.build(), UnpooledByteBufAllocator.DEFAULT);
    try {
      return new Piece(lane, ByteBufUtil.getBytes(bytes));
    } finally {
      bytes.release();
    }
  }

  /** Bytes that go to one end. */
  List<Piece> to(boolean receiver) {
    return pieces.stream()
        .filter(piece -> (piece.lane() != Lane.CONTROL_TO_SENDER) == receiver)
        .toList();
  }
}
