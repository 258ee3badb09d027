package io.fdt.core.session.receiver;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.model.Range;

/**
 * The hashes of the pieces of a range at the sender; see {@link PieceHasher}.
 *
 * @param range from one piece to the end of another; its last piece may be shorter
 * @param piece bytes of each piece
 * @param strong whether equal hashes are enough to keep a piece, which is then written
 */
public record HashedPieces(Range range, int piece, boolean strong, ByteString hashes) {
  /** Whether a piece, counted from 0, has the hash that stands in these at the same place. */
  public boolean isEqual(int index, byte[] others) {
    int length = PieceHasher.length(strong);
    for (int i = index * length; i < (index + 1) * length; i++) {
      if (others[i] != hashes.byteAt(i)) {
        return false;
      }
    }
    return true;
  }
}
