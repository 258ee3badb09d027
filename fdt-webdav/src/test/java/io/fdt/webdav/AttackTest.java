package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.server.FdtServerBuilder;
import io.fdt.server.NamedTokens;
import io.fdt.server.ServerLimits;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of attackers, byte by byte. */
class AttackTest {
  @TempDir Path root;
  private Site site;

  @AfterEach
  void stop() {
    site.close();
  }

  private void serve(Consumer<FdtServerBuilder> settings) throws Exception {
    site = new Site(root, settings);
    Files.writeString(root.resolve("secret"), "SECRET");
    Files.writeString(site.data.resolve("file"), "0123456789");
  }

  private String answer(String line, String... headers) throws IOException {
    String all = String.join("", headers);
    return site.raw(
        line + "\r\nHost: x\r\nConnection: close\r\n" + site.authorization() + all + "\r\n");
  }

  @Test
  void noPathLeadsOutOfTheExports() throws Exception {
    serve(builder -> {});
    for (String path :
        List.of(
            "/data/../secret",
            "/data/../../secret",
            "/data/%2e%2e/secret",
            "/data/%2E./secret",
            "/data/..%2fsecret",
            "/data/..%252fsecret",
            "/data/%5c..%5csecret",
            "/data/./../secret",
            "/data//../secret",
            "/data/%00/../secret",
            "/data/%c0%ae%c0%ae/secret",
            "/data/file/../../secret",
            "https://x/data/../secret")) {
      assertThat(answer("GET " + path + " HTTP/1.1"))
          .as(path)
          .startsWith("HTTP/1.1 4")
          .doesNotContain("SECRET");
      assertThat(answer("MOVE /data/file HTTP/1.1", "Destination: " + path + "\r\n"))
          .as(path)
          .startsWith("HTTP/1.1 4");
    }
    assertThat(root.resolve("secret")).hasContent("SECRET");
  }

