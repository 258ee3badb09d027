/**
 * Data streams over UDP: sockets, and channels of bytes over the machine of {@link
 * io.fdt.core.udt}. Control connections use another transport.
 */
package io.fdt.core.transport.udp;
