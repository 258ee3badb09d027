package io.fdt.core.node;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.spec.TransferSettings;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.tuning.Tuning;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;

/**
 * What one end of a session does, over a tree that is handed in. Either end may do either,
 * whichever of them has dialled.
 */
public sealed interface SessionWork {
  /**
   * The pipeline that does it; not started yet.
   *
   * @param roundTrip of the control connection; zero where the system does not say
   */
  DataPath pipeline(
      SessionRuntime runtime,
      ByteBufAllocator allocator,
      TransferSettings settings,
      Session session,
      Duration roundTrip,
      TransferEvents events);

  /**
   * Sends what a tree holds.
   *
   * @param tuning what it finds out while it runs
   * @param tellsState whether the receiver hears what the sender sees
   */
  record Sends(SourceTree source, Tuning tuning, boolean tellsState) implements SessionWork {
    @Override
    public DataPath pipeline(
        SessionRuntime runtime,
        ByteBufAllocator allocator,
        TransferSettings settings,
        Session session,
        Duration roundTrip,
        TransferEvents events) {
      SenderPipeline pipeline =
          new SenderPipeline(runtime, allocator, settings, source, session::send, events);
      pipeline.tune(tuning, roundTrip);
      if (tellsState) {
        pipeline.tellReceiver();
      }
      return pipeline;
    }
  }

  /**
   * Receives into a tree.
   *
   * @param hearsState whether the sender says what it sees, and {@code events} hear of it
   */
  record Receives(DestinationTree destination, boolean hearsState) implements SessionWork {
    @Override
    public DataPath pipeline(
        SessionRuntime runtime,
        ByteBufAllocator allocator,
        TransferSettings settings,
        Session session,
        Duration roundTrip,
        TransferEvents events) {
      ReceiverPipeline pipeline =
          new ReceiverPipeline(runtime, settings, destination, session::send, events);
      if (hearsState) {
        pipeline.hearSender();
      }
      return pipeline;
    }
  }
}
