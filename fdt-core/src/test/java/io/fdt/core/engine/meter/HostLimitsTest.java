package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.Hosts;
import io.fdt.core.tuning.KernelSetting;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.HostSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The limits of a host, from its files, and over the wire. */
class HostLimitsTest {
  @TempDir Path sys;

  private void write(String path, String text) throws IOException {
    Path file = sys.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void settingsComeFromTheirFiles() throws Exception {
    write("net/core/rmem_max", "212992\n");
    write("net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    write("net/ipv4/tcp_congestion_control", "cubic\n");
    write("net/ipv4/tcp_sack", "maybe\n");
    write("net/ipv4/tcp_wmem/not_a_file", "");

    assertThat(HostLimitsReader.settings(sys))
        .containsEntry(KernelSetting.RMEM_MAX, "212992")
        .containsEntry(KernelSetting.TCP_RMEM, "4096 131072 6291456")
        .containsEntry(KernelSetting.CONGESTION_CONTROL, "cubic")
        .hasSize(3);
    assertThat(HostLimitsReader.settings(sys.resolve("none"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'Max open files            1024                 4096                 files     ', 1024",
    "'Max open files            unlimited            unlimited            files     ', MAX",
    "'Max open files            99999999999999999999 1                    files     ', MAX",
    "'Max processes             1024                 4096                 processes ', 0",
    "'', 0"
  })
  void theLimitOfOpenFilesIsThatOfTheProcess(String text, String most) {
    assertThat(HostLimitsReader.openFiles(text))
        .isEqualTo(most.equals("MAX") ? Long.MAX_VALUE : Long.parseLong(most));
  }

  @Test
  void thisHostIsKnown() throws Exception {
    HostLimits here = HostLimitsReader.read();
    assertThat(here.system()).startsWith(System.getProperty("os.name"));
    assertThat(here.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(here.memoryBytes()).isGreaterThanOrEqualTo(here.freeBytes()).isPositive();
    assertThat(HostLimitsCoding.decode(HostLimitsCoding.encode(here).build())).isEqualTo(here);
  }

  @Test
  void whatIsToldArrives() throws Exception {
    HostDescription told =
        HostLimitsCoding.encode(Hosts.stock())
            .addSettings(HostSetting.newBuilder().setKey("net.ipv9.new").setValue("\u0007"))
            .setSystem("Linux\u001b[2J")
            .build();

    HostLimits believed = HostLimitsCoding.decode(told);
    assertThat(believed.settings()).isEqualTo(Hosts.stock().settings());
    assertThat(believed.system()).doesNotContain("\u001b").startsWith("Linux");
  }

  static Stream<UnaryOperator<HostDescription.Builder>> impossible() {
    return Stream.of(
        host -> host.setProcessors(0),
        host -> host.setProcessors(-1),
        host -> host.setProcessors((1 << 20) + 1),
        host -> host.setMemoryBytes(-1),
        host -> host.setFreeBytes(-1),
        host -> host.setProgramBytes(-1),
        host -> host.setOpenFiles(-1),
        host -> host.setSystem("x".repeat(201)),
        host -> host.setJava("x".repeat(201)),
        host -> host.addSettings(setting("net.core.rmem_max", "1 2")),
        host -> host.addSettings(setting("net.ipv4.tcp_wmem", "4096 16384 x")),
        host -> {
          for (int i = 0; i < 65; i++) {
            host.addSettings(setting("net.a" + i, "1"));
          }
          return host;
        });
  }

  private static HostSetting setting(String key, String value) {
    return HostSetting.newBuilder().setKey(key).setValue(value).build();
  }

  @ParameterizedTest
  @MethodSource("impossible")
  void whatCannotBeIsRefused(UnaryOperator<HostDescription.Builder> change) {
    HostDescription told = change.apply(HostLimitsCoding.encode(Hosts.with())).build();
    assertThatThrownBy(() -> HostLimitsCoding.decode(told))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
        .hasMessageContaining("impossible");
  }
}
