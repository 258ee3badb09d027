package io.fdt.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips the tests of portable-exceptions.txt where {@code -Dfdt.storage=portable} is set. JUnit
 * finds it by its name in META-INF/services. Immutable.
 */
public final class PortableExceptions implements ExecutionCondition {
  /** Whether this JVM, and the processes of its tests, use java.nio.file alone. */
  public static final boolean IS_PORTABLE = "portable".equals(System.getProperty("fdt.storage"));

  private final Map<String, String> reasons = reasons();

  /** The reasons by CLASS or CLASS#METHOD. */
  static Map<String, String> reasons() {
    Map<String, String> reasons = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                PortableExceptions.class.getResourceAsStream("/portable-exceptions.txt"),
                StandardCharsets.UTF_8))) {
      lines
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" +", 2))
          .forEach(line -> reasons.put(line[0], line[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return reasons;
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String test = context.getRequiredTestClass().getName();
    String name = context.getTestMethod().map(method -> test + "#" + method.getName()).orElse(test);
    return IS_PORTABLE && reasons.containsKey(name)
        ? ConditionEvaluationResult.disabled("java.nio.file alone: " + reasons.get(name))
        : ConditionEvaluationResult.enabled(null);
  }
}
