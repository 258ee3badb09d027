package io.fdt.core.node;

import io.fdt.core.engine.DataPath;
import io.fdt.core.engine.Session;
import io.fdt.core.engine.SessionRuntime;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.receive.ReceiverPipeline;
import io.fdt.core.send.SenderPipeline;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.SourceTree;
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
      TransferSpec spec,
      Session session,
      Duration roundTrip,
      TransferEvents events);

  /**
   * Sends what a tree holds.
   *
   * @param tellsState whether the receiver hears what the sender sees
   * @param detailed whether it, and {@code events}, hear what a monitor shows
   * @param stripe the data nodes that send as well
   */
  record Sends(SourceTree source, boolean tellsState, boolean detailed, Stripe stripe)
      implements SessionWork {
    /** Without data nodes. */
    public Sends(SourceTree source, boolean tellsState, boolean detailed) {
      this(source, tellsState, detailed, Stripe.NONE);
    }

    @Override
    public DataPath pipeline(
        SessionRuntime runtime,
        ByteBufAllocator allocator,
        TransferSpec spec,
        Session session,
        Duration roundTrip,
        TransferEvents events) {
      SenderPipeline pipeline =
          new SenderPipeline(runtime, allocator, spec, source, session::send, events);
      pipeline.tune(roundTrip);
      stripe.sending(runtime.loop(), session.id()).ifPresent(pipeline::stripe);
      if (tellsState) {
        pipeline.tellReceiver();
      }
      if (detailed) {
        pipeline.collectDetails();
      }
      return pipeline;
    }
  }

  /**
   * Receives into a tree.
   *
   * @param hearsState whether the sender says what it sees, and {@code events} hear of it
   * @param detailed whether the sender hears what a monitor shows of this end
   * @param stripe the data nodes that receive as well
   */
  record Receives(DestinationTree destination, boolean hearsState, boolean detailed, Stripe stripe)
      implements SessionWork {
    /** Without data nodes. */
    public Receives(DestinationTree destination, boolean hearsState, boolean detailed) {
      this(destination, hearsState, detailed, Stripe.NONE);
    }

    @Override
    public DataPath pipeline(
        SessionRuntime runtime,
        ByteBufAllocator allocator,
        TransferSpec spec,
        Session session,
        Duration roundTrip,
        TransferEvents events) {
      ReceiverPipeline pipeline =
          new ReceiverPipeline(runtime, spec, destination, session::send, events);
      stripe
          .receiving(runtime.loop(), session.id(), spec.blockSize(), allocator)
          .ifPresent(pipeline::stripe);
      if (hearsState) {
        pipeline.hearSender();
      }
      if (detailed) {
        pipeline.tellDetails();
      }
      return pipeline;
    }
  }
}
