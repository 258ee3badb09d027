package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code serve --http} with curl, by {@code fdt-webdav.jar} beside {@code fdt.jar}. */
class WebdavTest {
  @RegisterExtension final Lab lab = new Lab();

  private CommandProcess serve(Path jar) {
    Content.write(lab.root().resolve("data/large"), 3_000_001, 1);
    lab.directory("in");
    return lab.startJava(
        List.of(),
        List.of(
            "-jar",
            jar.toString(),
            "serve",
            "--port",
            "0",
            "--bind",
            "127.0.0.1",
            "--http",
            "0",
            "--export",
            "data",
            "--export",
            "in:rw",
            "--access-log",
            "access.log"));
  }

  private Path install(boolean withHttp) throws IOException {
    Path built = Path.of(System.getProperty("fdt.jar")).toRealPath();
    Path jar = lab.directory("installed").resolve("fdt.jar");
    Files.createLink(jar, built);
    if (withHttp) {
      Files.createLink(
          jar.resolveSibling("fdt-webdav.jar"),
          built.resolveSibling("../../fdt-webdav/target/fdt-webdav.jar").toRealPath());
    }
    return jar;
  }

  @Test
  void curlReadsAndWritesWithATokenThatNoLogHas() throws IOException {
    Programs.require("curl");
    CommandProcess server = serve(install(true));
    assertThat(server.port()).isPositive();
    Matcher line =
        Pattern.compile("(?m)^HTTPS at (https://127.0.0.1:\\d+)/$").matcher(server.out());
    assertThat(line.find()).as(server.out()).isTrue();
    Matcher key = Pattern.compile("identity=SHA256:(\\S+)").matcher(server.err());
    assertThat(key.find()).as(server.err()).isTrue();
    String token = Files.readString(lab.home().resolve("token")).strip();

    String script =
        """
        get="curl -sSk --pinnedpubkey sha256//%s="
        auth="Authorization: Bearer %s"
        $get -H "$auth" -f %s/data/large | cmp - data/large
        $get -H "$auth" -f -r 1000-1999 %s/data/large | cmp - <(tail -c +1001 data/large | head -c 1000)
        $get -H "$auth" -f -T data/large %s/in/copy
        $get -H "$auth" -f -T - %s/in/chunked < data/large
        $get -o out -w '%%{http_code} ' %s/data/large
        $get -H "$auth" -o out -w '%%{http_code} ' %s/none
        $get -H "$auth" -o out -w '%%{http_code} ' -T data/large %s/data/x
        $get -H "$auth" -o out -w '%%{http_code} ' -X PATCH %s/data/large
        $get -H "$auth" -X COPY -H "TransferHeaderAuthorization: Bearer s3cret" \\
          -H "Source: https://127.0.0.1:1/x?authz=s3cret" %s/in/x?authz=s3cret | grep -q failure
        """
            .formatted(
                key.group(1).replace('-', '+').replace('_', '/'),
                token,
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1),
                line.group(1));
    String statuses = new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8);

    assertThat(statuses).isEqualTo("401 404 403 405 ");
    for (String name : List.of("copy", "chunked")) {
      assertThat(lab.root().resolve("in").resolve(name))
          .hasSameBinaryContentAs(lab.root().resolve("data/large"));
    }
    assertThat(server.out() + server.err() + Files.readString(lab.root().resolve("access.log")))
        .contains("\"fate\":\"done\",\"path\":\"/in/copy\"")
        .containsPattern(
            "request ended token=own peer=\\S+ direction=pull export=data path=/data/large"
                + " bytes=1000 seconds=\\S+ result=done")
        .containsPattern("request ended .* path=/in/x bytes=0 .* other=127.0.0.1:1 reason=")
        .doesNotContain(token, "s3cret");
  }

  @Test
  void withoutTheJarTheStartSaysWhatIsMissing() throws IOException {
    assertThat(serve(install(false)).end().expect(2).err())
        .contains("the HTTP port needs fdt-webdav.jar; put it into '");
  }

  @Test
  void filtersAndTheEndAfterTheLastClientAreRefused() {
    assertThat(lab.run(lab.root(), "serve", "--http", "0", "-S", ".").expect(2).err())
        .contains("--http: a server with an HTTP port does not stop after its last client");
    assertThat(
            lab.run(lab.root(), "serve", "--http", "0", "--pre-filter", "x.Y", ".").expect(2).err())
        .contains("--http: filters see no requests over HTTP");
  }
}
