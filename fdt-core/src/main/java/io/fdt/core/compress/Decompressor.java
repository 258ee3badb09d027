package io.fdt.core.compress;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Compression;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;

/** Decompresses payloads, in any of the formats. Thread-safe. */
public final class Decompressor implements PayloadDecoder {
  private static final Decompressor ANY = new Decompressor();

  private Decompressor() {}

  /** The decoder for the receiver of a session. */
  public static PayloadDecoder of(Compression agreed) {
    return agreed.isOn() ? ANY : PayloadDecoder.NONE;
  }

  @Override
  public boolean decode(int encoding, ByteBuf encoded, ByteBuf plain) throws FdtException {
    Codec codec = Codec.ofWireCode(encoding);
    if (codec == null) {
      return PayloadDecoder.NONE.decode(encoding, encoded, plain);
    }
    int room = plain.writableBytes();
    try {
      int length =
          codec.decode(
              encoded.nioBuffer(encoded.readerIndex(), encoded.readableBytes()),
              plain.nioBuffer(plain.writerIndex(), room));
      if (length != room) {
        return false;
      }
      plain.writerIndex(plain.writerIndex() + room);
      return true;
    } catch (LinkageError e) {
      throw new FdtException(
          ErrorCode.RESOURCES,
          "this machine cannot decompress "
              + codec.name().toLowerCase(java.util.Locale.ROOT)
              + "; use "
              + Setting.COMPRESSION.with("deflate"),
          e);
    }
  }
}
