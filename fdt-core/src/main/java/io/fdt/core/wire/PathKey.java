package io.fdt.core.wire;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret that both ends of one connection know, and nothing between them. Immutable. */
public final class PathKey {
  /** Bytes of a proof. */
  public static final int PROOF_LENGTH = 16;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /**
   * @param secret of this connection only, 16 bytes or more
   */
  public PathKey(byte[] secret) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * A secret for another use: the first block of HKDF-Expand (RFC 5869) with HMAC-SHA256.
   *
   * @param info names the use; not 16 bytes long, which challenges are
   * @param length 32 bytes at most
   */
  public byte[] expand(byte[] info, int length) {
    byte[] text = Arrays.copyOf(info, info.length + 1);
    text[info.length] = 1;
    return Arrays.copyOf(mac(text), length);
  }

  /** The answer to a challenge, which proves that its sender knows the key. */
  public byte[] proof(long challenge, int socket, int peerSocket) {
    byte[] text =
        ByteBuffer.allocate(16).putLong(challenge).putInt(socket).putInt(peerSocket).array();
    return Arrays.copyOf(mac(text), PROOF_LENGTH);
  }

  private byte[] mac(byte[] text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, e);
    }
  }

  /** Whether a proof is valid. Takes the same time for any proof. */
  public boolean isProof(byte[] proof, long challenge, int socket, int peerSocket) {
    return MessageDigest.isEqual(proof, proof(challenge, socket, peerSocket));
  }
}
