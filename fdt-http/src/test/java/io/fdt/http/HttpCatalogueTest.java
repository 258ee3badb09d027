package io.fdt.http;

import static io.fdt.http.Web.BLOCK;
import static io.fdt.http.WebServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.catalogue.Catalogue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests that a correct web server sees, and its answers. */
class HttpCatalogueTest {
  private static final byte[] CONTENT = Web.content(5 * BLOCK, 1);

  @TempDir private Path home;
  private WebServer server;
  private WebServer other;
  private Web web;
  private final List<String> authorizations = new CopyOnWriteArrayList<>();

  @BeforeEach
  void serve() throws IOException {
    server = new WebServer().file("/f", CONTENT);
    other = new WebServer().file("/moved", CONTENT);
    web = new Web(Map.of("HOME", home.toString()));
  }

  @AfterEach
  void stop() {
    web.close();
    server.close();
    other.close();
  }

  @Test
  void eachBlockIsARequestForItsRange() throws Exception {
    assertThat(web.read(server.url("/f"))).isEqualTo(CONTENT);
    assertThat(server.requests())
        .containsExactly(
            "HEAD /f",
            "GET /f 0-999",
            "GET /f 1000-1999",
            "GET /f 2000-2999",
            "GET /f 3000-3999",
            "GET /f 4000-4999");
  }

  @Test
  void sizeTimeAndVersionAreThoseOfTheServer() throws Exception {
    Catalogue.Item item = web.find(server.url("/f"));
    assertThat(item.size()).isEqualTo(CONTENT.length);
    assertThat(item.modified().seconds()).isEqualTo(WebServer.MODIFIED_SECONDS);
    assertThat(item.stamp().isOld()).isTrue();
    server.file("/f", CONTENT, "ETag", "\"another\"");
    assertThat(web.find(server.url("/f")).stamp().identity()).isNotEqualTo(item.stamp().identity());
    server.file("/f", CONTENT, "ETag", "W/\"weak\"", "Last-Modified", "");
    assertThat(web.find(server.url("/f")).stamp().isOld()).isFalse();
  }

  @Test
  void aServerWithoutRangesGivesOneStreamWhateverTheOrderOfBlocks() throws Exception {
    server.withoutRanges();
    BytePath path = BytePath.of(server.url("/f"));
    ByteBuf bytes = Unpooled.buffer();
    try (BlockReader reader = web.catalogue.open(path, web.find(server.url("/f")))) {
      for (int block : new int[] {1, 0, 4, 2, 3}) {
        assertThat(reader.read(bytes.clear(), BLOCK, (long) block * BLOCK)).isEqualTo(BLOCK);
        for (int i = 0; i < BLOCK; i++) {
          assertThat(bytes.getByte(i)).isEqualTo(CONTENT[block * BLOCK + i]);
        }
      }
    }
    assertThat(server.requests()).containsExactly("HEAD /f", "GET /f 1000-1999", "GET /f");
  }

