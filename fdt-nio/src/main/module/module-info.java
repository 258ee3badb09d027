/** Files of servers as paths of {@code java.nio.file}. */
module io.fdt.nio {
  requires transitive io.fdt.client;

  exports io.fdt.nio;

  provides java.nio.file.spi.FileSystemProvider with
      io.fdt.nio.FdtFileSystemProvider;
}
