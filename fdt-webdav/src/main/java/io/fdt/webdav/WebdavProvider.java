package io.fdt.webdav;

import io.fdt.core.error.FdtException;
import io.fdt.server.web.WebHost;
import io.fdt.server.web.WebPort;
import io.fdt.server.web.WebProvider;
import java.net.InetSocketAddress;

/** Opens HTTP ports for servers. Any thread. */
public final class WebdavProvider implements WebProvider {
  @Override
  public WebPort open(InetSocketAddress address, WebHost host) throws FdtException {
    return HttpPort.open(address, host);
  }
}
