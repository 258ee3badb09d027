package io.fdt.s3;

import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A new bucket of a store, as another program sees it, and its storage. */
final class Bucket {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  final String name = "bucket-" + NUMBER.incrementAndGet();
  final S3Client client = S3Client.builder().forcePathStyle(true).build();
  final Store store;
  final S3Storage storage;

  Bucket() {
    this("");
  }

  /**
   * @param settings words of FDT_S3
   */
  Bucket(String settings) {
    store = new Store(Map.of(Settings.VARIABLE, settings));
    storage = new S3Storage(store);
    Object unused = client.createBucket(request -> request.bucket(name));
  }

  String url(String key) {
    return "s3://" + name + "/" + key;
  }

  void put(String key, byte[] bytes, Map<String, String> metadata) {
    Object unused =
        client.putObject(
            request -> request.bucket(name).key(key).metadata(metadata),
            RequestBody.fromBytes(bytes));
  }

  byte[] content(String key) {
    return client.getObjectAsBytes(request -> request.bucket(name).key(key)).asByteArray();
  }

  HeadObjectResponse head(String key) {
    return client.headObject(request -> request.bucket(name).key(key));
  }

  java.util.List<String> keys() {
    return client.listObjectsV2Paginator(request -> request.bucket(name)).contents().stream()
        .map(S3Object::key)
        .toList();
  }

  int uploads() {
    return client.listMultipartUploads(request -> request.bucket(name)).uploads().size();
  }

  SourceTree source(String key) {
    return storage.source(
        TransferSpec.builder()
            .source(url(key))
            .recursive(true)
            .destination(BytePath.of("/"))
            .build());
  }

  DestinationTree destination(String key) {
    return storage.destination(
        TransferSpec.builder().source("/x").destination(BytePath.of(url(key))).build(),
        OpenFileLimit.NONE);
  }
}
