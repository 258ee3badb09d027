package io.fdt.core.stripe;

import io.fdt.core.wire.stripe.ToNode;

/** The connection from a front end to one data node. Thread-safe. */
public interface NodeLink {
  /** The name of the node, for messages. */
  String name();

  /** Sends a message about a session; dropped if the node is lost, which is reported separately. */
  void send(ToNode message);
}
