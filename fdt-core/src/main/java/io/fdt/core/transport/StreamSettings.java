package io.fdt.core.transport;

/**
 * What a data stream needs to know before it starts.
 *
 * @param maxPayload longest payload that is accepted, in bytes
 * @param socketBuffer bytes of the socket's buffers; 0 leaves them to the operating system, which
 *     adapts them
 */
public record StreamSettings(int maxPayload, int socketBuffer) {}
