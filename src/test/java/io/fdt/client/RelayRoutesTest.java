package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.remote.RelayRoutes;
import io.fdt.core.security.Background;
import io.fdt.core.transport.Routes;
import io.fdt.core.wire.SessionId;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client knows of the routes of a real relay. */
class RelayRoutesTest {
  private static final int PORT = 9;

  private FdtServer relay;
  private FdtClient client;
  private RelayRoutes routes;
  private InetSocketAddress target;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    relay =
        FdtServer.builder()
            .home(directory.resolve("home"))
            .bind("127.0.0.1")
            .port(0)
            .export(Export.readOnly("empty", Files.createDirectory(directory.resolve("empty"))))
            .udp(true)
            .relay(true)
            .relayTo(List.of("127.0.0.0/8"))
            .build();
    relay.start();
    client =
        FdtClient.builder("127.0.0.1")
            .port(relay.address().getPort())
            .token(AccessToken.of(relay.localToken()))
            .build();
    routes = new RelayRoutes(client::dialer, new RelayRoutes.Further(true, "", ""));
    target = routes.addresses("127.0.0.1", PORT).get(0);
  }

  @AfterEach
  void stop() {
    client.close();
    relay.close();
  }

  private Routes.Route control() throws Exception {
    return Background.join(routes.to(target));
  }

  private Routes.Route data() throws Exception {
    return Background.join(routes.ofData(target));
  }

  private static SessionId id(Routes.Route route) {
    return route.hops().get(0).prove().session();
  }

  @Test
  void controlAndDataHaveOneRoute() throws Exception {
    assertThat(target).isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
    assertThat(id(data())).isEqualTo(id(control()));
    assertThat(control().hops().get(0).overUdp()).isFalse();
    assertThat(data().hops().get(0).overUdp()).isTrue();
    assertThat(control().hops().get(0).prove()).isNotEqualTo(data().hops().get(0).prove());
  }

  /** As after a restart of the relay, which control notices first, or data. */
  @Test
  void aRouteThatTheRelayDoesNotKnowIsReplacedForControlAndData() throws Exception {
    SessionId first = id(control());
    Routes.Route oldData = data();

    control().forget().run();
    SessionId second = id(data());
    assertThat(second).isNotEqualTo(first);
    assertThat(id(control())).isEqualTo(second);

    oldData.forget().run(); // a data connection that hears it later
    assertThat(id(data())).isEqualTo(second);

    data().forget().run();
    assertThat(id(control())).isNotEqualTo(second);
  }
}