  @Test
  void requestsWithTwoEndsAreRefusedAndEndTheConnection() throws Exception {
    serve(builder -> {});
    String next = "GET /data/file HTTP/1.1\r\nHost: x\r\n\r\n";
    for (String headers :
        List.of(
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: 5, 5\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding : chunked\r\n",
            "Host: y\r\n")) {
      String all =
          site.raw(
              "PUT /in/x HTTP/1.1\r\nHost: x\r\n"
                  + site.authorization()
                  + headers
                  + "\r\n0\r\n\r\n"
                  + next);
      assertThat(all).as(headers).containsPattern("^HTTP/1.1 (400|501)").contains("close");
      assertThat(all.split("HTTP/1.1 ", -1)).as(headers).hasSize(2);
    }
    assertThat(site.raw("GET /data/file HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400");
    assertThat(site.in).isEmptyDirectory();
  }

  @Test
  void chunksThatTwoProgramsReadOtherwiseAreRefusedAndEndTheConnection() throws Exception {
    serve(builder -> {});
    String next = "GET /data/file HTTP/1.1\r\nHost: x\r\n\r\n";
    for (String body :
        List.of(
            "5\nhello\n0\n\n",
            "-5\r\nhello\r\n0\r\n\r\n",
            "0x5\r\nhello\r\n0\r\n\r\n",
            "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
            "5\r\nhelloXX\r\n0\r\n\r\n",
            "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\n0\r\n" + "X: y\r\n".repeat(20_000) + "\r\n")) {
      String all =
          site.raw(
              "PUT /in/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                  + site.authorization()
                  + "\r\n"
                  + body
                  + next);
      assertThat(all).as(body).startsWith("HTTP/1.1 400").contains("chunks of the body", "close");
      assertThat(all.split("HTTP/1.1 ", -1)).as(body).hasSize(2);
    }
    assertThat(site.in).isEmptyDirectory();
  }

  @Test
  void aBodyIsNeverTakenForARequest() throws Exception {
    serve(builder -> {});
    String hidden = "DELETE /in/kept HTTP/1.1\r\nHost: x\r\n" + site.authorization() + "\r\n";
    Files.createFile(site.in.resolve("kept"));
    for (String line :
        List.of(
            "PUT /data/x",
            "PUT /in/none/x",
            "GET /data/file",
            "HEAD /data/",
            "OPTIONS /",
            "MKCOL /in/made",
            "DELETE /in/none",
            "PATCH /in/kept",
            "COPY /in/none")) {
      for (String expectation : List.of("", "Expect: 100-continue\r\n")) {
        site.raw(
            line
                + " HTTP/1.1\r\nHost: x\r\n"
                + expectation
                + site.authorization()
                + "Content-Length: "
                + hidden.length()
                + "\r\n\r\n"
                + hidden
                + "GET / HTTP/1.1\r\nConnection: close\r\nHost: x\r\n\r\n");
        assertThat(site.in.resolve("kept")).as(line + expectation).exists();
      }
    }
  }

  @Test
  void longHeadersAndPathsAreRefused() throws Exception {
    serve(builder -> {});
    assertThat(answer("GET /" + "x".repeat(20_000) + " HTTP/1.1")).startsWith("HTTP/1.1 414");
    assertThat(answer("GET / HTTP/1.1", "X: " + "x".repeat(40_000) + "\r\n"))
        .startsWith("HTTP/1.1 431");
    assertThat(answer("nonsense")).startsWith("HTTP/1.1 400");
  }

  @Test
  void aHeadThatComesSlowlyEndsTheConnection() throws Exception {
    serve(builder -> builder.limits(ServerLimits.DEFAULT.withHandshake(Duration.ofSeconds(2))));
    assertThat(site.raw("GET / HTTP/1.1\r\nHost: ")).isEmpty();
  }

  @Test
  void aBodyThatStopsComingEndsTheRequest() throws Exception {
    serve(builder -> builder.idleTimeout(Duration.ofSeconds(2)));
    String all =
        site.raw(
            "PUT /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n"
                + site.authorization()
                + "\r\nabc");

    assertThat(all).startsWith("HTTP/1.1 408").contains("no bytes of the body came");
    assertThat(site.in).isEmptyDirectory();
  }

  @Test
  void aClientThatReadsNothingEndsItsRequest() throws Exception {
    serve(builder -> builder.idleTimeout(Duration.ofSeconds(2)));
    try (RandomAccessFile large = new RandomAccessFile(site.data.resolve("large").toFile(), "rw")) {
      large.setLength(1L << 30);
    }
    try (SSLSocket socket = site.connect()) {
      String get = "GET /data/large HTTP/1.1\r\nHost: x\r\n" + site.authorization() + "\r\n";
      socket.getOutputStream().write(get.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      Site.await(() -> !site.log.isEmpty());
      assertThat(socket.isConnected()).isTrue();
    }
    assertThat(site.log.get(0).message()).contains("the client reads nothing any more");
    assertThat(site.log.get(0).bytes()).isLessThan(1L << 30);
  }

  @Test
  void requestsBeyondTheLimitOfClientsAreAskedToWait() throws Exception {
    serve(builder -> builder.limits(ServerLimits.DEFAULT.withClients(2)));
    try (SSLSocket running = site.connect()) {
      String put =
          "PUT /in/x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n"
              + site.authorization()
              + "\r\n";
      running.getOutputStream().write(put.getBytes(StandardCharsets.US_ASCII));
      running.getOutputStream().flush();
      assertThat(running.getInputStream().read()).isEqualTo('H'); // it runs

      HttpResponse<byte[]> refused = site.ask("GET", "/data/file");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).contains("30");
    }
    Site.await(() -> site.ask("GET", "/data/file").statusCode() == 200);
  }

  @Test
  void idleConnectionsMakeRoomForNewOnes() throws Exception {
    serve(builder -> builder.limits(ServerLimits.DEFAULT.withStrangers(8)));
    List<SSLSocket> idle = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      idle.add(site.connect());
    }
    assertThat(site.ask("GET", "/data/file").statusCode()).isEqualTo(200);
    int evicted = 0;
    for (SSLSocket socket : idle.subList(0, 10)) {
      evicted += isClosed(socket) ? 1 : 0;
    }
    assertThat(evicted).isEqualTo(10);
    for (SSLSocket socket : idle) {
      socket.close();
    }
  }

