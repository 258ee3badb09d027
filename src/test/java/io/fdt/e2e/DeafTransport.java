package io.fdt.e2e;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;

/** A transport that does not listen at one of the addresses where it is told to. */
public final class DeafTransport extends ForwardingTransport {
  private final String deaf;

  /**
   * @param deaf that address
   */
  public DeafTransport(Transport other, String deaf) {
    super(other);
    this.deaf = deaf;
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    Listener listener = super.listen(address, settings, acceptor);
    if (address.getAddress().getHostAddress().equals(deaf)) {
      listener.stopListening();
    }
    return listener;
  }
}
