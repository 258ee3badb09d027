/**
 * Files of FDT servers for any program that uses {@code java.nio.file}: {@code
 * Path.of(URI.create("fdt://host/data/run42.h5"))}.
 *
 * <p>{@link io.fdt.nio.FdtFileSystemProvider} lists the supported operations; {@link
 * io.fdt.nio.FdtFiles} copies files and trees with parallel streams.
 */
package io.fdt.nio;
