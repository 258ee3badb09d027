package io.fdt.service.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.GeneralException;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.LogoutRequest;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity provider. Its metadata is read at the first sign-in and again every hour; its keys
 * are cached until a token names another one. Any thread.
 */
public final class OidcProvider {
  private static final Logger LOG = LoggerFactory.getLogger(OidcProvider.class);
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int MOST_BYTES = 1 << 20;
  private static final long FRESH_NANOS = Duration.ofHours(1).toNanos();

  /** The tolerated difference between the clocks of the provider and this machine. */
  private static final int SKEW_SECONDS = 60;

  private final OidcSettings settings;
  private Known known;

  private record Known(OIDCProviderMetadata metadata, IDTokenValidator validator, long sinceNanos) {
    boolean isFresh(long nowNanos) {
      return nowNanos - sinceNanos < FRESH_NANOS;
    }
  }

  public OidcProvider(OidcSettings settings) {
    this.settings = settings;
  }

  public OidcSettings settings() {
    return settings;
  }

  /**
   * The address at which a browser signs in.
   *
   * @param back the address of this service to which the provider redirects afterwards
   * @throws ServiceException BUSY when the provider does not answer
   */
  public URI begin(SignInAttempt attempt, URI back) throws ServiceException {
    return new AuthenticationRequest.Builder(
            ResponseType.CODE,
            new Scope("openid", "profile", "email"),
            new ClientID(settings.client()),
            back)
        .endpointURI(known().metadata().getAuthorizationEndpointURI())
        .state(new State(attempt.state()))
        .nonce(new Nonce(attempt.nonce()))
        .codeChallenge(new CodeVerifier(attempt.verifier()), CodeChallengeMethod.S256)
        .build()
        .toURI();
  }

  /**
   * The person who has signed in, after all checks.
   *
   * @param answer the parameters with which the browser came back
   * @throws ServiceException UNAUTHENTICATED when a check fails; FORBIDDEN when the person may not
   *     use the service; BUSY when the provider does not answer
   */
  public Person finish(SignInAttempt attempt, Map<String, String> answer, URI back, long now)
      throws ServiceException {
    attempt.check(answer.getOrDefault("state", ""), now);
    Known provider = known();
    checkIssuer(answer, provider.metadata());
    if (answer.containsKey("error")) {
      throw wrong("the provider says: " + answer.get("error"));
    }
    if (answer.getOrDefault("code", "").isEmpty()) {
      throw wrong("the provider has sent no code");
    }
    OIDCTokenResponse tokens =
        exchange(
            provider.metadata(),
            new AuthorizationCodeGrant(
                new AuthorizationCode(answer.get("code")),
                back,
                new CodeVerifier(attempt.verifier())));
    try {
      IDTokenClaimsSet claims =
          provider
              .validator()
              .validate(tokens.getOIDCTokens().getIDToken(), new Nonce(attempt.nonce()));
      return Person.of(claims, settings);
    } catch (BadJOSEException | JOSEException e) {
      LOG.warn("token refused issuer={} reason={}", settings.issuer(), e.getMessage());
      throw wrong("its token is not good: " + e.getMessage());
    }
  }

  /** Refuses the answer of another provider (mix-up attack). */
  private void checkIssuer(Map<String, String> answer, OIDCProviderMetadata metadata)
      throws ServiceException {
    String said = answer.get("iss");
    boolean isMissing = said == null && metadata.supportsAuthorizationResponseIssuerParam();
    if (isMissing || (said != null && !said.equals(metadata.getIssuer().getValue()))) {
      throw wrong("the answer is of another provider");
    }
  }

  private OIDCTokenResponse exchange(OIDCProviderMetadata metadata, AuthorizationGrant grant)
      throws ServiceException {
    try {
      ClientID client = new ClientID(settings.client());
      TokenRequest request =
          settings.secret().isEmpty()
              ? new TokenRequest.Builder(metadata.getTokenEndpointURI(), client, grant).build()
              : new TokenRequest.Builder(
                      metadata.getTokenEndpointURI(), authentication(metadata, client), grant)
                  .build();
      HTTPRequest http = request.toHTTPRequest();
      http.setConnectTimeout(TIMEOUT_MILLIS);
      http.setReadTimeout(TIMEOUT_MILLIS);
      http.setFollowRedirects(false);
      TokenResponse response = OIDCTokenResponseParser.parse(http.send());
      if (!response.indicatesSuccess()) {
        throw wrong(
            "the provider does not take the code: "
                + response.toErrorResponse().getErrorObject().getCode());
      }
      return (OIDCTokenResponse) response.toSuccessResponse();
    } catch (ParseException e) {
      throw wrong("the provider's answer makes no sense: " + e.getMessage());
    } catch (IOException e) {
      throw away(e);
    }
  }

