package io.fdt.server.connection;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Grant;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.fdt.core.wire.control.RouteState;
import io.fdt.server.delivery.Deliveries;
import io.fdt.server.relay.Relay;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * Requests of one client to a relay. Any thread that may block.
 *
 * @param deliveries empty without a spool
 * @param offered other relays through which this server may be reached
 * @param grant the client's rights
 * @param client its address
 */
public record RelayRequests(
    Relay relay,
    Optional<Deliveries> deliveries,
    List<String> offered,
    Grant grant,
    InetAddress client) {
  Route open(OpenRoute request) throws FdtException {
    return relay.open(request, grant, client);
  }

  RouteState describe(DescribeRoute request) throws FdtException {
    return relay.describe(request, grant);
  }

  HandOverPlace handOver(HandOver request) throws FdtException {
    relay.check(grant);
    if (deliveries.isEmpty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the relay keeps nothing; its administrator can start it with " + Setting.SPOOL);
    }
    return deliveries.get().handOver(request, grant, client);
  }
}
