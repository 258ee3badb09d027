package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ReaderTest {
  /** These are about the sign-in of the caller itself, or look. */
  private static final Set<String> OWN =
      Set.of(
          "post /api/v1/session",
          "delete /api/v1/session",
          "post /api/v1/endpoints/{endpoint}/check");

  @TempDir private Path root;

  /** Every change of the description, also those that come later. */
  @Test
  void aTokenThatMayOnlyLookChangesNothing() throws Exception {
    Site site = new Site(root);
    try {
      String url = site.service().url();
      Rest admin = site.rest(url);
      Map<String, Object> token = Map.of("label", "x", "scopes", List.of("read"));
      Object secret = admin.post("/api/v1/tokens", token).expect(201).json().get("token");
      Rest reader = new Rest(url, (String) secret);
      Map<?, ?> paths = (Map<?, ?>) admin.get("/api/openapi.json").expect(200).json().get("paths");
      int changes = 0;
      for (Map.Entry<?, ?> path : paths.entrySet()) {
        for (Object method : ((Map<?, ?>) path.getValue()).keySet()) {
          if (List.of("post", "put", "patch", "delete").contains(method)
              && !OWN.contains(method + " " + path.getKey())) {
            changes++;
            String name = method.toString().toUpperCase(Locale.ROOT);
            String place = path.getKey().toString().replaceAll("\\{[^}]*}", "x");
            assertThat(reader.send(name, place, "{}").status())
                .as(name + " " + place)
                .isEqualTo(403);
          }
        }
      }
      assertThat(changes).isGreaterThan(20);
    } finally {
      site.close();
    }
  }
}
