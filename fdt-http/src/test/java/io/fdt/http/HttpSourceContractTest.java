package io.fdt.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.catalogue.CatalogueSource;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpSourceContractTest extends SourceTreeContract {
  private WebServer server;

  @BeforeEach
  void serve() throws IOException {
    server =
        new WebServer()
            .index("/set/", "one", "a/", "?C=N;O=D", "/elsewhere", "../above", "http://other/x")
            .index("/set/a/", "two%20words", "b/")
            .index("/set/a/b/", "/set/a/b/three", "&#34;&amp;%25")
            .file("/set/one", content("one"))
            .file("/set/a/two%20words", content("two words"))
            .file("/set/a/b/three", content("three"))
            .file("/set/a/b/%22&%25", content("\"&%"));
  }

  WebServer server() {
    return server;
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static byte[] content(String name) {
    ByteBuf bytes = Unpooled.buffer(SIZE, SIZE);
    SyntheticContent.of(FileName.of(name)).appendTo(bytes, SIZE, 0);
    return bytes.array();
  }

  @Override
  public SourceTree openTree() {
    return new CatalogueSource(
        new Web(Map.of()).catalogue,
        new DiskId("http"),
        TransferSpec.builder().recursive(true).source(server.url("/set/")).build());
  }

  @Test
  void linksBeneathThePageAreTheTree() throws Exception {
    try (SourceTree tree = openTree()) {
      assertThat(RecordedWalk.of(tree).entries.keySet())
          .containsExactlyInAnyOrder("one", "a", "a/two words", "a/b", "a/b/three", "a/b/\"&%");
    }
  }
}
