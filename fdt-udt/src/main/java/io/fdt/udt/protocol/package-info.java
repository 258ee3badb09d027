/**
 * UDT version 4, the protocol of streams over UDP: a pure machine. Packets and time are its input,
 * packets and the time to wake up its output; it has no socket, no clock and no thread. See
 * docs/UDP.md.
 */
package io.fdt.udt.protocol;
