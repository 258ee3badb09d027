package io.fdt.core.node;

import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.engine.SendingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.wire.SessionId;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/** The data nodes of one session at one end. Thread-safe. */
public interface Stripe {
  /** No data nodes. */
  Stripe NONE =
      new Stripe() {
        @Override
        public Optional<SendingNodes> sending(SessionLoop loop, SessionId session) {
          return Optional.empty();
        }

        @Override
        public Optional<ReceivingNodes> receiving(
            SessionLoop loop, SessionId session, int maxPayload, ByteBufAllocator allocator) {
          return Optional.empty();
        }
      };

  /** The nodes of a session that sends; empty when none can ever join it. Called once. */
  Optional<SendingNodes> sending(SessionLoop loop, SessionId session);

  /**
   * The nodes of a session that receives; empty when none can ever join it. Called once.
   *
   * @param maxPayload bytes of a frame
   */
  Optional<ReceivingNodes> receiving(
      SessionLoop loop, SessionId session, int maxPayload, ByteBufAllocator allocator);
}
