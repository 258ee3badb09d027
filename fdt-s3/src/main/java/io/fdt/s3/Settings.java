package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.s3.model.RequestPayer;

/**
 * The settings of {@code FDT_S3}, for which the SDK has no variable of its own: words between
 * blanks, as in {@code anonymous requester-pays sse=aws:kms}.
 *
 * @param anonymous whether requests have no credentials
 * @param requesterPays whether the requester pays
 * @param pathStyle whether the bucket is in the path of URLs, not in the host; empty to decide by
 *     the endpoint
 * @param markers whether empty directories become objects whose names end with a slash
 * @param encryption by the server: AES256 or aws:kms; null for the default of the bucket
 * @param kmsKey null for the default key
 * @param storageClass null for the default of the bucket
 */
record Settings(
    boolean anonymous,
    boolean requesterPays,
    Optional<Boolean> pathStyle,
    boolean markers,
    String encryption,
    String kmsKey,
    String storageClass) {
  static final String VARIABLE = "FDT_S3";

  /**
   * Reads the variable.
   *
   * @throws FdtException USAGE
   */
  static Settings of(Map<String, String> environment) throws FdtException {
    boolean anonymous = false;
    boolean requesterPays = false;
    boolean markers = false;
    Optional<Boolean> pathStyle = Optional.empty();
    String encryption = null;
    String kmsKey = null;
    String storageClass = null;
    for (String word : environment.getOrDefault(VARIABLE, "").strip().split("\\s+")) {
      int equals = word.indexOf('=');
      String value = word.substring(equals + 1);
      switch (equals < 0 ? word : word.substring(0, equals + 1)) {
        case "" -> {}
        case "anonymous" -> anonymous = true;
        case "requester-pays" -> requesterPays = true;
        case "path-style" -> pathStyle = Optional.of(true);
        case "virtual-host-style" -> pathStyle = Optional.of(false);
        case "directory-markers" -> markers = true;
        case "sse=" -> encryption = value;
        case "sse-kms-key-id=" -> kmsKey = value;
        case "storage-class=" -> storageClass = value;
        default ->
            throw new FdtException(
                ErrorCode.USAGE,
                VARIABLE
                    + " has the unknown word '"
                    + word
                    + "': use anonymous, requester-pays, path-style, virtual-host-style,"
                    + " directory-markers, sse=, sse-kms-key-id= or storage-class=");
      }
    }
    return new Settings(
        anonymous, requesterPays, pathStyle, markers, encryption, kmsKey, storageClass);
  }

  /** Null unless the requester pays. */
  RequestPayer payer() {
    return requesterPays ? RequestPayer.REQUESTER : null;
  }
}
