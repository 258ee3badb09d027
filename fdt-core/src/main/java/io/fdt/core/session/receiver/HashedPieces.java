package io.fdt.core.session.receiver;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.PieceHasher;
import io.fdt.core.model.Range;
import java.util.List;

/**
 * The hashes of the pieces of a range at the sender; see {@link PieceHasher}.
 *
 * @param range from one piece to the end of another; its last piece may be shorter
 * @param piece bytes of each piece
 * @param strong whether equal hashes are enough to keep a piece, which is then written
 * @param shifts where the pieces are looked for in the base: its offsets minus those in the file
 */
public record HashedPieces(
    Range range, int piece, boolean strong, ByteString hashes, List<Long> shifts) {
  public HashedPieces {
    shifts = List.copyOf(shifts);
  }

  /** The same pieces, to be looked for elsewhere. */
  public HashedPieces at(List<Long> others) {
    return new HashedPieces(range, piece, strong, hashes, others);
  }

  /**
   * Some of these pieces.
   *
   * @param part from the start of one piece to the end of another
   */
  public HashedPieces part(Range part) {
    int length = PieceHasher.length(strong);
    int first = Math.toIntExact((part.start() - range.start()) / piece);
    int end = Math.toIntExact((part.end() - range.start() + piece - 1) / piece);
    ByteString some = hashes.substring(first * length, end * length);
    return new HashedPieces(part, piece, strong, some, shifts);
  }

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
