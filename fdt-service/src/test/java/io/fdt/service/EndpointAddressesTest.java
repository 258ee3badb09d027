package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a service reaches its endpoints. */
@Timeout(120)
class EndpointAddressesTest {
  @TempDir private Path root;
  private Site site;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/file", 1000, 1);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  /** A name leads to two addresses, and the server is at the second. */
  @Test
  void anEndpointIsReachedAtAnyAddressOfItsName() throws Exception {
    Path hosts =
        Files.writeString(root.resolve("hosts"), "127.0.0.2 two.test\n127.0.0.1 two.test\n");
    try (ServiceProcess service =
        ServiceProcess.start(root, root.resolve("fdt"), List.of("-Djdk.net.hosts.file=" + hosts))) {
      Rest rest = site.rest(service.url());
      Map<String, Object> endpoint = Site.endpoint("named", site.source());
      endpoint.put("address", "two.test:" + site.source().address().getPort());

      rest.post("/api/v1/endpoints", endpoint).expect(201);

      assertThat(rest.get("/api/v1/endpoints/named/files?path=%2Fdata%2Frun").expect(200).text())
          .contains("file");
    }
  }
}
