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
import io.fdt.core.storage.forward.DecodedSource;
import io.fdt.core.storage.forward.EncodedDestination;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;

/**
 * The work of one end of a session, over a given tree. Both the dialing and the listening end may
 * send or receive.
 */
public sealed interface SessionWork {
  /**
   * The pipeline of the work, not started yet.
   *
   * @param roundTrip of the control connection; zero when unknown
   */
  DataPath pipeline(
      SessionRuntime runtime,
      ByteBufAllocator allocator,
      TransferSpec spec,
      Session session,
      Duration roundTrip,
      TransferEvents events);

  /**
   * Sends the content of a tree.
   *
   * @param reportsState whether the receiver gets the sender's state
   * @param detailed whether the receiver and {@code events} get the details that a monitor shows
   * @param stripe the data nodes that send as well
   */
  record Sends(SourceTree source, boolean reportsState, boolean detailed, Stripe stripe)
      implements SessionWork {
    /** A sending end without data nodes. */
    public Sends(SourceTree source, boolean reportsState, boolean detailed) {
      this(source, reportsState, detailed, Stripe.NONE);
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
          new SenderPipeline(
              runtime, allocator, spec, DecodedSource.of(source, spec), session::send, events);
      pipeline.tune(roundTrip);
      stripe.sending(runtime.loop(), session.id()).ifPresent(pipeline::stripe);
      if (reportsState) {
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
   * @param expectsState whether the sender reports its state, which goes to {@code events}
   * @param detailed whether the sender gets the details that a monitor shows of this end
   * @param stripe the data nodes that receive as well
   */
  record Receives(
      DestinationTree destination, boolean expectsState, boolean detailed, Stripe stripe)
      implements SessionWork {
    /** A receiving end without data nodes. */
    public Receives(DestinationTree destination, boolean expectsState, boolean detailed) {
      this(destination, expectsState, detailed, Stripe.NONE);
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
          new ReceiverPipeline(
              runtime, spec, EncodedDestination.of(destination, spec), session::send, events);
      stripe
          .receiving(runtime.loop(), session.id(), spec.blockSize(), allocator)
          .ifPresent(pipeline::stripe);
      if (expectsState) {
        pipeline.hearSender();
      }
      if (detailed) {
        pipeline.tellDetails();
      }
      return pipeline;
    }
  }
}
