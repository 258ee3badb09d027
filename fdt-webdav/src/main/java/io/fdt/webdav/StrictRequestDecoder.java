package io.fdt.webdav;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Reads requests, and refuses those whose end two programs could see at different places (request
 * smuggling). Confined to the event loop of its connection.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
  /** The longest request line; paths of 4096 bytes are three times as long when encoded. */
  private static final int MOST_LINE = 16 << 10;

  /** The most bytes of all headers of one request; a Range header may name a thousand ranges. */
  private static final int MOST_HEADERS = 32 << 10;

  /** The largest piece of a body. */
  private static final int MOST_PIECE = 64 << 10;

  StrictRequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MOST_LINE)
            .setMaxHeaderSize(MOST_HEADERS)
            .setMaxChunkSize(MOST_PIECE)
            .setValidateHeaders(true)
            .setStrictLineParsing(true)
            .setUseRfc9112TransferEncoding(true)
            .setAllowDuplicateContentLengths(false));
  }
}
