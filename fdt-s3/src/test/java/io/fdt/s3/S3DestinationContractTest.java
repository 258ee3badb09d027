package io.fdt.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

class S3DestinationContractTest extends DestinationTreeContract {
  private static StoreServer server;

  private Bucket bucket;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    server = StoreServer.start(directory);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  public DestinationTree openTree() {
    bucket = new Bucket();
    return bucket.destination("into");
  }

  @Override
  public void assertPublished(String path, FileName name, long size) {
    byte[] bytes = bucket.content("into/" + path);
    assertThat(bytes).hasSize(Math.toIntExact(size));
    assertThat(SyntheticContent.of(name).firstDifference(Unpooled.wrappedBuffer(bytes), 0))
        .isEqualTo(-1);
  }

  @Override
  public void assertNothingThere() {
    assertThat(bucket.keys()).isEmpty();
    assertThat(bucket.uploads()).isZero();
  }

  @Test
  void anObjectWithTheAttributesOfTheSourceIsNotWrittenAgain() throws Exception {
    try (DestinationTree tree = openTree()) {
      Object unused =
          bucket.client.putObject(
              request ->
                  request
                      .bucket(bucket.name)
                      .key("into/data")
                      .contentType("text/plain")
                      .metadata(ObjectMetadata.of(0640, MODIFIED, FileMetadata.NONE)),
              RequestBody.fromBytes(new byte[10]));
      DestinationDirectory directory = tree.open(List.of(CONTENTS)).directory();
      for (int mode : new int[] {0640, 0600}) {
        FileName name = FileName.of("data");
        try (ExistingFile there =
            directory.openExisting(name, directory.find(name).orElseThrow())) {
          directory.refresh(there, mode, MODIFIED, FileMetadata.NONE, warning -> {});
        }
        assertThat(bucket.head("into/data").contentType())
            .isEqualTo(mode == 0640 ? "text/plain" : ObjectWriter.TYPE);
      }
    }
  }

  @Override
  public byte[] contentOf(String path) {
    return bucket.content("into/" + path);
  }
}
