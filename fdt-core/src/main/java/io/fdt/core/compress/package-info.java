/**
 * Compression of payloads: formats, and when it pays.
 *
 * <pre>
 *   reader thread: plain frame ---> Compressor ---> shorter frame, or the same one
 *   event loop:    FrameReader ---> Decompressor ---> plain payload
 * </pre>
 */
package io.fdt.core.compress;
