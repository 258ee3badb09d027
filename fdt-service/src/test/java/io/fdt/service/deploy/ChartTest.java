package io.fdt.service.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The Helm chart and the compose file. No cluster and no container engine is needed. */
@Timeout(180)
class ChartTest {
  private static final Path SERVICE = Path.of("..", "dist", "service").toAbsolutePath().normalize();
  private static final Path CHART = SERVICE.resolve("helm");

  private static final List<String> JOBS =
      List.of(
          "lint",
          "template",
          "template database.urlSecret=own ingress.enabled=true ingress.host=fdt.example.org"
              + " ingress.tlsSecret=cert storage.enabled=false names[0]=transfers.example.org",
          "template ingress.enabled=true ingress.host=fdt.example.org",
          "template replica=3");

  @TempDir private static Path root;

  /** All at once: the library has 98 MB, and is unpacked by each process. */
  @BeforeAll
  static void runHelm() throws IOException, InterruptedException {
    if (!System.getProperty("os.arch").equals("amd64")) {
      return;
    }
    Path output = root.resolve("output");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + root,
                "-cp",
                classPath(),
                HelmMain.class.getName(),
                CHART.toString(),
                root.toString()));
    command.addAll(JOBS);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }

  private static String helm(int job) throws IOException {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "Helm's library is for x86-64 only");
    Path refused = root.resolve(job + ".error");
    assertThat(refused).as(JOBS.get(job)).doesNotExist();
    return Files.readString(root.resolve(Integer.toString(job)));
  }

  private static String refusal(int job) throws IOException {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "Helm's library is for x86-64 only");
    return Files.readString(root.resolve(job + ".error"));
  }

  private static List<Map<?, ?>> objects(String rendered) {
    List<Map<?, ?>> objects = new ArrayList<>();
    for (Object one : new Load(LoadSettings.builder().build()).loadAllFromString(rendered)) {
      if (one != null) {
        objects.add((Map<?, ?>) one);
      }
    }
    return objects;
  }

  private static String classPath() {
    if (HelmMain.class.getClassLoader() instanceof URLClassLoader loader) {
      return Arrays.stream(loader.getURLs())
          .map(URL::getPath)
          .collect(Collectors.joining(File.pathSeparator));
    }
    return System.getProperty("java.class.path");
  }

  private static Object at(Object value, Object... path) {
    Object now = value;
    for (Object step : path) {
      now =
          step instanceof Integer index ? ((List<?>) now).get(index) : ((Map<?, ?>) now).get(step);
    }
    return now;
  }

  private static Map<?, ?> find(List<Map<?, ?>> objects, String kind, String name) {
    return objects.stream()
        .filter(one -> kind.equals(one.get("kind")) && name.equals(at(one, "metadata", "name")))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  @Test
  void helmFindsNothingWrongWithTheChart() throws Exception {
    assertThat(helm(0)).doesNotContain("[ERROR]", "[WARNING]");
  }

  @Test
  void byDefaultPostgresqlComesWithItAndNothingRunsAsRootOrWritesToItsImage() throws Exception {
    String rendered = helm(1);
    List<Map<?, ?>> objects = objects(rendered);

    assertThat(objects)
        .extracting(one -> one.get("kind") + " " + at(one, "metadata", "name"))
        .containsExactlyInAnyOrder(
            "Service site-fdt-service",
            "Service site-fdt-service-each",
            "StatefulSet site-fdt-service",
            "Service site-fdt-service-postgresql",
            "StatefulSet site-fdt-service-postgresql",
            "NetworkPolicy site-fdt-service-postgresql");
    for (Map<?, ?> one : objects) {
      if (!one.get("kind").equals("StatefulSet")) {
        continue;
      }
      Object pod = at(one, "spec", "template", "spec");
      assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
      assertThat(at(one, "spec", "selector", "matchLabels"))
          .isEqualTo(at(one, "spec", "template", "metadata", "labels"));
      List<Object> containers = new ArrayList<>((List<?>) at(pod, "containers"));
      if (((Map<?, ?>) pod).get("initContainers") instanceof List<?> first) {
        containers.addAll(first);
      }
      for (Object container : containers) {
        assertThat(at(container, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(container, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
        assertThat(at(container, "securityContext", "capabilities", "drop"))
            .isEqualTo(List.of("ALL"));
        assertThat(at(container, "resources", "limits", "memory")).isNotNull();
      }
      for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
        assertThat(at(pod, "containers", 0, probe)).as(probe).isNotNull();
      }
    }
    Object service =
        at(
            find(objects, "StatefulSet", "site-fdt-service"),
            "spec",
            "template",
            "spec",
            "containers",
            0);
    assertThat(at(service, "args")).isEqualTo(List.of("--port", "54380", "--lease", "60"));
    assertThat(at(service, "readinessProbe", "httpGet", "path")).isEqualTo("/healthz");
    // The service knows no other name, and refuses those that it does not know.
    assertThat(at(service, "readinessProbe", "httpGet", "httpHeaders", 0))
        .isEqualTo(Map.of("name", "Host", "value", "localhost"));
    assertThat(rendered)
        .contains(
            "jdbc:postgresql://site-fdt-service-postgresql/fdt?user=fdt&password=$(DATABASE_PASSWORD)")
        .doesNotContain("kind: Secret");
    assertThat(
            ((List<?>) at(service, "env"))
                .stream().filter(one -> at(one, "name").equals("DATABASE_PASSWORD")))
        .singleElement()
        .extracting(one -> at(one, "valueFrom", "secretKeyRef", "name"))
        .isEqualTo("fdt-service-database");
  }

  @Test
  void aDatabaseOfOnesOwnAnIngressAndWhatMakesNoSense() throws Exception {
    List<Map<?, ?>> objects = objects(helm(2));
    assertThat(objects)
        .extracting(one -> (String) one.get("kind"))
        .containsExactlyInAnyOrder("Service", "Service", "StatefulSet", "Ingress");
    Object service =
        at(
            find(objects, "StatefulSet", "site-fdt-service"),
            "spec",
            "template",
            "spec",
            "containers",
            0);
    assertThat((List<?>) at(service, "args"))
        .extracting(Object::toString)
        .containsSequence("--name", "transfers.example.org", "--name", "fdt.example.org");
    assertThat(at(find(objects, "Ingress", "site-fdt-service"), "spec", "tls", 0, "secretName"))
        .isEqualTo("cert");

    assertThat(refusal(3)).contains("tlsSecret");
    assertThat(refusal(4)).contains("replica");
  }

  @Test
  void theComposeFileKeepsTheDatabaseInsideAndThePasswordOutside() throws Exception {
    Object file =
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(SERVICE.resolve("compose.yaml")));
    Object service = at(file, "services", "service");
    assertThat(at(service, "ports")).isEqualTo(List.of("127.0.0.1:54380:54380"));
    assertThat(at(service, "read_only")).isEqualTo(true);
    assertThat(at(service, "cap_drop")).isEqualTo(List.of("ALL"));
    assertThat(at(service, "depends_on", "database", "condition")).isEqualTo("service_healthy");
    assertThat(at(file, "services", "database", "ports")).isNull();
    assertThat(at(file, "networks", "inner", "internal")).isEqualTo(true);
    Path context = SERVICE.resolve((String) at(service, "build", "context")).normalize();
    Path image = context.resolve((String) at(service, "build", "dockerfile"));
    assertThat(image).isRegularFile();
    assertThat(Files.readString(SERVICE.resolve("compose.yaml")))
        .doesNotContainPattern("(?i)password: [a-z0-9]+\\s");
    // What is copied into the image is built, or is in the repository.
    for (String line : Files.readAllLines(image)) {
      if (line.startsWith("COPY ")) {
        for (String source : line.substring(5).split(" ")) {
          assertThat(
                  source.contains("/target/")
                      || source.startsWith("/")
                      || Files.exists(context.resolve(source)))
              .as(source)
              .isTrue();
        }
      }
    }
  }
}
