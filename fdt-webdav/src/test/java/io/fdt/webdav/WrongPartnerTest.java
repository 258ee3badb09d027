package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** COPY with servers that are not FDT's, or that break the rules. */
class WrongPartnerTest {
  private static final String DIGEST = "Digest: adler32=11e60398\r\n"; // of "Wikipedia"

  @TempDir Path root;
  private SSLContext usual;
  private Site site;

  @BeforeEach
  void serve() throws Exception {
    usual = SSLContext.getDefault();
    SSLContext.setDefault(Site.trusting());
    site = new Site(root);
    Files.writeString(site.data.resolve("file"), "Wikipedia");
    Files.createFile(site.data.resolve("empty"));
  }

  @AfterEach
  void stop() {
    site.close();
    SSLContext.setDefault(usual);
  }

  private String pull(UnaryOperator<String> answers, String... headers) throws Exception {
    try (RawServer other = new RawServer(answers)) {
      return copy("/in/x", "Source", other.url("/x"), headers);
    }
  }

  private String copy(String path, String end, String url, String... headers) throws Exception {
    String[] all = new String[headers.length + 2];
    all[0] = end;
    all[1] = url;
    System.arraycopy(headers, 0, all, 2, headers.length);
    return Site.text(site.ask("COPY", path, all));
  }

  private static String ok(int length, String headers, String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n" + headers + "\r\n" + body;
  }

  @Test
  void aPullOfADigestThatAgreesIsPublished() throws Exception {
    assertThat(pull(head -> ok(9, DIGEST, "Wikipedia"))).endsWith("success: Created\n");
    assertThat(site.in.resolve("x")).hasContent("Wikipedia");
  }

  @Test
  void aNameThatIsTakenDuringAPullIsReplacedOnlyIfWanted() throws Exception {
    for (String overwrite : new String[] {"F", "T"}) {
      String outcome =
          pull(
              head -> {
                try {
                  Files.writeString(site.in.resolve("x"), "another program's");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
                return ok(9, DIGEST, "Wikipedia");
              },
              "Overwrite",
              overwrite);
      boolean replaces = overwrite.equals("T");
      assertThat(outcome)
          .contains(replaces ? "success: Created" : "failure: the name was taken meanwhile");
      assertThat(site.in.resolve("x")).hasContent(replaces ? "Wikipedia" : "another program's");
      Files.delete(site.in.resolve("x"));
    }
    assertThat(site.in).isEmptyDirectory();
  }

  @Test
  void aPullOfTooFewOrTooManyOrOtherBytesLeavesNothing() throws Exception {
    assertThat(pull(head -> ok(10, DIGEST, "Wikipedia"))).contains("\nfailure: ");
    assertThat(pull(head -> ok(9, DIGEST, "wikipedia")))
        .contains("\nfailure: ", "whose adler32 came with them");
    assertThat(pull(head -> ok(9, "", "Wikipedia"))).contains("\nfailure: ", "gives no digest");
    assertThat(
            pull(
                head ->
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                        + DIGEST
                        + "\r\n9\r\nWikipedia\r\n"))
        .contains("\nfailure: ");
    assertThat(pull(head -> "HTTP/1.1 204 No Content\r\n\r\n")).contains("\nfailure: ", "204");
    assertThat(pull(head -> "nonsense\r\n\r\n")).contains("\nfailure: ");
    assertThat(site.in).isEmptyDirectory();
  }

  @Test
  void anEndAtTheEndOfTheConnectionNeedsADigest() throws Exception {
    String open = "HTTP/1.0 200 OK\r\n";

    assertThat(pull(head -> open + DIGEST + "\r\nWikiped")).contains("\nfailure: ");
    assertThat(site.in).isEmptyDirectory();
    assertThat(pull(head -> open + DIGEST + "\r\nWikipedia")).endsWith("success: Created\n");
  }

  @Test
  void aTokenStaysAtTheServerForWhichItCame() throws Exception {
    try (RawServer second = new RawServer(head -> ok(9, DIGEST, "Wikipedia"));
        RawServer first =
            new RawServer(
                head ->
                    "HTTP/1.1 307 Elsewhere\r\nContent-Length: 0\r\nLocation: "
                        + second.url("/y")
                        + "\r\n\r\n")) {
      String copied =
          copy(
              "/in/x",
              "Source",
              first.url("/x"),
              "TransferHeaderAuthorization",
              "Bearer s3cret",
              "TransferHeaderX-Other",
              "passed");

      assertThat(copied).endsWith("success: Created\n");
      assertThat(first.heads.get(0)).contains("Authorization: Bearer s3cret");
      assertThat(second.heads.get(0)).contains("X-Other: passed").doesNotContain("s3cret");
    }
  }

  @Test
  void aRedirectLeadsToNoAddressThatTheRuleForbids() throws Exception {
    site.close();
    site = new Site(root, builder -> builder.dialTo(List.of("127.0.0.1")));

    for (String location :
        List.of("https://127.0.0.2:1/x", "https://[::1]:1/x", "https://169.254.169.254/latest")) {
      assertThat(
              pull(
                  head ->
                      "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "
                          + location
                          + "\r\n\r\n"))
          .as(location)
          .contains("\nfailure: connecting to ", "is not allowed");
    }
    assertThat(
            pull(
                head ->
                    "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://127.0.0.1/x"
                        + "\r\n\r\n"))
        .contains("\nfailure: ", "is not https://");
  }

  @Test
  void aPushIsDoneOnceTheFileIsThere() throws Exception {
    try (RawServer other = new RawServer(head -> "HTTP/1.1 201 Created\r\n\r\n")) {
      String url = other.url("/x");

      assertThat(copy("/data/file", "Destination", url, "RequireChecksumVerification", "false"))
          .contains("\nfailure: ", "answers before it has the file");
      assertThat(other.heads.get(0))
          .contains("Content-Length: 9\r\n", "Expect: 100-continue\r\n"); // capitals: XRootD 5
      assertThat(copy("/data/empty", "Destination", url, "RequireChecksumVerification", "false"))
          .endsWith("success: Created\n");
      assertThat(other.heads.get(1)).contains("Content-Length: 0\r\n").doesNotContain("Expect");
    }
  }

  @Test
  void aPushReplacesNothingWithoutOverwrite() throws Exception {
    try (RawServer other = new RawServer(head -> ok(0, "", ""))) {
      assertThat(copy("/data/file", "Destination", other.url("/x"), "Overwrite", "F"))
          .contains("\nfailure: the destination exists");
      assertThat(other.heads).hasSize(1);
    }
  }
}
