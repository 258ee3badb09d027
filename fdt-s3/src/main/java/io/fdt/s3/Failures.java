package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;

/** The failures of requests, in words for users. Pure functions. */
final class Failures {
  private Failures() {}

  /** The failure of a request. */
  static FdtException of(SdkException failure, ObjectPath path) {
    return failure instanceof AwsServiceException answer
        ? ofAnswer(answer, path)
        : ofClient(failure, path);
  }

  /** The failure of a store that answers what no store may. */
  static FdtException wrong(ObjectPath path, String what) {
    return new FdtException(
        ErrorCode.PROTOCOL, "'%s': the store %s; ask who runs it".formatted(path, what));
  }

  /** Whether the object or the upload does not exist. */
  static boolean isMissing(SdkException failure) {
    return failure instanceof AwsServiceException answer
        && answer.statusCode() == 404
        && !codeOf(answer).equals("NoSuchBucket");
  }

  /** Whether access is denied, for a reason that the answer to a HEAD request does not have. */
  static boolean isDeniedWithoutReason(SdkException failure) {
    return failure instanceof AwsServiceException answer
        && answer.statusCode() == 403
        && codeOf(answer).isEmpty();
  }

  /** Whether the condition of the request was false. */
  static boolean isRefusedByCondition(SdkException failure) {
    return failure instanceof AwsServiceException answer
        && (answer.statusCode() == 412 || codeOf(answer).equals("ConditionalRequestConflict"));
  }

  /** Whether the store does not know what the request asks for. */
  static boolean isUnknownToTheStore(SdkException failure) {
    return failure instanceof AwsServiceException answer
        && (answer.statusCode() == 501 || codeOf(answer).equals("NotImplemented"));
  }

  private static String codeOf(AwsServiceException answer) {
    return answer.awsErrorDetails() == null || answer.awsErrorDetails().errorCode() == null
        ? ""
        : answer.awsErrorDetails().errorCode();
  }

  private static FdtException ofAnswer(AwsServiceException answer, ObjectPath path) {
    String name = "'" + path + "'";
    String bucket = "bucket '" + path.bucket() + "'";
    int status = answer.statusCode();
    return switch (codeOf(answer)) {
      case "NoSuchBucket" ->
          failure(ErrorCode.NOT_FOUND, bucket + " does not exist; check its name", answer);
      case "InvalidBucketName" ->
          failure(ErrorCode.USAGE, bucket + " is no name of a bucket; check its name", answer);
      case "InvalidAccessKeyId",
          "SignatureDoesNotMatch",
          "InvalidToken",
          "ExpiredToken",
          "XAdminUserNotFound" ->
          failure(
              ErrorCode.UNAUTHENTICATED,
              name
                  + ": the store does not accept the credentials ("
                  + codeOf(answer)
                  + "); renew them, or choose others with AWS_PROFILE",
              answer);
      case "PermanentRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException" ->
          failure(
              ErrorCode.USAGE,
              bucket
                  + " is in another region"
                  + answer
                      .awsErrorDetails()
                      .sdkHttpResponse()
                      .firstMatchingHeader("x-amz-bucket-region")
                      .map(region -> ", " + region)
                      .orElse("")
                  + "; set AWS_REGION",
              answer);
      case "InvalidObjectState" ->
          failure(
              ErrorCode.PERMISSION,
              name + " is archived and cannot be read; restore it first (aws s3api restore-object)",
              answer);
      case "KeyTooLongError" ->
          failure(
              ErrorCode.BAD_NAME,
              name + ": a key has at most 1024 bytes; choose a shorter path",
              answer);
      case "BadDigest", "InvalidDigest", "XAmzContentChecksumMismatch" ->
          failure(
              ErrorCode.VERIFICATION,
              name + ": the store received other bytes than were sent; run the command again",
              answer);
      case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage" ->
          failure(ErrorCode.STORAGE_FULL, name + ": the store is full; free some space", answer);
      case "RequestTimeTooSkewed" ->
          failure(
              ErrorCode.UNAUTHENTICATED,
              name + ": the clock of this machine is wrong; set it",
              answer);
      default -> ofStatus(answer, status, name);
    };
  }

  private static FdtException ofStatus(AwsServiceException answer, int status, String name) {
    return switch (status) {
      case 401, 403 ->
          failure(
              ErrorCode.PERMISSION,
              name + ": the store denies access; ask its owner for the right to do this",
              answer);
      case 404 -> failure(ErrorCode.NOT_FOUND, name + " does not exist; check the path", answer);
      case 409, 412 ->
          failure(
              ErrorCode.SOURCE_CHANGED,
              name + " was changed by someone else meanwhile; run the command again",
              answer);
      case 429, 503 ->
          failure(
              ErrorCode.BUSY,
              name + ": the store asks to slow down; run the command again later",
              answer);
      case 507 ->
          failure(ErrorCode.STORAGE_FULL, name + ": the store is full; free some space", answer);
      default ->
          failure(
              status >= 500 ? ErrorCode.IO : ErrorCode.PROTOCOL,
              "%s: the store refuses the request (%d %s); ask who runs it"
                  .formatted(name, status, codeOf(answer)),
              answer);
    };
  }

  private static FdtException ofClient(SdkException failure, ObjectPath path) {
    String name = "'" + path + "'";
    if (failure instanceof AbortedException) {
      return failure(ErrorCode.CANCELLED, name + ": the request was cancelled", failure);
    }
    if (String.valueOf(failure.getMessage()).contains("credentials")) {
      return failure(
          ErrorCode.UNAUTHENTICATED,
          name
              + ": there are no credentials; set AWS_PROFILE or AWS_ACCESS_KEY_ID and"
              + " AWS_SECRET_ACCESS_KEY, or FDT_S3=anonymous for a public bucket",
          failure);
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException) {
        return unreachable(name, "the host of the store is unknown", failure);
      }
      if (cause instanceof SocketTimeoutException) {
        return failure(
            ErrorCode.TIMEOUT, name + ": the store does not answer; try again later", failure);
      }
      if (cause instanceof SSLException) {
        return failure(
            ErrorCode.UNTRUSTED,
            name + ": no secure connection to the store; check its certificate",
            failure);
      }
      if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
        return unreachable(name, "nothing listens at the endpoint of the store", failure);
      }
    }
    return unreachable(name, "the connection to the store broke", failure);
  }

  private static FdtException unreachable(String name, String reason, SdkException cause) {
    return failure(ErrorCode.UNREACHABLE, name + ": " + reason + "; check AWS_ENDPOINT_URL", cause);
  }

  private static FdtException failure(ErrorCode code, String message, SdkException cause) {
    return new FdtException(code, message, cause);
  }
}
