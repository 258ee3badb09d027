package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where the tokens of a copy are, and where they are not. */
@Timeout(100)
class CopyTokensTest {
  @TempDir Path root;

  @Test
  void aTokenReachesTheExecutorsAndNoPage() throws Exception {
    Path data = Files.createDirectory(root.resolve("data"));
    Path target = Files.createDirectory(root.resolve("target"));
    Files.writeString(data.resolve("file"), "content");
    try (FdtServer server =
        TestSpark.server(root.resolve("server"))
            .trustOwnProcess(false)
            .export(Export.readOnly("data", data))
            .build()) {
      server.start();
      Path file = root.resolve("server/token");
      String token = Files.readString(file).strip();
      assertThat(token).hasSizeGreaterThan(20);
      String from = TestSpark.url(server, "/data/file");
      String[] words = {
        "copy", "--accept-new", from, target + "/", "--token-file", file.toString()
      };
      ByteArrayOutputStream said = new ByteArrayOutputStream();

      int status =
          Copy.run(
              List.of(words),
              TestSpark.driver(root, said, said),
              TestSpark::session,
              session -> assertNowhere(token, session.sparkContext()));

      assertThat(status).as(TestSpark.text(said)).isZero();
      assertThat(target.resolve("file")).hasContent("content");
      assertThat(TestSpark.text(said)).doesNotContain(token);
      Dataset<Row> rows =
          FdtSpark.copy(
              TestSpark.session(),
              "--accept-new",
              "--token-file",
              file.toString(),
              from,
              target + "/");
      assertThat(rows.first().getString(1)).isEqualTo("unchanged");
      assertThat(rows.queryExecution().toString() + rows.rdd().toDebugString())
          .doesNotContain(token)
          .contains("path");
      assertNowhere(token, TestSpark.session().sparkContext());
    }
  }

  @Test
  void withoutTheTokenTheExecutorIsRefused() throws Exception {
    Path data = Files.createDirectory(root.resolve("data"));
    try (FdtServer server =
        TestSpark.server(root.resolve("server"))
            .trustOwnProcess(false)
            .export(Export.readWrite("data", data))
            .build()) {
      server.start();
      Files.writeString(root.resolve("file"), "content");
      ByteArrayOutputStream said = new ByteArrayOutputStream();

      int status =
          Copy.run(
              List.of(
                  "copy",
                  "--accept-new",
                  root.resolve("file").toString(),
                  TestSpark.url(server, "/data/")),
              TestSpark.driver(root, said, said),
              TestSpark::session,
              session -> {});

      assertThat(status).as(TestSpark.text(said)).isEqualTo(4);
      assertThat(TestSpark.text(said).lines()).singleElement().asString().contains("unit 0: ");
    }
  }

  @Test
  void secretsSayNothingOfThemselves() {
    assertThat(new CopyTokens(Map.of("FDT_TOKEN", "fdt_abc"))).hasToString("Secrets[hidden]");
    assertThat(new CopyTokens(Map.of("FDT_TOKEN", "fdt_abc")).in(Map.of("A", "b")))
        .containsEntry("FDT_TOKEN", "fdt_abc")
        .containsEntry("A", "b");
  }

  private static void assertNowhere(String token, SparkContext spark) {
    assertThat(spark.getConf().toDebugString()).contains("spark.app.name").doesNotContain(token);
    String page = spark.uiWebUrl().get();
    String api = page + "/api/v1/applications/" + spark.applicationId();
    for (String what :
        List.of("/environment", "/jobs", "/stages?details=true", "/storage/rdd", "/sql")) {
      assertThat(get(api + what)).as(what).doesNotContain(token);
    }
    assertThat(get(api + "/environment")).contains("sparkProperties");
    assertThat(get(api + "/jobs")).contains("fdt copy: 1 files, 7 bytes");
    for (String what : List.of("/jobs/", "/stages/", "/storage/", "/environment/", "/executors/")) {
      assertThat(get(page + what)).as(what).contains("</html>").doesNotContain(token);
    }
  }

  private static String get(String url) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(30)).build();
    try {
      return HttpClient.newHttpClient()
          .send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
          .body();
    } catch (Exception e) {
      throw new AssertionError(url, e);
    }
  }
}
