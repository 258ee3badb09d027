package io.fdt.server.delivery;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.RunState;
import io.fdt.server.limits.Owner;
import io.fdt.server.thirdparty.RunMessages;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;

/** Reads records of deliveries. */
final class StoredDelivery {
  private StoredDelivery() {}

  /** The name of the directory of a delivery. */
  static SessionId place(Delivery delivery) {
    return SessionId.of(delivery.getPlace().toByteArray());
  }

  /** The id of the session of a delivery. */
  static SessionId session(Delivery delivery) {
    return SessionId.of(delivery.getHandOver().getId().toByteArray());
  }

  /** The owner of a delivery. */
  static Owner owner(Delivery delivery) {
    Grant grant =
        Grant.unlimited(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
    return Owner.of(grant, address(delivery));
  }

  /** The client's address; a numeric address, so no DNS lookup happens. */
  static InetAddress address(Delivery delivery) {
    try {
      return InetAddress.getByName(delivery.getAddress());
    } catch (UnknownHostException e) {
      return InetAddress.getLoopbackAddress();
    }
  }

  /** The time until the deadline of a delivery. */
  static Duration left(Delivery delivery) {
    Duration left = Duration.between(Instant.now(), Instant.ofEpochSecond(delivery.getDeadline()));
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The description of a delivery without a session. */
  static RunDescription.Builder description(Delivery delivery, DeliveryContext context) {
    RunSession run = delivery.getHandOver().getRun();
    try {
      return RunMessages.description(
          run,
          context.rules().check(run.getOwn()),
          TransferSpecCoding.decode(run.getPeer().getSpec()));
    } catch (FdtException e) { // of an earlier release: it will be refused
      return RunDescription.newBuilder()
          .setId(delivery.getHandOver().getId())
          .setSends(true)
          .setPeerHost(run.getAddress().getHost())
          .setPeerPort(run.getAddress().getPort());
    }
  }

  /** The result of a delivery that never began. */
  static RunDescription failed(Delivery delivery, FdtException cause, DeliveryContext context) {
    return description(delivery, context)
        .setState(RunState.RUN_ENDED)
        .setOwner(delivery.getOwner())
        .setCode(cause.code().wireCode())
        .setMessage(MessageText.fit(cause.getMessage()))
        .build();
  }

  /** Whether a later attempt may succeed. */
  static boolean mayPass(FdtException cause) {
    return cause.code().retry() == ErrorCode.Retry.LATER && cause.code() != ErrorCode.PROTOCOL;
  }
}
