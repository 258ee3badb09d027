package io.fdt.core.session;

import io.fdt.core.wire.control.Control;

/** Takes the messages of a session for the peer, and delivers each once, in order. */
@FunctionalInterface
public interface Outbox {
  void send(Control.Builder message);
}
