package io.fdt.s3;

import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.RequestPayer;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The client of the store that the environment names: credentials, endpoint and region by the SDK's
 * own chain. Any thread.
 *
 * <p>The SDK repeats requests that fail, and slows all of them down when the store asks for it.
 */
final class Store {
  /** Requests at once: readers, writers, and uploads of parts. */
  private static final int MOST_CONNECTIONS = 256;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(60);

  /** With the waits between them, a store may restart. */
  private static final int ATTEMPTS = 6;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  /**
   * An object, without its bytes.
   *
   * @param stored when the store received it
   */
  record Found(long size, String tag, Instant stored, Map<String, String> metadata) {}

  private final Map<String, String> environment;
  private final AtomicLong throttled = new AtomicLong();
  private volatile boolean ignoresConditions;
  private S3Client client;
  private Settings settings;

  Store(Map<String, String> environment) {
    this.environment = environment;
  }

  synchronized Settings settings() throws FdtException {
    if (settings == null) {
      settings = Settings.of(environment);
    }
    return settings;
  }

  /** How often the store has asked to slow down. */
  long throttled() {
    return throttled.get();
  }

  private synchronized S3Client client() throws FdtException {
    if (client == null) {
      Settings chosen = settings();
      S3Client first = build(chosen, chosen.pathStyle().orElse(false));
      boolean isOther = first.serviceClientConfiguration().endpointOverride().isPresent();
      if (chosen.pathStyle().isEmpty() && isOther) {
        first.close();
        first = build(chosen, true); // only Amazon surely has a host for each bucket
      }
      client = first;
    }
    return client;
  }

  private S3Client build(Settings chosen, boolean pathStyle) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                Apache5HttpClient.builder()
                    .maxConnections(MOST_CONNECTIONS)
                    .expectContinueEnabled(false)
                    .connectionTimeout(CONNECT_TIMEOUT)
                    .socketTimeout(SILENCE_TIMEOUT))
            .region(region())
            .crossRegionAccessEnabled(true)
            .forcePathStyle(pathStyle)
            // The checksum of each body is in a header, so that it needs no trailer; a body that
            // waits for "100 Continue" costs a round trip.
            .serviceConfiguration(
                service -> service.chunkedEncodingEnabled(false).expectContinueEnabled(false))
            .overrideConfiguration(
                common ->
                    common
                        .retryStrategy(
                            AwsRetryStrategy.adaptiveRetryStrategy().toBuilder()
                                .maxAttempts(ATTEMPTS)
                                .build())
                        .addExecutionInterceptor(new Throttling()));
    return (chosen.anonymous()
            ? builder.credentialsProvider(AnonymousCredentialsProvider.create())
            : builder)
        .build();
  }

  /** The region of the environment or the profile; otherwise the store names that of a bucket. */
  private static Region region() {
    try {
      return new AwsRegionProviderChain(
              new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
          .getRegion();
    } catch (SdkException e) {
      return Region.US_EAST_1;
    }
  }

  private final class Throttling implements ExecutionInterceptor {
    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes unused) {
      int status = context.httpResponse().statusCode();
      if (status == UNAVAILABLE || status == TOO_MANY_REQUESTS) {
        throttled.incrementAndGet();
      }
    }
  }

  /** Whether the store refuses conditions, so that requests go without them. */
  boolean ignoresConditions() {
    return ignoresConditions;
  }

  void goesWithoutConditions() {
    ignoresConditions = true;
  }

  RequestPayer payer() throws FdtException {
    return settings().payer();
  }

  /** Sends a request; its failure is in words for users. */
  <T> T send(ObjectPath path, Function<S3Client, T> request) throws FdtException {
    try {
      return request.apply(client());
    } catch (SdkException e) {
      throw Failures.of(e, path);
    }
  }

  /** Sends a request whose failures the caller tells apart. */
  <T> T attempt(Function<S3Client, T> request) throws FdtException {
    return request.apply(client());
  }

  /** An object; empty when there is none. */
  Optional<Found> find(ObjectPath path) throws FdtException {
    RequestPayer payer = payer();
    try {
      HeadObjectResponse answer =
          client()
              .headObject(head -> head.bucket(path.bucket()).key(path.key()).requestPayer(payer));
      if (answer.contentLength() == null || answer.contentLength() < 0) {
        throw Failures.wrong(path, "gives no size");
      }
      return Optional.of(
          new Found(
              answer.contentLength(), answer.eTag(), answer.lastModified(), answer.metadata()));
    } catch (SdkException e) {
      if (Failures.isMissing(e)) {
        return Optional.empty();
      }
      if (Failures.isDeniedWithoutReason(e)) {
        boolean unused = hasKeys(path); // fails for the same reason, and says it
      }
      throw Failures.of(e, path);
    }
  }

  /** Whether there are keys beneath a path. */
  boolean hasKeys(ObjectPath path) throws FdtException {
    return !list(path, ListObjectsV2Request.builder().prefix(path.prefix()).maxKeys(1))
        .contents()
        .isEmpty();
  }

  /**
   * A page of a listing.
   *
   * @throws FdtException PROTOCOL also for keys that were not asked for, which must not be removed,
   *     and for a page without a next one, which would hide names
   */
  ListObjectsV2Response list(ObjectPath path, ListObjectsV2Request.Builder request)
      throws FdtException {
    ListObjectsV2Request asked = request.bucket(path.bucket()).requestPayer(payer()).build();
    ListObjectsV2Response page = send(path, client -> client.listObjectsV2(asked));
    String prefix = asked.prefix();
    for (S3Object one : page.contents()) {
      boolean isWhole = one.key() != null && one.size() != null && one.lastModified() != null;
      if (!isWhole || one.size() < 0 || !one.key().startsWith(prefix)) {
        throw Failures.wrong(path, "lists '" + one.key() + "', which was not asked for");
      }
    }
    for (CommonPrefix one : page.commonPrefixes()) {
      String name = String.valueOf(one.prefix());
      if (!name.startsWith(prefix) || name.length() == prefix.length() || !name.endsWith("/")) {
        throw Failures.wrong(path, "lists '" + name + "', which was not asked for");
      }
    }
    checkNext(path, page.isTruncated(), asked.continuationToken(), page.nextContinuationToken());
    return page;
  }

  /** Checks that a page which is not the last one has a next one. */
  static void checkNext(ObjectPath path, Boolean isTruncated, Object before, Object next)
      throws FdtException {
    if (Boolean.TRUE.equals(isTruncated) && (next == null || next.equals(before))) {
      throw Failures.wrong(path, "lists without an end");
    }
  }
}
