package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import io.fdt.service.value.Secrets;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts secrets for the database: AES-256-GCM with a key from a file that only its owner may
 * read. A copy of the database alone does not reveal the tokens. Any thread.
 *
 * <pre>
 *   base64( nonce: 12 bytes | ciphertext and tag: length of the secret + 16 bytes )
 * </pre>
 */
public final class Vault {
  private static final String KEY_FILE = "key";
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;

  private Vault(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  /**
   * Reads the key of a home, or creates it.
   *
   * @throws FdtException others may read the key, or it cannot be written
   */
  public static Vault open(HomeDirectory home) throws FdtException {
    byte[] key = home.readIfThere(KEY_FILE);
    if (key == null) {
      key = Secrets.bytes(KEY_BYTES);
      home.replace(KEY_FILE, key);
    }
    if (key.length != KEY_BYTES) {
      throw new FdtException(
          ErrorCode.IO,
          "'%s' is no key: it has %d bytes in place of %d; bring back the right one"
              .formatted(home.file(KEY_FILE), key.length, KEY_BYTES));
    }
    return new Vault(key);
  }

  /** Identifies the key without revealing it. */
  public String fingerprint() {
    return Secrets.hash("fdt service key " + HexFormat.of().formatHex(key.getEncoded()))
        .substring(0, 16);
  }

  /**
   * Encrypts a secret.
   *
   * @param place the owner of the secret, required for decryption
   */
  public String encrypt(String secret, String place) {
    byte[] nonce = Secrets.bytes(NONCE_BYTES);
    try {
      byte[] text =
          cipher(Cipher.ENCRYPT_MODE, nonce, place)
              .doFinal(secret.getBytes(StandardCharsets.UTF_8));
      byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + text.length);
      System.arraycopy(text, 0, all, NONCE_BYTES, text.length);
      return Base64.getEncoder().encodeToString(all);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM is in every Java", e);
    }
  }

  /**
   * Decrypts what {@link #encrypt} made.
   *
   * @throws FdtException it was changed, moved, or made with another key
   */
  public String decrypt(String stored, String place) throws FdtException {
    try {
      byte[] all = Base64.getDecoder().decode(stored);
      if (all.length < NONCE_BYTES) {
        throw new GeneralSecurityException("too short");
      }
      byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
      byte[] text =
          cipher(Cipher.DECRYPT_MODE, nonce, place)
              .doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
      return new String(text, StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          "the stored token cannot be decrypted, for the key of the service is another one:"
              + " add the endpoint again",
          e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, String place) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
