package io.fdt.core.transport.memory;

import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;

class MemoryTransportTest extends TransportContract {
  private final MemoryNetwork network = new MemoryNetwork();

  @Override
  protected Transport.Factory factory() {
    return network::create;
  }
}
