package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.storage.local.Sandbox;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class LocalDestinationContractTest extends DestinationTreeContract {
  private Sandbox sandbox;

  @BeforeEach
  void makeSandbox() throws Exception {
    sandbox = new Sandbox();
  }

  @AfterEach
  void nothingStaysOpen() throws Exception {
    sandbox.close();
    assertThat(Syscalls.openDescriptors()).isZero();
  }

  @Override
  public DestinationTree openTree() {
    return LocalDestination.trusted(sandbox.bytePath("out"), false);
  }

  @Override
  public void assertPublished(String path, FileName name, long size) throws Exception {
    Path file = sandbox.path("out").resolve(path);
    assertThat(Files.size(file)).isEqualTo(size);
    assertThat(
            SyntheticContent.of(name)
                .firstDifference(Unpooled.wrappedBuffer(Files.readAllBytes(file)), 0))
        .isEqualTo(-1);
    try (Stream<Path> siblings = Files.list(file.getParent())) {
      assertThat(siblings.map(Path::getFileName).map(Path::toString))
          .noneMatch(other -> other.endsWith(".part"));
    }
  }

  @Override
  public byte[] contentOf(String path) throws Exception {
    return Files.readAllBytes(sandbox.path("out").resolve(path));
  }

  @Override
  public void assertNothingThere() throws Exception {
    try (Stream<Path> names = Files.list(sandbox.path("out"))) {
      assertThat(names).isEmpty();
    }
  }
}
