package io.fdt.server.web;

import io.fdt.core.error.FdtException;
import java.net.InetSocketAddress;

/** Opens the HTTP port of a server; found in {@code fdt-webdav.jar} beside the server's jar. */
public interface WebProvider {
  /**
   * Listens, and answers requests from now on.
   *
   * @param address port 0 for any free one
   * @throws FdtException USAGE when the address is not available
   */
  WebPort open(InetSocketAddress address, WebHost host) throws FdtException;
}
