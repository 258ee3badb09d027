/**
 * UDT version 4, the protocol of streams over UDP: a pure machine. Packets and time come in,
 * packets and the time to wake up go out; it has no socket, no clock and no thread. See
 * docs/UDP.md.
 */
package io.fdt.udt.protocol;
