package io.fdt.core.stripe;

import io.fdt.core.wire.stripe.ToNode;

/** The way from a front end to one data node. Thread-safe. */
public interface NodeLink {
  /** The node, for people. */
  String name();

  /** Sends a message about a session; lost when the node is gone, which is reported separately. */
  void send(ToNode message);
}