  private static boolean isClosed(SSLSocket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) { // the server had not read all of the handshake
      return true;
    }
  }

  @Test
  void aThousandRangesAreAsManyAsTheHeaderHolds() throws Exception {
    serve(builder -> {});
    Files.write(site.data.resolve("large"), new byte[100_000]);
    String ranges =
        IntStream.range(0, 1000)
            .mapToObj(i -> 20 * i + "-" + 20 * i)
            .collect(Collectors.joining(","));

    HttpResponse<byte[]> many = site.ask("GET", "/data/large", "Range", "bytes=" + ranges);
    HttpResponse<byte[]> more =
        site.ask("GET", "/data/large", "Range", "bytes=" + ranges + ",30000-30001".repeat(100));

    assertThat(many.statusCode()).isEqualTo(206);
    assertThat(more.statusCode()).isEqualTo(200);
  }

  @Test
  void documentTypesAndEntitiesAreRefused() throws Exception {
    serve(builder -> {});
    String entity = "<!DOCTYPE p [<!ENTITY a 'b'><!ENTITY c SYSTEM '%s'>]>";
    for (String body :
        List.of(
            entity.formatted(root.resolve("secret").toUri())
                + "<propfind xmlns='DAV:'><prop><x>&c;</x></prop></propfind>",
            entity.formatted("https://localhost:1/") + "<propfind xmlns='DAV:'>&a;</propfind>",
            "<propfind xmlns='DAV:'><prop>&a;</prop></propfind>",
            "<propfind xmlns='DAV:'><prop>" + "<a>".repeat(10_000),
            "<propfind xmlns='DAV:'><prop>" + "<a/>".repeat(200) + "</prop></propfind>",
            "x".repeat(100_000))) {
      HttpResponse<byte[]> response =
          site.put("PROPFIND", "/data/", body.getBytes(StandardCharsets.UTF_8), "Depth", "1");
      assertThat(response.statusCode()).isIn(400, 413);
      assertThat(Site.text(response)).doesNotContain("SECRET");
    }
  }

  @Test
  void pagesOfOtherSitesGetNothing() throws Exception {
    serve(builder -> {});
    String asked =
        answer(
            "OPTIONS /data/file HTTP/1.1",
            "Origin: https://evil.example\r\nAccess-Control-Request-Method: PUT\r\n");

    assertThat(asked).startsWith("HTTP/1.1 200").doesNotContainIgnoringCase("Access-Control");
    assertThat(answer("GET /data/file HTTP/1.1", "Origin: https://evil.example\r\n"))
        .contains("Cross-Origin-Resource-Policy: same-origin")
        .doesNotContainIgnoringCase("Access-Control");
  }

  @Test
  void aTokenReachesItsExportsOnly() throws Exception {
    Path home = Files.createDirectory(root.resolve("home"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    String token =
        NamedTokens.ofHome(home)
            .create(
                new Grant(
                    "alice",
                    Instant.now(),
                    Optional.empty(),
                    true,
                    Set.of(FileName.of("in")),
                    List.of(),
                    false,
                    false,
                    RelayGrant.UNLIMITED));
    serve(builder -> builder.home(home));
    String bearer = "Bearer " + token;

    assertThat(Site.text(site.ask("GET", "/", "Authorization", bearer)))
        .contains("in/")
        .doesNotContain("data");
    assertThat(site.ask("GET", "/data/file", "Authorization", bearer).statusCode()).isEqualTo(403);
    assertThat(site.put("PUT", "/in/x", new byte[1], "Authorization", bearer).statusCode())
        .isEqualTo(403);
    assertThat(
            site.ask("COPY", "/in/x", "Authorization", bearer, "Source", "https://localhost/x")
                .statusCode())
        .isEqualTo(403);
    assertThat(site.ask("GET", "/", "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
    String basic =
        Base64.getEncoder().encodeToString(("any:" + token).getBytes(StandardCharsets.UTF_8));
    assertThat(site.ask("GET", "/in/", "Authorization", "Basic " + basic).statusCode())
        .isEqualTo(200);
    assertThat(site.ask("GET", "/in/?authz=" + token, "Authorization", "x").statusCode())
        .isEqualTo(401);
  }
}
