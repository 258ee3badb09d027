package io.fdt.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

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

  @Override
  public byte[] contentOf(String path) {
    return bucket.content("into/" + path);
  }
}
