package io.fdt.core.session;

import io.fdt.core.wire.control.Control;

/** Where a session puts its messages for the other side; kept in order and delivered once each. */
@FunctionalInterface
public interface Outbox {
  void send(Control.Builder message);
}