  private ClientAuthentication authentication(OIDCProviderMetadata metadata, ClientID client) {
    Secret secret = new Secret(settings.secret());
    List<ClientAuthenticationMethod> methods = metadata.getTokenEndpointAuthMethods();
    boolean takesBasic =
        methods == null || methods.contains(ClientAuthenticationMethod.CLIENT_SECRET_BASIC);
    return takesBasic
        ? new ClientSecretBasic(client, secret)
        : new ClientSecretPost(client, secret);
  }

  /**
   * The address at which a browser signs out of the provider; empty if it has none.
   *
   * @param back the address to redirect to afterwards
   */
  public Optional<URI> signOut(URI back) throws ServiceException {
    return Optional.ofNullable(known().metadata().getEndSessionEndpointURI())
        .map(
            end ->
                new LogoutRequest(
                        end, null, null, new ClientID(settings.client()), back, null, null)
                    .toURI());
  }

  private synchronized Known known() throws ServiceException {
    long now = System.nanoTime();
    if (known != null && known.isFresh(now)) {
      return known;
    }
    try {
      OIDCProviderMetadata metadata =
          OIDCProviderMetadata.resolve(
              new Issuer(settings.issuer()), TIMEOUT_MILLIS, TIMEOUT_MILLIS);
      for (URI address :
          List.of(
              metadata.getAuthorizationEndpointURI(),
              metadata.getTokenEndpointURI(),
              metadata.getJWKSetURI())) {
        if (!OidcSettings.isSafe(address)) {
          throw new GeneralException("its address " + address + " has no TLS");
        }
      }
      IDTokenValidator validator =
          known != null && known.metadata().getJWKSetURI().equals(metadata.getJWKSetURI())
              ? known.validator() // with its keys
              : validator(metadata);
      known = new Known(metadata, validator, now);
      return known;
    } catch (GeneralException | IOException | NullPointerException e) {
      if (known != null) {
        LOG.warn(
            "issuer does not answer, its last answer is used issuer={} reason={}",
            settings.issuer(),
            e.getMessage());
        known = new Known(known.metadata(), known.validator(), now);
        return known;
      }
      throw away(e);
    }
  }

  private IDTokenValidator validator(OIDCProviderMetadata metadata) throws MalformedURLException {
    JWKSource<SecurityContext> keys =
        JWKSourceBuilder.<SecurityContext>create(
                metadata.getJWKSetURI().toURL(),
                new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, MOST_BYTES))
            .retrying(true)
            .build();
    IDTokenValidator validator =
        new IDTokenValidator(
            metadata.getIssuer(),
            new ClientID(settings.client()),
            new JWSVerificationKeySelector<>(algorithms(metadata), keys),
            null);
    validator.setMaxClockSkew(SKEW_SECONDS);
    return validator;
  }

  /** Algorithms with a private key of the provider; never "none", never the shared secret. */
  private static Set<JWSAlgorithm> algorithms(OIDCProviderMetadata metadata) {
    List<JWSAlgorithm> offered = metadata.getIDTokenJWSAlgs();
    Set<JWSAlgorithm> good =
        (offered == null ? List.of(JWSAlgorithm.RS256) : offered)
            .stream()
                .filter(
                    one ->
                        JWSAlgorithm.Family.RSA.contains(one)
                            || JWSAlgorithm.Family.EC.contains(one))
                .collect(Collectors.toSet());
    return good.isEmpty() ? Set.of(JWSAlgorithm.RS256) : good;
  }

  private static ServiceException wrong(String reason) {
    return Fault.UNAUTHENTICATED.of("the sign-in failed: " + reason + "; begin again");
  }

  private ServiceException away(Exception e) {
    LOG.warn("issuer does not answer issuer={} reason={}", settings.issuer(), e.toString());
    return Fault.BUSY.of("the identity provider does not answer as it should; try again later");
  }
}
