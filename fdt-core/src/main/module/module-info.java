/**
 * Classes that both ends of FDT share. Programs see the values that the client, the server and the provider
 * take; the rest is for FDT's own modules and may change in any version.
 */
module io.fdt.core {
  requires com.dynatrace.hash4j;
  requires com.github.luben.zstd_jni;
  requires com.google.protobuf;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires java.management;
  requires jdk.management;
  requires org.lz4.java;
  requires org.slf4j;

  uses io.fdt.core.filter.PostFilter;
  uses io.fdt.core.filter.PreFilter;

  exports io.fdt.core.error;
  exports io.fdt.core.filter;
  exports io.fdt.core.model;
  exports io.fdt.core.spec;
  exports io.fdt.core.tuning;
  exports io.fdt.core.unit;

  exports io.fdt.core.buffer to io.fdt.storage;
  exports io.fdt.core.digest to io.fdt.client, io.fdt.server;
  exports io.fdt.core.engine to io.fdt.client, io.fdt.server;
  exports io.fdt.core.engine.meter to io.fdt.client, io.fdt.server;
  exports io.fdt.core.journal to io.fdt.storage;
  exports io.fdt.core.metrics to io.fdt.client, io.fdt.server;
  exports io.fdt.core.node to io.fdt.client, io.fdt.server;
  exports io.fdt.core.placement to io.fdt.client, io.fdt.storage;
  exports io.fdt.core.plain to io.fdt.client;
  exports io.fdt.core.security to io.fdt.client, io.fdt.server, io.fdt.udt;
  exports io.fdt.core.storage to io.fdt.client, io.fdt.server, io.fdt.storage;
  exports io.fdt.core.storage.catalogue to io.fdt.storage;
  exports io.fdt.core.storage.forward to io.fdt.client, io.fdt.server, io.fdt.storage;
  exports io.fdt.core.storage.name to io.fdt.client, io.fdt.storage;
  exports io.fdt.core.storage.operand to io.fdt.storage;
  exports io.fdt.core.storage.stream to io.fdt.client, io.fdt.server;
  exports io.fdt.core.storage.synthetic to io.fdt.client, io.fdt.server;
  exports io.fdt.core.stripe to io.fdt.server;
  exports io.fdt.core.tuning.rate to io.fdt.client, io.fdt.server;
  exports io.fdt.core.transport to io.fdt.client, io.fdt.server, io.fdt.udt;
  exports io.fdt.core.transport.tcp to io.fdt.udt;
  exports io.fdt.core.wire to io.fdt.client, io.fdt.server, io.fdt.storage, io.fdt.udt;
  exports io.fdt.core.wire.control to io.fdt.client, io.fdt.server;
  exports io.fdt.core.wire.stripe to io.fdt.client, io.fdt.server;
}
