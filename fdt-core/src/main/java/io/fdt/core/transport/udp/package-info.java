/**
 * Data streams over UDP: sockets, and channels of bytes over the machine of {@link
 * io.fdt.core.udt}. Control connections are those of another transport.
 */
package io.fdt.core.transport.udp;
