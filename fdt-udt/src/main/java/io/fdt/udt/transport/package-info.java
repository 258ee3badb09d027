/**
 * Data streams over UDP: sockets, and channels of bytes over the machine of {@link
 * io.fdt.udt.protocol}. Control connections use another transport.
 */
package io.fdt.udt.transport;