  @Test
  void aFileOfUnknownSizeIsMeasured() throws Exception {
    server.fault(
        exchange -> {
          exchange.sendResponseHeaders(200, exchange.getRequestMethod().equals("HEAD") ? -1 : 0);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(CONTENT);
          }
          return true;
        });
    assertThat(web.read(server.url("/f"))).isEqualTo(CONTENT);
  }

  @Test
  void whereHeadIsRefusedTheFirstByteTellsTheSize() throws Exception {
    server.file("/empty", new byte[0]);
    server.fault(
        exchange -> {
          boolean isEmpty = exchange.getRequestURI().getPath().equals("/empty");
          boolean isRange = exchange.getRequestHeaders().containsKey("Range");
          if (exchange.getRequestMethod().equals("HEAD")) {
            return status(exchange, 403, "", "");
          }
          return isEmpty && isRange && status(exchange, 416, "Content-Range", "bytes */0");
        });
    assertThat(web.find(server.url("/f")).size()).isEqualTo(CONTENT.length);
    assertThat(web.find(server.url("/empty")).size()).isZero();
  }

  @Test
  void bytesAreKeptAsTheServerEncodedThem() throws Exception {
    server.file("/f", CONTENT, "Content-Encoding", "gzip");
    List<String> accepted = new ArrayList<>();
    server.fault(
        exchange -> {
          accepted.add(exchange.getRequestHeaders().getFirst("Accept-Encoding"));
          return false;
        });
    assertThat(web.read(server.url("/f"))).isEqualTo(CONTENT);
    assertThat(accepted).containsOnly("identity");
  }

  // Redirects.

  private boolean redirects(HttpExchange exchange, String to) throws IOException {
    authorizations.add("" + exchange.getRequestHeaders().getFirst("Authorization"));
    return exchange.getRequestURI().getPath().equals("/r") && status(exchange, 302, "Location", to);
  }

  @Test
  void aRedirectIsFollowedAndBlocksComeFromWhereItLeads() throws Exception {
    server.fault(exchange -> redirects(exchange, other.url("/moved?sig=1")));
    assertThat(web.read(server.url("/r"))).isEqualTo(CONTENT);
    assertThat(server.requests()).containsExactly("HEAD /r", "GET /r 0-999");
    assertThat(other.requests()).contains("GET /moved?sig=1 4000-4999");
  }

  @Test
  void aSignedUrlThatExpiresIsAskedForAgain() throws Exception {
    server.fault(exchange -> redirects(exchange, other.url("/moved")));
    other.fault(exchange -> other.requests().size() == 4 && status(exchange, 403, "", ""));
    assertThat(web.read(server.url("/r"))).isEqualTo(CONTENT);
    assertThat(server.requests()).containsExactly("HEAD /r", "GET /r 0-999", "GET /r 2000-2999");
  }

  @Test
  void aCircleAndOtherSchemesAreNotFollowed() {
    server.fault(exchange -> redirects(exchange, "/r"));
    assertThat(failure(server.url("/r"))).hasMessageContaining("redirects more than 10 times");
    for (String to :
        new String[] {"file:///etc/passwd", "http://u:secret@127.0.0.1/", "ftp://h/"}) {
      server.fault(exchange -> redirects(exchange, to));
      FdtException failure = failure(server.url("/r"));
      assertThat(failure.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(failure).hasMessageNotContaining("secret");
    }
  }

  private FdtException failure(String url) {
    return catchThrowableOfType(FdtException.class, () -> web.find(url));
  }

  @Test
  void fromHttpsNoRedirectLeadsToHttp() {
    FdtException failure =
        catchThrowableOfType(
            FdtException.class,
            () ->
                WebClient.redirected(
                    URI.create("https://a/x"), URI.create("https://a/x"), "http://a/x?sig=secret"));
    assertThat(failure.code()).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(failure).hasMessageNotContaining("secret");
  }

  // Credentials.

  @Test
  void theNetrcIsForItsHostAndNotForRedirects() throws Exception {
    Files.writeString(
        home.resolve(".netrc"),
        """
        machine elsewhere login no password no
        macdef init
          machine 127.0.0.1 login wrong

        machine 127.0.0.1 login ann
          password "pass \\"word"
        default login anonymous password x
        """);
    server.fault(exchange -> redirects(exchange, other.url("/moved")));
    other.fault(exchange -> redirects(exchange, ""));

    assertThat(web.find(server.url("/r")).size()).isEqualTo(CONTENT.length);

    assertThat(authorizations).containsExactly("Basic YW5uOnBhc3MgIndvcmQ=", "null");
    assertThat(new Credentials(Map.of("HOME", "" + home)).authorization(URI.create("http://b/")))
        .contains("Basic YW5vbnltb3VzOng=");
  }

  @Test
  void aTokenIsForEncryptedConnectionsOnly() throws Exception {
    Path file = Files.writeString(home.resolve("token"), "abc\n");
    Credentials ofFile = new Credentials(Map.of("BEARER_TOKEN_FILE", "" + file));
    assertThat(ofFile.authorization(URI.create("https://a/"))).contains("Bearer abc");
    assertThat(ofFile.authorization(URI.create("http://a/"))).isEmpty();
    Files.writeString(file, "renewed");
    assertThat(ofFile.authorization(URI.create("https://a/"))).contains("Bearer renewed");
    FdtException failure =
        catchThrowableOfType(
            FdtException.class,
            () ->
                new Credentials(Map.of("BEARER_TOKEN", "two secrets"))
                    .authorization(URI.create("https://a/")));
    assertThat(failure).hasMessageNotContaining("secrets").hasMessageContaining("BEARER_TOKEN");
  }

  @Test
  void aPasswordInAUrlIsRefusedAndNotRepeated() {
    assertThat(failure("http://ann:secret@127.0.0.1/f"))
        .hasMessageContaining(".netrc")
        .hasMessageNotContaining("secret");
    assertThat(failure(server.url("/../f")).code()).isEqualTo(ErrorCode.USAGE);
    assertThat(failure(server.url("/a/%2e%2e/f")).code()).isEqualTo(ErrorCode.USAGE);
    assertThat(failure("http:///f").code()).isEqualTo(ErrorCode.USAGE);
  }

  @Test
  void aFileOfAuthoritiesThatCannotBeReadIsNamed() {
    try (Web untrusting = new Web(Map.of("SSL_CERT_FILE", "/none"))) {
      FdtException failure =
          catchThrowableOfType(FdtException.class, () -> untrusting.find(server.url("/f")));
      assertThat(failure.code()).isEqualTo(ErrorCode.USAGE);
      assertThat(failure).hasMessageContaining("'/none' of SSL_CERT_FILE");
    }
  }

  @Test
  void aHostThatIsUnknownOrRefusesIsUnreachable() throws IOException {
    assertThat(failure("http://nowhere.invalid/f"))
        .hasMessageContaining("nowhere.invalid cannot be reached: the name does not resolve");
    WebServer gone = new WebServer();
    gone.close();
    assertThat(failure(gone.url("/f"))).hasMessageContaining("nothing listens there");
    assertThat(web.waits).isEmpty();
  }

  // Proxies.

  @Test
  void theProxyOfTheEnvironmentIsAsked() throws Exception {
    try (Web proxied = new Web(Map.of("http_proxy", server.url("")))) {
      assertThat(proxied.find("http://nowhere.invalid/f").size()).isEqualTo(CONTENT.length);
    }
    assertThat(server.requests()).containsExactly("HEAD http://nowhere.invalid/f");
    try (Web direct = new Web(Map.of("http_proxy", other.url(""), "no_proxy", "x, 127.0.0.1"))) {
      assertThat(direct.find(server.url("/f")).size()).isEqualTo(CONTENT.length);
    }
    assertThat(other.requests()).isEmpty();
  }

  // Directories.

  @Test
  void aDirectoryIsKnownByItsSlashOrByTheRedirectToIt() throws Exception {
    server.index("/d/", "x");
    server.fault(
        exchange ->
            exchange.getRequestURI().getPath().equals("/d")
                && status(exchange, 301, "Location", "/d/"));
    assertThat(web.find(server.url("/d/")).kind()).isEqualTo(EntryKind.DIRECTORY);
    assertThat(web.find(server.url("/d")).kind()).isEqualTo(EntryKind.DIRECTORY);
    assertThat(web.catalogue.nameOf(BytePath.of(server.url("/d/")))).isNull();
    assertThat(web.catalogue.nameOf(BytePath.of(server.url("/d%20e?q=/1")))).hasToString("d e");
    assertThat(web.catalogue.nameOf(BytePath.of("https://host"))).hasToString("host");
  }

  @Test
  void aLinkedFileThatIsMissingFailsByNameOnly() throws Exception {
    server.index("/d/", "gone", "there").file("/d/there", CONTENT);
    Catalogue.Names listed = web.catalogue.list(BytePath.of(server.url("/d/")));
    Catalogue.Listed gone = listed.next();
    assertThat(gone.name()).hasToString("gone");
    assertThat(listed.next().name()).hasToString("there");
    assertThat(listed.next()).isNull();
    FdtException failure =
        catchThrowableOfType(
            FdtException.class,
            () -> web.catalogue.open(BytePath.of(server.url("/d/gone")), gone.item()));
    assertThat(failure.code()).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void aPageThatIsNoListingIsRefused() throws Exception {
    server.file("/d/", CONTENT, "Content-Type", "application/json");
    FdtException failure =
        catchThrowableOfType(
            FdtException.class, () -> web.catalogue.list(BytePath.of(server.url("/d/"))));
    assertThat(failure.code()).isEqualTo(ErrorCode.WRONG_KIND);
  }

  @Test
  void namesComeOnlyFromBeneathThePage() {
    String html =
        """
        <A HREF='a.txt'>a</A><a title="x" href=b.txt>b</a><a href="/d/c%20d">c</a>
        <a href="http://h/d/e&amp;f">e</a><a href="sub/">s</a><a href="./g">g</a><a href="a.txt">again</a>
        <a href="/other">o</a><a href="?C=M">sort</a><a href="#top">top</a><a href="../up">up</a><a href="/d/">self</a>
        <a href="sub/deep">deep</a><a href="http://other/d/x">x</a><a href="https://h/d/x">x</a>
        <a href="%2e%2e">up</a><a href="..%2fup">slash</a><a href="mailto:x">m</a><a href="a%00b">nul</a>
        <a href="q%3Fr">question</a><a href="p%2541">percent</a><a href="javascript:alert(1)">j</a>
        """;
    assertThat(IndexPage.names(URI.create("http://h/d/"), html).keySet())
        .extracting(Object::toString)
        .containsExactly(
            "a.txt", "b.txt", "c d", "e&f", "sub", "g", "..%2fup", "a%00b", "q%3Fr", "p%2541");
  }
}
