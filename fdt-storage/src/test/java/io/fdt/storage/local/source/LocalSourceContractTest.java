package io.fdt.storage.local.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Selection;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class LocalSourceContractTest extends SourceTreeContract {
  private Sandbox sandbox;

  @Override
  public SourceTree openTree() throws Exception {
    sandbox = new Sandbox();
    for (String path : List.of("a/one", "a/b/two", "three")) {
      ByteBuf data = Unpooled.buffer();
      java.nio.file.Path file = sandbox.path(path);
      SyntheticContent.of(io.fdt.core.model.FileName.of(file.getFileName().toString()))
          .appendTo(data, 100_003, 0);
      Files.createDirectories(file.getParent());
      byte[] bytes = new byte[data.readableBytes()];
      data.readBytes(bytes);
      Files.write(file, bytes);
    }
    return LocalSource.trusted(
        List.of(Operand.of(BytePath.of(sandbox.path() + "/"))), true, Selection.ALL);
  }

  @AfterEach
  void nothingStaysOpen() throws Exception {
    sandbox.close();
    assertThat(Syscalls.openDescriptors()).isZero();
  }
}
