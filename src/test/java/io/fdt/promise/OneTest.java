package io.fdt.promise;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A program that runs tests in a JVM of their module. Its arguments: a file for the results, how
 * many seconds each test may take, and tests as {@code CLASS#METHOD}. For each test it writes
 * {@code passed}, {@code skipped}, {@code failed} or {@code broken}, with a reason, in one line.
 */
final class OneTest {
  private OneTest() {}

  public static void main(String[] arguments) throws IOException {
    StringBuilder results = new StringBuilder();
    for (int i = 2; i < arguments.length; i++) {
      results.append(run(arguments[i], arguments[1])).append('\n');
    }
    Files.writeString(Path.of(arguments[0]), results);
    // A test that failed may leave threads.
    Runtime.getRuntime().halt(0);
  }

  private static String run(String test, String seconds) {
    String className = test.substring(0, test.indexOf('#'));
    String method = test.substring(test.indexOf('#') + 1);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(className))
            .filters(
                (PostDiscoveryFilter)
                    found -> FilterResult.includedIf(mayHold(found) || isOf(found, method)))
            .configurationParameters(
                Map.of(
                    "junit.jupiter.execution.timeout.default",
                    seconds + " s",
                    "junit.jupiter.execution.timeout.thread.mode.default",
                    "SEPARATE_THREAD",
                    "jazzer.hooks",
                    "false"))
            .build();
    Results results = new Results();
    LauncherFactory.create().execute(request, results);
    return results.line();
  }

  /** A class; a parameterized method is a container, too, and runs only if it is the one. */
  private static boolean mayHold(TestDescriptor found) {
    return found.isContainer()
        && found.getSource().filter(source -> source instanceof MethodSource).isEmpty();
  }

  /** A method, or one of the runs of a parameterized one. */
  private static boolean isOf(TestDescriptor found, String method) {
    return named(found, method)
        || found.getParent().filter(parent -> isOf(parent, method)).isPresent();
  }

  private static boolean named(TestDescriptor found, String method) {
    return found
        .getSource()
        .filter(source -> source instanceof MethodSource of && of.getMethodName().equals(method))
        .isPresent();
  }

  /** How the runs of one test ended. Confined to the thread that runs them. */
  private static final class Results implements TestExecutionListener {
    private int passed;
    private String skipped;
    private String failed;
    private String broken;

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      skipped = "skipped " + reason;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
        case ABORTED -> skipped = "skipped " + reason(result);
        case FAILED -> {
          Optional<Throwable> linkage = causedByLinkage(result.getThrowable());
          if (test.getParentId().isEmpty() || linkage.isPresent()) {
            // The engine found no test, or the test could not use the changed class.
            broken =
                "broken by " + linkage.map(Throwable::toString).orElseGet(() -> reason(result));
          } else if (failed == null) {
            failed = "failed " + reason(result);
          }
        }
      }
    }

    /** Other classes were compiled against the source before it changed. */
    private static Optional<Throwable> causedByLinkage(Optional<Throwable> failure) {
      Throwable at = failure.orElse(null);
      for (int depth = 0; at != null && depth < 20; depth++) {
        if (at instanceof LinkageError) {
          return Optional.of(at);
        }
        at = at.getCause();
      }
      return Optional.empty();
    }

    private static String reason(TestExecutionResult result) {
      return result.getThrowable().map(Throwable::toString).orElse("without a reason");
    }

    private String line() {
      String line =
          broken != null
              ? broken
              : failed != null
                  ? failed
                  : skipped != null ? skipped : passed > 0 ? "passed" : "broken: no such test";
      return line.strip().replaceAll("\\s+", " ");
    }
  }
}
