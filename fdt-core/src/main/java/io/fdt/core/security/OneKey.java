package io.fdt.core.security;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * A key manager of one identity. Immutable.
 *
 * <p>A key store would encrypt the key with a password and decrypt it again: 0.2 s at every start.
 */
final class OneKey extends X509ExtendedKeyManager {
  private static final String ALIAS = "own";

  private final Identity identity;

  OneKey(Identity identity) {
    this.identity = identity;
  }

  /**
   * @param keyTypes in the terms of TLS, "EC" or "EC_EC" for instance; a common prefix matches
   */
  private String alias(String... keyTypes) {
    for (String keyType : keyTypes) {
      String kind = keyType.contains("_") ? keyType.substring(0, keyType.indexOf('_')) : keyType;
      if (kind.equalsIgnoreCase(identity.key().getAlgorithm()) || kind.startsWith("EdDSA")) {
        return ALIAS;
      }
    }
    return null;
  }

  @Override
  public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
    return alias(keyType);
  }

  @Override
  public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
    return alias(keyType);
  }

  @Override
  public String[] getServerAliases(String keyType, Principal[] issuers) {
    return alias(keyType) == null ? null : new String[] {ALIAS};
  }

  @Override
  public String[] getClientAliases(String keyType, Principal[] issuers) {
    return getServerAliases(keyType, issuers);
  }

  @Override
  public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
    return alias(keyType);
  }

  @Override
  public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
    return alias(keyType);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return identity.chain().toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return identity.key();
  }
}
