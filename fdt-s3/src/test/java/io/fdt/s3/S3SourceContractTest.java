package io.fdt.s3;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class S3SourceContractTest extends SourceTreeContract {
  private static StoreServer server;
  private static Bucket bucket;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    server = StoreServer.start(directory);
    bucket = new Bucket();
    for (String path : List.of("tree/a", "tree/d/b", "tree/d/e e/c")) {
      ByteBuf bytes = Unpooled.buffer();
      SyntheticContent.of(FileName.of(path.substring(path.lastIndexOf('/') + 1)))
          .appendTo(bytes, SIZE, 0);
      bucket.put(path, ByteBufUtil.getBytes(bytes), Map.of());
    }
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  public SourceTree openTree() {
    return bucket.source("tree");
  }
}
