package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteHost;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.HostDescription;
import io.fdt.core.wire.control.HostSetting;
import io.fdt.core.wire.control.ReachableExport;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.RequestEnd;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a server says of its host is checked before it is believed. */
class HostDescriptionTest {
  private static final Control.Builder END =
      Control.newBuilder().setRequestEnd(RequestEnd.newBuilder().setId(1));

  private static HostDescription.Builder host() {
    return HostDescription.newBuilder().setSystem("Linux").setJava("17").setProcessors(4);
  }

  private static Control.Builder reply(HostDescription.Builder host) {
    return Control.newBuilder().setReply(Reply.newBuilder().setId(1).setHost(host));
  }

  private static ReachableExport export(String path) {
    return ReachableExport.newBuilder().setPath(ByteString.copyFromUtf8(path)).build();
  }

  private static RemoteHost ask(Control.Builder... answers) throws Exception {
    try (HostileServer hostile = new HostileServer("").answer(answers);
        FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(hostile.port())
                .trust(ServerTrust.pinned(hostile.fingerprint()))
                .build()) {
      return client.describeServer();
    }
  }

  @Test
  void whatMakesSenseIsTaken() throws Exception {
    RemoteHost told = ask(reply(host().addExports(export("/data"))), END);

    assertThat(told.limits().processors()).isEqualTo(4);
    assertThat(told.limits().settings()).isEmpty();
    assertThat(told.exports())
        .containsExactly(new RemoteHost.Reachable(BytePath.of("/data"), false));
    assertThat(told.roundTrip()).isPositive();
  }

  static Stream<List<Control.Builder>> nonsense() {
    HostDescription.Builder many = host();
    for (int i = 0; i <= 1000; i++) {
      many.addExports(export("/" + i));
    }
    return Stream.of(
        List.of(END),
        List.of(reply(host()), reply(host()), END),
        List.of(Control.newBuilder().setReply(Reply.newBuilder().setId(1)), END),
        List.of(reply(host().setProcessors(0)), END),
        List.of(
            reply(
                host()
                    .addSettings(
                        HostSetting.newBuilder()
                            .setKey("net.core.rmem_max")
                            .setValue("1; reboot"))),
            END),
        List.of(reply(host().addExports(export("data"))), END),
        List.of(reply(host().addExports(export("/a\0"))), END),
        List.of(reply(many), END));
  }

  @ParameterizedTest
  @MethodSource("nonsense")
  void whatMakesNoneIsRefused(List<Control.Builder> answers) {
    assertThatThrownBy(() -> ask(answers.toArray(Control.Builder[]::new)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }
}
