package io.fdt.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.ServerAddress;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody is told who took host:PORT/path for the way to write a port. */
class PortHintTest {
  private static final ServerAddress SERVER = new ServerAddress("host", 54321);

  @Test
  void aPathThatBeginsLikeAPortMayBeOne() {
    assertThat(
            PortHint.of(
                ErrorCode.UNREACHABLE,
                SERVER,
                List.of(BytePath.of("/a"), BytePath.of("/55002/inc"))))
        .contains(
            "'/55002/inc' is a path on host:54321; to name a port write fdt://host:55002/inc");
    assertThat(PortHint.of(ErrorCode.NOT_FOUND, SERVER, List.of(BytePath.of("/55002"))))
        .contains("'/55002' is a path on host:54321; to name a port write fdt://host:55002/");
  }

  @Test
  void aPortBetweenTwoColonsIsMeantAsOne() {
    assertThat(PortHint.of(ErrorCode.UNREACHABLE, SERVER, List.of(BytePath.of("/55002:/inc"))))
        .contains(
            "'/55002:/inc' is a path on host:54321; to name a port write fdt://host:55002/inc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a/55002", "/65536", "/0", "/055", "/55002a/b"})
  void otherPathsAreNoPorts(String path) {
    assertThat(PortHint.of(ErrorCode.UNREACHABLE, SERVER, List.of(BytePath.of(path)))).isEmpty();
  }

  @Test
  void otherFailuresComeFromSomethingElse() {
    assertThat(PortHint.of(ErrorCode.PERMISSION, SERVER, List.of(BytePath.of("/55002")))).isEmpty();
  }
}
