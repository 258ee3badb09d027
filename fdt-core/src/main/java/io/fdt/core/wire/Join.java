package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Follows the {@link Preface} of a data connection: names session and stream, and proves knowledge
 * of the session's secret.
 *
 * <pre>
 *   0              16               20                                  52
 *   +--------------+----------------+-----------------------------------+
 *   |  session id  |  stream (u32)  |  proof                            |
 *   +--------------+----------------+-----------------------------------+
 *
 *   proof = HMAC-SHA256(secret, "FDT join 1" || session id || stream)
 * </pre>
 *
 * <p>The secret itself never travels on a data connection. Immutable.
 *
 * @param session the session
 * @param stream number of the stream, 0 or more
 * @param proof 32 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in and out, compared by content
public record Join(SessionId session, int stream, byte[] proof) {
  /** Bytes of a join. */
  public static final int LENGTH = 52;

  /** Bytes of the secret of a session. */
  public static final int SECRET_LENGTH = 32;

  private static final int PROOF_LENGTH = 32;
  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] CONTEXT = "FDT join 1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PATH_CONTEXT = "FDT path 1".getBytes(StandardCharsets.US_ASCII);

  public Join {
    if (stream < 0 || proof.length != PROOF_LENGTH) {
      throw new IllegalArgumentException(
          "stream " + stream + ", proof of " + proof.length + " bytes");
    }
    proof = proof.clone();
  }

  /** A new session secret; {@code random} should be a {@link java.security.SecureRandom}. */
  public static byte[] newSecret(RandomGenerator random) {
    byte[] secret = new byte[SECRET_LENGTH];
    random.nextBytes(secret);
    return secret;
  }

  /** The join of a client that knows the secret, which must not be empty. */
  public static Join prove(SessionId session, int stream, byte[] secret) {
    return new Join(session, stream, of(CONTEXT, session, stream, secret));
  }

  /**
   * A key that only the two ends of a stream can compute, 32 bytes: derived like the proof, and
   * never sent.
   */
  public static byte[] pathSecret(SessionId session, int stream, byte[] secret) {
    return of(PATH_CONTEXT, session, stream, secret);
  }

  /** Whether the peer knew this secret. Takes constant time. */
  public boolean isProvenBy(byte[] secret) {
    return MessageDigest.isEqual(of(CONTEXT, session, stream, secret), proof);
  }

  /** A copy of the proof. */
  @Override
  public byte[] proof() {
    return proof.clone();
  }

  /** Appends the 52 bytes. */
  public void write(ByteBuf out) {
    session.write(out);
    out.writeInt(stream);
    out.writeBytes(proof);
  }

  /**
   * Reads 52 bytes. Proves nothing yet: see {@link #isProvenBy}.
   *
   * @throws FdtException PROTOCOL when the number of the stream is too large
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static Join read(ByteBuf in) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "a join");
    SessionId session = SessionId.read(in);
    int stream = in.readInt();
    byte[] proof = new byte[PROOF_LENGTH];
    in.readBytes(proof);
    if (stream < 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "number of a stream: " + Integer.toUnsignedString(stream));
    }
    return new Join(session, stream, proof);
  }

  private static byte[] of(byte[] context, SessionId session, int stream, byte[] secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      mac.update(context);
      mac.update(session.bytes());
      return mac.doFinal(ByteBuffer.allocate(Integer.BYTES).putInt(stream).array());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Join join
        && session.equals(join.session)
        && stream == join.stream
        && MessageDigest.isEqual(proof, join.proof);
  }

  @Override
  public int hashCode() {
    return 31 * session.hashCode() + stream + Arrays.hashCode(proof);
  }

  /** The join without its proof, for logs. */
  @Override
  public String toString() {
    return "Join[session=" + session.shortName() + ", stream=" + stream + "]";
  }
}
