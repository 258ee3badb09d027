/** The server library. */
module io.fdt.server {
  requires com.google.protobuf;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.prometheus.metrics.model;
  requires io.prometheus.writer.text;
  requires io.fdt.storage;
  requires io.fdt.udt;
  requires org.slf4j;
  requires transitive io.fdt.core;

  exports io.fdt.server;
}
