package io.fdt.e2e.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The examples for Kubernetes against its schema of jobs (batch/v1), in which every name is known.
 */
class KubernetesExampleTest {
  private static final Path EXAMPLES =
      Path.of("../examples/job-arrays").toAbsolutePath().normalize();
  private static final String JOB = "kubernetes_batch_v1_Job";
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Schema SCHEMA = schema();

  @RegisterExtension final Lab lab = new Lab();

  /**
   * That of the client library, made strict. It describes Go's types: those that are one text or
   * one number in a file, and empty objects, are left open.
   */
  private static Schema schema() {
    try (InputStream text =
        KubernetesExampleTest.class.getResourceAsStream("/schema/validation-schema.json")) {
      ObjectNode all = (ObjectNode) new JsonMapper().readTree(text);
      ObjectNode definitions = (ObjectNode) all.get("definitions");
      definitions.properties().forEach(one -> close((ObjectNode) one.getValue()));
      ObjectNode root = all.objectNode();
      root.put("$ref", "#/definitions/" + JOB);
      root.set("definitions", definitions);
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
          .getSchema(root.toString());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void close(ObjectNode type) {
    JsonNode properties = type.get("properties");
    boolean isValue = type.path("existingJavaType").asString("").matches("Quantity|IntOrString");
    if (isValue || properties == null || properties.isEmpty()) {
      type.removeAll();
      return;
    }
    type.put("additionalProperties", false);
    // "required": true of a property is of an older draft; kind and version are tested below.
    properties.forEach(property -> ((ObjectNode) property).remove("required"));
  }

  static List<Path> examples() throws IOException {
    try (Stream<Path> all = Files.list(EXAMPLES)) {
      return all.filter(path -> path.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  private static List<String> problems(String yaml) {
    return SCHEMA.validate(YAML.readTree(yaml)).stream().map(String::valueOf).toList();
  }

  @Test
  void thereAreExamples() throws IOException {
    assertThat(examples()).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void theExampleIsAJob(Path example) throws IOException {
    String text = Files.readString(example);

    assertThat(problems(text)).isEmpty();
    JsonNode job = YAML.readTree(text);
    assertThat(job.get("apiVersion").asString()).isEqualTo("batch/v1");
    assertThat(job.get("kind").asString()).isEqualTo("Job");
    assertThat(job.get("spec").get("completionMode").asString()).isEqualTo("Indexed");
    JsonNode container = job.get("spec").get("template").get("spec").get("containers").get(0);
    assertThat(container.get("env"))
        .as("as many workers as the job has")
        .anyMatch(
            variable ->
                variable.get("name").asString().equals("FDT_OF")
                    && variable.get("value").asInt() == job.get("spec").get("completions").asInt());
  }

  /**
   * The command and the variables of the container, a user without name, and a home with nothing in
   * it. The planner has met the server, the workers have not.
   */
  @Test
  void podsCopyATreeWithTheKeyThatIsInThePlan() throws IOException {
    Path source = lab.directory("source");
    Shell.run(source, "for i in $(seq 12); do echo $i > f$i; done");
    Path shared = lab.directory("shared");
    RunningCommand server = lab.serveAt(lab.root().resolve("other"), "--export", "data=" + source);
    String token = Files.readString(lab.root().resolve("other/token")).strip();
    lab.environment("FDT_TOKEN", token);
    String from = "fdt://127.0.0.1:" + server.port() + "/data/";
    String[] words = {
      "plan", "--dir", "plan42", "--accept-new", "--unit-files", "3", "-r", from, "copy"
    };
    lab.run(shared, words).expect(0);
    if (Nobody.isRoot()) {
      Shell.run(lab.root(), "chown -R 65534:65534 shared");
    }
    JsonNode spec =
        YAML.readTree(Files.readString(EXAMPLES.resolve("kubernetes.yaml"))).get("spec");
    JsonNode container = spec.get("template").get("spec").get("containers").get(0);
    List<RunningCommand> pods = new ArrayList<>();
    for (int index = 0; index < spec.get("completions").asInt(); index++) {
      Path home = lab.directory("shared/home" + index);
      if (Nobody.isRoot()) {
        Shell.run(home, "chown 65534:65534 .; chmod 700 .");
      }
      Map<String, String> variables = new HashMap<>();
      variables.put("FDT_HOME", home.toString());
      variables.put("FDT_CACHE", "off");
      variables.put("JOB_COMPLETION_INDEX", "" + index);
      for (JsonNode variable : container.get("env")) {
        String value =
            variable.has("valueFrom")
                ? token
                : variable.get("value").asString().replace("/shared", shared.toString());
        variables.put(variable.get("name").asString(), value);
      }
      pods.add(lab.startAsPod(home, variables, container.get("command").get(1).asString()));
    }

    for (RunningCommand pod : pods) {
      pod.end().expect(0);
    }

    Tree.assertSame(shared.resolve("copy"), source);
  }

  @ParameterizedTest
  @CsvSource({
    "completionMode:, completionsMode:",
    "completions: 4, completions: four",
    "command:, comand:",
    "volumeMounts:, volumesMounts:",
    "secretKeyRef:, secretRef:",
    "claimName:, claim:",
    "backoffLimit: 12, backoffLimit: [12]",
    "restartPolicy: Never, restartPolicy: {}",
    "onExitCodes:, onExitCode:"
  })
  void aMistakeIsFound(String right, String wrong) throws IOException {
    String text = Files.readString(EXAMPLES.resolve("kubernetes.yaml"));
    assertThat(text).contains(right);

    assertThat(problems(text.replaceFirst(right, wrong))).isNotEmpty();
  }
}
