package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.client.remote.RefusedException;
import io.fdt.client.remote.RemoteConnection;
import io.fdt.client.transfer.TransferPlan;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.RunSession;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that has a relay deliver what it has not brought. */
class HandOverPlaceTest {
  @TempDir Path directory;

  private FdtServer relay;
  private FdtClient client;
  private FdtClient destination;

  @BeforeEach
  void start() throws Exception {
    Path secrets = Files.createDirectory(directory.resolve("secrets"));
    Files.writeString(secrets.resolve("key"), "secret");
    relay =
        FdtServer.builder()
            .home(directory.resolve("home"))
            .bind("127.0.0.1")
            .port(0)
            .export(Export.readOnly("secrets", secrets))
            .relay(true)
            .relayTo(List.of("127.0.0.0/8"))
            .spool(directory.resolve("spool"), ByteSize.ofBytes(1 << 20))
            .build();
    relay.start();
    client = client();
    destination = client();
  }

  private FdtClient client() throws Exception {
    return FdtClient.builder("127.0.0.1")
        .port(relay.address().getPort())
        .trust(ServerTrust.pinned(relay.fingerprint()))
        .token(AccessToken.of(relay.localToken()))
        .retryTimeout(Duration.ZERO)
        .build();
  }

  @AfterEach
  void stop() {
    destination.close();
    client.close();
    relay.close();
  }

  @Test
  void aDeliveryReadsNothingOutsideOfItsOwnPlace() throws Exception {
    Path own = Files.writeString(directory.resolve("own"), "own");
    TransferRequest request = TransferRequest.push().source(own).destination("/in").build();
    HandOver handOver = HandOver.begin(client, destination, request, Duration.ofHours(1));
    TransferRequest first = handOver.toRelay();
    assertThat(
            client
                .start(first, TransferListener.NONE)
                .completion()
                .get(60, TimeUnit.SECONDS)
                .exitStatus())
        .isZero();
    String place = first.spec().destination().toString();
    String other = place.substring(0, place.length() - 1) + (place.endsWith("0") ? "1" : "0");

    for (String path :
        List.of(
            "/secrets/key",
            other + "/0/own",
            place + "/../" + other.substring(other.lastIndexOf('/') + 1) + "/0/own",
            place + "/../../secrets/key",
            place)) {
      assertThatThrownBy(() -> complete(handOver, request, path))
          .as(path)
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
          .hasMessageContaining("must send what lies in the place that the relay gave");
    }
    complete(handOver, request, place + "/0/own");
  }

  /** As {@link HandOver#complete}, of another path. */
  private void complete(HandOver handOver, TransferRequest request, String path) throws Exception {
    ByteString id = ByteString.copyFrom(HexFormat.of().parseHex(handOver.id()));
    TransferSpec spec =
        request.spec().toBuilder()
            .checksum(handOver.toRelay().spec().assurance().checksum())
            .sources(List.of(new Operand(BytePath.of(path), Optional.empty())))
            .build();
    TransferRequest delivery = request.with(spec);
    HandOver.Destination to = destination.asDestination();
    RunSession run =
        RunSession.newBuilder()
            .setOwn(
                TransferPlan.of(delivery.as(TransferRequest.Direction.PULL)).open().toBuilder()
                    .setSessionId(id)
                    .setSessionSecret(ByteString.copyFrom(new byte[32])))
            .setPeer(TransferPlan.of(delivery.as(TransferRequest.Direction.PUSH)).open())
            .setAddress(
                PeerAddress.newBuilder()
                    .setHost(to.host())
                    .setPort(to.port())
                    .setKey(ByteString.copyFrom(to.key().digest())))
            .build();
    RemoteConnection connection = RemoteConnection.open(client.dialer());
    try {
      connection.only(
          Request.newBuilder()
              .setId(1)
              .setHandOver(
                  io.fdt.core.wire.control.HandOver.newBuilder()
                      .setId(id)
                      .setRun(run)
                      .setDeadlineSeconds(60))
              .build(),
          Reply::hasHandOverPlace,
          "a place");
    } catch (RefusedException e) {
      throw e.cause();
    } finally {
      connection.close();
    }
  }
}
