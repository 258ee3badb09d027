package io.fdt.service;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.pkce.CodeChallenge;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fdt.json.Json;
import io.fdt.service.value.Secrets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * An identity provider that signs one person in without asking, and lies where a test wants it to.
 * It checks what a good one checks: redirect address, PKCE, the client's secret, and that a code is
 * used once.
 */
final class TestIssuer implements AutoCloseable {
  static final String CLIENT = "fdt";
  static final String SECRET = "0123456789-0123456789-0123456789";

  /** How a token is signed. */
  enum Signature {
    GOOD,
    NONE,
    /** With the secret that the client has, too. */
    OF_SECRET,
    /** With the public key as if it were a secret. */
    OF_PUBLIC_KEY,
    /** With a key that is not the provider's. */
    FOREIGN
  }

  private record Begun(AuthenticationRequest request) {}

  /**
   * Made before anybody asks: making one takes up to a second, and on a busy machine longer than
   * the service waits for an answer.
   */
  private static final RSAKey FIRST = newKey();

  private static final RSAKey FOREIGN = newKey();

  private final HttpServer server;
  private final Map<String, Begun> codes = new ConcurrentHashMap<>();
  final AtomicInteger askedForKeys = new AtomicInteger();
  final Map<String, Object> claims = new ConcurrentHashMap<>();
  volatile RSAKey key;
  volatile Signature signature = Signature.GOOD;
  volatile Consumer<JWTClaimsSet.Builder> lie = claims -> {};
  volatile boolean saysIssuer;

  TestIssuer() throws Exception {
    key = FIRST;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/.well-known/openid-configuration", this::describe);
    server.createContext("/authorize", this::authorize);
    server.createContext("/token", this::token);
    server.createContext("/keys", this::keys);
    server.start();
  }

  static RSAKey newKey() {
    try {
      return new RSAKeyGenerator(2048).keyID(Secrets.id()).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private void describe(HttpExchange exchange) throws IOException {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("issuer", url());
    metadata.put("authorization_endpoint", url() + "/authorize");
    metadata.put("token_endpoint", url() + "/token");
    metadata.put("jwks_uri", url() + "/keys");
    metadata.put("end_session_endpoint", url() + "/logout");
    metadata.put("response_types_supported", List.of("code"));
    metadata.put("subject_types_supported", List.of("public"));
    // A provider that offers them does not make them good.
    metadata.put("id_token_signing_alg_values_supported", List.of("RS256", "HS256", "none"));
    metadata.put("authorization_response_iss_parameter_supported", saysIssuer);
    answer(exchange, 200, Json.text(metadata));
  }

  private void keys(HttpExchange exchange) throws IOException {
    askedForKeys.incrementAndGet();
    // A provider that shows a secret with its keys does not make that a key.
    OctetSequenceKey secret =
        new OctetSequenceKey.Builder(SECRET.getBytes(StandardCharsets.UTF_8))
            .keyID(key.getKeyID())
            .build();
    JWKSet all = new JWKSet(List.of(key.toPublicJWK(), secret));
    answer(exchange, 200, all.toString(false));
  }

  private void authorize(HttpExchange exchange) throws IOException {
    try {
      AuthenticationRequest request = AuthenticationRequest.parse(exchange.getRequestURI());
      if (!request.getClientID().getValue().equals(CLIENT)
          || !CodeChallengeMethod.S256.equals(request.getCodeChallengeMethod())
          || request.getNonce() == null) {
        answer(exchange, 400, "{}");
        return;
      }
      String code = Secrets.secret("");
      codes.put(code, new Begun(request));
      String back =
          request.getRedirectionURI()
              + "?code="
              + code
              + "&state="
              + request.getState()
              + "&session_state=x"
              + (saysIssuer ? "&iss=" + url() : "");
      exchange.getResponseHeaders().set("Location", back);
      answer(exchange, 302, "");
    } catch (com.nimbusds.oauth2.sdk.ParseException e) {
      answer(exchange, 400, "{}");
    }
  }

  private void token(HttpExchange exchange) throws IOException {
    try {
      HTTPRequest http =
          new HTTPRequest(HTTPRequest.Method.POST, URI.create(url() + "/token").toURL());
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> http.setHeader(name, values.toArray(String[]::new)));
      http.setBody(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      TokenRequest request = TokenRequest.parse(http);
      AuthorizationCodeGrant grant = (AuthorizationCodeGrant) request.getAuthorizationGrant();
      Begun begun = codes.remove(grant.getAuthorizationCode().getValue());
      String basic =
          "Basic "
              + Base64.getEncoder()
                  .encodeToString((CLIENT + ":" + SECRET).getBytes(StandardCharsets.UTF_8));
      boolean isGood =
          begun != null
              && basic.equals(http.getHeaderValue("Authorization"))
              && Objects.equals(grant.getRedirectionURI(), begun.request().getRedirectionURI())
              && CodeChallenge.compute(CodeChallengeMethod.S256, grant.getCodeVerifier())
                  .equals(begun.request().getCodeChallenge());
      if (!isGood) {
        answer(exchange, 400, "{\"error\":\"invalid_grant\"}");
        return;
      }
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("access_token", "unused");
      body.put("token_type", "Bearer");
      body.put("expires_in", 60L);
      body.put("id_token", sign(begun.request().getNonce().getValue()));
      answer(exchange, 200, Json.text(body));
    } catch (Exception e) { // of a parser or a signature: the test fails by the answer
      answer(exchange, 500, "{\"error\":\"" + e.getClass().getSimpleName() + "\"}");
    }
  }

  private String sign(String nonce) throws Exception {
    long now = Instant.now().getEpochSecond();
    JWTClaimsSet.Builder builder =
        new JWTClaimsSet.Builder()
            .issuer(url())
            .subject("subject-1")
            .audience(CLIENT)
            .claim("iat", now)
            .claim("exp", now + 60)
            .claim("nonce", nonce)
            .claim("preferred_username", "alice");
    claims.forEach(builder::claim);
    lie.accept(builder);
    JWTClaimsSet set = builder.build();
    if (signature == Signature.NONE) {
      return new PlainJWT(set).serialize();
    }
    boolean isSymmetric = signature == Signature.OF_SECRET || signature == Signature.OF_PUBLIC_KEY;
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(isSymmetric ? JWSAlgorithm.HS256 : JWSAlgorithm.RS256)
                .type(JOSEObjectType.JWT)
                .keyID(key.getKeyID())
                .build(),
            set);
    switch (signature) {
      case OF_SECRET -> token.sign(new MACSigner(SECRET));
      case OF_PUBLIC_KEY -> token.sign(new MACSigner(key.toRSAPublicKey().getEncoded()));
      case FOREIGN -> token.sign(new RSASSASigner(FOREIGN.toRSAPrivateKey()));
      default -> token.sign(new RSASSASigner(key.toRSAPrivateKey()));
    }
    return token.serialize();
  }

  /** A secret in a file, as options want it. */
  static String secretFile(java.nio.file.Path file) {
    try {
      java.nio.file.Files.writeString(file, SECRET + "\n");
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
