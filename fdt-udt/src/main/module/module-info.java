/** Data streams over UDP; for FDT's own modules. */
module io.fdt.udt {
  requires io.fdt.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;

  exports io.fdt.udt.transport to io.fdt.client, io.fdt.server;
}
