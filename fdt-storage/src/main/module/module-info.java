/** The local file systems; for FDT's own modules. */
module io.fdt.storage {
  requires com.sun.jna;
  requires io.fdt.core;
  requires io.netty.buffer;
  requires org.slf4j;

  exports io.fdt.storage to io.fdt.client, io.fdt.server;
  exports io.fdt.storage.local to io.fdt.client, io.fdt.server;
  exports io.fdt.storage.local.os to io.fdt.client;

  uses io.fdt.core.storage.StorageProvider;

  opens io.fdt.storage.local.os to com.sun.jna;
}
