package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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

  @ParameterizedTest
  @CsvSource({
    "completionMode:, completionsMode:",
    "completions: 4, completions: four",
    "command:, comand:",
    "volumeMounts:, volumesMounts:",
    "secretKeyRef:, secretRef:",
    "claimName:, claim:",
    "backoffLimit: 12, backoffLimit: [12]",
    "restartPolicy: OnFailure, restartPolicy: {}"
  })
  void aMistakeIsFound(String right, String wrong) throws IOException {
    String text = Files.readString(EXAMPLES.resolve("kubernetes.yaml"));
    assertThat(text).contains(right);

    assertThat(problems(text.replaceFirst(right, wrong))).isNotEmpty();
  }
}
